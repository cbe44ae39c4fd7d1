package client

import (
	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
)

// release tells the listener that the partitions are lost and then forgets them. done follows when
// the application has heard it, in its next poll.
func (m *asyncMembership) release(done func()) {
	lost := m.c.sub.assignment()
	m.stopFetching(lost)
	m.callback(notifyLost, lost, func(error) {
		m.clearAssignment(trace.UnownedByLoss)
		done()
	})
}

func (m *asyncMembership) clearAssignment(why int64) {
	m.c.replaceAssignment(nil, why)
	m.current, m.target = noAssignment, noAssignment
	m.names = map[assign.TopicID]string{}
}

// fence: the coordinator does not know the member or its epoch. It gives up what it had and joins
// again, with the same id (F22). [AbstractMembershipManager.transitionToFenced]
func (m *asyncMembership) fence() {
	switch m.state() {
	case trace.ConsumerPrepareLeaving, trace.ConsumerLeaving: // it would have left anyway
		m.enter(trace.ConsumerUnsubscribed)
		m.leaving = false
		return
	case trace.ConsumerUnsubscribed:
		m.leaving = false
		return
	case trace.ConsumerStale, trace.ConsumerFenced, trace.ConsumerFatal:
		return
	}
	m.enter(trace.ConsumerFenced)
	m.c.grp.generation = epochJoin
	m.release(func() {
		if m.state() == trace.ConsumerFenced {
			m.join()
		}
	})
}

// goFatal ends the membership after an error that no try can mend.
func (m *asyncMembership) goFatal() {
	before := m.state()
	if before == trace.ConsumerStale || before == trace.ConsumerFenced {
		return
	}
	m.enter(trace.ConsumerFatal)
	m.leaving = false
	switch before {
	case trace.ConsumerUnsubscribed, trace.ConsumerLeaving, trace.ConsumerPrepareLeaving:
		return
	}
	m.release(func() {})
}

// expirePoll: the application has not polled for max.poll.interval.ms. The member says goodbye, a
// static one for a while, and gives its partitions up when the application polls again (F23).
func (m *asyncMembership) expirePoll() {
	c := m.c
	c.env.Trace(trace.Event{Kind: trace.PollExpired})
	c.log(logWarn, "consumer poll timeout has expired: the time between two polls was longer than "+
		"max.poll.interval.ms")
	m.pollExpired = true
	m.enter(trace.ConsumerPrepareLeaving)
	m.sayGoodbye()
	m.beat(true)
	m.atOnce()
	m.sent.reset()
	c.hb.disable(c)
}

// sayGoodbye has the next heartbeat leave the group.
func (m *asyncMembership) sayGoodbye() {
	m.c.grp.generation = epochLeave
	if m.c.static() && m.operation != "leave_group" {
		m.c.grp.generation = epochLeaveStatic
	}
	m.current = noAssignment
	m.enter(trace.ConsumerLeaving)
}

// goStale: the goodbye is on its way; nothing is heard of the member until the application polls.
func (m *asyncMembership) goStale() {
	m.enter(trace.ConsumerStale)
	m.releasing = true
	m.release(func() { m.releasing = false })
}

// leaveUnheard: a goodbye without a coordinator is not sent.
func (m *asyncMembership) leaveUnheard() {
	if m.state() == trace.ConsumerLeaving {
		m.enter(trace.ConsumerUnsubscribed)
		m.leaving = false
	}
}

// unheard: a goodbye is sent once, whatever becomes of it.
func (m *asyncMembership) unheard() {
	if m.state() == trace.ConsumerUnsubscribed {
		m.leaving = false
	}
}

// leave begins to leave the group. The assignment must be given up already.
func (m *asyncMembership) leave(operation string) {
	m.operation = operation
	if m.outside() {
		if m.state() == trace.ConsumerFenced {
			m.enter(trace.ConsumerUnsubscribed)
		}
		return
	}
	m.leaving = true
	if m.state() != trace.ConsumerPrepareLeaving {
		m.enter(trace.ConsumerPrepareLeaving)
	}
	m.sayGoodbye()
	m.heartbeats()
}

// releaseAll tells the listener, in a call of the application, that everything goes: revoked while
// the member is in the group, else lost.
func (m *asyncMembership) releaseAll(next func()) {
	c := m.c
	owned := c.sub.assignment()
	m.errands, m.reconciling = nil, nil
	end := func(error) {
		m.clearAssignment(trace.UnownedByClose)
		next()
	}
	if c.sub.kind != subscribedTopics || len(owned) == 0 {
		end(nil)
		return
	}
	n := notifyLost
	if m.epoch() > 0 {
		n = notifyRevoked
	}
	m.stopFetching(owned)
	m.call(n, owned, end)
}

// stepUnsubscribe gives everything up, leaves and waits for the answer. What the background thread
// still had to say is not wanted any more.
func (m *asyncMembership) stepUnsubscribe(k *call) {
	c := m.c
	switch k.stage {
	case closeCommit:
		k.stage = closeRevoking
		if !m.outside() {
			m.enter(trace.ConsumerPrepareLeaving)
		}
		m.releaseAll(func() { k.stage = closeLeave })
		if !c.calling {
			m.stepUnsubscribe(k)
		}
	case closeLeave:
		m.leave("default")
		c.sub = subscription{}
		m.subscribed, m.errors = false, nil
		k.stage = closeLeft
		m.stepUnsubscribe(k)
	case closeLeft:
		if m.leaving && c.now() < k.deadline {
			c.wakeAt(k.deadline)
			return
		}
		m.leaving = false
		c.hb.disable(c)
		c.finish(k, wrapCallbackError(c.takeCallbackError()))
	}
}

// closeStage is one stage of a close: commit, callbacks, goodbye, asynchronous commits, fetch
// sessions (C42 for this consumer). [AsyncKafkaConsumer.close]
func (m *asyncMembership) closeStage(k *call) bool {
	c := m.c
	late := c.now() >= k.deadline
	if !late {
		c.wakeAt(k.deadline)
	}
	switch k.stage {
	case closeCommit:
		if !c.closeCommit(k, late) {
			return false
		}
		k.stage = closeRevoke
	case closeRevoke:
		k.stage = closeRevoking
		m.releaseAll(func() { k.stage = closeLeave })
		return !c.calling
	case closeRevoking:
		return false
	case closeLeave:
		c.closing.err = wrapCallbackError(c.takeCallbackError())
		m.leave(c.closing.membership)
		k.stage = closeLeft
	case closeLeft:
		if m.leaving && !late {
			return false
		}
		k.stage = closeAsync
	case closeAsync:
		if c.commits.pending > 0 && !late {
			return false
		}
		if err := c.runCommitCallbacks(); c.closing.err == nil {
			c.closing.err = err
		}
		c.closeFetchSessions()
		k.stage = closeSessions
	case closeSessions:
		if c.closing.sessions > 0 && !late {
			return false
		}
		k.stage = closeEnd
	case closeEnd:
		c.end(k)
	}
	return true
}
