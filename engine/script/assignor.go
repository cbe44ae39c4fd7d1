package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"rebalancelab/engine/assign"
)

// scripted is an assignor that the scenario defines. It runs in the application of the group's
// leader; an error of it ends that application's next blocking call.
type scripted struct {
	app *App
	Assignor
}

// uuidLength is the length of "-" and a random UUID, which end a dynamic member's id (A21).
const uuidLength = 37

// Name implements [assign.Assignor].
func (s *scripted) Name() string { return s.Assignor.Name }

// Cooperative implements [assign.Cooperator].
func (s *scripted) Cooperative() bool { return s.Assignor.Cooperative }

// Assign implements [assign.Assignor]: it calls the function with the members, the list of all
// partitions and, if it wants a third argument, {topic: partitions}, and reads {member: [partition]}.
func (s *scripted) Assign(
	members []assign.Member, topics []assign.Topic,
) []assign.MemberAssignment {
	d := newDistribution(members, topics, s.Assignor.Cooperative)
	given, err := s.ask(d)
	if err == nil {
		err = d.take(given)
	}
	if err == nil {
		return d.result
	}
	place := s.Place
	if fn, ok := s.Fn.(*starlark.Function); ok {
		place = placeOf(fn.Position())
	}
	at := toError(err, s.app.program.File)
	if at.Line == 0 {
		at.Place = place
	}
	s.app.fault(fmt.Errorf("assignor %q: %w", s.Name(), at))
	return nil
}

// ask calls the function.
func (s *scripted) ask(d *distribution) (*starlark.Dict, error) {
	args := starlark.Tuple{d.memberValues(), textValues(d.all)}
	if fn, ok := s.Fn.(*starlark.Function); ok && fn.NumParams() > len(args) {
		args = append(args, d.topicValues())
	}
	t := &starlark.Thread{Name: s.Name()}
	t.SetMaxExecutionSteps(maxSteps)
	t.OnMaxSteps = func(t *starlark.Thread) { t.Cancel(assignReason) }
	v, err := starlark.Call(t, s.Fn, args, nil)
	if err != nil {
		return nil, err
	}
	given, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("gives %s; it must give a dict such as {\"A\": [\"orders-0\"]}", brief(v))
	}
	return given, nil
}

// fault makes the program's present blocking call fail.
func (a *App) fault(err error) {
	if a.faulty == nil {
		a.faulty = err
	}
}
