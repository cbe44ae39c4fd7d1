package client

import (
	"errors"
	"fmt"
	"slices"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// preparePhase is how far the preparation of a join is (C30, C33).
type preparePhase uint8

const (
	prepareNone    preparePhase = iota
	prepareCommit               // auto-commit, awaited
	prepareRevoke               // the listener is at work
	prepareRevoked              // everything is given up that must be
)

// prepareJoin commits and revokes before a JoinGroup, once a rebalance: after MEMBER_ID_REQUIRED
// or a failed round it does nothing, unless the generation was lost meanwhile.
// [AbstractCoordinator.joinGroupIfNeeded, ConsumerCoordinator.onJoinPrepare]
func (c *Consumer) prepareJoin() (ready bool, err error) {
	g := &c.grp
	if g.prepare == prepareNone {
		if g.prepared {
			return true, nil
		}
		g.prepared = true // until resetGeneration says otherwise, be it while this goes on
		g.prepare, g.prepareUntil = prepareCommit, c.now().Add(c.cfg.rebalanceTimeout())
		g.prepareAt = c.now()
	}
	if g.prepare == prepareCommit {
		if !c.commitBeforeJoin() {
			return false, nil
		}
		g.prepare, g.prepCommit = prepareRevoke, nil
		c.revokeBeforeJoin()
	}
	if g.prepare != prepareRevoked {
		return false, nil
	}
	g.prepare, g.leader = prepareNone, false
	c.sub.group = nil
	if err := wrapCallbackError(c.takeCallbackError()); err != nil {
		return false, err
	}
	return c.prepareJoin()
}

// commitBeforeJoin is the auto-commit before a rebalance. It is awaited, and tried again while its
// failure is retriable, for at most the rebalance timeout (C33).
func (c *Consumer) commitBeforeJoin() (done bool) {
	g := &c.grp
	if !c.cfg.EnableAutoCommit || c.now() >= g.prepareUntil {
		return true
	}
	if g.prepCommit == nil {
		if c.now() < g.prepareAt {
			c.wakeAt(g.prepareAt)
			return false
		}
		if !c.cfg.cooperative() {
			for _, p := range c.sub.parts {
				p.revoking = true
			}
		}
		g.prepCommit = c.sendCommit(commitAuto, c.consumed(), nil)
	}
	k := g.prepCommit
	if !k.done {
		c.wakeAt(g.prepareUntil)
		return false
	}
	if k.err == nil || !retriable(k.err) {
		return true
	}
	g.prepCommit = nil
	g.prepareAt = c.now().Add(c.cfg.RetryBackoff)
	c.wakeAt(g.prepareAt)
	return false
}

// revokeBeforeJoin calls the listener and then changes the assignment: everything when the
// generation is gone (lost, C34) or under eager, only what is no longer subscribed under
// cooperative.
func (c *Consumer) revokeBeforeJoin() {
	owned := c.sub.assignment()
	end := func() { c.grp.prepare = prepareRevoked }
	if c.cfg.Library.Generations { // what is buffered is handed out until the next generation begins
		end()
		return
	}
	if c.generationLost() {
		if len(owned) == 0 {
			end()
			return
		}
		c.log(logInfo, "Giving away all assigned partitions as lost since the generation was reset")
		c.notify(notifyLost, owned, func() {
			c.replaceAssignment(nil, trace.UnownedByLoss)
			end()
		})
		return
	}
	if !c.cfg.cooperative() {
		c.notify(notifyRevoked, owned, func() {
			c.replaceAssignment(nil, trace.UnownedByRevoke)
			end()
		})
		return
	}
	var gone []TopicPartition
	for _, tp := range owned {
		if !slices.Contains(c.sub.topics, tp.Topic) {
			gone = append(gone, tp)
		}
	}
	if len(gone) == 0 {
		end()
		return
	}
	c.notify(notifyRevoked, gone, func() {
		c.replaceAssignment(minus(owned, gone), trace.UnownedByRevoke)
		end()
	})
}

// completeJoin takes the assignment (C31, C32, C36). [ConsumerCoordinator.onJoinComplete]
func (c *Consumer) completeJoin() error {
	g := &c.grp
	if !g.leader {
		g.snapshot = nil
	}
	a, err := wire.DecodeAssignment(g.assignment)
	g.assignment = nil
	if err != nil {
		return &Error{
			Name: "SchemaException", Text: "the assignment cannot be read: " + err.Error(),
		}
	}
	for _, tp := range a.Partitions {
		if !c.sub.subscribes(tp.Topic) {
			c.requestRejoin("received assignment does not match the current subscription")
			return nil
		}
	}
	c.metrics.Rebalances++
	assigned, owned := sorted(a.Partitions), c.sub.assignment()
	c.log(logInfo, "Notifying assignor about the new assignment "+partsText(assigned))
	if c.cfg.Library.Generations {
		c.replaceAssignment(nil, trace.UnownedByRevoke)
	}
	if !c.cfg.cooperative() {
		c.takeAssignment(assigned, assigned)
		return nil
	}
	revoked, added := minus(owned, assigned), minus(assigned, owned)
	if len(revoked) == 0 {
		c.takeAssignment(assigned, added)
		return nil
	}
	c.notify(notifyRevoked, revoked, func() {
		c.requestRejoin("need to revoke partitions and re-join")
		c.takeAssignment(assigned, added)
	})
	return nil
}

func (c *Consumer) takeAssignment(assigned, added []TopicPartition) {
	c.remember(assigned)
	c.obeyLeader(assigned)
	c.commits.nextAuto = c.now().Add(c.cfg.AutoCommitInterval)
	c.replaceAssignment(assigned, trace.UnownedByRevoke)
	c.notify(notifyAssigned, added, func() {})
}

// notification is a method of [Listener].
type notification uint8

const (
	notifyRevoked notification = iota
	notifyLost
	notifyAssigned
)

var notificationLog = [...]string{
	"Revoke previously assigned partitions", "Lost previously assigned partitions",
	"Adding newly assigned partitions",
}

// notify runs a callback and then next. Without a listener next follows at once. While a callback
// runs, the call that it stands in does not go on.
func (c *Consumer) notify(n notification, parts []TopicPartition, next func()) {
	c.log(logInfo, notificationLog[n]+" "+partsText(parts))
	if c.sub.listener == nil {
		next()
		return
	}
	c.calling, c.callBase = true, len(c.calls)
	ended := false
	done := func(err error) {
		if ended {
			panic("client: a rebalance callback has ended twice")
		}
		ended = true
		if c.gone {
			return
		}
		c.calling = false
		if err != nil && c.callErr == nil {
			c.callErr = err
		}
		next()
		c.wake()
	}
	parts = slices.Clone(parts)
	switch n {
	case notifyRevoked:
		c.sub.listener.OnRevoked(parts, done)
	case notifyLost:
		c.sub.listener.OnLost(parts, done)
	case notifyAssigned:
		c.sub.listener.OnAssigned(parts, done)
	}
}

// takeCallbackError is the first error of a callback; the rebalance has gone on all the same, and
// poll throws it when that is done (C35).
func (c *Consumer) takeCallbackError() error {
	err := c.callErr
	c.callErr = nil
	return err
}

// wrapCallbackError makes a KafkaException of it, if there is one.
func wrapCallbackError(err error) error {
	if err == nil {
		return nil
	}
	thrown := &Error{Name: ErrKafka, Text: "user rebalance callback throws an error"}
	return fmt.Errorf("%w: %w", thrown, err)
}

// callbackError is what poll throws after a rebalance is complete: what is a KafkaException already
// is thrown as it is. [ConsumerCoordinator.onJoinComplete]
func callbackError(err error) error {
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		return err
	}
	return wrapCallbackError(err)
}

// partsText is a list as Java prints it.
func partsText(parts []TopicPartition) string {
	b := []byte{'['}
	for i, tp := range parts {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, tp.String()...)
	}
	return string(append(b, ']'))
}
