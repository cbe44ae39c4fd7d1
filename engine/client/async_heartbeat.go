package client

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// sentFields is what the coordinator knows of this member: only what differs is sent (F25).
type sentFields struct {
	rebalance int32 // -1 for not sent, as nil is below
	topics    []string
	pattern   *string
	assignor  string
	local     *localAssignment
}

func (s *sentFields) reset() { *s = sentFields{rebalance: -1} }

// heartbeats is the heartbeat manager's look at the clock: the interval is over, or there is
// something to tell that does not wait for it (F25). [AbstractHeartbeatRequestManager.poll]
func (m *asyncMembership) heartbeats() {
	c := m.c
	if m.outside() || c.closed {
		c.hb.disable(c)
		return
	}
	if !c.coordinatorReady() {
		m.leaveUnheard()
		if err := c.takeFindError(); err != nil {
			m.errors = append(m.errors, err)
		}
		return
	}
	now := c.now()
	leaving := m.in(trace.ConsumerPrepareLeaving, trace.ConsumerLeaving)
	if now >= c.hb.pollAt && !leaving {
		m.expirePoll()
		return
	}
	c.wakeAt(max(c.hb.pollAt, now+1))
	due := now >= c.hb.nextAt && now >= m.backoffTo && !m.inFlight
	switch {
	case m.state() == trace.ConsumerLeaving && m.remains():
		m.enter(trace.ConsumerUnsubscribed)
		m.leaving = false
	case m.state() == trace.ConsumerLeaving:
		m.beat(false)
	case !m.inFlight && m.in(trace.ConsumerAcknowledging, trace.ConsumerJoining):
		m.beat(false)
	case due:
		m.beat(false)
	case !m.inFlight:
		c.wakeAt(max(c.hb.nextAt, m.backoffTo))
	}
}

// remains: a dynamic member that closes with remain_in_group says nothing (KIP-1092).
func (m *asyncMembership) remains() bool {
	return m.operation == "remain_in_group" && !m.c.static()
}

// beat sends a heartbeat. The answer to a goodbye for want of polls is ignored: the member may have
// joined again before it comes.
func (m *asyncMembership) beat(ignored bool) {
	c := m.c
	c.metrics.Heartbeats++
	req := m.request()
	m.inFlight = true
	m.told()
	c.hb.enabled = true
	c.hb.next(c, c.now().Add(m.interval))
	c.ask(req, func(resp kmsg.Response, err error) {
		if !ignored && !c.closed {
			m.answered(resp, err)
		}
	})
}

// told: the heartbeat is on its way. That is all that an acknowledgement and a goodbye wait for.
func (m *asyncMembership) told() {
	switch {
	case m.state() == trace.ConsumerAcknowledging && m.target.equal(m.current):
		m.enter(trace.ConsumerStable)
	case m.state() == trace.ConsumerAcknowledging:
		m.enter(trace.ConsumerReconciling)
	case m.state() == trace.ConsumerLeaving && m.pollExpired:
		m.goStale()
	case m.state() == trace.ConsumerLeaving:
		m.enter(trace.ConsumerUnsubscribed)
	}
}

// request has every field when the member joins, else those that the coordinator does not know
// (F1, F25).
func (m *asyncMembership) request() *kmsg.ConsumerGroupHeartbeatRequest {
	c, s := m.c, &m.sent
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID, req.MemberEpoch = c.cfg.GroupID, c.grp.memberID, c.grp.generation
	req.InstanceID = c.instanceID()
	all := m.state() == trace.ConsumerJoining
	if rebalance := int32(c.cfg.MaxPollInterval / time.Millisecond); all || s.rebalance != rebalance {
		req.RebalanceTimeoutMillis, s.rebalance = rebalance, rebalance
	}
	if all || s.topics == nil || !slices.Equal(s.topics, c.sub.topics) {
		s.topics = append([]string{}, c.sub.topics...)
		req.SubscribedTopicNames = s.topics
	}
	m.addPattern(req, all)
	if a := c.cfg.GroupRemoteAssignor; a != "" && (all || s.assignor != a) {
		req.ServerAssignor, s.assignor = &a, a
	}
	if all || s.local == nil || !s.local.equal(m.current) {
		local := m.current
		s.local = &local
		req.Topics = ownedTopics(local.parts)
	}
	if rack := c.cfg.ClientRack; all && rack != "" {
		req.RackID = &rack
	}
	return req
}

// addPattern: an empty text tells that a pattern is no more.
func (m *asyncMembership) addPattern(req *kmsg.ConsumerGroupHeartbeatRequest, all bool) {
	now, s := m.c.sub.serverPattern, &m.sent
	changed := (now == nil) != (s.pattern == nil) || now != nil && *now != *s.pattern
	if !changed && !(all && now != nil) {
		return
	}
	s.pattern = now
	text := ""
	if now != nil {
		text = *now
	}
	req.SubscribedTopicRegex = &text
}

func ownedTopics(parts []assign.TopicIDPartition) []kmsg.ConsumerGroupHeartbeatRequestTopic {
	topics := []kmsg.ConsumerGroupHeartbeatRequestTopic{}
	for _, p := range parts {
		n := len(topics)
		if n == 0 || topics[n-1].TopicID != p.Topic {
			t := kmsg.NewConsumerGroupHeartbeatRequestTopic()
			t.TopicID = p.Topic
			topics = append(topics, t)
			n++
		}
		topics[n-1].Partitions = append(topics[n-1].Partitions, p.Partition)
	}
	return topics
}

// answered takes the answer to a heartbeat.
func (m *asyncMembership) answered(resp kmsg.Response, err error) {
	c := m.c
	m.inFlight = false
	if err != nil {
		m.failed()
		c.coordinatorLost("heartbeat: " + err.Error())
		m.unheard()
		return
	}
	r := resp.(*kmsg.ConsumerGroupHeartbeatResponse)
	if code := wire.Code(r.ErrorCode); code != wire.None {
		m.failed()
		m.refused(code, r)
		m.unheard()
		return
	}
	m.failures, m.backoffTo = 0, 0
	if interval := time.Duration(r.HeartbeatIntervalMillis) * time.Millisecond; interval > 0 &&
		interval != m.interval {
		m.interval = interval
		c.hb.next(c, c.now().Add(interval))
	}
	m.accepted(r)
}

// failed: what was sent may not have arrived, so everything is sent again, after a back-off.
func (m *asyncMembership) failed() {
	m.sent.reset()
	m.c.hb.nextAt = m.c.now()
	m.backoffTo = m.c.now().Add(m.c.retryBackoff(m.failures))
	m.failures++
}

// atOnce takes the back-off back.
func (m *asyncMembership) atOnce() { m.failures, m.backoffTo, m.inFlight = 0, 0, false }

// accepted takes epoch and assignment. [ConsumerMembershipManager.onHeartbeatSuccess]
func (m *asyncMembership) accepted(r *kmsg.ConsumerGroupHeartbeatResponse) {
	c := m.c
	switch {
	case m.state() == trace.ConsumerLeaving:
		return
	case m.outside() || r.MemberEpoch < 0:
		m.leaving = false
		return
	}
	if c.grp.generation != r.MemberEpoch {
		c.grp.generation = r.MemberEpoch
		c.traceState()
	}
	if r.Assignment == nil || !slices.Contains(comesFrom[trace.ConsumerReconciling], m.state()) {
		return
	}
	var parts []assign.TopicIDPartition
	for _, t := range r.Assignment.Topics {
		for _, p := range t.Partitions {
			parts = append(parts, assign.TopicIDPartition{Topic: t.TopicID, Partition: p})
		}
	}
	slices.SortFunc(parts, assign.TopicIDPartition.Compare)
	m.receive(parts)
}

// refused is the table of F22.
func (m *asyncMembership) refused(code wire.Code, r *kmsg.ConsumerGroupHeartbeatResponse) {
	c := m.c
	c.log(logInfo, "ConsumerGroupHeartbeat failed: "+code.Name())
	switch code {
	case wire.NotCoordinator, wire.CoordinatorNotAvailable:
		c.coordinatorLost("error response " + code.Name())
		m.atOnce()
	case wire.CoordinatorLoadInProgress:
	case wire.FencedMemberEpoch, wire.UnknownMemberID:
		m.fence()
		m.atOnce()
	case wire.TopicAuthorizationFailed: // it may be allowed later: the member stays as it is
		m.errors = append(m.errors, codeError(code))
	case wire.GroupIDNotFound:
		if m.state() == trace.ConsumerUnsubscribed { // there is nothing left to leave
			m.leaving = false
			return
		}
		m.fail(code, r)
	default:
		m.fail(code, r)
	}
}

// fail gives the member up for good; the next poll throws the error.
func (m *asyncMembership) fail(code wire.Code, r *kmsg.ConsumerGroupHeartbeatResponse) {
	e := codeError(code)
	e.Retriable = false
	if r.ErrorMessage != nil && *r.ErrorMessage != "" {
		e.Text = *r.ErrorMessage
	}
	m.errors = append(m.errors, e)
	m.goFatal()
}
