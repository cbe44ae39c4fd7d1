package script

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
)

// watchCase is a trigger with the events of a run; the moment is the event number fires.
type watchCase struct {
	name    string
	trigger Trigger
	events  func(ref func(string) trace.Ref) []trace.Event
	fires   int
}

type refOf = func(string) trace.Ref

var watchCases = []watchCase{
	{"a record is finished", Trigger{Kind: TriggerProcessed, Node: "A", Topic: "t", Partition: 1, Offset: 19},
		func(r refOf) []trace.Event {
			return []trace.Event{
				{Kind: trace.WorkStarted, Node: r("A"), Name: r("t"), Part: 1, X: 19},
				{Kind: trace.WorkEnded, Node: r("B"), Name: r("t"), Part: 1, X: 19},
				{Kind: trace.WorkEnded, Node: r("A"), Name: r("t"), Part: 0, X: 19},
				{Kind: trace.WorkEnded, Node: r("A"), Name: r("t"), Part: 1, X: 18},
				{Kind: trace.WorkEnded, Node: r("A"), Name: r("t"), Part: 1, X: 19},
				{Kind: trace.WorkEnded, Node: r("A"), Name: r("t"), Part: 1, X: 19},
			}
		}, 4},
	{"the second request is sent", Trigger{Kind: TriggerSent, Node: "A", API: 11, Nth: 2},
		func(r refOf) []trace.Event {
			return []trace.Event{
				{Kind: trace.MessageSent, Node: r("A"), Peer: r("broker-1"), Part: 11, X: 1},
				{Kind: trace.MessageSent, Node: r("broker-1"), Peer: r("A"), Part: 11, X: 2, Y: 1},
				{Kind: trace.MessageSent, Node: r("A"), Peer: r("broker-1"), Part: 12, X: 3},
				{Kind: trace.MessageSent, Node: r("A"), Peer: r("broker-1"), Part: 11, X: 4},
			}
		}, 3},
	{"a request arrives", Trigger{Kind: TriggerArrived, Node: "A", API: 11, Nth: 1},
		func(r refOf) []trace.Event {
			return []trace.Event{
				{Kind: trace.MessageSent, Node: r("A"), Peer: r("broker-1"), Part: 11},
				{Kind: trace.MessageArrived, Node: r("broker-1"), Peer: r("B"), Part: 11},
				{Kind: trace.MessageArrived, Node: r("broker-1"), Peer: r("A"), Part: 11},
			}
		}, 2},
	{"it is answered", Trigger{Kind: TriggerAnswered, Node: "A", API: 11, Nth: 1},
		func(r refOf) []trace.Event {
			return []trace.Event{
				{Kind: trace.MessageSent, Node: r("A"), Peer: r("broker-1"), Part: 11},
				{Kind: trace.MessageSent, Node: r("broker-1"), Peer: r("A"), Part: 11, Y: 1},
			}
		}, 1},
	{"a commit passes an offset",
		Trigger{Kind: TriggerCommitted, Group: "g", Topic: "t", Partition: 0, Offset: 15},
		func(r refOf) []trace.Event {
			g := int64(r("g"))
			return []trace.Event{
				{Kind: trace.OffsetCommitted, Name: r("t"), X: 15, Y: g, Z: 1},
				{Kind: trace.OffsetCommitted, Name: r("t"), X: 14, Y: g},
				{Kind: trace.OffsetCommitted, Name: r("t"), X: 16, Y: int64(r("h"))},
				{Kind: trace.OffsetCommitted, Name: r("t"), X: 16, Y: g},
			}
		}, 3},
	{"any partition is assigned", Trigger{Kind: TriggerAssigned, Node: "A", Partition: -1},
		func(r refOf) []trace.Event {
			return []trace.Event{
				{Kind: trace.Owned, Node: r("B"), Name: r("t")}, {Kind: trace.Owned, Node: r("A"), Name: r("t")},
			}
		}, 1},
	{"one partition is assigned", Trigger{Kind: TriggerAssigned, Node: "A", Topic: "t", Partition: 2},
		func(r refOf) []trace.Event {
			return []trace.Event{
				{Kind: trace.Owned, Node: r("A"), Name: r("t"), Part: 1},
				{Kind: trace.Owned, Node: r("A"), Name: r("t"), Part: 2},
			}
		}, 1},
	{"the group is stable", Trigger{Kind: TriggerState, Group: "g", Text: "Stable"},
		func(r refOf) []trace.Event {
			return []trace.Event{
				{Kind: trace.GroupState, Name: r("g"), X: trace.GroupEmpty},
				{Kind: trace.GroupState, Name: r("h"), X: trace.GroupStable},
				{Kind: trace.GroupState, Name: r("g"), X: trace.GroupStable},
			}
		}, 2},
	{"a line is logged", Trigger{Kind: TriggerLog, Node: "A", Text: "expired"},
		func(r refOf) []trace.Event {
			return []trace.Event{
				{Kind: trace.LogLine, Node: r("B"), Name: r("poll timeout has expired")},
				{Kind: trace.LogLine, Node: r("A"), Name: r("joining")},
				{Kind: trace.LogLine, Node: r("A"), Name: r("poll timeout has expired")},
			}
		}, 2},
	{"a process starts again", Trigger{Kind: TriggerStarted, Node: "A", Nth: 2},
		func(r refOf) []trace.Event {
			return []trace.Event{
				{Kind: trace.ProcessStarted, Node: r("A"), X: 1}, {Kind: trace.ProcessEnded, Node: r("A")},
				{Kind: trace.ProcessStarted, Node: r("A"), X: 2},
			}
		}, 2},
	{"a process ends", Trigger{Kind: TriggerEnded, Node: "A"},
		func(r refOf) []trace.Event {
			return []trace.Event{{Kind: trace.ProcessEnded, Node: r("B")}, {Kind: trace.ProcessEnded, Node: r("A")}}
		}, 1},
	{"a member is taken in", Trigger{Kind: TriggerJoined, Node: "A"},
		func(r refOf) []trace.Event {
			return []trace.Event{
				{Kind: trace.MemberAdded, Name: r("g"), Peer: r("B-1"), Z: int64(r("B"))},
				{Kind: trace.MemberAdded, Name: r("g"), Peer: r("A-1"), Z: int64(r("A"))},
			}
		}, 1},
	{"a member is removed, by the id that the process has", Trigger{Kind: TriggerRemoved, Node: "A"},
		func(r refOf) []trace.Event {
			return []trace.Event{
				{Kind: trace.MemberID, Node: r("A"), Name: r("x-1"), Peer: r("g")},
				{Kind: trace.MemberRemoved, Name: r("g"), Peer: r("x-2")},
				{Kind: trace.MemberRemoved, Name: r("g"), Peer: r("x-1")},
			}
		}, 2},
}

func TestATriggerComesOnceAndAtItsMoment(t *testing.T) {
	for _, c := range watchCases {
		t.Run(c.name, func(t *testing.T) {
			log := trace.NewLog()
			events := c.events(log.Ref)
			hash := log.Hash()
			w := NewWatcher(c.trigger, log)
			var fired []int
			for i, e := range append(events, events...) {
				if w.Observe(e) {
					fired = append(fired, i)
				}
			}
			require.Equal(t, []int{c.fires}, fired)
			require.Equal(t, hash, log.Hash(), "watching leaves no mark")
		})
	}
}
