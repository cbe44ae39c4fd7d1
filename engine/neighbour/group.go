package neighbour

import (
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// group is a consumer group of a stream: how far it has read, and the pending entries list (PEL), an
// item for each entry that was delivered and not acknowledged.
type group struct {
	name   string
	stream *stream
	next   int64
	pel    []*pending // by number
	known  []string   // consumers: one is made by being named
}

// pending is one item of the PEL.
type pending struct {
	number     int64
	owner      string
	since      sim.Time // of its last delivery
	deliveries int64
}

// meet notes a consumer when it is new.
func (g *group) meet(consumer string) {
	for _, k := range g.known {
		if k == consumer {
			return
		}
	}
	g.known = append(g.known, consumer)
	s := g.stream
	s.note(trace.Subscribed, s.env.Ref(consumer), g.next, int64(s.env.Ref(g.name)), 0)
}

// read is XREADGROUP with the id >: up to N (0: any number) entries that nobody in the group was given
// yet. They become pending.
func (g *group) read(ask *Message) []*Record {
	var out []*Record
	for g.next < int64(len(g.stream.entries)) && (ask.N == 0 || int64(len(out)) < ask.N) {
		p := &pending{number: g.next}
		g.next++
		g.pel = append(g.pel, p)
		out = append(out, g.deliver(p, ask.Who))
	}
	return out
}

// again gives out what is pending and fits, up to N items (0: any number): to the consumer that asks,
// or, for XPENDING, only as a list. XAUTOCLAIM looks at ten times as many items at most.
func (g *group) again(ask *Message, fits func(*pending) bool) []*Record {
	var out []*Record
	for i, p := range g.pel {
		if ask.N > 0 && (int64(len(out)) == ask.N || ask.Op == OpXAutoClaim && int64(i) == 10*ask.N) {
			break
		}
		switch {
		case !fits(p):
		case ask.Op == OpXPending:
			out = append(out, g.entry(p))
		default:
			out = append(out, g.deliver(p, ask.Who))
		}
	}
	return out
}

// deliver gives an item of the PEL to consumer, which is another delivery.
func (g *group) deliver(p *pending, consumer string) *Record {
	s := g.stream
	p.deliveries++
	s.note(trace.Pushed, s.env.Ref(consumer), p.number, p.deliveries, int64(s.env.Ref(p.owner)))
	p.owner, p.since = consumer, s.env.Now()
	return g.entry(p)
}

// entry is a pending entry with who has had it for how long, and how often it was delivered.
func (g *group) entry(p *pending) *Record {
	r := *g.stream.entries[p.number]
	r.Owner, r.Idle, r.Deliveries = p.owner, g.stream.env.Now().Sub(p.since), p.deliveries
	return &r
}

// ack is XACK: the items leave the PEL, whoever has them and whatever stands before them. It gives
// those that were pending.
func (g *group) ack(numbers []int64) []*Record {
	var out []*Record
	for _, n := range numbers {
		for i, p := range g.pel {
			if p.number == n {
				g.pel = remove(g.pel, i)
				g.stream.note(trace.Settled, g.stream.env.Ref(p.owner), n, 1, trace.SettledByAck)
				out = append(out, g.stream.entries[n])
				break
			}
		}
	}
	return out
}
