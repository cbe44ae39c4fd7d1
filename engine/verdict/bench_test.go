package verdict_test

import (
	"testing"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/verdict"
)

// steadyEvents is a second or so of the canonical run: each record is produced, fetched, worked on,
// with the messages and timers around it.
func steadyEvents(log *trace.Log) []trace.Event {
	ref := log.Ref
	var events []trace.Event
	add := func(e trace.Event) { events = append(events, e) }
	topic, g := ref("order_events"), ref("seller_read_db")
	nodes := []trace.Ref{ref("A"), ref("B"), ref("C")}
	for p := int32(0); p < 6; p++ {
		add(trace.Event{Kind: trace.Owned, Node: nodes[p/2], Peer: g, Name: topic, Part: p, X: 1})
	}
	at, msg := int64(0), int64(0)
	message := func(from, to trace.Ref, api int32, answer int64) {
		msg++
		e := trace.Event{At: at, Kind: trace.MessageSent, Node: from, Peer: to, Part: api}
		e.X, e.Y = msg, answer
		add(e)
		at += 250_000
		e.At, e.Kind, e.Node, e.Peer = at, trace.MessageArrived, to, from
		add(e)
	}
	for i := int64(0); i < 600; i++ {
		part, offset := int32(i%6), i/6
		node, broker := nodes[part/2], ref("broker-1")
		tp := func(kind trace.Kind, node trace.Ref, x, y int64) {
			add(trace.Event{At: at, Kind: kind, Node: node, Name: topic, Part: part, X: x, Y: y})
		}
		message(ref("orders"), broker, 0, 0)
		tp(trace.Appended, broker, offset, 1)
		tp(trace.HighWatermark, broker, offset+1, 0)
		message(broker, ref("orders"), 0, 1)
		tp(trace.ProducerAcked, ref("orders"), offset, 1)
		message(broker, node, 1, 1)
		tp(trace.Fetched, node, offset+1, 1)
		tp(trace.Delivered, node, offset, 1)
		tp(trace.Positioned, node, offset+1, 0)
		message(node, broker, 1, 0)
		tp(trace.FetchParked, broker, at, 0)
		tp(trace.PollTimer, node, at, 0)
		tp(trace.WorkStarted, node, offset, 0)
		at += 5_000_000
		tp(trace.WorkEnded, node, offset, 0)
	}
	return events
}

func BenchmarkObserve(b *testing.B) {
	log := trace.NewLog()
	events := steadyEvents(log)
	for name, fold := range map[string]func() func(*trace.Event){
		"facts": func() func(*trace.Event) { return verdict.NewFacts(log).Observe },
		"invariants": func() func(*trace.Event) {
			inv := verdict.NewInvariants(log)
			return func(e *trace.Event) {
				if err := inv.Observe(e); err != nil {
					b.Fatal(err)
				}
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				observe := fold()
				for i := range events {
					observe(&events[i])
				}
				n += len(events)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/event")
		})
	}
}
