package client

import (
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// pollPhase is where in a pass a poll stands.
type pollPhase uint8

const (
	pollPass pollPhase = iota
	pollCoordinator
	pollPositions
	pollFetch
	pollWait
)

// stepPoll goes through passes of KafkaConsumer.poll until records are there or time is up:
// wake-up, coordinator, positions, fetch (C8). At least one pass is made.
func (c *Consumer) stepPoll(k *call) {
	for !k.finished {
		switch k.phase {
		case pollPass:
			if !c.startPass(k) {
				return
			}
		case pollCoordinator:
			if !c.passCoordinator(k) {
				return
			}
		case pollPositions:
			if !c.passPositions(k) {
				return
			}
		case pollFetch:
			if !c.passFetch(k) {
				return
			}
		case pollWait:
			if c.collect(k) {
				return
			}
			if c.now() >= k.deadline {
				c.finishPoll(k, nil)
				return
			}
			k.phase = pollPass
		}
	}
}

// startPass is C9 (a)-(c).
func (c *Consumer) startPass(k *call) bool {
	switch {
	case c.sub.kind == subscribedNone:
		c.finish(k, illegalState("the consumer is neither subscribed to topics nor assigned "+
			"partitions"))
		return false
	case c.calling:
		c.finish(k, illegalState("poll() inside of a rebalance callback"))
		return false
	case c.cfg.GroupID == "" && c.sub.kind == subscribedTopics:
		c.finish(k, noGroup("to subscribe, a consumer needs a group.id"))
		return false
	}
	c.refreshPattern()
	if err := c.runCommitCallbacks(); err != nil {
		c.finishPoll(k, err)
		return false
	}
	if c.sub.kind == subscribedTopics {
		c.pollHeartbeat()
		if err := c.grp.fatal; err != nil {
			c.grp.fatal = nil
			c.finishPoll(k, err)
			return false
		}
	}
	k.missing, k.told = false, false
	k.phase = pollCoordinator
	return true
}

// passCoordinator is C9 (d)-(f): find the coordinator, rejoin, auto-commit. A poll that is still
// rejoining goes on to fetch (C10).
func (c *Consumer) passCoordinator(k *call) bool {
	if c.cfg.GroupID == "" {
		k.phase = pollPositions
		return true
	}
	if c.sub.kind == subscribedManual {
		c.maybeAutoCommit()
		k.phase = pollPositions
		return true
	}
	if c.async != nil {
		return c.passAsync(k)
	}
	if !c.coordinatorReady() {
		if err := c.takeFindError(); err != nil {
			c.finishPoll(k, err)
			return false
		}
		return c.blockedUntil(k, pollFetch)
	}
	if c.rejoinNeeded() && !c.freshForPattern() {
		return c.blockedUntil(k, pollFetch)
	}
	active, err := c.ensureActive()
	if err != nil {
		c.finishPoll(k, err)
		return false
	}
	if c.calling {
		return false
	}
	if !active {
		k.phase = pollFetch
		return true
	}
	c.maybeAutoCommit()
	k.phase = pollPositions
	return true
}

// blockedUntil keeps a poll where it is until its time is up; then it goes on to next.
func (c *Consumer) blockedUntil(k *call, next pollPhase) bool {
	if c.now() >= k.deadline {
		k.phase = next
		return true
	}
	c.wakeAt(k.deadline)
	return false
}

// passPositions is C11.
func (c *Consumer) passPositions(k *call) bool {
	ready, err := c.updatePositions()
	if err != nil {
		c.finishPoll(k, err)
		return false
	}
	if !ready {
		k.missing = true
		return c.blockedUntil(k, pollFetch)
	}
	for _, p := range c.sub.parts {
		k.missing = k.missing || p.phase != positionValid
	}
	k.phase = pollFetch
	return true
}

// passFetch is C12 (a)-(c): buffered records, else new fetches and a wait.
func (c *Consumer) passFetch(k *call) bool {
	if c.collect(k) {
		return false
	}
	c.sendFetches()
	now := c.now()
	if now >= k.deadline {
		c.finishPoll(k, nil)
		return false
	}
	until := min(k.deadline, c.nextPassAt())
	if k.missing {
		until = min(until, now.Add(c.cfg.RetryBackoff))
	}
	c.wakeAt(max(until, now+1))
	k.phase = pollWait
	return false
}

// nextPassAt is when a waiting poll must begin a new pass: the next heartbeat or auto-commit, or a
// retry of the join. [ConsumerCoordinator.timeToNextPoll]
func (c *Consumer) nextPassAt() sim.Time {
	t, now := sim.Time(1<<63-1), c.now()
	if c.cfg.EnableAutoCommit && c.commits.nextAuto > now {
		t = c.commits.nextAuto
	}
	if c.hb.enabled && c.hb.nextAt > now {
		t = min(t, c.hb.nextAt)
	}
	if c.grp.retryAt > now {
		t = min(t, c.grp.retryAt)
	}
	return t
}

// collect takes buffered records. If there are any the next fetches leave before the poll returns
// (C8).
func (c *Consumer) collect(k *call) bool {
	records, moved, err := c.collectFetch(c.cfg.MaxPollRecords)
	if err != nil {
		c.finishPoll(k, err)
		return true
	}
	if len(records) == 0 && !moved {
		return false
	}
	c.sendFetches()
	k.records = records
	c.finishPoll(k, nil)
	return true
}

func (c *Consumer) finishPoll(k *call, err error) {
	c.metrics.Polls++
	c.metrics.Records += int64(len(k.records))
	if c.sub.kind == subscribedTopics && c.hb.pollAt != 0 {
		c.env.Trace(trace.Event{Kind: trace.PollTimer, X: c.hb.pollAt.Since()})
		c.hb.pollTraced = c.hb.pollAt
	}
	c.finish(k, err)
}
