package group

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// What members of the classic protocol send to a group of the consumer protocol (F27). They see a
// group that is theirs alone: the generation is the member's own epoch, nobody leads, and a target
// that the member has yet to take up is a rebalance under way.

// classicJoin is a Join on its way into a group of the consumer protocol.
type classicJoin struct {
	*joining
	g            *group
	id           string
	subscription wire.Subscription
}

// joinConsumer answers a Join at once: no join phase gathers the members.
func (g *group) joinConsumer(j *joining) {
	cg, q := g.consumer, j.req
	if g.c.cfg.Consumer.MigrationPolicy == MigrationDisabled {
		j.fail("", wire.InconsistentGroupProtocol)
		return
	}
	cj := &classicJoin{joining: j, g: g, id: q.MemberID}
	if cj.id == "" {
		cj.id = g.c.newMemberID()
	}
	switch {
	case cg.full(cj.id, deref(q.InstanceID)):
		j.fail("", wire.GroupMaxSizeReached)
		return
	case !cg.supportsClassic(q):
		j.fail("", wire.InconsistentGroupProtocol)
		return
	case q.MemberID == "" && q.InstanceID == nil && q.Version >= 4:
		j.fail(cj.id, wire.MemberIDRequired)
		return
	}
	s, err := wire.DecodeSubscription(q.Protocols[0].Metadata)
	if err != nil {
		j.fail("", wire.InconsistentGroupProtocol)
		return
	}
	cj.subscription = s
	cj.run()
}

// supportsClassic: one protocol must suit all classic members.
func (cg *consumerGroup) supportsClassic(q *kmsg.JoinGroupRequest) bool {
	if q.ProtocolType != consumerProtocol {
		return false
	}
	return slices.ContainsFunc(q.Protocols, func(p kmsg.JoinGroupRequestProtocol) bool {
		for _, m := range cg.byID {
			if m.classic != nil && !slices.ContainsFunc(m.classic.Protocols,
				func(o wire.ClassicProtocol) bool { return o.Name == p.Name }) {
				return false
			}
		}
		return true
	})
}

func (cj *classicJoin) run() {
	g, cg := cj.g, cj.g.consumer
	ch := &change{c: g.c, shard: g.shard, id: g.id}
	replaced := cg.static(deref(cj.req.InstanceID))
	old, code := cj.member(ch)
	if code != wire.None {
		cj.fail("", code)
		return
	}
	u := &subscriptionUpdate{ch: ch, cg: cg, old: old, member: cj.update(old)}
	downgrade := replaced != nil && g.mayReplaceLast(replaced)
	next := u.member
	if downgrade {
		next = cj.takeOver(u)
	} else if code := u.run(); code == wire.None {
		next = u.reconcile(g.c.idPartitions(cj.subscription.Owned), true)
		ch.do(func() {
			g.consumer.timersOf(next.id).join.Stop()
			g.armConsumer(next, cj.session(), wire.KeyJoinGroup)
			g.expectSync(next)
			u.refreshRegexes(g)
		})
	}
	ch.commit(func(code wire.Code) {
		if code != wire.None {
			cj.fail("", code)
			return
		}
		cj.reply(cj.answer(next))
	})
}

// takeOver is the Join of a classic static member in the place of the last member of the consumer
// protocol: the group becomes a classic one, which rebalances only if its assignment is out of date.
func (cj *classicJoin) takeOver(u *subscriptionUpdate) *consumerMember {
	u.describe()
	rebalance := u.cg.targetEpoch < u.epoch
	next := u.member
	if !rebalance {
		u.targetEpoch, u.target = u.cg.targetEpoch, u.cg.targetOf(u.member)
		next = u.reconcile(cj.g.c.idPartitions(cj.subscription.Owned), true)
	}
	cj.g.downgrade(u.ch, nil, next, rebalance)
	return next
}

// member finds the member or makes it. A dynamic one is known by any id that it brings.
func (cj *classicJoin) member(ch *change) (*consumerMember, wire.Code) {
	cg := cj.g.consumer
	if cj.req.InstanceID == nil {
		return cg.member(cj.id), wire.None
	}
	old := cg.static(*cj.req.InstanceID)
	switch {
	case cj.req.MemberID == "" && old == nil:
		return cg.member(cj.id), wire.None
	case cj.req.MemberID == "":
		return cg.replace(old, cj.id, ch), wire.None
	case old == nil:
		return nil, wire.UnknownMemberID
	case old.id != cj.id:
		return nil, wire.FencedInstanceID
	}
	return old, wire.None
}

// update is the member as its Join describes it.
func (cj *classicJoin) update(m *consumerMember) *consumerMember {
	return m.with(func(n *consumerMember) {
		if cj.req.InstanceID != nil {
			n.instance = *cj.req.InstanceID
		}
		if cj.subscription.Rack != "" {
			n.rack = cj.subscription.Rack
		}
		n.client, n.rebalanceTimeout = cj.from, cj.rebalance()
		n.topics, n.regex = sortedNames(cj.subscription.Topics), ""
		n.classic = &wire.ClassicMemberValue{SessionTimeoutMillis: cj.req.SessionTimeoutMillis}
		for i := range cj.req.Protocols {
			p := &cj.req.Protocols[i]
			n.classic.Protocols = append(n.classic.Protocols,
				wire.ClassicProtocol{Name: p.Name, Metadata: p.Metadata})
		}
	})
}

func (cj *classicJoin) answer(m *consumerMember) *kmsg.JoinGroupResponse {
	r := kmsg.NewPtrJoinGroupResponse()
	protocolType, protocol := consumerProtocol, m.classic.Protocols[0].Name
	r.MemberID, r.Generation = m.id, m.epoch
	r.ProtocolType, r.Protocol = &protocolType, &protocol
	return r
}

// classicOf finds the classic member that sends a request, and checks its generation.
func (cg *consumerGroup) classicOf(
	id string, instance *string, generation int32,
) (*consumerMember, wire.Code) {
	m := cg.byID[id]
	if instance != nil {
		m = cg.static(*instance)
	}
	switch {
	case m == nil:
		return nil, wire.UnknownMemberID
	case m.id != id:
		return nil, wire.FencedInstanceID
	case m.classic == nil:
		return nil, wire.UnknownMemberID
	case m.epoch != generation:
		return nil, wire.IllegalGeneration
	}
	return m, wire.None
}

// syncConsumer tells a classic member what it has been given.
func (g *group) syncConsumer(
	req *kmsg.SyncGroupRequest, reply func(*kmsg.SyncGroupResponse),
) {
	m, code := g.consumer.classicOf(req.MemberID, req.InstanceID, req.Generation)
	if code != wire.None {
		reply(failedSync(code))
		return
	}
	if req.ProtocolType != nil && *req.ProtocolType != consumerProtocol ||
		req.Protocol != nil && *req.Protocol != m.classic.Protocols[0].Name {
		reply(failedSync(wire.InconsistentGroupProtocol))
		return
	}
	if g.consumer.targetEpoch > m.epoch && m.state != trace.MemberUnrevoked {
		g.expectJoin(m)
		reply(failedSync(wire.RebalanceInProgress))
		return
	}
	g.consumer.timersOf(m.id).sync.Stop()
	g.armConsumer(m, g.consumer.sessionTimeout(m), wire.KeySyncGroup)
	r := kmsg.NewPtrSyncGroupResponse()
	r.ProtocolType, r.Protocol = req.ProtocolType, req.Protocol
	r.MemberAssignment = g.classicAssignment(m)
	reply(r)
}

// classicAssignment is what a classic member may use, in the version of its subscription.
func (g *group) classicAssignment(m *consumerMember) []byte {
	var list []assign.TopicIDPartition
	for _, h := range m.assigned {
		list = append(list, h.partition)
	}
	a := wire.Assignment{Partitions: g.c.named(list)}
	if s, err := wire.DecodeSubscription(m.classic.Protocols[0].Metadata); err == nil {
		a.Version = s.Version
	}
	return wire.EncodeAssignment(a)
}

// heartbeatConsumer tells a classic member to rejoin when there is something for it to do: a newer
// target, partitions to give up, or partitions that have become free for it.
func (g *group) heartbeatConsumer(req *kmsg.HeartbeatRequest) wire.Code {
	cg := g.consumer
	m, code := cg.classicOf(req.MemberID, req.InstanceID, req.Generation)
	if code != wire.None {
		return code
	}
	g.armConsumer(m, cg.sessionTimeout(m), wire.KeyHeartbeat)
	if m.epoch < cg.targetEpoch || m.state == trace.MemberUnrevoked ||
		m.state == trace.MemberUnreleased && !cg.waitsForOthers(m) {
		g.expectJoin(m)
		return wire.RebalanceInProgress
	}
	return wire.None
}

// waitsForOthers says whether a partition of the member's target is still held by another.
func (cg *consumerGroup) waitsForOthers(m *consumerMember) bool {
	return slices.ContainsFunc(cg.targets[m.id], func(p assign.TopicIDPartition) bool {
		return !holds(m.assigned, p) && !cg.free(p)
	})
}

// removeConsumers removes members by LeaveGroup: their own wish or an administrator's.
func (g *group) removeConsumers(members []kmsg.LeaveGroupRequestMember) []wire.Code {
	cg := g.consumer
	codes := make([]wire.Code, len(members))
	var leaving []*consumerMember
	for i := range members {
		q := &members[i]
		m := cg.byID[q.MemberID]
		if q.InstanceID != nil {
			m = cg.static(*q.InstanceID)
		}
		switch {
		case m == nil:
			codes[i] = wire.UnknownMemberID
		case q.MemberID != "" && m.id != q.MemberID:
			codes[i] = wire.FencedInstanceID
		case !slices.Contains(leaving, m):
			leaving = append(leaving, m)
		}
	}
	g.fenceMembers(leaving, trace.RemovedByLeave, func(wire.Code) {})
	return codes
}

// joinProtocols are the protocols as a classic member has them.
func joinProtocols(v *wire.ClassicMemberValue) []kmsg.JoinGroupRequestProtocol {
	var out []kmsg.JoinGroupRequestProtocol
	for _, p := range v.Protocols {
		q := kmsg.NewJoinGroupRequestProtocol()
		q.Name, q.Metadata = p.Name, p.Metadata
		out = append(out, q)
	}
	return out
}
