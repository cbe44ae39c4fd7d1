package script

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/verdict"
)

// triggers are the built-ins that name a moment. Those that are also queries (processed, committed)
// are told apart by their arguments; see addQueries.
var triggers = map[string]statement{
	"sent": request(TriggerSent), "arrived": request(TriggerArrived),
	"answered": request(TriggerAnswered), "assigned": assignedTrigger, "state": stateTrigger,
	"log": logTrigger,
}

func newTrigger(a *arguments, at Place, t Trigger) *triggerValue {
	return &triggerValue{text: a.original(), place: at, trigger: t}
}

// request: sent("A", "OffsetCommit", nth = 3).
func request(kind TriggerKind) statement {
	return func(_ *loader, a *arguments, at Place) (starlark.Value, error) {
		t := Trigger{Kind: kind, Node: a.mustText("name", `a process, as "A"`)}
		api := a.mustText("request", `the name of a request, as "JoinGroup"`)
		t.Nth = int(a.number("nth", 1, 1, 1<<30))
		key, ok := neighbour.MessageKey(api)
		if a.err == nil && !ok {
			a.fail("no such request %q%s", api, suggest(api, neighbour.MessageNames()))
		}
		t.API = key
		return newTrigger(a, at, t), nil
	}
}

func assignedTrigger(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	t := Trigger{Kind: TriggerAssigned, Node: a.mustText("name", `a process, as "A"`)}
	if v, ok := a.next("partition"); ok {
		t.Text = a.asText("partition", v)
	}
	t.Nth = int(a.number("nth", 1, 1, 1<<30))
	return newTrigger(a, at, t), nil
}

func stateTrigger(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	t := Trigger{Kind: TriggerState, Group: a.mustText("group", "a group's id")}
	t.Text = a.mustText("state", `a state of the group, as "Stable"`)
	t.Nth = int(a.number("nth", 1, 1, 1<<30))
	if a.err == nil && !contains(trace.GroupStateNames, t.Text) {
		a.fail("a group has no state %q%s", t.Text, suggest(t.Text, trace.GroupStateNames))
	}
	return newTrigger(a, at, t), nil
}

func logTrigger(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	t := Trigger{Kind: TriggerLog, Node: a.mustText("name", `a process, as "A"`)}
	t.Text = a.mustText("text", "part of the line that it logs")
	t.Nth = int(a.number("nth", 1, 1, 1<<30))
	return newTrigger(a, at, t), nil
}

// processedTrigger: processed("A", "orders-0", 19).
func processedTrigger(a *arguments, at Place) *triggerValue {
	t := Trigger{Kind: TriggerProcessed, Node: a.mustText("name", `a process, as "A"`), Nth: 1}
	t.Text = a.mustText("partition", `as "orders-0"`)
	t.Offset = a.mustNumber("offset", "the offset that it finishes", 0, 1<<62)
	return newTrigger(a, at, t)
}

// committedStatement: committed("g", "orders-0", 15).
func committedStatement(l *loader, a *arguments, at Place) *committedValue {
	t := Trigger{Kind: TriggerCommitted, Group: a.mustText("group", "a group's id"), Nth: 1}
	t.Text = a.mustText("partition", `as "orders-0"`)
	t.Offset = a.mustNumber("offset", "the committed offset", 0, 1<<62)
	v := &committedValue{triggerValue: *newTrigger(a, at, t)}
	l.committed = append(l.committed, v)
	return v
}

// queryTriggers are the queries about a time that may also be waited for.
var queryTriggers = map[string]TriggerKind{
	"started": TriggerStarted, "ended": TriggerEnded, "joined": TriggerJoined,
	"removed": TriggerRemoved,
}

// toTrigger reads the first argument of on().
func toTrigger(v starlark.Value) (*triggerValue, error) {
	switch v := v.(type) {
	case *triggerValue:
		return v, nil
	case *committedValue:
		v.used = true
		return &v.triggerValue, nil
	case *queryValue:
		if kind, ok := queryTriggers[v.q.Name]; ok && v.q.Plus == 0 {
			t := Trigger{Kind: kind, Node: v.q.Node, Nth: max(1, v.q.Nth)}
			return &triggerValue{text: v.String(), place: v.place, trigger: t}, nil
		}
		return nil, fmt.Errorf("on(): %s cannot be waited for; use processed(name, partition, offset), "+
			"sent(name, request), committed(group, partition, offset), started, ended, joined or removed",
			v.q.Name)
	case starlark.String:
		return nil, fmt.Errorf("on(): %s is no moment to wait for; use at(%s, ...) for a time", v, v)
	}
	return nil, fmt.Errorf("on(): %s is no moment to wait for, such as processed(\"A\", \"orders-0\", 19)",
		brief(v))
}

// resolve checks the names of a trigger and fills in its partition.
func (f *finder) resolve(t *Trigger) error {
	if t.Node != "" {
		check := f.process
		if t.Kind == TriggerStarted || t.Kind == TriggerEnded {
			check = f.anyProcess
		}
		if err := check(t.Node); err != nil {
			return err
		}
	}
	if t.Group != "" {
		if err := f.group(t.Group); err != nil {
			return err
		}
	}
	switch t.Kind {
	case TriggerProcessed, TriggerCommitted:
		return f.fillPartition(t)
	case TriggerAssigned:
		if t.Text != "" {
			return f.fillPartition(t)
		}
		t.Partition = -1
	}
	return nil
}

func (f *finder) fillPartition(t *Trigger) (err error) {
	if contains(f.things(), t.Text) {
		t.Topic, t.Partition, t.Text = t.Text, -1, ""
		return nil
	}
	t.Topic, t.Partition, err = f.onePartition(t.Text)
	t.Text = ""
	return err
}

func atStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	d := a.mustDuration("time", `since the start, as "20s"`)
	t := &triggerValue{text: "at " + formatDuration(d), place: at, trigger: Trigger{Kind: TriggerAt, At: d}}
	return starlark.None, l.addAction(a, t, at)
}

func onStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	v := a.must("moment", `what to wait for, as processed("A", "orders-0", 19)`)
	if a.err != nil {
		return nil, nil
	}
	t, err := toTrigger(v)
	if err != nil {
		return nil, err
	}
	return starlark.None, l.addAction(a, t, at)
}

func (l *loader) addAction(a *arguments, t *triggerValue, at Place) error {
	acts := a.others()
	if a.err == nil && len(acts) == 0 {
		a.fail("what shall happen? give an action such as kill(\"A\")")
	}
	for _, v := range acts {
		if err := isAct(a.fn, v); err != nil {
			return err
		}
	}
	l.actions = append(l.actions, &pendingAction{
		trigger: t, values: acts, text: a.original(), place: at,
	})
	return nil
}

func isAct(fn string, v starlark.Value) error {
	switch v.(type) {
	case *actValue, *laterValue:
		return nil
	}
	return fmt.Errorf("%s(): %s is no action such as kill(\"A\")", fn, brief(v))
}

// thenAfter counts from the moment of what stands before it.
func thenAfter(_ *loader, a *arguments, _ Place) (starlark.Value, error) {
	v := &laterValue{text: a.original()}
	v.after = a.mustDuration("time", `after what came before, as "2s"`)
	v.acts = a.others()
	if a.err == nil && len(v.acts) == 0 {
		a.fail("what shall happen then? give an action such as start(\"A\")")
	}
	for _, act := range v.acts {
		if err := isAct("then_after", act); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// steps lays acts out in time, from delay on, and says when the last then_after is.
func (f *finder) steps(
	values []starlark.Value, delay time.Duration,
) ([]Step, time.Duration, error) {
	var all []Step
	for _, v := range values {
		switch v := v.(type) {
		case *laterValue:
			more, end, err := f.steps(v.acts, delay+v.after)
			if err != nil {
				return nil, 0, err
			}
			all, delay = append(all, more...), end
		case *actValue:
			more, err := v.build(f)
			if err != nil {
				return nil, 0, &Error{Place: v.place, Msg: v.text + ": " + err.Error()}
			}
			for _, s := range more {
				s.Delay += delay
				all = append(all, s)
			}
		}
	}
	return all, delay, nil
}

// addQueries adds a built-in for each query of [verdict.Table].
func (l *loader) addQueries(d starlark.StringDict) {
	for i := range verdict.Table {
		sig := &verdict.Table[i]
		d[sig.Name] = l.builtin(sig.Name, func(
			l *loader, a *arguments, at Place,
		) (starlark.Value, error) {
			_, offset := a.has("offset")
			switch {
			case sig.Name == "processed" && (len(a.pos) == 3 || offset):
				return processedTrigger(a, at), nil
			case sig.Name == "committed" && (len(a.pos) == 3 || offset):
				return committedStatement(l, a, at), nil
			}
			return parseQuery(sig, a, at)
		})
	}
}
