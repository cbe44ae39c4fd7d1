package verdict

import (
	"fmt"

	"rebalancelab/engine/trace"
)

// group answers questions about a group as its coordinator sees it.
func (a *ask) group() (Value, error) {
	switch a.q.Name {
	case "assignment":
		return a.assignment()
	case "controller":
		return a.controller(), nil
	case "target":
		return a.target(), nil
	}
	answer, ok := a.groupAnswer()
	if !ok {
		return Value{}, errElsewhere
	}
	g := a.groupNamed(a.q.Group)
	if g == nil {
		return a.noGroup(), nil
	}
	return answer(g)
}

// noGroup is the answer about a group that the trace never mentions: nothing happened to it.
func (a *ask) noGroup() Value {
	sig, _ := Lookup(a.q.Name)
	switch sig.Result {
	case KindNumber:
		if a.q.Name != "offsets_partition" {
			return Number(0)
		}
	case KindNames, KindSequence:
		return Value{Kind: sig.Result}
	}
	return None("no such group")
}

func (a *ask) groupAnswer() (func(g *group) (Value, error), bool) {
	switch a.q.Name {
	case "generations":
		return a.generations, true
	case "generation", "group_epoch", "group_state", "coordinator", "offsets_partition":
		return a.stateOf, true
	case "rebalances", "rebalance_reasons", "rebalance_time":
		return a.rebalances, true
	case "rebalance_began":
		return a.rebalanceBegan, true
	case "time_in_state":
		return a.timeInState, true
	case "moved", "taken":
		return a.moved, true
	case "members":
		return a.members, true
	case "group_leader", "protocol":
		return a.chosen, true
	case "target_epoch":
		return a.targetEpoch, true
	}
	return nil, false
}

func (a *ask) generations(g *group) (Value, error) {
	n := int64(0)
	for _, s := range g.states {
		if a.within(s.at) {
			n += s.grew
		}
	}
	return Number(n), nil
}

// stateAt is the group's state at time t; nil before the first.
func (g *group) stateAt(t int64) *groupState {
	for i := len(g.states) - 1; i >= 0; i-- {
		if g.states[i].at <= t {
			return &g.states[i]
		}
	}
	return nil
}

func (a *ask) stateOf(g *group) (Value, error) {
	s := g.stateAt(a.at)
	if s == nil {
		return None("no group yet"), nil
	}
	switch a.q.Name {
	case "generation", "group_epoch":
		return Number(s.gen), nil
	case "offsets_partition":
		return Number(int64(g.offsets)), nil
	case "coordinator":
		broker := s.broker
		if int(g.offsets) < len(a.f.coords.brokers) {
			if c := a.f.coords.brokers[g.offsets]; c.broker != 0 && c.at > s.at && c.at <= a.at {
				broker = c.broker
			}
		}
		return Text(a.f.name(broker)), nil
	}
	if s.state < 0 || int(s.state) >= len(trace.GroupStateNames) {
		return Value{}, fmt.Errorf("the trace has an unknown group state %d", s.state)
	}
	return Text(trace.GroupStateNames[s.state]), nil
}

func (a *ask) rebalances(g *group) (Value, error) {
	n, longest := int64(0), int64(-1)
	var why []string
	for _, r := range g.rebalances {
		if !a.within(r.start) {
			continue
		}
		n++
		why = append(why, a.f.triggerText(r.why))
		end := r.end
		if end < 0 {
			end = a.end
		}
		longest = max(longest, end-r.start)
	}
	switch {
	case a.q.Name == "rebalances":
		return Number(n), nil
	case a.q.Name == "rebalance_reasons":
		return Sequence(why...), nil
	case longest < 0:
		return None("no rebalance"), nil
	}
	return Duration(longest), nil
}

func (a *ask) rebalanceBegan(g *group) (Value, error) {
	for _, r := range g.rebalances {
		if r.start >= a.from {
			return Time(r.start), nil
		}
	}
	return None("no rebalance"), nil
}

func (a *ask) timeInState(g *group) (Value, error) {
	sum := int64(0)
	for i, s := range g.states {
		until := a.to
		if i+1 < len(g.states) {
			until = min(until, g.states[i+1].at)
		}
		if trace.GroupStateNames[s.state] == a.q.Text {
			sum += max(0, until-max(s.at, a.from))
		}
	}
	return Duration(sum), nil
}

func (a *ask) controller() Value {
	v := None("none")
	a.f.scan(0, a.at, func(e trace.Event) bool {
		if e.Kind == trace.Controller {
			v = Text(a.f.name(e.Node))
		}
		return true
	})
	return v
}

// triggerText is the cause of a rebalance in words, as "B session expired".
func (f *Facts) triggerText(t trigger) string {
	name := f.memberName(t.member)
	switch t.kind {
	case trace.MemberAdded:
		return name + " joined"
	case trace.MemberJoining:
		return name + " rejoined"
	case trace.MemberRemoved:
		return name + " " + reasonText(t.reason)
	}
	return "not told"
}

func reasonText(reason int64) string {
	if reason < 0 || int(reason) >= len(trace.RemovedByNames) {
		return "removed"
	}
	return trace.RemovedByNames[reason]
}

// planAt is the assignment in force at time t; nil when there is none or the group was empty.
func (g *group) planAt(t int64) *plan {
	if s := g.stateAt(t); s != nil && (s.state == trace.GroupEmpty || s.state == trace.GroupDead) {
		return nil
	}
	for i := len(g.plans) - 1; i >= 0; i-- {
		if g.plans[i].at <= t {
			return &g.plans[i]
		}
	}
	return nil
}

// assignment is that of a group, or the names of one process's partitions.
func (a *ask) assignment() (Value, error) {
	p := a.procNamed(a.q.Who)
	if p == nil {
		g := a.groupNamed(a.q.Who)
		if g == nil {
			return ByMember(), nil
		}
		return ByMember(a.f.planEntries(g, a.at)...), nil
	}
	var parts []string
	for _, g := range a.f.groupList {
		for _, e := range a.f.planEntries(g, a.at) {
			if e.Name == a.q.Who {
				parts = append(parts, e.Names...)
			}
		}
	}
	return Names(parts...), nil
}

// planEntries are the partitions of each member at time t, members without any included.
func (f *Facts) planEntries(g *group, t int64) []Entry {
	if g.modernAt(t) {
		return f.consumerEntries(g, t, false)
	}
	var entries []Entry
	index := map[string]int{}
	entry := func(name string) *Entry {
		i, ok := index[name]
		if !ok {
			i = len(entries)
			index[name] = i
			entries = append(entries, Entry{Name: name})
		}
		return &entries[i]
	}
	p := g.planAt(t)
	if p == nil {
		return nil
	}
	for _, m := range f.membersAt(g, t) {
		entry(f.memberName(m.id))
	}
	for _, line := range p.parts {
		e := entry(f.memberName(line.member))
		part := line.rd.part
		e.Names = append(e.Names, PartitionName(f.name(part.topic), part.part))
	}
	return entries
}

func (f *Facts) membersAt(g *group, t int64) []*member {
	var list []*member
	for _, m := range f.memberList {
		if m.group == g.ref && m.added >= 0 && m.added <= t && (m.removed < 0 || m.removed > t) {
			list = append(list, m)
		}
	}
	return list
}

func (a *ask) members(g *group) (Value, error) {
	var names []string
	for _, m := range a.f.membersAt(g, a.at) {
		names = append(names, a.f.memberName(m.id))
	}
	return Names(names...), nil
}

// moved compares every assignment with the one before it.
func (a *ask) moved(g *group) (Value, error) {
	n := a.movedBetween(g)
	before := map[*reading]trace.Ref{} // the member that had it; only looked up
	for _, p := range g.plans {
		for _, line := range p.parts {
			old, had := before[line.rd]
			before[line.rd] = line.member
			if !had || !a.within(p.at) || a.f.memberName(old) == a.f.memberName(line.member) {
				continue
			}
			if a.q.Name == "moved" || a.f.stayed(old, p.at) {
				n++
			}
		}
	}
	return Number(n), nil
}

// stayed says whether the member was still in its group at time t.
func (f *Facts) stayed(id trace.Ref, t int64) bool {
	m := f.member[id]
	return m != nil && (m.removed < 0 || m.removed > t)
}

func (a *ask) chosen(g *group) (Value, error) {
	list := g.protocols
	if a.q.Name == "group_leader" {
		list = g.leaders
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].at > a.at || list[i].ref == 0 {
			continue
		}
		if a.q.Name == "group_leader" {
			return Text(a.f.memberName(list[i].ref)), nil
		}
		return Text(a.f.name(list[i].ref)), nil
	}
	return None("none"), nil
}
