package verdict

import (
	"cmp"
	"slices"

	"rebalancelab/engine/trace"
)

// member answers questions about the life of a process's members at the coordinator.
func (a *ask) member() (Value, error) {
	switch a.q.Name {
	case "joined":
		var times []int64
		for _, m := range a.membersOf() {
			if m.added >= 0 {
				times = append(times, m.added)
			}
		}
		slices.Sort(times)
		return a.nth(times), nil
	case "join_answered":
		return a.joinAnswered(), nil
	case "last_heard":
		return a.lastHeard(), nil
	case "last_heartbeat":
		return a.lastHeartbeat(), nil
	case "removed", "removal_reason":
		return a.removed(), nil
	case "removals", "leaves":
		n := int64(0)
		for _, m := range a.removedMembers() {
			if a.q.Name == "removals" || m.reason == trace.RemovedByLeave {
				n++
			}
		}
		return Number(n), nil
	case "learned":
		return a.learned(), nil
	case "member_ids":
		return a.memberIDs(), nil
	case "member_epoch", "member_state":
		return a.place(), nil
	}
	return Value{}, errElsewhere
}

// membersOf are all members that the process ever was, by order of appearance.
func (a *ask) membersOf() []*member {
	node := a.ref(a.q.Node)
	var list []*member
	for _, m := range a.f.memberList {
		if a.f.nodeOf(m) == node {
			list = append(list, m)
		}
	}
	return list
}

// removedMembers are those removed in the time asked about, by order of removal.
func (a *ask) removedMembers() []*member {
	var list []*member
	for _, m := range a.membersOf() {
		if m.removed >= 0 && m.reason != trace.RemovedByUnload && a.within(m.removed) {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(x, y *member) int { return cmp.Compare(x.removed, y.removed) })
	return list
}

// nthRemoved is the query's nth removed member, or the last; nil when there is none.
func (a *ask) nthRemoved() *member {
	list := a.removedMembers()
	n := a.q.Nth
	if n == 0 {
		n = len(list)
	}
	if n == 0 || n > len(list) {
		return nil
	}
	return list[n-1]
}

func (a *ask) removed() Value {
	m := a.nthRemoved()
	switch {
	case m == nil:
		return None("never")
	case a.q.Name == "removed":
		return Time(m.removed)
	}
	return Text(reasonText(m.reason))
}

func (a *ask) lastHeard() Value {
	heard := int64(-1)
	if a.q.Nth > 0 {
		if m := a.nthRemoved(); m != nil {
			heard = m.heard
		}
	} else {
		for _, m := range a.membersOf() {
			heard = max(heard, m.heard)
		}
	}
	if heard < 0 {
		return None("never")
	}
	return Time(heard)
}

func (a *ask) isMemberOf(id trace.Ref) bool {
	if int(id) >= len(a.f.member) || a.f.member[id] == nil {
		return false
	}
	return a.f.nodeOf(a.f.member[id]) == a.ref(a.q.Node)
}

func (a *ask) lastHeartbeat() Value {
	v := None("never")
	a.f.scan(0, a.to, func(e trace.Event) bool {
		if e.Kind == trace.MemberSession && e.X > 0 && a.isMemberOf(e.Peer) {
			v = Time(e.At)
		}
		return true
	})
	return v
}

func (a *ask) joinAnswered() Value {
	var times []int64
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		if e.Kind == trace.MemberAnswered && e.X == apiJoinGroup && a.isMemberOf(e.Peer) {
			times = append(times, e.At)
		}
		return true
	})
	return a.nth(times)
}

func (a *ask) learned() Value {
	p := a.node()
	if p == nil {
		return None("never")
	}
	for _, e := range p.errs {
		if e.at >= a.from && a.f.name(e.name) == "REBALANCE_IN_PROGRESS" {
			return Time(e.at)
		}
	}
	return None("never")
}

func (a *ask) memberIDs() Value {
	node := a.ref(a.q.Node)
	var ids []string
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		if e.Kind == trace.MemberID && e.Node == node && e.Name != 0 {
			ids = append(ids, a.f.name(e.Name))
		}
		return true
	})
	return unique(ids)
}
