package script

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"rebalancelab/engine/client"
	"rebalancelab/engine/trace"
)

// consumerValue is the c of a program: the consumer, with the Java client's methods in snake_case.
type consumerValue struct {
	opaque
	app     *App
	methods starlark.StringDict
}

// consumerCall is one method of it.
type consumerCall func(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error)

var consumerCalls = map[string]consumerCall{
	"subscribe": subscribe, "subscription": subscription, "unsubscribe": unsubscribe,
	"assign": assignCall, "poll": poll,
	"commit_sync": commitSync, "commit_async": commitAsync, "close": closeCall,
	"committed": committedCall, "position": position, "assignment": assignment, "seek": seek,
	"seek_to_beginning": seekToBeginning, "seek_to_end": seekToEnd, "pause": pause, "resume": resume,
	"paused": paused, "enforce_rebalance": enforceRebalance, "wakeup": wakeup,
	"fetch_message": fetchMessage, "read_message": readMessage, "commit_messages": commitMessagesCall,
	"stats": statsCall, "allow_rebalance": allowRebalance,
}

func newConsumerValue(a *App) *consumerValue {
	v := &consumerValue{app: a, methods: starlark.StringDict{}}
	for name, fn := range consumerCalls {
		v.methods[name] = starlark.NewBuiltin(name, func(
			t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple,
		) (starlark.Value, error) {
			s := strandOf(t)
			if s == nil || s.app != a {
				return nil, fmt.Errorf("this consumer belongs to %s", a.spec.Name)
			}
			if !s.main {
				return nil, fmt.Errorf("a consumer is not for several threads: call c.%s in the program "+
					"itself, not in a worker", name)
			}
			if a.closed && name != "close" {
				return nil, fmt.Errorf("c.%s: this consumer has already been closed", name)
			}
			if err := a.spec.Profile.refuses(name); err != nil {
				return nil, err
			}
			return fn(s, args, kw)
		})
	}
	return v
}

func (v *consumerValue) String() string      { return "consumer " + v.app.spec.Name }
func (v *consumerValue) Type() string        { return "consumer" }
func (v *consumerValue) AttrNames() []string { return v.methods.Keys() }

// Attr gives a method; name is a plain value.
func (v *consumerValue) Attr(name string) (starlark.Value, error) {
	if m, ok := v.methods[name]; ok {
		return m, nil
	}
	if name == "name" {
		return starlark.String(v.app.spec.Name), nil
	}
	return nil, noField("consumer", name, v.AttrNames())
}

// begin notes a blocking call in the trace.
func (s *strand) begin(name string, length time.Duration) {
	s.depth++
	if s.main {
		s.app.trace(trace.Event{
			Kind: trace.CallStarted, Name: s.app.ref(name), X: int64(s.line()), Y: int64(length),
			Z: int64(s.depth),
		})
	}
}

// end notes how it ended, and runs what has waited for that.
func (s *strand) end(name string, n int, err error) error {
	if s.killed {
		return errKilled
	}
	if s.main {
		if s.app.faulty != nil {
			err, s.app.faulty = s.app.faulty, nil
		}
		e := trace.Event{
			Kind: trace.CallEnded, Name: s.app.ref(name), X: int64(n), Z: int64(s.depth),
		}
		if err != nil {
			e.Peer = s.app.ref(err.Error())
		}
		s.app.trace(e)
	}
	s.depth--
	if err != nil {
		return err
	}
	if s.depth == 0 && !s.busy && len(s.chores) > 0 {
		return s.doChores()
	}
	return nil
}

// call is a blocking call of the client: begin starts it and must have done called once.
func (s *strand) call(name string, length time.Duration, begin func(done func(error))) error {
	s.begin(name, length)
	var result error
	err := s.block(func() {
		begin(func(err error) {
			result = err
			s.resume()
		})
	})
	if err == nil {
		err = result
	}
	return s.end(name, 0, err)
}

// poll is c.poll(timeout): a list of records.
func poll(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	v, err := oneArg("poll", "timeout", args, kw)
	if err != nil {
		return nil, err
	}
	a := s.app
	timeout, err := a.pollText.duration(v)
	if err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	s.begin("poll", timeout)
	a.pollTimeout = timeout
	err = s.block(a.beginPoll)
	if err == nil {
		err = a.pollErr
	}
	records := a.polled
	a.polled, a.pollErr = nil, nil
	for _, m := range a.marks {
		m.handed(records)
	}
	if err := s.end("poll", len(records), err); err != nil {
		return nil, err
	}
	return recordList(records), nil
}

// oneArg reads the one argument of a call, in its usual form without an allocation.
func oneArg(fn, name string, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 1 && len(kw) == 0 {
		return args[0], nil
	}
	var v starlark.Value
	err := starlark.UnpackArgs(fn, args, kw, name, &v)
	return v, err
}

// preparePoll makes the two functions that every poll uses.
func (a *App) preparePoll() {
	done := func(records []client.Record, err error) {
		a.polled, a.pollErr = records, err
		a.main.resume()
	}
	a.beginPoll = func() { a.consumer.Poll(a.pollTimeout, done) }
}

func commitSync(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs("commit_sync", args, kw, "offsets?", &v); err != nil {
		return nil, err
	}
	offsets, err := toOffsets(v)
	if err != nil {
		return nil, fmt.Errorf("commit_sync: %w", err)
	}
	return starlark.None, s.call("commit_sync", 0, func(done func(error)) {
		s.app.consumer.CommitSync(offsets, done)
	})
}

// commitAsync does not block; its callback gets (offsets, error) at the end of a later blocking
// call.
func commitAsync(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var v, fn starlark.Value
	err := starlark.UnpackArgs("commit_async", args, kw, "offsets?", &v, "callback?", &fn)
	if err != nil {
		return nil, err
	}
	offsets, err := toOffsets(v)
	if err != nil {
		return nil, fmt.Errorf("commit_async: %w", err)
	}
	callback, err := optionalFunction("commit_async", "callback", fn)
	if err != nil {
		return nil, err
	}
	var answered func([]client.Offset, error)
	if callback != nil {
		answered = func(sent []client.Offset, err error) {
			s.chores = append(s.chores, chore{callback, starlark.Tuple{offsetDict(sent), errorOf(err)}})
		}
	}
	return starlark.None, s.app.consumer.CommitAsync(offsets, answered)
}

func optionalFunction(fn, name string, v starlark.Value) (starlark.Callable, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	c, ok := v.(starlark.Callable)
	if !ok {
		return nil, fmt.Errorf("%s: %s = %s: must be a function", fn, name, brief(v))
	}
	return c, nil
}

func offsetDict(offsets []client.Offset) *starlark.Dict {
	d := starlark.NewDict(len(offsets))
	for _, o := range offsets {
		key := starlark.String(partitionText(o.TP.Topic, o.TP.Partition))
		if err := d.SetKey(key, starlark.MakeInt64(o.Offset)); err != nil {
			panic("script: " + err.Error())
		}
	}
	return d
}

// closeCall is c.close(timeout, option): option is default, leave_group or remain_in_group
// (KIP-1092).
func closeCall(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	var opt client.CloseOptions
	err := starlark.UnpackArgs("close", args, kw, "timeout?", &v, "option?", &opt.Membership)
	if err != nil {
		return nil, err
	}
	if v != nil && v != starlark.None {
		timeout, err := toDuration(v)
		if err != nil {
			return nil, fmt.Errorf("close: %w", err)
		}
		opt.Timeout = &timeout
	}
	if opt.Membership != "" && !contains(closeOptions, opt.Membership) {
		return nil, fmt.Errorf("close: option = %q%s", opt.Membership, suggest(opt.Membership, closeOptions))
	}
	if s.app.closing {
		return starlark.None, nil
	}
	return starlark.None, s.closeWith(opt)
}

var closeOptions = []string{"default", "leave_group", "remain_in_group"}

// close closes the consumer as what follows a stop.
func (s *strand) close() error { return s.closeWith(client.CloseOptions{}) }

// closeWith closes the consumer. Callbacks that run meanwhile may still use it.
func (s *strand) closeWith(opt client.CloseOptions) error {
	s.app.closing = true
	if near := s.app.near; near != nil {
		near.Close()
		s.app.closed = true
		return s.passing("close")
	}
	err := s.call("close", 0, func(done func(error)) { s.app.consumer.CloseWith(opt, done) })
	s.app.closed = true
	return err
}

// committedCall is c.committed("orders-0"), or with a list a dict; None where nothing is committed.
func committedCall(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs("committed", args, kw, "partitions", &v); err != nil {
		return nil, err
	}
	parts, err := toPartitions(v)
	if err != nil {
		return nil, fmt.Errorf("committed: %w", err)
	}
	var found []client.Offset
	err = s.call("committed", 0, func(done func(error)) {
		s.app.consumer.Committed(parts, func(offsets []client.Offset, err error) {
			found = offsets
			done(err)
		})
	})
	if err != nil {
		return nil, err
	}
	d := starlark.NewDict(len(parts))
	for _, tp := range parts {
		value := starlark.Value(starlark.None)
		for _, o := range found {
			if o.TP == tp && o.Offset >= 0 {
				value = starlark.MakeInt64(o.Offset)
			}
		}
		if _, list := v.(starlark.Iterable); !list {
			return value, nil
		}
		if err := d.SetKey(starlark.String(partitionText(tp.Topic, tp.Partition)), value); err != nil {
			return nil, err
		}
	}
	return d, nil
}
