package verdict

import "rebalancelab/engine/trace"

// Facts is what a run's events come to, folded one by one. It keeps histories of what changes
// rarely (ownership, generations, commits, processes) and runs of offsets for what changes often;
// the log it was made with serves the other questions.
type Facts struct {
	log     *trace.Log
	procs   []*process // by trace.Ref, like the lists below
	topics  []*topic
	groups  []*group
	member  []*member
	effects []int64 // number of changes of each store

	// In order of appearance, so that nothing depends on how names are interned.
	procList   []*process
	topicList  []*topic
	groupList  []*group
	memberList []*member

	coords coordinators
	things []*thing // the neighbours'
}

// topic holds the partitions of one topic, by number.
type topic struct {
	ref   trace.Ref
	parts []*partition
}

// NewFacts returns empty facts about the run that log records. Names are read from it, and rare
// questions scan it, so the events given to Observe must be the ones appended to it.
func NewFacts(log *trace.Log) *Facts { return &Facts{log: log} }

// grow returns s with room for index i.
func grow[T any](s []T, i int) []T {
	for len(s) <= i {
		s = append(s, make([]T, max(16, i+1-len(s)))...)
	}
	return s
}

// Observe takes in the next event. It runs on every event of every run, so most kinds return at
// once.
func (f *Facts) Observe(e *trace.Event) {
	switch e.Kind {
	case trace.MessageSent:
		if e.Name != 0 {
			f.process(e.Peer).answering(e)
		}
	case trace.MessageArrived:
		if p := f.knownProcess(e.Node); p != nil && p.pending > 0 {
			p.answered(e)
		}
	case trace.MessageLost:
		if p := f.knownProcess(e.Peer); p != nil && p.pending > 0 {
			p.unanswered(e)
		}
	case trace.Appended, trace.HighWatermark, trace.LeaderElected, trace.ReplicasPlaced, trace.ISRChanged,
		trace.Replicated, trace.FollowerWatermark, trace.Truncated:
		f.partition(e.Name, e.Part).observeLog(e)
	case trace.Positioned, trace.Delivered, trace.WorkStarted, trace.WorkEnded, trace.WorkFailed:
		f.observeWork(e)
	case trace.ProcessStarted, trace.ProcessEnded, trace.ProcessFrozen, trace.ProcessThawed,
		trace.CallbackStarted, trace.CallbackEnded, trace.Owned, trace.Unowned, trace.MemberID,
		trace.ConsumerState:
		f.observeProcess(e)
	case trace.GroupState, trace.GroupProtocol, trace.GroupLeader, trace.MemberAdded,
		trace.MemberJoining, trace.MemberSession, trace.MemberRemoved, trace.PartitionAssigned,
		trace.GenerationStable, trace.OffsetCommitted, trace.OffsetRemoved, trace.CoordinatorLoaded,
		trace.MemberEpoch, trace.MemberTarget, trace.TargetPartition, trace.PartitionReleased:
		f.observeGroup(e)
	case trace.TopicCreated:
		f.topicCreated(e)
	case trace.NeighbourUp, trace.Published, trace.Subscribed, trace.Unsubscribed, trace.Pushed,
		trace.Settled, trace.Requeued, trace.BufferCut:
		f.observeNeighbour(e)
	case trace.StoreSet:
		f.effects = grow(f.effects, int(e.Name))
		f.effects[e.Name] = e.X
	}
}

func (f *Facts) observeWork(e *trace.Event) {
	if e.Part < 0 {
		f.observeThingWork(e)
		return
	}
	p := f.process(e.Node)
	group := p.group
	if e.Peer != 0 {
		group = e.Peer
	}
	h := p.hand(f, e.Name, e.Part, group)
	switch e.Kind {
	case trace.Positioned:
		h.rd.begin(e.X)
	case trace.Delivered:
		h.rd.begin(e.X)
		h.delivered(e.X, e.Y)
	case trace.WorkStarted:
		h.started(e.X)
		h.rd.worked(p, e.X)
	case trace.WorkEnded:
		h.over(e.X)
		h.rd.finished(p, e.X)
		h.rd.worked(p, e.X)
	case trace.WorkFailed:
		h.over(e.X)
		h.rd.worked(p, e.X)
	}
}

func (f *Facts) knownProcess(r trace.Ref) *process {
	if int(r) < len(f.procs) {
		return f.procs[r]
	}
	return nil
}

// process finds or makes the facts about the process called r. One that was never seen to start is
// taken to run.
func (f *Facts) process(r trace.Ref) *process {
	if p := f.knownProcess(r); p != nil {
		return p
	}
	f.procs = grow(f.procs, int(r))
	p := &process{ref: r, running: true}
	f.procs[r] = p
	f.procList = append(f.procList, p)
	return p
}

func (f *Facts) group(r trace.Ref) *group {
	f.groups = grow(f.groups, int(r))
	g := f.groups[r]
	if g == nil {
		g = &group{ref: r, firstStable: -1}
		f.groups[r] = g
		f.groupList = append(f.groupList, g)
	}
	return g
}

func (f *Facts) topic(r trace.Ref) *topic {
	f.topics = grow(f.topics, int(r))
	t := f.topics[r]
	if t == nil {
		t = &topic{ref: r}
		f.topics[r] = t
		f.topicList = append(f.topicList, t)
	}
	return t
}

// partition finds or makes the facts about one partition. part must not be negative.
func (f *Facts) partition(name trace.Ref, part int32) *partition {
	if int(name) < len(f.topics) {
		if t := f.topics[name]; t != nil && int(part) < len(t.parts) && t.parts[part] != nil {
			return t.parts[part]
		}
	}
	t := f.topic(name)
	t.parts = grow(t.parts, int(part))
	p := &partition{topic: name, part: part}
	t.parts[part] = p
	return p
}

func (f *Facts) topicCreated(e *trace.Event) {
	for i := int32(0); i < e.Part; i++ {
		t := f.topic(e.Name)
		if int(i) >= len(t.parts) || t.parts[i] == nil {
			f.partition(e.Name, i).created = e.At
		}
	}
}

// name is the text of a Ref.
func (f *Facts) name(r trace.Ref) string { return f.log.String(r) }

// scan calls see with the logged events from time from to time to, both included, until it returns
// false.
func (f *Facts) scan(from, to int64, see func(e trace.Event) bool) {
	n := 0
	if from > 0 {
		n = f.log.Before(from - 1)
	}
	for r := f.log.Reader(n); ; {
		e, ok := r.Next()
		if !ok || e.At > to || !see(e) {
			return
		}
	}
}
