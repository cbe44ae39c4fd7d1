package client

import (
	"slices"
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// Consumer is a KafkaConsumer. The membership of the consumer protocol is in async; without it the
// consumer speaks the classic one.
type Consumer struct {
	base
	cfg    ConsumerConfig
	group  trace.Ref
	policy resetPolicy

	sub     subscription
	grp     membership
	hb      heartbeat
	async   *asyncMembership
	commits committer
	offsets offsetLookup
	fetch   fetching
	closing closing

	calls   []*call // blocking calls under way; a callback's own stand above the one it is in
	spare   *call
	handed  []Record     // what the latest Poll returned
	union   union        // of wantedTopics
	counts  []topicCount // scratch of countsAre
	busy    bool
	again   bool
	woken   bool  // Wakeup was called
	allowed bool  // AllowRebalance was called since the latest poll returned records
	watched []int // numbers of partitions that the watcher compares with
	watchAt sim.Time
	// backgroundErr is what went wrong while no poll was under way.
	backgroundErr error
	closed        bool
	calling       bool  // a rebalance callback runs
	callBase      int   // how many calls were under way when it began
	callErr       error // what callbacks have failed with

	metrics Metrics
}

// Metrics count what a consumer has done since it was made.
type Metrics struct {
	Polls, Records, Fetches, Heartbeats, Commits, Rebalances int64
}

// NewConsumer makes a consumer in a process that has started.
func NewConsumer(p *Process, cfg ConsumerConfig) *Consumer {
	if cfg.GroupID == "" {
		cfg.EnableAutoCommit = false
	}
	if cfg.ClientID == "" {
		cfg.ClientID = "consumer-" + cfg.GroupID + "-1"
	}
	policy, err := parseReset(cfg.AutoOffsetReset)
	if err != nil {
		panic("client: " + err.Error())
	}
	c := &Consumer{cfg: cfg, policy: policy}
	c.init(p, cfg.ClientID, netOptions{
		bootstrap:    cfg.Bootstrap,
		retryBackoff: cfg.RetryBackoff, retryBackoffMax: cfg.RetryBackoffMax,
		reconnect: cfg.ReconnectBackoff, reconnectMax: cfg.ReconnectBackoffMax,
		requestTimeout: cfg.RequestTimeout, metadataMaxAge: cfg.MetadataMaxAge,
		allowAutoCreateTopics: cfg.AllowAutoCreateTopics,
		versions:              cfg.Library.Versions,
		rebootstrap:           cfg.MetadataRecoveryStrategy == "rebootstrap",
	})
	c.base.wake, c.base.dropped = c.wake, c.dropped
	c.meta.topics, c.meta.all = c.wantedTopics, c.wantsAllTopics
	c.group = c.env.Ref(cfg.GroupID)
	c.grp.generation, c.grp.coordinator = noGeneration, noNode
	c.fetch.init(c)
	c.commits.nextAuto = c.now().Add(cfg.AutoCommitInterval)
	if cfg.consumerProtocol() && cfg.GroupID != "" {
		c.async = newAsyncMembership(c)
		c.meta.ids = c.async.metadataIDs
	}
	return c
}

// wantedTopics are those that metadata is asked for.
func (c *Consumer) wantedTopics() []string {
	if c.sub.kind == subscribedManual {
		var topics []string
		for _, p := range c.sub.parts {
			if !slices.Contains(topics, p.tp.Topic) {
				topics = append(topics, p.tp.Topic)
			}
		}
		return topics
	}
	if len(c.sub.group) == 0 {
		return c.sub.topics
	}
	for _, t := range c.sub.topics {
		if !slices.Contains(c.sub.group, t) {
			return c.union.of(c.sub.group, c.sub.topics)
		}
	}
	return c.sub.group
}

// union is two lists of topics as one. It is asked for at every event and changes with the
// subscription, so the last answer is kept.
type union struct{ a, b, both []string }

func (u *union) of(a, b []string) []string {
	if u.both == nil || !slices.Equal(u.a, a) || !slices.Equal(u.b, b) {
		u.a, u.b = slices.Clone(a), slices.Clone(b)
		u.both = sortedTopics(append(slices.Clone(a), b...))
	}
	return u.both
}

// wantsAllTopics: a pattern is matched with everything there is.
func (c *Consumer) wantsAllTopics() bool { return c.sub.pattern != nil }

// Subscribe makes the consumer a reader of topics as a member of its group. It takes effect in the
// next poll. l may be nil. It is an error to give no topic, which is what Unsubscribe is for, or to
// call it while the consumer is subscribed or assigned in another way.
func (c *Consumer) Subscribe(topics []string, l Listener) error {
	if len(topics) == 0 {
		return &Error{Name: ErrIllegalArgument, Text: "no topic to subscribe to"}
	}
	if err := c.sub.choose(subscribedTopics, nil); err != nil {
		return err
	}
	c.sub.listener = l
	c.subscribe(sortedTopics(topics))
	return nil
}

// subscribe makes topics the subscription; a member that has never joined will.
func (c *Consumer) subscribe(topics []string) {
	c.sub.topics = topics
	for _, p := range c.sub.parts {
		p.dropped = !c.sub.subscribes(p.tp.Topic)
	}
	switch {
	case c.async != nil:
		c.async.changed()
	case c.grp.joinedTopics == nil:
		c.grp.rejoin, c.grp.reason = true, ""
	}
	c.meta.want()
	c.beginInBackground()
}

// Assign makes the consumer a reader of exactly these partitions, without a group's help. An
// auto-commit that is due comes first (C22); partitions that it had already keep their position. It
// is an error to give none, which is what Unsubscribe is for, or to call it while the consumer is
// subscribed.
func (c *Consumer) Assign(parts []TopicPartition) error {
	if len(parts) == 0 {
		return &Error{Name: ErrIllegalArgument, Text: "no partition to assign"}
	}
	if err := c.sub.choose(subscribedManual, nil); err != nil {
		return err
	}
	c.maybeAutoCommit()
	c.replaceAssignment(parts, trace.UnownedByRevoke)
	c.meta.want()
	c.beginInBackground()
	return nil
}

// Unsubscribe gives everything up and leaves the group. done hears when the callbacks have run; the
// LeaveGroup's answer is not awaited, that of the consumer protocol's last heartbeat is.
func (c *Consumer) Unsubscribe(done func(error)) {
	timeout := time.Duration(0)
	if c.async != nil {
		timeout = c.cfg.DefaultAPITimeout
	}
	c.begin(callUnsubscribe, timeout, done)
}

// Poll returns records, or none when timeout has passed (C7-C12). The list is good until the next
// Poll; the bytes in it stay.
func (c *Consumer) Poll(timeout time.Duration, done func([]Record, error)) {
	k := c.push(callPoll, timeout)
	k.onRecords = done
	c.noteEarlier()
	c.wake()
}

// CommitSync commits offsets, or with nil all positions, and waits for the answer (C39).
func (c *Consumer) CommitSync(offsets []Offset, done func(error)) {
	k := c.push(callCommit, c.cfg.DefaultAPITimeout)
	k.onDone = done
	if offsets == nil {
		offsets = c.consumed()
	}
	k.offsets = offsets
	c.wake()
}

// CommitAsync commits offsets, or with nil all positions, and does not wait. cb, which may be nil,
// is called in a later poll, commit or close; a failed commit is not tried again (C40). It is an
// error without a group, or once an earlier one has found this member fenced.
func (c *Consumer) CommitAsync(offsets []Offset, cb func([]Offset, error)) error {
	if c.cfg.GroupID == "" {
		return noGroup("to commit, a consumer needs a group.id")
	}
	if offsets == nil {
		offsets = c.consumed()
	}
	if err := c.runCommitCallbacks(); err != nil {
		return err
	}
	c.commitAsync(commitAsync, offsets, cb)
	c.wake()
	return nil
}

// Committed asks the group for its committed offsets; -1 where there is none.
func (c *Consumer) Committed(parts []TopicPartition, done func([]Offset, error)) {
	k := c.push(callCommitted, c.cfg.DefaultAPITimeout)
	k.parts, k.onOffsets = sorted(parts), done
	c.wake()
}

// Position is the next offset to be returned for tp; the consumer finds it first if need be.
func (c *Consumer) Position(tp TopicPartition, done func(int64, error)) {
	k := c.push(callPosition, c.cfg.DefaultAPITimeout)
	k.tp, k.onPosition = tp, done
	c.wake()
}

// begin starts a blocking call that gives only an error.
func (c *Consumer) begin(kind callKind, timeout time.Duration, done func(error)) {
	k := c.push(kind, timeout)
	k.onDone = done
	c.wake()
}

func (c *Consumer) owned(tp TopicPartition) (*partition, error) {
	p := c.sub.find(tp)
	if p == nil {
		return nil, illegalState("partition %s is not assigned to this consumer", tp)
	}
	return p, nil
}

// each applies fn to assigned partitions, or to none if one is not assigned.
func (c *Consumer) each(tps []TopicPartition, fn func(*partition)) error {
	found := make([]*partition, 0, len(tps))
	for _, tp := range tps {
		p, err := c.owned(tp)
		if err != nil {
			return err
		}
		found = append(found, p)
	}
	for _, p := range found {
		fn(p)
	}
	c.wake()
	return nil
}

// Seek makes offset the next one to be returned; it must be at least 0.
func (c *Consumer) Seek(tp TopicPartition, offset int64) error {
	if offset < 0 {
		return &Error{Name: ErrIllegalArgument, Text: "seek to a negative offset"}
	}
	return c.each([]TopicPartition{tp}, func(p *partition) {
		c.place(p, offset, -1, positionedBySeek)
	})
}

// SeekToBeginning goes to the log start, which is looked up by the next poll.
func (c *Consumer) SeekToBeginning(parts []TopicPartition) error {
	return c.each(parts, func(p *partition) { c.requestReset(p, resetEarliest) })
}

// SeekToEnd goes to the high watermark, which is looked up by the next poll.
func (c *Consumer) SeekToEnd(parts []TopicPartition) error {
	return c.each(parts, func(p *partition) { c.requestReset(p, resetLatest) })
}

// Pause stops records of these partitions from being fetched and returned; what is buffered is kept
// (C17).
func (c *Consumer) Pause(parts []TopicPartition) error {
	return c.each(parts, func(p *partition) { c.setPaused(p, true, trace.Paused) })
}

// Resume ends a Pause.
func (c *Consumer) Resume(parts []TopicPartition) error {
	return c.each(parts, func(p *partition) { c.setPaused(p, false, trace.Resumed) })
}

func (c *Consumer) setPaused(p *partition, paused bool, kind trace.Kind) {
	if p.paused == paused {
		return
	}
	p.paused = paused
	c.env.Trace(trace.Event{Kind: kind, Name: p.ref, Part: p.tp.Partition})
}

// Paused is the paused partitions.
func (c *Consumer) Paused() []TopicPartition {
	var tps []TopicPartition
	for _, p := range c.sub.parts {
		if p.paused {
			tps = append(tps, p.tp)
		}
	}
	return tps
}

// Assignment is the assigned partitions, by topic and number.
func (c *Consumer) Assignment() []TopicPartition { return c.sub.assignment() }

// EnforceRebalance makes the next poll rejoin the group; reason, which may be empty, is sent along
// (C37, KIP-568, KIP-800). It is an error without a group.
func (c *Consumer) EnforceRebalance(reason string) error {
	if c.cfg.GroupID == "" {
		return illegalState("tried to force a rebalance but the consumer does not have a group")
	}
	if c.async != nil {
		c.log(logWarn, "Operation not supported in new consumer group protocol")
		return nil
	}
	if reason == "" {
		reason = "rebalance enforced by user"
	}
	c.requestRejoin(reason)
	return nil
}

// Wakeup ends the blocking call under way, or else the next one, with a WakeupError. Close is not
// affected.
func (c *Consumer) Wakeup() {
	c.woken = true
	c.wake()
}

// CloseOptions say how to close (KIP-1092); what is left out is as configured.
type CloseOptions struct {
	// Timeout bounds the wait; nil means ConsumerConfig.CloseTimeout.
	Timeout *time.Duration
	// Membership is default, leave_group or remain_in_group (C43).
	Membership string
}

// Close is [Consumer.CloseWith] as configured.
func (c *Consumer) Close(done func(error)) { c.CloseWith(CloseOptions{}, done) }

// CloseWith leaves the group and ends the consumer (C42). It waits at most as long as the options
// say, and no longer than request.timeout.ms.
func (c *Consumer) CloseWith(opt CloseOptions, done func(error)) {
	timeout := c.cfg.CloseTimeout
	if opt.Timeout != nil {
		timeout = *opt.Timeout
	}
	c.closing.membership = opt.Membership
	if opt.Membership == "" {
		c.closing.membership = c.cfg.CloseOption
	}
	c.begin(callClose, min(timeout, c.cfg.RequestTimeout), done)
}

// Metrics are the counts so far.
func (c *Consumer) Metrics() Metrics { return c.metrics }

func (c *Consumer) log(level int64, text string) {
	c.env.Trace(trace.Event{Kind: trace.LogLine, Name: c.env.Ref(text), X: level})
}

// Levels of log lines: X of trace.LogLine.
const (
	logInfo int64 = iota
	logWarn
	logError
)
