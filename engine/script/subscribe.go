package script

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"rebalancelab/engine/client"
	"rebalancelab/engine/pattern"
)

// listener runs the rebalance callbacks of one subscription inside the program's blocking call.
type listener struct {
	app                     *App
	revoked, lost, assigned starlark.Callable
}

// subscribe is c.subscribe(topics, on_revoked, on_lost, on_assigned), or with pattern = "order.*"
// or subscription_pattern = "order.*" in place of topics; the latter is an expression that the broker
// matches. No topics at all unsubscribe, as in Java.
func subscribe(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var topics, revoked, lost, assigned starlark.Value
	var text, server string
	err := starlark.UnpackArgs("subscribe", args, kw, "topics?", &topics, "on_revoked?", &revoked,
		"on_lost?", &lost, "on_assigned?", &assigned, "pattern?", &text, "subscription_pattern?", &server)
	if err != nil {
		return nil, err
	}
	if s.app.spec.Profile.Library == "kafka-go" && (revoked != nil || lost != nil || assigned != nil) {
		return nil, fmt.Errorf("subscribe: kafka-go has no rebalance callbacks; its reader just goes on")
	}
	l, err := newListener(s.app, revoked, lost, assigned)
	if err != nil {
		return nil, err
	}
	byPattern, byServer := namesArgument(kw, "pattern"), namesArgument(kw, "subscription_pattern")
	switch {
	case byPattern && byServer || (byPattern || byServer) && topics != nil:
		return nil, fmt.Errorf("subscribe: give topics or a pattern, not both")
	case byServer:
		return starlark.None, s.app.consumer.SubscribeServerPattern(server, l)
	case byPattern:
		return starlark.None, s.subscribePattern(text, l)
	case topics == nil:
		return nil, fmt.Errorf("subscribe: which topics? give a list such as [\"orders\"], or " +
			"pattern = \"order.*\"")
	}
	names, err := topicNames(topics)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return starlark.None, s.call("unsubscribe", 0, s.app.consumer.Unsubscribe)
	}
	return starlark.None, s.app.consumer.Subscribe(names, l.forClient())
}

// newListener takes callbacks; on_lost is on_revoked when it is not given (C34).
func newListener(a *App, revoked, lost, assigned starlark.Value) (*listener, error) {
	l := &listener{app: a}
	for _, f := range []struct {
		name string
		v    starlark.Value
		fn   *starlark.Callable
	}{
		{"on_revoked", revoked, &l.revoked}, {"on_lost", lost, &l.lost}, {"on_assigned", assigned, &l.assigned},
	} {
		var err error
		if *f.fn, err = optionalFunction("subscribe", f.name, f.v); err != nil {
			return nil, err
		}
	}
	if l.lost == nil {
		l.lost = l.revoked
	}
	return l, nil
}

// forClient is nil where the program has no callbacks and its library need not wait for any.
func (l *listener) forClient() client.Listener {
	if l.app.cfg.Library.Background && l.revoked == nil && l.lost == nil && l.assigned == nil {
		return nil
	}
	return l
}

func namesArgument(kw []starlark.Tuple, name string) bool {
	for _, k := range kw {
		if string(k[0].(starlark.String)) == name {
			return true
		}
	}
	return false
}

func (s *strand) subscribePattern(text string, l *listener) error {
	p, err := pattern.Parse(text, pattern.Java)
	if text == "" {
		err = errors.New("it matches no topic")
	}
	if err != nil {
		return fmt.Errorf("subscribe: pattern = %q: %w", text, err)
	}
	return s.app.consumer.SubscribePattern(p, l.forClient())
}

// subscription is c.subscription(): the topics, also those that a pattern has found.
func subscription(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("subscription", args, kw); err != nil {
		return nil, err
	}
	names := s.app.consumer.Subscription()
	values := make([]starlark.Value, len(names))
	for i, name := range names {
		values[i] = starlark.String(name)
	}
	return starlark.NewList(values), nil
}

func topicNames(v starlark.Value) ([]string, error) {
	if s, ok := v.(starlark.String); ok {
		return []string{string(s)}, nil
	}
	list, ok := v.(starlark.Iterable)
	if !ok {
		return nil, fmt.Errorf("subscribe: topics = %s: must be a list of texts", brief(v))
	}
	names, err := texts(list)
	if err != nil {
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	return names, nil
}

// OnRevoked implements [client.Listener].
func (l *listener) OnRevoked(parts []client.TopicPartition, done func(error)) {
	l.run("on_revoked", l.revoked, parts, l.forgetting(parts, done))
}

// OnLost implements [client.Listener].
func (l *listener) OnLost(parts []client.TopicPartition, done func(error)) {
	l.run("on_lost", l.lost, parts, l.forgetting(parts, done))
}

// OnAssigned implements [client.Listener].
func (l *listener) OnAssigned(parts []client.TopicPartition, done func(error)) {
	l.run("on_assigned", l.assigned, parts, done)
}

// forgetting makes marks forget partitions once the callback has had its chance to commit them.
func (l *listener) forgetting(parts []client.TopicPartition, done func(error)) func(error) {
	parts = append([]client.TopicPartition(nil), parts...)
	return func(err error) {
		for _, m := range l.app.marks {
			m.forget(parts)
		}
		done(err)
	}
}

// run hands a callback to the program, which waits in a blocking call. Both ways lead through the
// event loop, so that neither side is called from inside itself.
func (l *listener) run(
	name string, fn starlark.Callable, parts []client.TopicPartition, done func(error),
) {
	a := l.app
	if fn == nil {
		a.env.After(0, func() { done(nil) })
		return
	}
	c := callback{name: name, fn: fn, arg: partitionList(parts), n: len(parts)}
	c.done = func(err error) { a.env.After(0, func() { done(err) }) }
	a.env.After(0, func() {
		a.main.nested = append(a.main.nested, c)
		a.main.resume()
	})
}

func unsubscribe(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("unsubscribe", args, kw); err != nil {
		return nil, err
	}
	return starlark.None, s.call("unsubscribe", 0, s.app.consumer.Unsubscribe)
}

// partitionsOf reads the one argument of a call that takes partitions.
func partitionsOf(
	name string, args starlark.Tuple, kw []starlark.Tuple,
) ([]client.TopicPartition, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs(name, args, kw, "partitions", &v); err != nil {
		return nil, err
	}
	parts, err := toPartitions(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return parts, nil
}

func assignCall(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	parts, err := partitionsOf("assign", args, kw)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 { // as in Java
		return starlark.None, s.call("unsubscribe", 0, s.app.consumer.Unsubscribe)
	}
	return starlark.None, s.app.consumer.Assign(parts)
}

func pause(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	parts, err := partitionsOf("pause", args, kw)
	if err != nil {
		return nil, err
	}
	return starlark.None, s.app.consumer.Pause(parts)
}

func resume(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	parts, err := partitionsOf("resume", args, kw)
	if err != nil {
		return nil, err
	}
	return starlark.None, s.app.consumer.Resume(parts)
}

func paused(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("paused", args, kw); err != nil {
		return nil, err
	}
	return partitionList(s.app.consumer.Paused()), nil
}

func assignment(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("assignment", args, kw); err != nil {
		return nil, err
	}
	return partitionList(s.app.consumer.Assignment()), nil
}

func seek(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	var offset int64
	if err := starlark.UnpackArgs("seek", args, kw, "partition", &v, "offset", &offset); err != nil {
		return nil, err
	}
	tp, err := toPartition(v)
	if err == nil && offset < 0 {
		err = fmt.Errorf("offset = %d: must be at least 0", offset)
	}
	if err != nil {
		return nil, fmt.Errorf("seek: %w", err)
	}
	return starlark.None, s.app.consumer.Seek(tp, offset)
}

func enforceRebalance(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var reason string
	if err := starlark.UnpackArgs("enforce_rebalance", args, kw, "reason?", &reason); err != nil {
		return nil, err
	}
	return starlark.None, s.app.consumer.EnforceRebalance(reason)
}

func wakeup(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("wakeup", args, kw); err != nil {
		return nil, err
	}
	s.app.consumer.Wakeup()
	return starlark.None, nil
}

func position(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs("position", args, kw, "partition", &v); err != nil {
		return nil, err
	}
	tp, err := toPartition(v)
	if err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	var at int64
	err = s.call("position", 0, func(done func(error)) {
		s.app.consumer.Position(tp, func(offset int64, err error) {
			at = offset
			done(err)
		})
	})
	return starlark.MakeInt64(at), err
}

func seekToBeginning(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	parts, err := s.partitionsOrAll("seek_to_beginning", args, kw)
	if err != nil {
		return nil, err
	}
	return starlark.None, s.app.consumer.SeekToBeginning(parts)
}

func seekToEnd(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	parts, err := s.partitionsOrAll("seek_to_end", args, kw)
	if err != nil {
		return nil, err
	}
	return starlark.None, s.app.consumer.SeekToEnd(parts)
}

// partitionsOrAll is partitionsOf; without an argument it is what the consumer has assigned.
func (s *strand) partitionsOrAll(
	name string, args starlark.Tuple, kw []starlark.Tuple,
) ([]client.TopicPartition, error) {
	if len(args)+len(kw) == 0 {
		return s.app.consumer.Assignment(), nil
	}
	return partitionsOf(name, args, kw)
}
