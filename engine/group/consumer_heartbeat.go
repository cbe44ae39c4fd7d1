package group

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// beat is a ConsumerGroupHeartbeat request on its way.
type beat struct {
	req   *kmsg.ConsumerGroupHeartbeatRequest
	from  Client
	reply func(*kmsg.ConsumerGroupHeartbeatResponse)
}

// refusal is an error with the text that goes along.
type refusal struct {
	code wire.Code
	text string
}

func (b *beat) refuse(r refusal) {
	resp := kmsg.NewPtrConsumerGroupHeartbeatResponse()
	resp.ErrorCode, resp.ErrorMessage = int16(r.code), orNull(r.text)
	b.reply(resp)
}

// ConsumerGroupHeartbeat is all that a member of the consumer protocol ever says to its coordinator:
// it joins, tells what it wants and what it holds, and leaves. The answer tells what it may hold
// (F1-F4, KIP-848).
func (c *Coordinator) ConsumerGroupHeartbeat(
	req *kmsg.ConsumerGroupHeartbeatRequest, from Client,
	reply func(*kmsg.ConsumerGroupHeartbeatResponse),
) {
	b := &beat{req, from, reply}
	if r, bad := b.invalid(c.cfg); bad {
		b.refuse(r)
		return
	}
	s, code := c.route(req.Group)
	if code != wire.None {
		b.refuse(refusal{code: code})
		return
	}
	if req.MemberEpoch == epochLeave || req.MemberEpoch == epochLeaveStatic {
		c.consumerLeave(s, b)
		return
	}
	c.consumerBeat(s, b)
}

// invalid finds what no group could accept, before the group is looked at (F3, F4).
func (b *beat) invalid(cfg *Config) (refusal, bool) {
	q := b.req
	bad := func(text string) (refusal, bool) { return refusal{wire.InvalidRequest, text}, true }
	idNeeded := q.Version >= 1 || q.MemberEpoch > 0 || q.MemberEpoch == epochLeave
	switch {
	case idNeeded && q.MemberID == "":
		return bad("MemberId can't be empty.")
	case q.Group == "":
		return bad("GroupId can't be empty.")
	case q.InstanceID != nil && *q.InstanceID == "":
		return bad("InstanceId can't be empty.")
	case q.RackID != nil && *q.RackID == "":
		return bad("RackId can't be empty.")
	case q.MemberEpoch == epochLeaveStatic && q.InstanceID == nil:
		return bad("InstanceId can't be null.")
	case q.MemberEpoch < epochLeaveStatic:
		return bad("MemberEpoch is invalid.")
	case q.MemberEpoch != epochJoin:
	case q.RebalanceTimeoutMillis == -1:
		return bad("RebalanceTimeoutMs must be provided in first request.")
	case q.Topics == nil || len(q.Topics) > 0:
		return bad("TopicPartitions must be empty when (re-)joining.")
	case q.SubscribedTopicNames == nil && q.SubscribedTopicRegex == nil:
		return bad("Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when " +
			"(re-)joining.")
	}
	if a := q.ServerAssignor; a != nil && !slices.Contains(cfg.Consumer.Assignors, *a) {
		return refusal{wire.UnsupportedAssignor, "ServerAssignor " + *a + " is not supported."}, true
	}
	return refusal{}, false
}

// owned is what the member says it holds; told is false if it says nothing new.
func (b *beat) owned() (list []assign.TopicIDPartition, told bool) {
	for _, t := range b.req.Topics {
		for _, p := range t.Partitions {
			list = append(list, assign.TopicIDPartition{Topic: t.TopicID, Partition: p})
		}
	}
	return list, b.req.Topics != nil
}

// full says whether the request has every field, as after an error: then the answer has the whole
// assignment, too (F9).
func (b *beat) full() bool {
	q := b.req
	return q.RebalanceTimeoutMillis != -1 && q.Topics != nil &&
		(q.SubscribedTopicNames != nil || q.SubscribedTopicRegex != nil)
}

// update is the member as the request describes it; what it leaves out stays (F1).
func (b *beat) update(m *consumerMember) *consumerMember {
	q := b.req
	return m.with(func(n *consumerMember) {
		n.client, n.classic = b.from, nil
		if q.InstanceID != nil {
			n.instance = *q.InstanceID
		}
		if q.RackID != nil {
			n.rack = *q.RackID
		}
		if q.RebalanceTimeoutMillis != -1 {
			n.rebalanceTimeout = millis(q.RebalanceTimeoutMillis)
		}
		if q.ServerAssignor != nil {
			n.assignor = *q.ServerAssignor
		}
		if q.SubscribedTopicNames != nil {
			n.topics = sortedNames(q.SubscribedTopicNames)
		}
		if q.SubscribedTopicRegex != nil {
			n.regex = *q.SubscribedTopicRegex
		}
	})
}

// sortedNames is names in order, each once; nil for none.
func sortedNames(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	names = slices.Clone(names)
	slices.SortFunc(names, wire.CompareUTF16)
	return slices.Compact(names)
}

// consumerBeat is the heartbeat of a member, or its join: describe the member, set a new target if
// something has changed, and bring the member nearer to its target.
func (c *Coordinator) consumerBeat(s *shard, b *beat) {
	ch := &change{c: c, shard: s, id: b.req.Group}
	cg, code := c.groupForBeat(s, b, ch)
	if code != wire.None {
		b.refuse(refusal{code: code})
		return
	}
	id := b.req.MemberID
	if id == "" { // version 0 leaves the choice to the broker (F2)
		id = c.newMemberID()
	}
	if cg.full(id, deref(b.req.InstanceID)) {
		b.refuse(refusal{code: wire.GroupMaxSizeReached})
		return
	}
	m, code := cg.memberForBeat(b, id, ch)
	if code != wire.None {
		b.refuse(refusal{code: code})
		return
	}
	u := &subscriptionUpdate{ch: ch, cg: cg, old: m, member: b.update(m)}
	if code := u.run(); code != wire.None {
		b.refuse(refusal{code: code})
		return
	}
	owned, told := b.owned()
	next := u.reconcile(owned, told)
	ch.do(func() {
		g := s.groups[b.req.Group]
		g.armConsumer(next, c.cfg.consumerSession(g.id), wire.KeyConsumerGroupHeartbeat)
		if !next.sameAssignment(u.member) {
			g.watchRevocation(next)
		}
		u.refreshRegexes(g)
	})
	ch.commit(func(code wire.Code) {
		if code != wire.None {
			b.refuse(refusal{code: code})
			return
		}
		b.reply(b.answer(c.cfg.consumerHeartbeat(b.req.Group), m, next))
	})
}

// newMemberID is an id for a member that did not choose its own.
func (c *Coordinator) newMemberID() string {
	r := c.env.Rand("member-id")
	return wire.UUIDText(r.Uint64(), r.Uint64())
}

// answer has the assignment only if it changed or the member may not know it (F9).
func (b *beat) answer(
	interval time.Duration, old, m *consumerMember,
) *kmsg.ConsumerGroupHeartbeatResponse {
	r := kmsg.NewPtrConsumerGroupHeartbeatResponse()
	id := m.id
	r.MemberID, r.MemberEpoch = &id, m.epoch
	r.HeartbeatIntervalMillis = int32(interval / time.Millisecond)
	if b.req.MemberEpoch != epochJoin && !b.full() && slices.Equal(old.assigned, m.assigned) {
		return r
	}
	a := kmsg.NewConsumerGroupHeartbeatResponseAssignment()
	for _, t := range holdingTopics(m.assigned) {
		topic := kmsg.NewConsumerGroupHeartbeatResponseAssignmentTopic()
		topic.TopicID, topic.Partitions = t.TopicID, t.Partitions
		a.Topics = append(a.Topics, topic)
	}
	r.Assignment = &a
	return r
}

// groupForBeat finds the group; one that joins may found it, or turn a classic group into one of
// this protocol (F8, F26).
func (c *Coordinator) groupForBeat(s *shard, b *beat, ch *change) (*consumerGroup, wire.Code) {
	g := s.groups[b.req.Group]
	switch {
	case g != nil && g.consumer != nil:
		return g.consumer, wire.None
	case b.req.MemberEpoch != epochJoin:
		return nil, wire.GroupIDNotFound
	case g == nil:
		return newConsumerGroup(c, b.req.Group), wire.None
	case g.state == trace.GroupEmpty:
		g.leaveClassic(ch)
		return newConsumerGroup(c, b.req.Group), wire.None
	}
	return g.upgrade(ch)
}

// full says whether group.consumer.max.size keeps a newcomer out. A static member takes the place of
// the one before, so it is never one too many.
func (cg *consumerGroup) full(id, instance string) bool {
	return len(cg.byID) >= cg.c.cfg.Consumer.MaxSize && cg.byID[id] == nil && cg.static(instance) == nil
}

// memberForBeat finds the member or, if it joins, makes it, and checks its epoch (F8, F17).
func (cg *consumerGroup) memberForBeat(b *beat, id string, ch *change) (*consumerMember, wire.Code) {
	if b.req.InstanceID != nil {
		return cg.staticForBeat(b, id, ch)
	}
	m := cg.byID[id]
	if m == nil && b.req.MemberEpoch != epochJoin {
		return nil, wire.UnknownMemberID
	}
	m = cg.member(id)
	return m, b.checkEpoch(m)
}

// checkEpoch: a member that is behind by one epoch may have missed an answer, provided that it holds
// nothing that it was not given (F8).
func (b *beat) checkEpoch(m *consumerMember) wire.Code {
	epoch := b.req.MemberEpoch
	switch {
	case epoch == epochJoin || epoch == m.epoch:
		return wire.None
	case epoch > m.epoch || epoch != m.previous:
		return wire.FencedMemberEpoch
	}
	owned, told := b.owned()
	if !told {
		return wire.FencedMemberEpoch
	}
	for _, p := range owned {
		if !holds(m.assigned, p) {
			return wire.FencedMemberEpoch
		}
	}
	return wire.None
}
