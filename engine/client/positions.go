package client

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// Reasons for a position: Y of trace.Positioned.
const (
	positionedByRecords int64 = iota
	positionedByCommit
	positionedByReset
	positionedBySeek
)

// committedLookup is an OffsetFetch under way or answered.
type committedLookup struct {
	parts []TopicPartition
	done  bool
	err   *Error
	found []Offset
}

// offsetLookup is the lookup that positions wait for, kept over polls.
type offsetLookup struct {
	pending *committedLookup
	retryAt sim.Time
	tries   int
}

// updatePositions is C11: validation where the leader has changed, committed offsets for partitions
// without position, then the reset policy, then ListOffsets for those to be reset. It is false
// while committed offsets are awaited.
func (c *Consumer) updatePositions() (bool, error) {
	if err := c.validatePositions(); err != nil {
		return false, err
	}
	all, missing := true, 0
	for _, p := range c.sub.parts {
		all = all && p.phase == positionValid
		if p.phase == positionMissing {
			missing++
		}
	}
	if all {
		return true, nil
	}
	if missing > 0 && c.cfg.GroupID != "" {
		if done, err := c.committedPositions(); !done || err != nil {
			return false, err
		}
	}
	if err := c.resetMissing(); err != nil {
		return false, err
	}
	c.lookUpResets()
	return true, nil
}

// committedPositions sets positions to the committed offsets of partitions without one.
func (c *Consumer) committedPositions() (bool, error) {
	var need []TopicPartition
	for _, p := range c.sub.parts {
		if p.phase == positionMissing {
			need = append(need, p.tp)
		}
	}
	o := &c.offsets
	if o.pending == nil || !slices.Equal(o.pending.parts, need) {
		if c.now() < o.retryAt {
			c.wakeAt(o.retryAt)
			return false, nil
		}
		if !c.coordinatorReady() {
			return false, c.takeFindError()
		}
		o.pending = c.lookUpCommitted(need)
	}
	l := o.pending
	if !l.done {
		return false, nil
	}
	o.pending = nil
	if l.err != nil {
		if !l.err.Retriable {
			return false, l.err
		}
		o.retryAt = c.now().Add(c.retryBackoff(o.tries))
		o.tries++
		c.wakeAt(o.retryAt)
		return false, nil
	}
	o.tries = 0
	for _, f := range l.found {
		c.meta.sawEpoch(f.TP, f.epochPlusOne-1)
		p := c.sub.find(f.TP)
		if p != nil && p.phase == positionMissing && f.Offset >= 0 {
			c.place(p, f.Offset, f.epochPlusOne-1, positionedByCommit)
		}
	}
	return true, nil
}

// resetMissing turns to the reset policy where nothing was committed (C21).
func (c *Consumer) resetMissing() error {
	for _, p := range c.sub.parts {
		if p.phase != positionMissing {
			continue
		}
		if c.policy.kind == resetNone {
			return &Error{Name: ErrNoOffset, Text: "no committed offset for partition " +
				p.tp.String() + " and auto.offset.reset = none"}
		}
		c.requestReset(p, c.policy.kind)
	}
	return nil
}

func (c *Consumer) requestReset(p *partition, kind resetKind) {
	p.phase, p.reset, p.retryAt, p.asking = positionResetting, kind, c.now(), false
}

// lookUpCommitted asks the coordinator, which must be known. It always wants stable offsets (C41).
func (c *Consumer) lookUpCommitted(parts []TopicPartition) *committedLookup {
	l := &committedLookup{parts: parts}
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = true
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = c.cfg.GroupID
	for _, tp := range parts {
		i := len(g.Topics) - 1
		if i < 0 || g.Topics[i].Topic != tp.Topic {
			t := kmsg.NewOffsetFetchRequestGroupTopic()
			t.Topic = tp.Topic
			g.Topics = append(g.Topics, t)
			i++
		}
		g.Topics[i].Partitions = append(g.Topics[i].Partitions, tp.Partition)
	}
	req.SetVersion(commitByName)
	if c.async != nil {
		c.async.nameFetchByID(req, &g)
	}
	req.Groups = append(req.Groups, g)
	req.Group = g.Group // up to version 7 there is one group
	for _, t := range g.Topics {
		req.Topics = append(req.Topics, kmsg.OffsetFetchRequestTopic{Topic: t.Topic, Partitions: t.Partitions})
	}
	c.ask(req, func(resp kmsg.Response, err error) {
		l.done = true
		if err != nil {
			c.coordinatorLost("offset fetch: " + err.Error())
			l.err = asError(err)
			return
		}
		c.foundCommitted(l, resp.(*kmsg.OffsetFetchResponse))
	})
	return l
}

// oneGroup is an answer of a version that knows one group, in the shape of the later ones.
func oneGroup(r *kmsg.OffsetFetchResponse) kmsg.OffsetFetchResponseGroup {
	g := kmsg.NewOffsetFetchResponseGroup()
	g.ErrorCode = r.ErrorCode
	for i := range r.Topics {
		t := kmsg.NewOffsetFetchResponseGroupTopic()
		t.Topic = r.Topics[i].Topic
		for _, q := range r.Topics[i].Partitions {
			p := kmsg.NewOffsetFetchResponseGroupTopicPartition()
			p.Partition, p.Offset, p.Metadata, p.ErrorCode = q.Partition, q.Offset, q.Metadata, q.ErrorCode
			t.Partitions = append(t.Partitions, p)
		}
		g.Topics = append(g.Topics, t)
	}
	return g
}

func (c *Consumer) foundCommitted(l *committedLookup, r *kmsg.OffsetFetchResponse) {
	if r.Version < 8 {
		r.Groups = []kmsg.OffsetFetchResponseGroup{oneGroup(r)}
	}
	if len(r.Groups) != 1 {
		l.err = codeError(wire.UnknownServerError)
		return
	}
	g := &r.Groups[0]
	code := wire.Code(g.ErrorCode)
	for i := range g.Topics {
		t := &g.Topics[i]
		name := t.Topic
		if m := c.meta.topicByID(t.TopicID); r.Version > commitByName && m != nil {
			name = m.name
		}
		for j := range t.Partitions {
			p := &t.Partitions[j]
			if p.ErrorCode != 0 && code == wire.None {
				code = wire.Code(p.ErrorCode)
			}
			o := Offset{
				TP: TopicPartition{Topic: name, Partition: p.Partition}, Offset: p.Offset,
				epochPlusOne: p.LeaderEpoch + 1,
			}
			if p.Metadata != nil {
				o.Metadata = *p.Metadata
			}
			l.found = append(l.found, o)
		}
	}
	switch code {
	case wire.None:
		return
	case wire.NotCoordinator, wire.CoordinatorNotAvailable:
		c.coordinatorLost("error response " + code.Name())
	}
	l.err = codeError(code)
	if c.async != nil && code == wire.StaleMemberEpoch {
		l.err.Retriable = c.async.epoch() > 0 // with the present epoch the next look-up succeeds (R18)
	}
}

// stepCommitted is Consumer.Committed.
func (c *Consumer) stepCommitted(k *call) {
	if c.cfg.GroupID == "" {
		c.finish(k, noGroup("committed offsets belong to a group.id"))
		return
	}
	if c.now() >= k.deadline {
		c.finish(k, timeoutError("the committed offsets could not be found in time"))
		return
	}
	c.wakeAt(k.deadline)
	if k.lookup != nil && k.lookup.done {
		l := k.lookup
		k.lookup = nil
		if l.err == nil || !l.err.Retriable {
			k.offsets = l.found
			var err error
			if l.err != nil {
				err = l.err
			}
			c.finish(k, err)
			return
		}
		k.retryAt = c.now().Add(c.retryBackoff(k.tries))
		k.tries++
	}
	if k.lookup != nil {
		return
	}
	if c.now() < k.retryAt {
		c.wakeAt(k.retryAt)
		return
	}
	if c.coordinatorReady() {
		k.lookup = c.lookUpCommitted(k.parts)
	} else if err := c.takeFindError(); err != nil {
		c.finish(k, err)
	}
}

// stepPosition is Consumer.Position: the position, found like a poll would find it.
func (c *Consumer) stepPosition(k *call) {
	p, err := c.owned(k.tp)
	if err != nil {
		c.finish(k, err)
		return
	}
	if p.phase != positionValid {
		if _, err := c.updatePositions(); err != nil {
			c.finish(k, err)
			return
		}
	}
	switch {
	case p.phase == positionValid:
		k.at = p.position
		c.finish(k, nil)
	case c.now() >= k.deadline:
		c.finish(k, timeoutError("the position of %s could not be found in time", k.tp))
	default:
		c.wakeAt(min(k.deadline, c.now().Add(c.cfg.RetryBackoff)))
	}
}
