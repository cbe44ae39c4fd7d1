package client

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// turn does by itself what Java's client does in polls, for libraries with threads of their own.
func (c *Consumer) turn() {
	if c.closed || c.calling || c.sub.kind == subscribedNone || c.isEnding() {
		return
	}
	c.refreshPattern()
	c.watchPartitions()
	if c.sub.kind == subscribedTopics && c.mayRebalance() && c.coordinatorReady() {
		if _, err := c.ensureActive(); err != nil {
			c.failInBackground(err)
		}
	}
	if err := c.takeFindError(); err != nil {
		c.failInBackground(err)
	}
	if c.sub.kind == subscribedManual || c.grp.state == trace.ConsumerStable {
		if _, err := c.updatePositions(); err != nil {
			c.failInBackground(err)
		}
	}
	c.sendFetches()
	c.commitByTimer()
}

// beginInBackground: nobody else wakes a consumer that needs no poll.
func (c *Consumer) beginInBackground() {
	if c.cfg.Library.Background {
		c.wakeAt(c.now())
	}
}

// isEnding says whether the application closes the consumer or gives its subscription up.
func (c *Consumer) isEnding() bool {
	n := len(c.calls)
	return n > 0 && (c.calls[n-1].kind == callClose || c.calls[n-1].kind == callUnsubscribe)
}

// mayRebalance says whether a rebalance may begin or go on. Callbacks need the application, so with
// a listener it waits for a poll, as it does between polls where the application has asked for that.
func (c *Consumer) mayRebalance() bool {
	if c.sub.listener == nil && !c.cfg.Library.BlockRebalance {
		return true
	}
	n := len(c.calls)
	return c.allowed || n > 0 && c.calls[n-1].kind == callPoll
}

// AllowRebalance ends what BlockRebalance holds back, until the next poll returns records.
func (c *Consumer) AllowRebalance() {
	c.allowed = true
	c.wake()
}

// failInBackground keeps an error for the next poll.
func (c *Consumer) failInBackground(err error) {
	c.log(logError, err.Error())
	if c.backgroundErr == nil {
		c.backgroundErr = err
	}
}

// stepTake is a poll of a library that fetches by itself: it only takes what is there.
func (c *Consumer) stepTake(k *call) {
	if c.sub.kind == subscribedNone {
		c.finish(k, illegalState("the consumer is neither subscribed to topics nor assigned partitions"))
		return
	}
	if err := c.runCommitCallbacks(); err != nil {
		c.finishPoll(k, err)
		return
	}
	if err := c.backgroundErr; err != nil {
		c.backgroundErr = nil
		c.finishPoll(k, err)
		return
	}
	switch {
	case c.collect(k):
		c.allowed = c.allowed && len(k.records) == 0
	case c.now() >= k.deadline:
		c.finishPoll(k, nil)
	default:
		c.wakeAt(k.deadline)
	}
}

// commitByTimer commits what earlier polls have returned, every auto.commit.interval.ms.
// [franz-go pkg/kgo/consumer_group.go, loopCommit]
func (c *Consumer) commitByTimer() {
	if !c.cfg.EnableAutoCommit || !c.cfg.Library.CommitsEarlierPolls {
		return
	}
	if c.grp.state == trace.ConsumerStable {
		c.maybeAutoCommit()
	}
	if c.commits.nextAuto > c.now() { // else it waits for the end of the rebalance
		c.wakeAt(c.commits.nextAuto)
	}
}

// noteEarlier: what was returned before this poll counts as worked on from now on.
func (c *Consumer) noteEarlier() {
	if !c.cfg.Library.CommitsEarlierPolls {
		return
	}
	for _, p := range c.sub.parts {
		p.earlier = p.position
	}
}

// generationOver is what any failed heartbeat means to kafka-go: beats stop, nothing more is fetched,
// and the member joins anew under its old id as soon as fetches under way have come back.
// [consumergroup.go, Generation.heartbeatLoop and Generation.close; reader.go, unsubscribe]
func (c *Consumer) generationOver(reason string) {
	c.hb.disable(c)
	for _, p := range c.sub.parts {
		p.parting = true
	}
	c.grp.prepared = false
	c.setState(trace.ConsumerPreparing)
	c.requestRejoin(reason)
}

// betweenGenerations says whether a kafka-go member must still wait before it joins. The
// coordinator is looked up anew for every generation. [consumergroup.go, nextGeneration]
func (c *Consumer) betweenGenerations() bool {
	for _, f := range c.fetch.nodes {
		if f.busy {
			return true
		}
	}
	if c.grp.join == joinNone && c.grp.prepare == prepareNone && !c.grp.prepared && c.grp.memberID != "" {
		c.grp.prepared = true
		c.coordinatorLost("the generation is over")
		return !c.coordinatorReady()
	}
	return false
}

// joinGaveUp is the end of a failed join for kafka-go: it leaves, forgets its member id and waits. A
// rebalance that goes on is no failure. [consumergroup.go, run]
func (c *Consumer) joinGaveUp(e *Error) {
	c.log(logError, "Failed to join group "+c.cfg.GroupID+": "+e.Error())
	if e.Code == wire.RebalanceInProgress {
		return
	}
	c.sendLeave("")
	c.setMemberID("")
	c.grp.retryAt = c.now().Add(c.cfg.Library.JoinBackoff)
}

// sendLeave tells the coordinator that the member goes; the answer is not awaited.
func (c *Consumer) sendLeave(reason string) {
	if !c.coordinatorKnown() || c.grp.memberID == "" {
		return
	}
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group, req.MemberID = c.cfg.GroupID, c.grp.memberID
	m := kmsg.NewLeaveGroupRequestMember()
	m.MemberID, m.Reason = c.grp.memberID, &reason
	req.Members = append(req.Members, m)
	c.closing.leaving++
	c.ask(req, func(kmsg.Response, error) { c.closing.leaving-- })
}

// watchPartitions is kafka-go's WatchPartitionChanges: every member asks for the number of
// partitions, and a change ends its generation. [consumergroup.go, Generation.partitionWatcher]
func (c *Consumer) watchPartitions() {
	every := c.cfg.Library.WatchPartitions
	if every == 0 || c.grp.state != trace.ConsumerStable {
		c.watched = nil
		return
	}
	counts := c.partitionCounts()
	if c.watched == nil {
		c.watched, c.watchAt = counts, c.now().Add(every)
	}
	for i, n := range counts {
		if n != c.watched[i] {
			c.watched = nil
			c.generationOver("partition changes found")
			return
		}
	}
	if c.now() >= c.watchAt {
		c.watchAt = c.now().Add(every)
		c.meta.want()
	}
	c.wakeAt(c.watchAt)
}

func (c *Consumer) partitionCounts() []int {
	counts := make([]int, len(c.sub.topics))
	for i, name := range c.sub.topics {
		if t := c.meta.topic(name); t != nil {
			counts[i] = len(t.parts)
		}
	}
	return counts
}
