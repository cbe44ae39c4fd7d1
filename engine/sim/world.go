package sim

import (
	"fmt"
	"time"

	"rebalancelab/engine/trace"
)

// maxAtOneInstant bounds the events that may happen without time moving: more is a program that
// loops without ever waiting.
const maxAtOneInstant = 100_000

// Label tells the trace about a message: its api key, MessageInfo bits and error name.
type Label struct {
	API  int32
	Info int64
	Err  string
}

// Options are the parts of a world that its owner brings.
type Options struct {
	Seed uint64
	// Log receives every event.
	Log *trace.Log
	// Label describes a message for the trace; required.
	Label func(Message) Label
	// Hop, if set, sees every message as it is sent and gives the one that arrives: the test mode
	// that encodes and decodes each.
	Hop func(Message) Message
	// Intercept, if set, may answer a message in place of the node that it reaches.
	Intercept func(d *Delivery) (reply Message, answered bool)
	// Observe, if set, sees every event after it was written. The event is lent for the call.
	Observe func(*trace.Event)
}

// World is the one event loop.
type World struct {
	opt   Options
	now   Time
	seq   uint64
	queue queue
	timer Pool[Timer]
	procs map[string]*Process
	rands map[string]*Rand
	net   network
	event trace.Event // the one being written: Log and Observe share it

	instant   Time
	atInstant int
	turns     int64
}

// NewWorld returns a world at [Start] with nobody in it.
func NewWorld(opt Options) *World {
	w := &World{
		opt: opt, now: Start, instant: Start,
		procs: map[string]*Process{}, rands: map[string]*Rand{},
	}
	w.net.init(w)
	return w
}

// Now is the present moment.
func (w *World) Now() Time { return w.now }

// Turns counts the queue entries handled so far.
func (w *World) Turns() int64 { return w.turns }

// Next is the time of the next entry; false when the queue is empty.
func (w *World) Next() (Time, bool) {
	if w.queue.len() == 0 {
		return 0, false
	}
	return w.queue.heap[0].at, true
}

// Turn handles the next entry of the queue. It returns an error when too much happens at one
// instant; the world must not be used after that.
func (w *World) Turn() error {
	at, t := w.queue.pop()
	w.now = at
	w.turns++
	if at != w.instant {
		w.instant, w.atInstant = at, 0
	}
	if w.atInstant++; w.atInstant > maxAtOneInstant {
		return fmt.Errorf("more than %d events at %v: something never waits",
			maxAtOneInstant, time.Duration(at.Since()))
	}
	w.handle(&t)
	return nil
}

func (w *World) handle(t *task) {
	if p := t.proc; p != nil {
		if p.dead {
			t.gone()
			return
		}
		if p.frozen {
			p.backlog = append(p.backlog, *t)
			return
		}
	}
	switch {
	case t.del != nil:
		t.del.arrive()
		w.net.settle(t.del)
	case t.tm != nil:
		t.tm.Fire()
	default:
		t.fn()
	}
}

// gone ends a task whose process has ended.
func (t *task) gone() {
	if d := t.del; d != nil {
		d.gone()
		d.world().net.settle(d)
	}
}

// Forward moves the clock to t when nothing is left to happen before it.
func (w *World) Forward(t Time) {
	if next, ok := w.Next(); ok && next < t {
		panic("sim: the clock would jump over an event")
	}
	w.now = max(w.now, t)
}

// At calls fn at time t; used by the owner of the world, not by nodes.
func (w *World) At(t Time, fn func()) { w.push(max(t, w.now), task{fn: fn}) }

func (w *World) push(at Time, t task) {
	w.seq++
	w.queue.push(at, w.seq, t)
}

// Rand is the stream of chance for purpose.
func (w *World) Rand(purpose string) *Rand {
	r, ok := w.rands[purpose]
	if !ok {
		r = NewRand(w.opt.Seed, purpose)
		w.rands[purpose] = r
	}
	return r
}

// Emit writes an event of the world at the present moment.
func (w *World) Emit(e trace.Event) {
	w.event = e
	w.write()
}

// write writes the event that stands in w.event.
func (w *World) write() {
	w.event.At = w.now.Since()
	w.opt.Log.Append(&w.event)
	if w.opt.Observe != nil {
		w.opt.Observe(&w.event)
	}
}

// Ref interns a text of the trace.
func (w *World) Ref(s string) trace.Ref { return w.opt.Log.Ref(s) }
