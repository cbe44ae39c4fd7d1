package script

import (
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"rebalancelab/engine/client"
	"rebalancelab/engine/trace"
)

// programBuiltin is a built-in that programs use.
type programBuiltin func(
	s *strand, args starlark.Tuple, kw []starlark.Tuple,
) (starlark.Value, error)

var programBuiltins = map[string]programBuiltin{
	"process": process, "sleep": sleep, "fail": failProgram, "attempt": attempt, "every": every,
	"store": storeInProgram, "workers": workersBuiltin, "high_mark": highMark, "low_mark": lowMark,
	"produce": produce, "log": logProgram, "now": now,
	"normal": anywhere("normal", normalStatement), "uniform": anywhere("uniform", uniformStatement),
}

// anywhere makes a statement that declares nothing usable in programs.
func anywhere(name string, fn statement) programBuiltin {
	return func(_ *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
		a := newArguments(name, args, kw)
		v, err := fn(nil, a, Place{})
		if err == nil {
			err = a.end()
		}
		return v, err
	}
}

// defaultWork is how long process(record) takes when no time is given.
const defaultWork = time.Millisecond

// process is process(record, d): work on a record.
func process(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	v, d, err := processArgs(args, kw)
	if err != nil {
		return nil, err
	}
	r, ok := v.(*recordValue)
	if !ok {
		return nil, fmt.Errorf("process: %s is no record; take one of those that c.poll returns", brief(v))
	}
	a := s.app
	length := spread{a: defaultWork}
	if d != nil {
		if length, err = a.workText.spread(d); err != nil {
			return nil, fmt.Errorf("process: %w", err)
		}
	}
	work := a.opt.Pace.stretch(a.lengthOf(length))
	s.begin("process", work)
	e := trace.Event{Name: a.ref(r.Topic), Part: r.Partition, X: r.Offset}
	started := e
	started.Kind, started.Y = trace.WorkStarted, int64(work)
	a.trace(started)
	s.waiting = work
	err = s.block(s.beginWait)
	if err == nil {
		e.Kind, e.Peer = trace.WorkEnded, a.group
		a.trace(e)
	}
	return starlark.None, s.end("process", 1, err)
}

// processArgs reads the usual form without an allocation.
func processArgs(args starlark.Tuple, kw []starlark.Tuple) (v, d starlark.Value, err error) {
	if len(args) == 2 && len(kw) == 0 {
		return args[0], args[1], nil
	}
	var record, time starlark.Value
	err = starlark.UnpackArgs("process", args, kw, "record", &record, "time?", &time)
	return record, time, err
}

func sleep(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs("sleep", args, kw, "time", &v); err != nil {
		return nil, err
	}
	length, err := toSpread(v)
	if err != nil {
		return nil, fmt.Errorf("sleep: %w", err)
	}
	s.waiting = s.app.lengthOf(length)
	s.begin("sleep", s.waiting)
	return starlark.None, s.end("sleep", 0, s.block(s.beginWait))
}

// failProgram ends the program with an error, unless attempt catches it. The record in hand counts
// as failed.
func failProgram(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var parts []string
	for _, v := range args {
		parts = append(parts, valueText(v))
	}
	if len(kw) > 0 {
		return nil, fmt.Errorf("fail: takes no named arguments")
	}
	err := &programError{name: "Failed", text: strings.Join(parts, " ")}
	if r := s.recordInHand(); r != nil {
		err.traced = true
		s.app.trace(trace.Event{
			Kind: trace.WorkFailed, Name: s.app.ref(r.Topic), Part: r.Partition, X: r.Offset,
		})
	}
	return nil, err
}

// recordInHand is a record in a variable of the innermost function that has one.
func (s *strand) recordInHand() *recordValue {
	for depth := 1; depth < s.thread.CallStackDepth(); depth++ {
		f := s.thread.DebugFrame(depth)
		for i := f.NumLocals() - 1; i >= 0; i-- {
			if _, v := f.Local(i); v != nil {
				if r, ok := v.(*recordValue); ok {
					return r
				}
			}
		}
	}
	return nil
}

// attempt is attempt(fn, ...): (value, None), or (None, error) when fn fails.
func attempt(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("attempt: what shall be tried? write attempt(c.commit_sync)")
	}
	v, err := starlark.Call(s.thread, args[0], args[1:], kw)
	if err == nil {
		return starlark.Tuple{v, starlark.None}, nil
	}
	if s.killed || s.thread.Steps >= maxSteps {
		return nil, err
	}
	return starlark.Tuple{starlark.None, errorOf(err)}, nil
}

// every is every(d, fn): fn runs in the program's own thread, at the end of the first blocking call
// after each d. It is started once.
func every(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	var fn starlark.Callable
	if err := starlark.UnpackArgs("every", args, kw, "time", &v, "function", &fn); err != nil {
		return nil, err
	}
	d, err := toDuration(v)
	if err == nil && d < minCall {
		err = fmt.Errorf("%s is too short; \"10us\" is the least", v)
	}
	if err != nil {
		return nil, fmt.Errorf("every: %w", err)
	}
	c := chore{fn: fn}
	due := false
	var tick func()
	run := starlark.NewBuiltin("every", func(
		t *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple,
	) (starlark.Value, error) {
		due = false
		return starlark.Call(t, c.fn, nil, nil)
	})
	tick = func() {
		if !due {
			due = true
			s.chores = append(s.chores, chore{fn: run})
		}
		s.app.env.After(d, tick)
	}
	s.app.env.After(d, tick)
	return starlark.None, nil
}

func highMark(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	return s.newMark("high_mark", false, args, kw)
}

func lowMark(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	return s.newMark("low_mark", true, args, kw)
}

func (s *strand) newMark(
	name string, low bool, args starlark.Tuple, kw []starlark.Tuple,
) (starlark.Value, error) {
	if err := starlark.UnpackArgs(name, args, kw); err != nil {
		return nil, err
	}
	m := newMark(low)
	s.app.marks = append(s.app.marks, m)
	return m, nil
}

// produce is produce(topic, value, key=, partition=): it waits for the acknowledgement.
func produce(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var topic string
	var value, key starlark.Value
	part := -1
	err := starlark.UnpackArgs("produce", args, kw, "topic", &topic, "value", &value, "key?", &key,
		"partition?", &part)
	if err != nil {
		return nil, err
	}
	a := s.app
	if a.producer == nil {
		a.producer = client.NewProducer(&a.Process, client.DefaultProducerConfig())
	}
	return starlark.None, s.call("produce", 0, func(done func(error)) {
		a.producer.Send(topic, bytesOf(key), bytesOf(value), int32(part),
			func(_ int32, _ int64, err error) { done(err) })
	})
}

func bytesOf(v starlark.Value) []byte {
	if v == nil || v == starlark.None {
		return nil
	}
	return []byte(valueText(v))
}

func logProgram(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs("log", args, kw, "text", &v); err != nil {
		return nil, err
	}
	s.app.logLine(valueText(v), 0)
	return starlark.None, nil
}

// now is the process's clock in milliseconds since the Unix epoch, as in a record's timestamp.
func now(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("now", args, kw); err != nil {
		return nil, err
	}
	return starlark.MakeInt64(s.app.env.Now().Millis()), nil
}
