package verdict

import "rebalancelab/engine/trace"

// counted is a number that held from a time on.
type counted struct{ at, n int64 }

// place is where a member is in a group of the consumer protocol (KIP-848).
type place struct{ at, epoch, state int64 }

// observeConsumerGroup takes in what only a group of the consumer protocol has. There is no assignment
// of a generation: each partition has the member that holds it and the one that shall.
func (f *Facts) observeConsumerGroup(e *trace.Event) {
	switch e.Kind {
	case trace.MemberEpoch:
		f.group(e.Name).modern = true
		m := f.memberOf(e.Peer, e.Name)
		m.places = append(m.places, place{e.At, e.X, e.Z})
	case trace.MemberTarget:
		g := f.group(e.Name)
		g.modern = true
		g.each(f, func(rd *reading) {
			if heldAt(rd.targets, e.At) == e.Peer {
				rd.targets = append(rd.targets, named{e.At, 0})
			}
		})
	case trace.TargetPartition:
		rd := f.reading(f.partition(e.Name, e.Part), trace.Ref(e.Y))
		rd.targets = append(rd.targets, named{e.At, e.Peer})
	case trace.PartitionReleased:
		rd := f.reading(f.partition(e.Name, e.Part), trace.Ref(e.Y))
		if heldAt(rd.members, e.At) == e.Peer {
			rd.members = append(rd.members, named{e.At, 0})
		}
	}
}

// each calls see with every partition that the group reads, by topic and number.
func (g *group) each(f *Facts, see func(rd *reading)) {
	for _, t := range f.topicList {
		for _, p := range t.parts {
			if p == nil {
				continue
			}
			for _, rd := range p.readings {
				if rd.group == g {
					see(rd)
				}
			}
		}
	}
}

// heldAt is the name that held at time t; 0: none.
func heldAt(list []named, t int64) trace.Ref {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].at <= t {
			return list[i].ref
		}
	}
	return 0
}

// modernAt says whether the group spoke the consumer protocol at time t.
func (g *group) modernAt(t int64) bool {
	s := g.stateAt(t)
	return s != nil && s.modern
}

// consumerEntries are the partitions of each member at time t, members without any included: those
// that the coordinator counts as held, or those of the target assignment.
func (f *Facts) consumerEntries(g *group, t int64, target bool) []Entry {
	members := f.membersAt(g, t)
	entries := make([]Entry, len(members))
	for i, m := range members {
		entries[i].Name = f.memberName(m.id)
	}
	g.each(f, func(rd *reading) {
		list := rd.members
		if target {
			list = rd.targets
		}
		id := heldAt(list, t)
		for i, m := range members {
			if id != 0 && m.id == id {
				entries[i].Names = append(entries[i].Names, PartitionName(f.name(rd.part.topic), rd.part.part))
			}
		}
	})
	return entries
}

// movedBetween counts the partitions of a group of the consumer protocol that another process got than
// the one that had it before.
func (a *ask) movedBetween(g *group) int64 {
	n := int64(0)
	g.each(a.f, func(rd *reading) {
		before := trace.Ref(0)
		for _, h := range rd.members {
			if h.ref == 0 {
				continue
			}
			old := before
			before = h.ref
			if old == 0 || !a.within(h.at) || a.f.memberName(old) == a.f.memberName(h.ref) {
				continue
			}
			if a.q.Name == "moved" || a.f.stayed(old, h.at) {
				n++
			}
		}
	})
	return n
}

// target is the target assignment of a group of the consumer protocol, or the names of the partitions
// that one process shall have.
func (a *ask) target() Value {
	if a.procNamed(a.q.Who) == nil {
		g := a.groupNamed(a.q.Who)
		if g == nil || !g.modernAt(a.at) {
			return ByMember()
		}
		return ByMember(a.f.consumerEntries(g, a.at, true)...)
	}
	var parts []string
	for _, g := range a.f.groupList {
		for _, e := range a.f.consumerEntries(g, a.at, true) {
			if e.Name == a.q.Who {
				parts = append(parts, e.Names...)
			}
		}
	}
	return Names(parts...)
}

func (a *ask) targetEpoch(g *group) (Value, error) {
	for i := len(g.targets) - 1; i >= 0; i-- {
		if g.targets[i].at <= a.at {
			return Number(g.targets[i].n), nil
		}
	}
	return None("none"), nil
}

// place is the epoch or the state of the process's latest member.
func (a *ask) place() Value {
	var last *place
	for _, m := range a.membersOf() {
		if m.removed >= 0 && m.removed <= a.at {
			continue
		}
		for i := range m.places {
			if m.places[i].at <= a.at {
				last = &m.places[i]
			}
		}
	}
	switch {
	case last == nil:
		return None("not a member")
	case a.q.Name == "member_epoch":
		return Number(last.epoch)
	case last.state < 0 || int(last.state) >= len(trace.MemberStateNames):
		return None("unknown")
	}
	return Text(trace.MemberStateNames[last.state])
}
