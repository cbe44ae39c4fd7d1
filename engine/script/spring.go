package script

import (
	"errors"
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"rebalancelab/engine/client"
	"rebalancelab/engine/sim"
)

// SpringOptions are what spring-kafka's container has beside Kafka's settings.
// [ContainerProperties, DefaultErrorHandler, SeekUtils]
type SpringOptions struct {
	Concurrency   int
	AckMode       string
	AckCount      int64
	AckTime       time.Duration
	BatchListener bool
	// BackOff is the pause before a record is tried again, MaxAttempts how often it is tried.
	BackOff     time.Duration
	MaxAttempts int64
	PollTimeout time.Duration
}

var ackModes = []string{"BATCH", "RECORD", "TIME", "COUNT", "COUNT_TIME", "MANUAL", "MANUAL_IMMEDIATE"}

func springOptions(a *arguments) SpringOptions {
	o := SpringOptions{
		Concurrency: int(a.number("concurrency", 1, 1, 1000)), AckMode: a.text("ack_mode", "BATCH"),
		AckCount: a.number("ack_count", 1, 1, 1<<31), AckTime: a.duration("ack_time", 5*time.Second),
		BatchListener: a.flag("batch_listener"), BackOff: a.duration("back_off", 0),
		MaxAttempts: a.number("max_attempts", 10, 1, 1<<31),
		PollTimeout: a.duration("poll_timeout", 5*time.Second),
	}
	if !contains(ackModes, o.AckMode) {
		a.fail("ack_mode = %q%s", o.AckMode, suggest(o.AckMode, ackModes))
	}
	return o
}

// container is spring-kafka's message listener container: a poll loop around the listener.
// [KafkaMessageListenerContainer.ListenerConsumer]
type container struct {
	s        *strand
	opt      SpringOptions
	pending  []client.Offset // acknowledged, not committed
	count    int64
	lastAck  sim.Time
	failures map[string]int64 // of a record that is tried again, by its name
}

func newContainer(s *strand) *container {
	return &container{
		s: s, opt: s.app.spec.Profile.Spring, lastAck: s.app.env.Now(), failures: map[string]int64{},
	}
}

// run subscribes and polls until something ends it.
func (k *container) run() error {
	l, err := k.listener()
	if err != nil {
		return err
	}
	p := &k.s.app.spec.Profile
	if p.Pattern != "" {
		err = k.s.subscribePattern(p.Pattern, l)
	} else {
		err = k.s.app.consumer.Subscribe(p.Topics, l)
	}
	for err == nil {
		err = k.pollAndInvoke()
	}
	if stop := (*client.WakeupError)(nil); errors.As(err, &stop) { // what is left is committed
		if failed := k.commit(true); failed != nil {
			return failed
		}
	}
	return err
}

// listener commits what is pending when partitions go, and positions when they come for the first
// time. [ListenerConsumerRebalanceListener]
func (k *container) listener() (*listener, error) {
	going := starlark.NewBuiltin("on_revoked", func(
		_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
	) (starlark.Value, error) {
		return starlark.None, k.commit(true)
	})
	coming := starlark.NewBuiltin("on_assigned", func(
		_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
	) (starlark.Value, error) {
		return starlark.None, k.commitFirstPositions(args[0])
	})
	return newListener(k.s.app, going, nil, coming)
}

// pollAndInvoke is one turn of the loop: commit what is due, poll, hand the records over.
func (k *container) pollAndInvoke() error {
	if err := k.commit(k.dueAck()); err != nil {
		return err
	}
	v, err := poll(k.s, starlark.Tuple{durationText(k.opt.PollTimeout)}, nil)
	if err != nil {
		return err
	}
	list := v.(*starlark.List)
	if k.opt.BatchListener {
		return k.invokeBatch(list)
	}
	for i := range list.Len() {
		stop, err := k.invoke(list, i)
		if err != nil || stop {
			return err
		}
	}
	return nil
}

func durationText(d time.Duration) starlark.String { return starlark.String(formatDuration(d)) }

// dueAck says whether the ack mode commits at the beginning of a turn.
func (k *container) dueAck() bool {
	late := k.s.app.env.Now() >= k.lastAck.Add(k.opt.AckTime)
	switch k.opt.AckMode {
	case "TIME":
		return late
	case "COUNT":
		return k.count >= k.opt.AckCount
	case "COUNT_TIME":
		return late || k.count >= k.opt.AckCount
	}
	return true
}

// invoke calls the listener with record i; stop says that the rest will be polled again.
func (k *container) invoke(list *starlark.List, i int) (stop bool, err error) {
	r := list.Index(i).(*recordValue)
	if err := k.call(r, r); err != nil {
		return k.failed(list, i, err)
	}
	delete(k.failures, r.String())
	if k.manual() {
		return false, nil
	}
	return false, k.acknowledge(r)
}

func (k *container) manual() bool {
	return k.opt.AckMode == "MANUAL" || k.opt.AckMode == "MANUAL_IMMEDIATE"
}

// call is the listener's turn: listen(record), or listen(record, ack) where the application
// acknowledges by itself.
func (k *container) call(v starlark.Value, last *recordValue) error {
	args := starlark.Tuple{v}
	if k.manual() {
		args = append(args, starlark.NewBuiltin("ack", func(
			_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple,
		) (starlark.Value, error) {
			return starlark.None, k.acknowledge(last)
		}))
	}
	_, err := starlark.Call(k.s.thread, k.s.app.spec.Run, args, nil)
	return err
}

// acknowledge notes that a record is done, and commits it where the mode says so.
func (k *container) acknowledge(r *recordValue) error {
	k.pending = merge(k.pending, client.Offset{
		TP: client.TopicPartition{Topic: r.Topic, Partition: r.Partition}, Offset: r.Offset + 1,
	})
	k.count++
	return k.commit(k.opt.AckMode == "RECORD" || k.opt.AckMode == "MANUAL_IMMEDIATE")
}

// invokeBatch hands all records over at once. One that fails is polled again as a whole.
// [DefaultErrorHandler.handleBatch]
func (k *container) invokeBatch(list *starlark.List) error {
	if list.Len() == 0 {
		return nil
	}
	last := list.Index(list.Len() - 1).(*recordValue)
	if err := k.call(list, last); err != nil {
		_, err := k.failed(list, 0, err)
		return err
	}
	for i := range list.Len() {
		if !k.manual() || i == list.Len()-1 {
			if err := k.acknowledge(list.Index(i).(*recordValue)); err != nil {
				return err
			}
		}
	}
	return nil
}

// failed is the default error handler: what was done before is committed, the consumer goes back to
// the failed record and the rest, after a pause; once its attempts are used up the record is logged
// and skipped. [DefaultErrorHandler, SeekUtils.seekOrRecover]
func (k *container) failed(list *starlark.List, i int, cause error) (stop bool, err error) {
	a := k.s.app
	var wake *client.WakeupError
	if k.s.killed || errors.As(cause, &wake) {
		return false, cause
	}
	if err := k.commit(true); err != nil {
		return false, err
	}
	r := list.Index(i).(*recordValue)
	k.failures[r.String()]++
	skip := k.failures[r.String()] >= k.opt.MaxAttempts
	if skip {
		delete(k.failures, r.String())
		a.logLine(fmt.Sprintf("Backoff exhausted for %s: %s", r, toError(cause, a.program.File)), 2)
		i++
		if err := k.acknowledge(r); err != nil {
			return false, err
		}
	} else {
		a.logLine(fmt.Sprintf("Seek to current after exception: %s", toError(cause, a.program.File)), 1)
		if k.opt.BackOff > 0 {
			if _, err := sleep(k.s, starlark.Tuple{durationText(k.opt.BackOff)}, nil); err != nil {
				return false, err
			}
		}
	}
	k.seekBack(list, i)
	return true, nil
}

// seekBack goes to the first record of each partition from record i on. A partition that was taken
// away meanwhile is left alone.
func (k *container) seekBack(list *starlark.List, i int) {
	seen := map[client.TopicPartition]bool{}
	for ; i < list.Len(); i++ {
		r := list.Index(i).(*recordValue)
		tp := client.TopicPartition{Topic: r.Topic, Partition: r.Partition}
		if !seen[tp] {
			seen[tp] = true
			if err := k.s.app.consumer.Seek(tp, r.Offset); err != nil {
				k.s.app.logLine(err.Error(), 1)
			}
		}
	}
}

// commit commits what is pending, if it is time. During a rebalance that waits for its end; other
// failures are logged. [KafkaMessageListenerContainer.ListenerConsumer.doCommitSync]
func (k *container) commit(due bool) error {
	if !due || len(k.pending) == 0 || k.s.app.cfg.EnableAutoCommit {
		return nil
	}
	_, err := commitSync(k.s, starlark.Tuple{offsetDict(k.pending)}, nil)
	var wake *client.WakeupError
	if k.s.killed || errors.As(err, &wake) {
		return err
	}
	if name, _ := client.ErrorName(err); err != nil && name == client.ErrRebalance {
		return nil
	}
	if err != nil {
		k.s.app.logLine("Commit failed: "+err.Error(), 2)
	}
	k.pending, k.count, k.lastAck = nil, 0, k.s.app.env.Now()
	return nil
}

// commitFirstPositions: with auto.offset.reset = latest a partition without a committed offset gets
// its position committed at once, so that a restart does not skip what comes meanwhile.
// [AssignmentCommitOption.LATEST_ONLY_NO_TX]
func (k *container) commitFirstPositions(parts starlark.Value) error {
	if k.s.app.cfg.AutoOffsetReset != "latest" || k.s.app.cfg.EnableAutoCommit {
		return nil
	}
	have, err := committedCall(k.s, starlark.Tuple{parts}, nil)
	if err != nil {
		return err
	}
	offsets := starlark.NewDict(0)
	for _, item := range have.(*starlark.Dict).Items() {
		if item[1] != starlark.None {
			continue
		}
		at, err := position(k.s, starlark.Tuple{item[0]}, nil)
		if err != nil {
			return err
		}
		if err := offsets.SetKey(item[0], at); err != nil {
			return err
		}
	}
	if offsets.Len() == 0 {
		return nil
	}
	_, err = commitSync(k.s, starlark.Tuple{offsets}, nil)
	return err
}
