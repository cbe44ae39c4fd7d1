package verdict

import "rebalancelab/engine/trace"

// group is what the coordinator's events say about one group.
type group struct {
	ref         trace.Ref
	state       int64
	gen         int64
	firstStable int64 // time of its first complete assignment; -1: never

	states     []groupState
	rebalances []rebalance
	plans      []plan
	protocols  []named
	leaders    []named
	trigger    trigger
	offsets    int32 // partition of __consumer_offsets
	known      bool  // a GroupState was seen

	// modern: the group speaks the consumer protocol at present, and targets are the epochs of its
	// target assignments.
	modern  bool
	targets []counted
}

type groupState struct {
	at, state, gen int64
	grew           int64 // by how much the generation grew here
	broker         trace.Ref
	modern         bool // the group spoke the consumer protocol
}

// rebalance is one round; end is -1 until the group is stable or empty.
type rebalance struct {
	start, end int64
	why        trigger
}

// named is a name that held from a time on.
type named struct {
	at  int64
	ref trace.Ref
}

// trigger is the last event that can make a group rebalance.
type trigger struct {
	at     int64
	kind   trace.Kind // 0: none
	member trace.Ref
	reason int64
}

// plan is the assignment of one generation.
type plan struct {
	gen, at int64
	stable  bool
	parts   []planned
}

type planned struct {
	member trace.Ref
	rd     *reading
}

// member is one member id.
type member struct {
	id, group trace.Ref
	node      trace.Ref // 0: not known
	client    trace.Ref
	added     int64 // -1: the id was given out, but never joined
	removed   int64 // -1: still in the group
	reason    int64
	heard     int64 // what last re-armed its session; -1: nothing

	places []place // where it was in a group of the consumer protocol
}

func (f *Facts) memberOf(id, group trace.Ref) *member {
	f.member = grow(f.member, int(id))
	m := f.member[id]
	if m == nil {
		m = &member{id: id, group: group, added: -1, removed: -1, heard: -1}
		f.member[id] = m
		f.memberList = append(f.memberList, m)
	}
	return m
}

func (f *Facts) observeGroup(e *trace.Event) {
	if !f.coords.observe(e) {
		return
	}
	switch e.Kind {
	case trace.GroupState:
		f.group(e.Name).enter(e)
	case trace.GroupProtocol:
		g := f.group(e.Name)
		g.protocols = append(g.protocols, named{e.At, e.Peer})
		g.targets = append(g.targets, counted{e.At, e.X})
	case trace.GroupLeader:
		g := f.group(e.Name)
		g.leaders = append(g.leaders, named{e.At, e.Peer})
	case trace.MemberAdded:
		f.memberAdded(e)
	case trace.MemberJoining:
		f.group(e.Name).triggered(e, trigger{e.At, e.Kind, e.Peer, 0})
	case trace.MemberSession:
		if e.X > 0 {
			f.memberOf(e.Peer, e.Name).heard = e.At
		}
	case trace.MemberRemoved:
		f.memberRemoved(e)
	case trace.PartitionAssigned:
		f.assigned(e)
	case trace.GenerationStable:
		f.group(e.Name).stable(e)
	case trace.OffsetCommitted, trace.OffsetRemoved:
		f.offsetCommitted(e)
	default:
		f.observeConsumerGroup(e)
	}
}

// enter notes a state of the group.
func (g *group) enter(e *trace.Event) {
	s := groupState{at: e.At, state: e.X, gen: e.Y, broker: e.Node, grew: max(0, e.Y-g.gen)}
	begins := e.X == trace.GroupPreparingRebalance && g.state != e.X
	switch e.X {
	case trace.GroupPreparingRebalance, trace.GroupCompletingRebalance:
		g.modern = false
	case trace.GroupAssigning, trace.GroupReconciling: // KIP-848: an epoch is a rebalance
		g.modern, begins = true, s.grew > 0
	case trace.GroupStable, trace.GroupEmpty, trace.GroupDead:
		if n := len(g.rebalances); n > 0 && g.rebalances[n-1].end < 0 {
			g.rebalances[n-1].end = e.At
		}
	}
	atOnce := g.modern && e.X == trace.GroupStable && s.grew > 0 // nobody had to move
	s.modern = g.modern
	g.states = append(g.states, s)
	g.state, g.gen, g.offsets, g.known = e.X, e.Y, int32(e.Z), true
	if begins || atOnce {
		r := rebalance{start: e.At, end: -1}
		if atOnce {
			r.end = e.At
		}
		if g.trigger.at == e.At {
			r.why = g.trigger
		}
		g.rebalances = append(g.rebalances, r)
	}
}

// triggered notes what may be the cause of a rebalance: one that began at the same instant, written
// before or after the cause. A member that joins or goes weighs more than one that asks again.
func (g *group) triggered(e *trace.Event, t trigger) {
	if e.Kind != trace.MemberJoining || g.trigger.at != e.At || g.trigger.kind == 0 {
		g.trigger = t
	}
	n := len(g.rebalances)
	if n == 0 || g.rebalances[n-1].start != e.At {
		return
	}
	if r := &g.rebalances[n-1]; r.why.kind == 0 || r.why.kind == trace.MemberJoining {
		r.why = t
	}
}

func (f *Facts) memberAdded(e *trace.Event) {
	m := f.memberOf(e.Peer, e.Name)
	if m.removed >= 0 && m.reason == trace.RemovedByUnload { // the new coordinator read it back
		m.removed = -1
		return
	}
	if m.removed >= 0 { // the same id once more: another member in every respect
		node := m.node
		f.member[e.Peer] = nil
		m = f.memberOf(e.Peer, e.Name)
		m.node = node
		f.holds(m, e.At, true) // a coordinator that read an older state back knows it again
	}
	if m.added < 0 {
		m.added = e.At
	}
	m.client = trace.Ref(e.Z)
	f.group(e.Name).triggered(e, trigger{e.At, e.Kind, e.Peer, 0})
}

func (f *Facts) memberRemoved(e *trace.Event) {
	m := f.memberOf(e.Peer, e.Name)
	m.removed, m.reason = e.At, e.X
	if e.X == trace.RemovedByUnload {
		return
	}
	m.heard = max(m.heard, e.Y)
	f.group(e.Name).triggered(e, trigger{e.At, e.Kind, e.Peer, e.X})
	f.holds(m, e.At, false)
}

// holds notes that the group does, or no longer does, know the member as which its process still holds
// partitions.
func (f *Facts) holds(m *member, at int64, known bool) {
	p := f.knownProcess(f.nodeOf(m))
	if p == nil || p.memberIn(m.group) != m.id {
		return
	}
	for _, rd := range p.owned {
		if rd.group.ref != m.group {
			continue
		}
		for i := range rd.owners {
			if rd.owners[i].proc == p {
				rd.owners[i].removed = !known
			}
		}
		rd.reconsider(at)
	}
}

// nodeOf is the process behind a member: the one that said so, else the one whose name is the
// member's client id; 0 when neither is known.
func (f *Facts) nodeOf(m *member) trace.Ref {
	if m.node != 0 {
		return m.node
	}
	if f.knownProcess(m.client) != nil {
		return m.client
	}
	return 0
}

// memberName is the name of the process behind a member id, or the id.
func (f *Facts) memberName(id trace.Ref) string {
	if int(id) < len(f.member) && f.member[id] != nil {
		if node := f.nodeOf(f.member[id]); node != 0 {
			return f.name(node)
		}
	}
	return f.name(id)
}

func (f *Facts) assigned(e *trace.Event) {
	g := f.group(trace.Ref(e.Y))
	rd := f.reading(f.partition(e.Name, e.Part), g.ref)
	rd.assignedTo, rd.assignedGen = e.Peer, e.X
	for i := range rd.owners {
		if o := &rd.owners[i]; o.proc.memberIn(g.ref) == e.Peer {
			o.removed = false // it was removed, came back as this member and had never let go
		}
	}
	rd.stall.assign(e.At, e.X)
	rd.reconsider(e.At)
	if g.modern {
		rd.members = append(rd.members, named{e.At, e.Peer})
		return
	}
	n := len(g.plans)
	if n == 0 || g.plans[n-1].gen != e.X {
		g.plans = append(g.plans, plan{gen: e.X, at: e.At})
		n++
	}
	g.plans[n-1].put(planned{e.Peer, rd}, g.plans[n-1].stable)
}

// put adds a line to the plan. Only a plan that was complete already can name the partition before:
// a static member came back within the generation (A42).
func (p *plan) put(line planned, again bool) {
	if again {
		for i := range p.parts {
			if p.parts[i].rd == line.rd {
				p.parts[i] = line
				return
			}
		}
	}
	p.parts = append(p.parts, line)
}

func (g *group) stable(e *trace.Event) {
	if g.firstStable < 0 {
		g.firstStable = e.At
	}
	if g.modern {
		return
	}
	n := len(g.plans)
	if n == 0 || g.plans[n-1].gen != e.X { // a generation without partitions
		g.plans = append(g.plans, plan{gen: e.X, at: e.At})
		n++
	}
	g.plans[n-1].stable = true
}

func (f *Facts) offsetCommitted(e *trace.Event) {
	rd := f.reading(f.partition(e.Name, e.Part), trace.Ref(e.Y))
	c := commit{e.At, e.X}
	if e.Kind == trace.OffsetRemoved {
		c.offset = -1
	} else if e.Z == 1 {
		rd.begin(e.X)
	}
	rd.commits = append(rd.commits, c)
}
