package client

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// joinPhase is how far a join is: the Java client's joinFuture.
type joinPhase uint8

const (
	joinNone    joinPhase = iota
	joinSent              // JoinGroup is under way
	joinLeading           // this member leads and waits for metadata before it assigns
	joinSyncing           // SyncGroup is under way
	joinDone              // the assignment is here, a poll must take it
	joinFailed            // joinErr says why, a poll must react
)

// topicCount is one line of the metadata that a leader has assigned by (C37).
type topicCount struct {
	topic string
	n     int
	racks string
}

// ensureActive goes on with the join as far as it can without waiting and says whether the
// consumer is a member with its assignment taken. Errors are those that poll throws. A rebalance
// callback may have been started. [AbstractCoordinator.joinGroupIfNeeded]
func (c *Consumer) ensureActive() (bool, error) {
	if c.grp.prepare == prepareNone { // else it is an error of the preparation
		if err := callbackError(c.takeCallbackError()); err != nil {
			return false, err
		}
	}
	for c.rejoinNeeded() {
		switch c.grp.join {
		case joinNone:
			if c.now() < c.grp.retryAt {
				c.wakeAt(c.grp.retryAt)
				return false, nil
			}
			if c.cfg.Library.Generations && c.betweenGenerations() || !c.coordinatorReady() {
				return false, nil
			}
			ready, err := c.prepareJoin()
			if err != nil || !ready {
				return false, err
			}
			c.sendJoin()
			return false, nil
		case joinDone:
			c.grp.join = joinNone
			if c.grp.state != trace.ConsumerStable { // the heartbeat has lost it meanwhile
				c.resetGeneration(true, "rebalance failed since the generation/state was modified by "+
					"heartbeat thread before the rebalance callback triggered")
				continue
			}
			c.grp.prepared = false
			if err := c.completeJoin(); err != nil || c.calling {
				return false, err
			}
		case joinFailed:
			if again, err := c.joinFailure(); err != nil || !again {
				return false, err
			}
		default:
			return false, nil
		}
	}
	return true, nil
}

// joinFailure reacts to a failed join: again at once, after retry.backoff.ms, or at the next call.
func (c *Consumer) joinFailure() (again bool, err error) {
	e := c.grp.joinErr
	c.grp.join, c.grp.joinErr = joinNone, nil
	if e.Code != wire.MemberIDRequired {
		c.requestRejoin("rebalance failed due to " + e.exception())
	}
	if c.cfg.Library.JoinBackoff > 0 && e.Code != wire.MemberIDRequired {
		c.joinGaveUp(e)
		return e.Code == wire.RebalanceInProgress, nil
	}
	switch e.Code {
	case wire.UnknownMemberID, wire.IllegalGeneration, wire.RebalanceInProgress,
		wire.MemberIDRequired:
		return true, nil
	}
	if !e.Retriable {
		return false, e
	}
	if !c.grp.rediscover { // otherwise the search for the coordinator takes its time
		c.grp.retryAt = c.now().Add(c.cfg.RetryBackoff)
		return false, nil
	}
	return true, nil
}

// rejoinNeeded is ConsumerCoordinator.rejoinNeededOrPending (C37).
func (c *Consumer) rejoinNeeded() bool {
	g := &c.grp
	if g.join != joinNone || g.prepare != prepareNone || g.rejoin {
		return true
	}
	if !c.cfg.Library.Generations && g.snapshot != nil && !c.countsAre(g.snapshot) {
		c.requestRejoinOnce("cached metadata has changed")
		return true
	}
	if g.joinedTopics != nil && !slices.Equal(g.joinedTopics, c.sub.topics) {
		c.requestRejoinOnce("subscription has changed")
		return true
	}
	return false
}

func (c *Consumer) topicCounts() []topicCount {
	return c.appendCounts(make([]topicCount, 0, len(c.sub.group)))
}

func (c *Consumer) appendCounts(counts []topicCount) []topicCount {
	for _, name := range c.sub.group {
		if t := c.meta.topic(name); t != nil {
			counts = append(counts, topicCount{name, len(t.parts), c.rackText(t)})
		}
	}
	return counts
}

// countsAre says whether topicCounts is as it was.
func (c *Consumer) countsAre(before []topicCount) bool {
	c.counts = c.appendCounts(c.counts[:0])
	return slices.Equal(before, c.counts)
}

// joinTimeout is how long the answer may take: the broker holds it for up to the rebalance timeout
// (C6).
func (c *Consumer) joinTimeout() time.Duration {
	return max(c.opt.requestTimeout, c.cfg.rebalanceTimeout()+5*time.Second)
}

func (c *Consumer) sendJoin() {
	g := &c.grp
	c.log(logInfo, "(Re-)joining group")
	c.setState(trace.ConsumerPreparing)
	c.hb.disable(c)
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.MemberID, req.InstanceID = c.cfg.GroupID, g.memberID, c.instanceID()
	req.SessionTimeoutMillis = int32(c.cfg.SessionTimeout / time.Millisecond)
	req.RebalanceTimeoutMillis = int32(c.cfg.rebalanceTimeout() / time.Millisecond)
	req.ProtocolType = "consumer"
	reason := g.reason
	req.Reason = &reason
	g.joinedTopics = c.sub.topics
	req.Protocols = c.offers()
	g.join = joinSent
	g.joinRound++
	round := g.joinRound
	g.link.send(req, c.joinTimeout(), func(resp kmsg.Response, err error) {
		if round == g.joinRound && g.join == joinSent {
			c.joined(resp, err)
		}
	})
}

// failJoin ends the join; a poll reacts. The state stays: who has left the group does not come here.
func (c *Consumer) failJoin(e *Error) {
	c.grp.join, c.grp.joinErr, c.grp.rediscover = joinFailed, e, !c.coordinatorKnown()
}

// failJoinBy is failJoin with the broker's answer to a request; expected are those that may be
// tried again, any other than these and the fatal ones surprises the client.
func (c *Consumer) failJoinBy(code wire.Code, request string, retried ...wire.Code) {
	e := codeError(code)
	if e.Retriable && !slices.Contains(retried, code) {
		e.Name, e.Retriable = ErrKafka, false
		e.Text = "unexpected error from " + request + ": " + code.Name()
	}
	c.log(logInfo, request+" failed: "+code.Name())
	c.failJoin(e)
}

// joined is the JoinGroup column of the error table (C.7).
func (c *Consumer) joined(resp kmsg.Response, err error) {
	if err != nil {
		c.coordinatorLost("error response " + err.Error())
		c.failJoin(asError(err))
		return
	}
	r := resp.(*kmsg.JoinGroupResponse)
	code := wire.Code(r.ErrorCode)
	switch code {
	case wire.None:
		c.joinAccepted(r)
		return
	case wire.MemberIDRequired:
		c.grp.generation = noGeneration
		c.setMemberID(r.MemberID)
		c.requestRejoin("need to re-join with the given member-id: " + r.MemberID)
		c.failJoin(codeError(code))
		return
	case wire.UnknownMemberID:
		c.resetGeneration(true, "encountered "+code.Name()+" from JOIN_GROUP response")
	case wire.CoordinatorNotAvailable, wire.NotCoordinator:
		c.coordinatorLost("error response " + code.Name())
	}
	c.failJoinBy(code, "JoinGroup", wire.CoordinatorLoadInProgress, wire.CoordinatorNotAvailable,
		wire.NotCoordinator, wire.RebalanceInProgress)
}

// asError gives errors of the network the shape of all others.
func asError(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return &Error{Name: ErrDisconnect, Text: err.Error(), Retriable: true}
}

func (c *Consumer) joinAccepted(r *kmsg.JoinGroupResponse) {
	g := &c.grp
	g.generation, g.protocol = r.Generation, ""
	if r.Protocol != nil {
		g.protocol = *r.Protocol
	}
	c.setMemberID(r.MemberID)
	c.setState(trace.ConsumerCompleting)
	c.hb.enable(c)
	g.leader = r.LeaderID == r.MemberID
	if !g.leader {
		c.sendSync(nil)
		return
	}
	c.sub.group = c.groupTopics(r)
	g.leading, g.join, g.leadFrom = r, joinLeading, c.meta.count
	if !c.meta.fresh(c.sub.group) {
		c.meta.want()
		g.leadFrom++
	}
	c.lead()
}

// groupTopics are the topics of all members, which the leader watches from now on.
func (c *Consumer) groupTopics(r *kmsg.JoinGroupResponse) []string {
	topics := slices.Clone(c.sub.topics)
	for i := range r.Members {
		if s, err := wire.DecodeSubscription(r.Members[i].ProtocolMetadata); err == nil {
			topics = append(topics, s.Topics...)
		}
	}
	return sortedTopics(topics)
}

// lead computes the assignment once the metadata of all topics is there.
func (c *Consumer) lead() {
	g := &c.grp
	if g.join != joinLeading || !c.coordinatorKnown() {
		return
	}
	if c.meta.count < g.leadFrom || !c.meta.covers(c.sub.group) {
		return
	}
	r := g.leading
	g.leading = nil
	g.snapshot = c.topicCounts()
	if r.SkipAssignment {
		c.sendSync(nil)
		return
	}
	assignments, err := c.computeAssignment(r)
	if err != nil {
		c.failJoin(err)
		return
	}
	c.sendSync(assignments)
}

func (c *Consumer) sendSync(assignments []kmsg.SyncGroupRequestGroupAssignment) {
	g := &c.grp
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group, req.Generation, req.MemberID = c.cfg.GroupID, g.generation, g.memberID
	req.InstanceID = c.instanceID()
	protocolType, protocol := "consumer", g.protocol
	req.ProtocolType, req.Protocol = &protocolType, &protocol
	req.GroupAssignment = assignments
	g.join = joinSyncing
	round := g.joinRound
	g.link.send(req, c.opt.requestTimeout, func(resp kmsg.Response, err error) {
		if round == g.joinRound && g.join == joinSyncing {
			c.synced(resp, err)
		}
	})
}

// synced is the SyncGroup column of the error table (C.7).
func (c *Consumer) synced(resp kmsg.Response, err error) {
	if err != nil {
		c.coordinatorLost("error response " + err.Error())
		c.failJoin(asError(err))
		return
	}
	r := resp.(*kmsg.SyncGroupResponse)
	code := wire.Code(r.ErrorCode)
	switch code {
	case wire.None:
		if c.grp.state != trace.ConsumerCompleting { // the heartbeat has lost the generation meanwhile
			c.failJoin(codeError(wire.IllegalGeneration))
			return
		}
		c.grp.join, c.grp.assignment = joinDone, r.MemberAssignment
		c.grp.rejoin, c.grp.reason = false, ""
		c.setState(trace.ConsumerStable)
		return
	case wire.UnknownMemberID, wire.IllegalGeneration:
		c.resetGeneration(code == wire.UnknownMemberID, "encountered "+code.Name()+
			" from SYNC_GROUP response")
	case wire.CoordinatorNotAvailable, wire.NotCoordinator:
		c.coordinatorLost("error response " + code.Name())
	}
	c.failJoinBy(code, "SyncGroup", wire.CoordinatorNotAvailable, wire.NotCoordinator,
		wire.RebalanceInProgress)
}
