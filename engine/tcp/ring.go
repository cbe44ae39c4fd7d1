package tcp

import "rebalancelab/engine/trace"

// ring keeps the newest events of a run. Names are kept for ever: they are those of topics, groups,
// members and clients' addresses.
type ring struct {
	events   []trace.Event
	next     int // where the next event goes, once the ring is full
	messages int64
	names    []string
	refs     map[string]trace.Ref
}

func newRing(size int) *ring {
	return &ring{
		events: make([]trace.Event, 0, size), names: []string{""}, refs: map[string]trace.Ref{"": 0},
	}
}

func (r *ring) add(e trace.Event) {
	if len(r.events) < cap(r.events) {
		r.events = append(r.events, e)
		return
	}
	r.events[r.next] = e
	r.next = (r.next + 1) % len(r.events)
}

func (r *ring) ref(s string) trace.Ref {
	if ref, ok := r.refs[s]; ok {
		return ref
	}
	ref := trace.Ref(len(r.names))
	r.names = append(r.names, s)
	r.refs[s] = ref
	return ref
}

// message numbers the messages; both ends count, so that a message between brokers has two numbers.
func (r *ring) message() int64 {
	r.messages++
	return r.messages
}

// log is a trace of what the ring holds.
func (r *ring) log() *trace.Log {
	l := trace.NewLog()
	for _, s := range r.names {
		l.Ref(s)
	}
	for i := range r.events {
		l.Append(&r.events[(r.next+i)%len(r.events)])
	}
	return l
}
