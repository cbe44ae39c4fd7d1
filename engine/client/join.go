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
}

// ensureActive goes on with the join as far as it can without waiting and says whether the
// consumer is a member with its assignment taken. Errors are those that poll throws. A rebalance
// callback may have been started. [AbstractCoordinator.joinGroupIfNeeded]
func (c *Consumer) ensureActive() (bool, error) {
	for c.rejoinNeeded() {
		switch c.grp.join {
		case joinNone:
			if !c.coordinatorReady() || c.now() < c.grp.retryAt {
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
			if c.grp.state != trace.ConsumerStable {
				continue // the heartbeat has lost the generation meanwhile
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
	if err := c.takeCallbackError(); err != nil {
		return false, err
	}
	return true, nil
}

// joinFailure reacts to a failed join: again at once, after a back-off, or never.
func (c *Consumer) joinFailure() (again bool, err error) {
	e := c.grp.joinErr
	c.grp.join, c.grp.joinErr = joinNone, nil
	switch e.Code {
	case wire.UnknownMemberID, wire.IllegalGeneration, wire.RebalanceInProgress,
		wire.MemberIDRequired:
		return true, nil
	}
	if !e.Retriable {
		return false, e
	}
	if !c.grp.rediscover { // otherwise the search for the coordinator takes its time
		c.grp.retryAt = c.now().Add(c.retryBackoff(c.grp.tries))
		c.grp.tries++
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
	if g.snapshot != nil && !slices.Equal(g.snapshot, c.topicCounts()) {
		c.requestRejoin("cached metadata has changed")
		return true
	}
	if g.joinedTopics != nil && !slices.Equal(g.joinedTopics, c.sub.topics) {
		c.requestRejoin("subscription has changed")
		return true
	}
	return false
}

func (c *Consumer) topicCounts() []topicCount {
	counts := make([]topicCount, 0, len(c.sub.group))
	for _, name := range c.sub.group {
		if t := c.meta.topic(name); t != nil {
			counts = append(counts, topicCount{name, len(t.parts)})
		}
	}
	return counts
}

// joinTimeout is how long the answer may take: the broker holds it for up to the rebalance timeout
// (C6).
func (c *Consumer) joinTimeout() time.Duration {
	return max(c.opt.requestTimeout, c.cfg.MaxPollInterval+5*time.Second)
}

func (c *Consumer) sendJoin() {
	g := &c.grp
	c.log(logInfo, "(Re-)joining group")
	c.setState(trace.ConsumerPreparing)
	c.hb.disable(c)
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.MemberID, req.InstanceID = c.cfg.GroupID, g.memberID, c.instanceID()
	req.SessionTimeoutMillis = int32(c.cfg.SessionTimeout / time.Millisecond)
	req.RebalanceTimeoutMillis = int32(c.cfg.MaxPollInterval / time.Millisecond)
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

// failJoin ends the join; a poll reacts. reset says what of the membership is forgotten.
func (c *Consumer) failJoin(e *Error) {
	c.grp.join, c.grp.joinErr, c.grp.rediscover = joinFailed, e, !c.coordinatorKnown()
	if c.grp.state != trace.ConsumerUnjoined {
		c.setState(trace.ConsumerUnjoined)
	}
	c.grp.rejoin = true
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
	case wire.UnknownMemberID:
		c.resetGeneration(true)
	case wire.CoordinatorNotAvailable, wire.NotCoordinator:
		c.coordinatorLost("error response " + code.Name())
	}
	if code != wire.MemberIDRequired {
		c.log(logInfo, "JoinGroup failed: "+code.Name())
	}
	c.failJoin(codeError(code))
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
	g.tries = 0
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
	g.link.send(req, c.joinTimeout(), func(resp kmsg.Response, err error) {
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
		if c.grp.state != trace.ConsumerCompleting {
			c.failJoin(codeError(wire.RebalanceInProgress)) // left meanwhile
			return
		}
		c.grp.join, c.grp.assignment = joinDone, r.MemberAssignment
		c.grp.rejoin = false
		c.setState(trace.ConsumerStable)
		return
	case wire.UnknownMemberID:
		c.resetGeneration(true)
	case wire.IllegalGeneration:
		c.resetGeneration(false)
	case wire.CoordinatorNotAvailable, wire.NotCoordinator:
		c.coordinatorLost("error response " + code.Name())
	}
	c.log(logInfo, "SyncGroup failed: "+code.Name())
	c.failJoin(codeError(code))
}
