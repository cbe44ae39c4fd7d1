package script

import (
	"strings"

	"rebalancelab/engine/trace"
)

// Watcher looks for the moment that a trigger waits for in the events of a run.
type Watcher struct {
	trigger Trigger
	log     *trace.Log
	kind    trace.Kind
	left    int // times still to come
	members map[trace.Ref]bool
}

// watched is the kind of event that each trigger waits for.
var watched = map[TriggerKind]trace.Kind{
	TriggerProcessed: trace.WorkEnded, TriggerSent: trace.MessageSent,
	TriggerArrived: trace.MessageArrived, TriggerAnswered: trace.MessageSent,
	TriggerCommitted: trace.OffsetCommitted, TriggerAssigned: trace.Owned,
	TriggerState: trace.GroupState, TriggerLog: trace.LogLine,
	TriggerStarted: trace.ProcessStarted, TriggerEnded: trace.ProcessEnded,
	TriggerJoined: trace.MemberAdded, TriggerRemoved: trace.MemberRemoved,
}

// NewWatcher watches the events of log for t. It never interns a name: watching does not change the
// trace.
func NewWatcher(t Trigger, log *trace.Log) *Watcher {
	kind, ok := watched[t.Kind]
	if !ok {
		panic("script: a trigger that no event brings about")
	}
	return &Watcher{
		trigger: t, log: log, kind: kind, left: max(1, t.Nth), members: map[trace.Ref]bool{},
	}
}

// Observe sees an event and says whether it is the moment. It says so once.
func (w *Watcher) Observe(e trace.Event) bool {
	if w.trigger.Kind == TriggerRemoved || w.trigger.Kind == TriggerJoined {
		w.learnMember(e)
	}
	if e.Kind != w.kind || w.left == 0 || !w.fits(e) {
		return false
	}
	w.left--
	return w.left == 0
}

// learnMember notes the member ids of the trigger's process.
func (w *Watcher) learnMember(e trace.Event) {
	switch {
	case e.Kind == trace.MemberID && w.named(e.Node, w.trigger.Node):
		w.members[e.Name] = true
	case e.Kind == trace.MemberAdded && w.named(trace.Ref(e.Z), w.trigger.Node):
		w.members[e.Peer] = true
	}
}

func (w *Watcher) named(r trace.Ref, name string) bool { return w.log.String(r) == name }

func (w *Watcher) fits(e trace.Event) bool {
	t := &w.trigger
	switch t.Kind {
	case TriggerProcessed:
		return e.X == t.Offset && w.onPartition(e) && w.named(e.Node, t.Node)
	case TriggerSent:
		return e.Part == t.API && e.Y&1 == 0 && w.named(e.Node, t.Node)
	case TriggerArrived:
		return e.Part == t.API && e.Y&1 == 0 && w.named(e.Peer, t.Node)
	case TriggerAnswered:
		return e.Part == t.API && e.Y&1 == 1 && w.named(e.Peer, t.Node)
	case TriggerCommitted:
		return e.X >= t.Offset && e.Z == 0 && w.onPartition(e) && w.named(trace.Ref(e.Y), t.Group)
	case TriggerAssigned:
		return (t.Topic == "" || w.onPartition(e)) && w.named(e.Node, t.Node)
	case TriggerState:
		return trace.GroupStateNames[e.X] == t.Text && w.named(e.Name, t.Group)
	case TriggerLog:
		return w.named(e.Node, t.Node) && strings.Contains(w.log.String(e.Name), t.Text)
	case TriggerJoined, TriggerRemoved:
		return w.members[e.Peer]
	}
	return w.named(e.Node, t.Node)
}

func (w *Watcher) onPartition(e trace.Event) bool {
	return e.Part == w.trigger.Partition && w.named(e.Name, w.trigger.Topic)
}
