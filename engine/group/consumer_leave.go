package group

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// staticForBeat finds the static member that heartbeats. One that joins may take the place of an
// earlier one only if that has said that it will be back (-2); not even its own one, as Kafka 4.3
// has it (F17, F18).
func (cg *consumerGroup) staticForBeat(b *beat, id string, ch *change) (*consumerMember, wire.Code) {
	old := cg.static(*b.req.InstanceID)
	switch {
	case b.req.MemberEpoch != epochJoin && old == nil:
		return nil, wire.UnknownMemberID
	case b.req.MemberEpoch != epochJoin && old.id != id:
		return nil, wire.FencedInstanceID
	case b.req.MemberEpoch != epochJoin:
		return old, b.checkEpoch(old)
	case old == nil:
		return cg.member(id), wire.None
	case old.classic == nil && old.epoch != epochLeaveStatic:
		return nil, wire.UnreleasedInstanceID
	}
	return cg.replace(old, id, ch), wire.None
}

// replace puts another member id in a static member's place: it keeps what it has and joins with
// epoch 0.
func (cg *consumerGroup) replace(old *consumerMember, id string, ch *change) *consumerMember {
	m := old.with(func(n *consumerMember) {
		n.id, n.ref = id, cg.c.env.Ref(id)
		n.epoch, n.previous = epochJoin, epochJoin
	})
	target := cg.targets[old.id]
	ch.bury(old.id, trace.RemovedByReplace)
	ch.describe(m)
	ch.target(id, target)
	ch.place(m)
	return m
}

// consumerLeave is the heartbeat with which a member says goodbye: -1 for good, -2 for a static one
// that will be back before its session ends (F17).
func (c *Coordinator) consumerLeave(s *shard, b *beat) {
	g := s.groups[b.req.Group]
	if g == nil || g.consumer == nil {
		b.refuse(refusal{code: wire.GroupIDNotFound})
		return
	}
	cg := g.consumer
	m := cg.byID[b.req.MemberID]
	if b.req.InstanceID != nil {
		m = cg.static(*b.req.InstanceID)
	}
	switch {
	case m == nil:
		b.refuse(refusal{code: wire.UnknownMemberID})
		return
	case m.id != b.req.MemberID:
		b.refuse(refusal{code: wire.FencedInstanceID})
		return
	}
	then := func(code wire.Code) {
		if code != wire.None {
			b.refuse(refusal{code: code})
			return
		}
		r := kmsg.NewPtrConsumerGroupHeartbeatResponse()
		r.MemberID, r.MemberEpoch = &b.req.MemberID, b.req.MemberEpoch
		b.reply(r)
	}
	if b.req.InstanceID != nil && b.req.MemberEpoch == epochLeaveStatic {
		g.leaveForNow(m, then)
		return
	}
	g.fenceMembers([]*consumerMember{m}, trace.RemovedByLeave, then)
}

// leaveForNow keeps a static member's place and partitions until its session ends. Commits of the
// process that has gone are refused from now on (KIP-1251).
func (g *group) leaveForNow(m *consumerMember, then func(wire.Code)) {
	ch := &change{c: g.c, shard: g.shard, id: g.id}
	left := m.with(func(n *consumerMember) {
		n.epoch, n.revoking = epochLeaveStatic, nil
		n.assigned = nil
		for _, h := range m.assigned {
			n.assigned = append(n.assigned, holding{h.partition, 0})
		}
	})
	ch.place(left)
	ch.commit(then)
}

// fenceMembers removes members, whatever they hold, and counts the group epoch up. If only members
// of the classic protocol are left the group goes back to it (F12, F28).
func (g *group) fenceMembers(members []*consumerMember, why int64, then func(wire.Code)) {
	if len(members) == 0 {
		then(wire.None)
		return
	}
	ch := &change{c: g.c, shard: g.shard, id: g.id}
	cg := g.consumer
	if g.mayDowngrade(members) {
		for _, m := range members {
			cg.timersOf(m.id).why = why
		}
		g.downgrade(ch, members, nil, true)
		ch.commit(then)
		return
	}
	gone := map[string]bool{}
	for _, m := range members {
		gone[m.id] = true
		ch.bury(m.id, why)
	}
	var rest []*consumerMember
	for _, m := range cg.members() {
		if !gone[m.id] {
			rest = append(rest, m)
		}
	}
	ch.buryRegexes(cg, rest)
	ch.epoch(cg.epoch+1, metadataHash(g.c.topics, cg.subscribedTopics(rest, cg.regexes)))
	ch.commit(then)
}

// buryRegexes deletes the expressions that none of the members has.
func (ch *change) buryRegexes(cg *consumerGroup, members []*consumerMember) {
	for _, r := range cg.regexes {
		used := false
		for _, m := range members {
			used = used || m.regex == r.regex
		}
		if !used {
			ch.add(wire.ConsumerEntry{Type: wire.RegexRecord, Regex: r.regex})
		}
	}
}
