package client

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
)

// closeStage is how far a close is (C42).
type closeStage uint8

const (
	closeCommit   closeStage = iota // auto-commit, awaited
	closeAsync                      // pending asynchronous commits
	closeRevoke                     // the listener is told
	closeRevoking                   // it is at work
	closeLeave                      // LeaveGroup is sent
	closeLeft                       // its answer is awaited
	closeSessions                   // fetch sessions are ended
	closeEnd
)

// closing counts the answers that a close waits for.
type closing struct {
	membership string // whether the member leaves
	leaving    int
	sessions   int
	err        error
}

// stepClose goes through the stages of KafkaConsumer.close; each waits for at most what is left of
// the close timeout.
func (c *Consumer) stepClose(k *call) {
	if c.closed && k.stage == closeCommit {
		c.finish(k, nil)
		return
	}
	for c.closeStage(k) {
		if k.finished {
			return
		}
	}
}

// closeStage does one stage and says whether it is over.
func (c *Consumer) closeStage(k *call) bool {
	if c.async != nil {
		return c.async.closeStage(k)
	}
	late := c.now() >= k.deadline
	if !late {
		c.wakeAt(k.deadline)
	}
	switch k.stage {
	case closeCommit:
		return c.closeCommit(k, late)
	case closeAsync:
		if c.cfg.GroupID != "" && c.commits.pending > 0 && !late {
			c.coordinatorReady()
			return false
		}
		if err := c.runCommitCallbacks(); err != nil && c.closing.err == nil {
			c.closing.err = err
		}
		k.stage = closeRevoke
	case closeRevoke:
		k.stage = closeRevoking
		c.revokeAll(func() { k.stage = closeLeave })
		return !c.calling
	case closeRevoking:
		return false
	case closeLeave:
		if err := wrapCallbackError(c.takeCallbackError()); c.closing.err == nil {
			c.closing.err = err
		}
		c.leaveGroup("the consumer is being closed", c.closing.membership)
		k.stage = closeLeft
	case closeLeft:
		if c.closing.leaving > 0 && !late {
			return false
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

func (c *Consumer) closeCommit(k *call, late bool) bool {
	if c.cfg.EnableAutoCommit && c.sub.kind != subscribedNone {
		if k.offsets == nil {
			k.offsets = c.consumed()
		}
		if len(k.offsets) > 0 && !late {
			done, err := c.tryCommit(k, commitAuto)
			if !done {
				return false
			}
			if err != nil {
				c.log(logWarn, "Synchronous auto-commit of offsets failed: "+err.Error())
			}
		}
	}
	k.stage = closeAsync
	return true
}

// revokeAll tells the listener that everything goes: revoked, or lost when the generation is gone
// or a rebalance is under way. [ConsumerCoordinator.onLeavePrepare]
func (c *Consumer) revokeAll(next func()) {
	owned := c.sub.assignment()
	if c.sub.kind != subscribedTopics || len(owned) == 0 {
		c.replaceAssignment(nil, trace.UnownedByClose)
		next()
		return
	}
	n := notifyRevoked
	if c.generationLost() || c.grp.state != trace.ConsumerStable {
		n = notifyLost
	}
	c.notify(n, owned, func() {
		c.replaceAssignment(nil, trace.UnownedByClose)
		next()
	})
}

// leaveGroup sends LeaveGroup where this member says goodbye at all: a dynamic one does unless the
// option says to remain, a static one only if the option says to leave (C43, KIP-345, KIP-1092).
// The membership is forgotten in any case.
func (c *Consumer) leaveGroup(reason, option string) {
	g := &c.grp
	says := !c.static() && option != "remain_in_group" || option == "leave_group"
	if says && c.coordinatorKnown() && g.state != trace.ConsumerUnjoined && g.memberID != "" {
		c.log(logInfo, "Member "+g.memberID+" sending LeaveGroup request to coordinator")
		req := kmsg.NewPtrLeaveGroupRequest()
		req.Group, req.MemberID = c.cfg.GroupID, g.memberID // the latter up to version 2
		m := kmsg.NewLeaveGroupRequestMember()
		m.MemberID, m.Reason = g.memberID, &reason
		req.Members = append(req.Members, m)
		c.closing.leaving++
		c.ask(req, func(kmsg.Response, error) { c.closing.leaving-- })
	}
	if c.sub.kind == subscribedTopics {
		c.hb.disable(c)
		if c.hb.pollAt != 0 {
			c.hb.pollAt = 0
			c.tracePollTimer()
		}
		g.join, g.joinErr, g.leading = joinNone, nil, nil
		g.joinRound++
		g.prepare, g.prepCommit = prepareNone, nil
		c.resetGeneration(true, "consumer pro-actively leaving the group")
	}
}

// closeFetchSessions ends every session by a fetch with epoch -1 (E14).
func (c *Consumer) closeFetchSessions() {
	for _, f := range c.fetch.nodes {
		if f.session.id == 0 || f.link.state != linkReady {
			continue
		}
		req := f.c.fetch.base
		req.SessionID, req.SessionEpoch, req.Topics = f.session.id, finalEpoch, nil
		f.session.id, f.session.epoch = 0, 0
		c.closing.sessions++
		f.link.send(&req, c.opt.requestTimeout, func(kmsg.Response, error) { c.closing.sessions-- })
	}
}

// end closes the connections. Nothing happens after it but the continuation of the close.
func (c *Consumer) end(k *call) {
	c.closed = true
	c.shut()
	c.finish(k, c.closing.err)
}

// stepUnsubscribe gives the assignment up and leaves without waiting.
func (c *Consumer) stepUnsubscribe(k *call) {
	if c.async != nil {
		c.async.stepUnsubscribe(k)
		return
	}
	switch k.stage {
	case closeCommit:
		k.stage = closeRevoking
		c.revokeAll(func() { k.stage = closeLeave })
		if !c.calling {
			c.stepUnsubscribe(k)
		}
	case closeLeave:
		if c.cfg.GroupID != "" {
			c.leaveGroup("the consumer unsubscribed from all topics", "default")
		}
		c.sub = subscription{}
		c.grp.rejoin, c.grp.joinedTopics, c.grp.snapshot = false, nil, nil
		c.finish(k, wrapCallbackError(c.takeCallbackError()))
	}
}
