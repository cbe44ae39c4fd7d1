package script

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"rebalancelab/engine/assign"
)

// distribution is one question to an assignor of the scenario: what it is given, and the answer as
// far as it has been checked.
type distribution struct {
	members     []assign.Member
	names       []string // of the members, as the function knows them
	topics      []assign.Topic
	cooperative bool

	all    []string       // all partitions
	to     map[string]int // the member that gets each of them, -1 while nobody does
	result []assign.MemberAssignment
}

func newDistribution(
	members []assign.Member, topics []assign.Topic, cooperative bool,
) *distribution {
	d := &distribution{
		members: members, names: shortNames(members), topics: topics, cooperative: cooperative,
		to: map[string]int{}, result: make([]assign.MemberAssignment, len(members)),
	}
	for i := range members {
		d.result[i].ID = members[i].ID
	}
	for _, t := range topics {
		for p := range t.Partitions {
			tp := partitionText(t.Name, p)
			d.all = append(d.all, tp)
			d.to[tp] = -1
		}
	}
	return d
}

// take reads what the function gave: known members that have subscribed, known partitions, each for
// one member.
func (d *distribution) take(given *starlark.Dict) error {
	for k, e := range given.Entries() {
		name, _ := starlark.AsString(k)
		i := slices.Index(d.names, name)
		if i < 0 {
			return fmt.Errorf("no such member %s%s", k, suggest(name, d.names))
		}
		parts, err := toPartitions(e)
		if err != nil {
			return err
		}
		for _, p := range parts {
			if err := d.give(i, p); err != nil {
				return err
			}
		}
	}
	for i := range d.result {
		slices.SortFunc(d.result[i].Partitions, assign.TopicPartition.Compare)
	}
	return d.checkAll()
}

func (d *distribution) give(i int, p assign.TopicPartition) error {
	tp := partitionText(p.Topic, p.Partition)
	other, known := d.to[tp]
	switch {
	case !known:
		return fmt.Errorf("no such partition %q%s", tp, suggest(tp, d.all))
	case other >= 0:
		return fmt.Errorf("%q is given to two members, %s and %s; give it to one", tp, d.names[other], d.names[i])
	case !slices.Contains(d.members[i].Topics, p.Topic):
		return fmt.Errorf("%q is given to %s, which has not subscribed to %s; look at members[%q].topics",
			tp, d.names[i], p.Topic, d.names[i])
	}
	d.to[tp] = i
	d.result[i].Partitions = append(d.result[i].Partitions, p)
	return nil
}

// checkAll finds partitions that nobody gets although somebody has subscribed, and, under the
// cooperative protocol, those that go from one member to another at once: they must be without
// owner for a round, and then nobody is to get them (D15).
func (d *distribution) checkAll() error {
	owner := map[string]int{}
	for i := range d.members {
		for _, p := range d.members[i].Owned {
			owner[partitionText(p.Topic, p.Partition)] = i
		}
	}
	for _, t := range d.topics {
		for p := range t.Partitions {
			tp := partitionText(t.Name, p)
			to := d.to[tp]
			has, owned := owner[tp]
			switch {
			case d.cooperative && owned && to >= 0 && to != has:
				return fmt.Errorf("%q is given to %s while %s still owns it; a cooperative assignor "+
					"must leave it out for one round", tp, d.names[to], d.names[has])
			case to < 0 && !(d.cooperative && owned) && d.wanted(t.Name):
				return fmt.Errorf("nobody gets %q; give every partition to a member", tp)
			}
		}
	}
	return nil
}

func (d *distribution) wanted(topic string) bool {
	return slices.ContainsFunc(d.members, func(m assign.Member) bool {
		return slices.Contains(m.Topics, topic)
	})
}

func (d *distribution) memberValues() *starlark.Dict {
	values := starlark.NewDict(len(d.members))
	for i := range d.members {
		v := &memberValue{&d.members[i]}
		if err := values.SetKey(starlark.String(d.names[i]), v); err != nil {
			panic(err) // a new dict takes texts
		}
	}
	return values
}

func (d *distribution) topicValues() *starlark.Dict {
	values := starlark.NewDict(len(d.topics))
	for _, t := range d.topics {
		if err := values.SetKey(starlark.String(t.Name), starlark.MakeInt(int(t.Partitions))); err != nil {
			panic(err) // a new dict takes texts
		}
	}
	return values
}

// memberValue is a member as an assignor sees it.
type memberValue struct{ *assign.Member }

var memberFields = []string{"generation", "id", "instance_id", "owned", "rack", "topics"}

func (m *memberValue) String() string        { return m.ID }
func (m *memberValue) Type() string          { return "member" }
func (m *memberValue) Freeze()               {}
func (m *memberValue) Truth() starlark.Bool  { return true }
func (m *memberValue) Hash() (uint32, error) { return starlark.String(m.ID).Hash() }
func (m *memberValue) AttrNames() []string   { return memberFields }

// Attr gives a field: instance_id and rack are None when the member has none; owned is what the
// member holds while it joins, in that generation.
func (m *memberValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "id":
		return starlark.String(m.ID), nil
	case "instance_id":
		return textOrNone(m.InstanceID), nil
	case "rack":
		return textOrNone(m.Rack), nil
	case "topics":
		return textValues(m.Topics), nil
	case "owned":
		owned := make([]string, len(m.Owned))
		for i, p := range m.Owned {
			owned[i] = partitionText(p.Topic, p.Partition)
		}
		return textValues(owned), nil
	case "generation":
		return starlark.MakeInt(int(m.Generation)), nil
	}
	return nil, noField("member", name, memberFields)
}

func textOrNone(s string) starlark.Value {
	if s == "" {
		return starlark.None
	}
	return starlark.String(s)
}

// shortNames are the members' names without the random part of their ids, where they differ.
func shortNames(members []assign.Member) []string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.ID
		if m.InstanceID != "" {
			names[i] = m.InstanceID
		} else if n := len(m.ID) - uuidLength; n > 0 && m.ID[n] == '-' {
			names[i] = m.ID[:n]
		}
	}
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	for i, m := range members {
		if count[names[i]] > 1 {
			names[i] = m.ID
		}
	}
	return names
}

func textValues(texts []string) *starlark.List {
	elems := make([]starlark.Value, len(texts))
	for i, s := range texts {
		elems[i] = starlark.String(s)
	}
	return starlark.NewList(elems)
}
