package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"rebalancelab/engine/assign"
)

// scripted is an assignor that the scenario defines. It runs in the application of the group's
// leader; an error of it ends that application's next blocking call.
type scripted struct {
	app  *App
	name string
	fn   starlark.Callable
}

// uuidLength is the length of "-" and a random UUID, which end a dynamic member's id (A21).
const uuidLength = 37

// Name implements [assign.Assignor].
func (s *scripted) Name() string { return s.name }

// Assign implements [assign.Assignor]: it calls the function with {member: [topic]} and the list of
// all partitions and reads {member: [partition]}.
func (s *scripted) Assign(
	members []assign.Member, topics []assign.Topic,
) []assign.MemberAssignment {
	result := make([]assign.MemberAssignment, len(members))
	names := shortNames(members)
	for i := range members {
		result[i].ID = members[i].ID
	}
	if err := s.ask(members, names, topics, result); err != nil {
		for i := range result {
			result[i].Partitions = nil
		}
		s.app.fault(fmt.Errorf("assignor %q: %w", s.name, err))
	}
	return result
}

func (s *scripted) ask(
	members []assign.Member, names []string, topics []assign.Topic, result []assign.MemberAssignment,
) error {
	subscriptions := starlark.NewDict(len(members))
	for i, m := range members {
		if err := subscriptions.SetKey(starlark.String(names[i]), textValues(m.Topics)); err != nil {
			return err
		}
	}
	owner := map[string]bool{} // partitions, and whether they are given to somebody
	var all []string
	for _, t := range topics {
		for p := range t.Partitions {
			tp := partitionText(t.Name, p)
			all = append(all, tp)
			owner[tp] = false
		}
	}
	t := &starlark.Thread{Name: s.name}
	t.SetMaxExecutionSteps(maxSteps)
	t.OnMaxSteps = func(t *starlark.Thread) { t.Cancel(assignReason) }
	v, err := starlark.Call(t, s.fn, starlark.Tuple{subscriptions, textValues(all)}, nil)
	if err != nil {
		return toError(err, s.app.program.File)
	}
	given, ok := v.(*starlark.Dict)
	if !ok {
		return fmt.Errorf("gives %s; it must give a dict such as {\"A\": [\"orders-0\"]}", brief(v))
	}
	return distribute(given, names, owner, all, result)
}

// distribute checks what the function gave: known members, known partitions, each at most once.
func distribute(
	given *starlark.Dict, names []string, owner map[string]bool, all []string,
	result []assign.MemberAssignment,
) error {
	for k, e := range given.Entries() {
		name, _ := starlark.AsString(k)
		i := indexOf(names, name)
		if i < 0 {
			return fmt.Errorf("no such member %s%s", k, suggest(name, names))
		}
		parts, err := toPartitions(e)
		if err != nil {
			return err
		}
		for _, p := range parts {
			tp := partitionText(p.Topic, p.Partition)
			taken, known := owner[tp]
			switch {
			case !known:
				return fmt.Errorf("no such partition %q%s", tp, suggest(tp, all))
			case taken:
				return fmt.Errorf("%q is given to two members", tp)
			}
			owner[tp] = true
			result[i].Partitions = append(result[i].Partitions, p)
		}
	}
	return nil
}

func indexOf(list []string, s string) int {
	for i := range list {
		if list[i] == s {
			return i
		}
	}
	return -1
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

// fault makes the program's present blocking call fail.
func (a *App) fault(err error) {
	if a.faulty == nil {
		a.faulty = err
	}
}
