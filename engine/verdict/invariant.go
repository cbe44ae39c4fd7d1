package verdict

import "rebalancelab/engine/trace"

// Broken is an invariant that an event broke.
type Broken struct {
	// Rule is the invariant's short name, one of [Rules].
	Rule string
	// Text says what happened, with names and numbers.
	Text string
	// At is the time of the event in nanoseconds since the start.
	At int64
}

// Error is the rule, the time and the text.
func (b *Broken) Error() string {
	return "invariant " + b.Rule + " is broken at " + Time(b.At).String() + ": " + b.Text
}

// Rules are the invariants that every run keeps.
var Rules = []struct{ Name, Doc string }{
	{"one-owner", "In one generation a partition is assigned to one member, and one member holds it; in a " +
		"group of the consumer protocol at any time."},
	{"watermark", "A high watermark never falls within a leader epoch and never passes the log's end."},
	{"committed", "A consumer that asks for the committed offset is told one that was in force " +
		"after it asked: committed offsets change only by a commit or by expiry."},
	{"acknowledged", "A record acknowledged with acks=all lies below the high watermark, its offset " +
		"is never written again, and every replica in sync has it: it outlives any fault that leaves one."},
	{"delivery", "poll returns only records of partitions that the process itself believes to own; " +
		"work on one that it lost without knowing is a zombie, not a broken rule."},
}

// Invariants checks the rules event by event. Its zero value is not ready: use [NewInvariants].
type Invariants struct {
	log    *trace.Log
	topics [][]*watched // by topic Ref and partition
	procs  []*holder    // by process Ref
	gone   []bool       // member ids that were removed
	away   []bool       // of those of static members that left for a while
	coords coordinators
	modern []bool // groups that speak the consumer protocol
	// offsetFetches is the time of each process's latest OffsetFetch request.
	offsetFetches []int64
}

// watched is what the rules need to know of one partition.
type watched struct {
	leader trace.Ref
	epoch  int64
	isr    trace.Ref // the brokers in sync ("1,3"); 0 for a partition with one replica
	copies []copyMark
	groups []*watchedGroup
	// highest is the highest high watermark of all epochs.
	highest int64
	// acked is the end of what was acknowledged with acks=all.
	acked int64
}

// watchedGroup is one group's side of a partition.
type watchedGroup struct {
	group   trace.Ref
	gen     int64
	member  trace.Ref // it is assigned the partition in gen
	holders []holding
	offsets []inForce // committed offsets, the latest last
}

type holding struct {
	node trace.Ref
	gen  int64
	// late: it was taken by an answer that was on its way when the member was removed.
	late bool
}

// inForce is a committed offset (-1: none) and the time it was replaced (-1: it stands).
type inForce struct{ offset, until int64 }

// maxInForce bounds the committed offsets that are remembered of one partition.
const maxInForce = 64

// holder is a process; managed says that a coordinator ever gave it a partition.
type holder struct {
	managed bool
	ids     []identity
}

// NewInvariants returns checks that read names from log.
func NewInvariants(log *trace.Log) *Invariants { return &Invariants{log: log} }

// Observe takes in the next event and returns the rule that it breaks, or nil.
func (v *Invariants) Observe(e *trace.Event) *Broken {
	switch e.Kind {
	case trace.MessageSent:
		if e.Part == apiOffsetFetch && e.Y&1 == 0 {
			v.offsetFetches = grow(v.offsetFetches, int(e.Node))
			v.offsetFetches[e.Node] = e.At
		}
	case trace.Appended:
		return v.appended(e)
	case trace.HighWatermark:
		return v.highWatermark(e)
	case trace.LeaderElected:
		return v.elected(e)
	case trace.Replicated, trace.FollowerWatermark, trace.Truncated:
		return v.copied(e)
	case trace.ReplicasPlaced, trace.ISRChanged:
		return v.isrChanged(e)
	case trace.TopicDeleted:
		v.topicDeleted(e)
	case trace.ProducerAcked:
		return v.acknowledged(e)
	case trace.Delivered:
		return v.delivered(e)
	case trace.Positioned:
		if e.Y == 1 {
			return v.toldCommitted(e)
		}
	case trace.OffsetCommitted, trace.OffsetRemoved, trace.PartitionAssigned, trace.PartitionReleased,
		trace.MemberAdded, trace.MemberRemoved, trace.MemberEpoch, trace.GroupState,
		trace.CoordinatorLoaded:
		return v.group(e)
	case trace.Owned:
		return v.owned(e)
	case trace.Unowned:
		v.unowned(e.Node, v.partition(e.Name, e.Part), e.Peer)
	case trace.MemberID:
		v.holder(e.Node).identify(e)
	case trace.ProcessStarted:
		if e.X > 1 {
			v.restarted(e.Node)
		}
	case trace.ProcessEnded:
		v.ended(e)
	}
	return nil
}

// group is what a coordinator says; one whose time is over says nothing of interest.
func (v *Invariants) group(e *trace.Event) *Broken {
	if !v.coords.observe(e) {
		return nil
	}
	switch e.Kind {
	case trace.OffsetCommitted, trace.OffsetRemoved:
		v.committed(e)
	case trace.PartitionAssigned:
		return v.assigned(e)
	case trace.PartitionReleased:
		v.released(e)
	case trace.CoordinatorLoaded:
		v.loaded(e.Part)
	case trace.MemberAdded:
		if int(e.Peer) < len(v.gone) {
			v.gone[e.Peer] = false // a member of the consumer protocol comes back under its id
		}
	case trace.MemberRemoved:
		v.removed(e)
	case trace.MemberEpoch:
		v.speaksConsumer(e.Name, true)
		v.epoch(e)
	case trace.GroupState:
		switch e.X {
		case trace.GroupDead:
			v.dead(e.Name)
		case trace.GroupPreparingRebalance, trace.GroupCompletingRebalance:
			v.speaksConsumer(e.Name, false)
		}
	}
	return nil
}

func (v *Invariants) broken(rule string, e *trace.Event, text string) *Broken {
	return &Broken{Rule: rule, Text: text, At: e.At}
}

func (v *Invariants) partition(topic trace.Ref, part int32) *watched {
	v.topics = grow(v.topics, int(topic))
	v.topics[topic] = grow(v.topics[topic], int(part))
	w := v.topics[topic][part]
	if w == nil {
		w = &watched{}
		v.topics[topic][part] = w
	}
	return w
}

func (w *watched) of(group trace.Ref) *watchedGroup {
	for _, g := range w.groups {
		if g.group == group {
			return g
		}
	}
	g := &watchedGroup{group: group}
	w.groups = append(w.groups, g)
	return g
}

func (v *Invariants) holder(node trace.Ref) *holder {
	v.procs = grow(v.procs, int(node))
	h := v.procs[node]
	if h == nil {
		h = &holder{}
		v.procs[node] = h
	}
	return h
}

func (h *holder) identify(e *trace.Event) {
	for i := range h.ids {
		if h.ids[i].group == e.Peer {
			h.ids[i].id = e.Name
			return
		}
	}
	h.ids = append(h.ids, identity{e.Peer, e.Name})
}

func (h *holder) memberIn(group trace.Ref) trace.Ref {
	for _, i := range h.ids {
		if i.group == group {
			return i.id
		}
	}
	return 0
}

// each calls see with every partition that has been seen.
func (v *Invariants) each(see func(w *watched)) {
	for _, parts := range v.topics {
		for _, w := range parts {
			if w != nil {
				see(w)
			}
		}
	}
}

func (v *Invariants) name(r trace.Ref) string { return v.log.String(r) }

func (v *Invariants) partName(e *trace.Event) string {
	return PartitionName(v.name(e.Name), e.Part)
}

func text(n int64) string { return Number(n).String() }
