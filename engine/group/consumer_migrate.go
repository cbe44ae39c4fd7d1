package group

import (
	"slices"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// leaveClassic ends the classic form of a group in log and memory; its offsets stay.
func (g *group) leaveClassic(ch *change) {
	ch.records = append(ch.records, g.c.stamp(wire.GroupKey(g.id), nil))
	ch.do(func() {
		g.forgetPending(trace.RemovedByEnd)
		g.stopTimer()
		for _, m := range g.members.all() {
			m.timer.Stop()
		}
		g.members, g.waiting = newRoster(), 0
		g.protocol, g.leader, g.generation, g.newcomer = "", "", 0, false
	})
}

// leaveConsumer ends the consumer form of a group without members in log and memory; its offsets
// stay.
func (g *group) leaveConsumer(ch *change) {
	ch.tombstones(g.consumer, nil)
	ch.do(func() {
		g.consumer, g.protocolType, g.generation = nil, "", 0
		g.enter(trace.GroupEmpty)
	})
}

// upgrade turns a classic group with members into one of the consumer protocol, because a member of
// that protocol wants to join: the others keep their ids, partitions and protocol, and the
// generation becomes the epoch to count on from. Whoever waits is told to come again (F26).
func (g *group) upgrade(ch *change) (*consumerGroup, wire.Code) {
	cfg := &g.c.cfg.Consumer
	if !cfg.MigrationPolicy.upgrades() || g.protocolType != consumerProtocol ||
		g.members.len() > cfg.MaxSize {
		return nil, wire.GroupIDNotFound
	}
	for _, m := range g.members.all() {
		g.answerJoin(m, failedJoin(m.id, wire.RebalanceInProgress))
		g.answerSync(m, failedSync(wire.RebalanceInProgress))
	}
	if g.protocol == "" { // no generation yet: nothing says which metadata counts [inferred]
		return nil, wire.UnknownServerError
	}
	cg := newConsumerGroup(g.c, g.id)
	cg.epoch, cg.targetEpoch = g.generation, g.generation
	for _, old := range g.members.all() {
		m, ok := g.upgraded(old)
		if !ok {
			return nil, wire.GroupIDNotFound
		}
		cg.put(m)
		var target []assign.TopicIDPartition
		for _, h := range m.assigned {
			target = append(target, h.partition)
		}
		cg.targets[m.id] = target
	}
	cg.hash = metadataHash(g.c.topics, cg.subscribedTopics(cg.members(), nil))
	g.leaveClassic(ch)
	ch.found(cg)
	return cg, wire.None
}

// upgraded is a classic member in the other form. An assignment with user data belongs to an assignor
// of the application's own, whose knowledge would be lost.
func (g *group) upgraded(old *member) (*consumerMember, bool) {
	s, err := wire.DecodeSubscription(old.metadata(g.protocol))
	if err != nil {
		return nil, false
	}
	a, err := wire.DecodeAssignment(old.assignment)
	if err != nil || len(a.UserData) > 0 {
		return nil, false
	}
	m := &consumerMember{
		id: old.id, instance: old.instance, rack: s.Rack, ref: old.ref, client: old.client,
		rebalanceTimeout: old.rebalanceTimeout, topics: sortedNames(s.Topics),
		epoch: g.generation, previous: g.generation, state: trace.MemberStable,
		classic: &wire.ClassicMemberValue{
			SessionTimeoutMillis: int32(old.sessionTimeout.Milliseconds()),
		},
	}
	for i := range old.protocols {
		m.classic.Protocols = append(m.classic.Protocols, wire.ClassicProtocol{
			Name: old.protocols[i].Name, Metadata: old.protocols[i].Metadata,
		})
	}
	for _, p := range g.c.idPartitions(a.Partitions) {
		m.assigned = append(m.assigned, holding{p, g.generation})
	}
	sortHoldings(m.assigned)
	return m, true
}

// found writes a group as it is.
func (ch *change) found(cg *consumerGroup) {
	for _, m := range cg.members() {
		ch.describe(m)
	}
	ch.epoch(cg.epoch, cg.hash)
	for _, m := range cg.members() {
		ch.target(m.id, cg.targets[m.id])
	}
	ch.targetEpoch(cg.targetEpoch, cg.targetAt)
	for _, m := range cg.members() {
		ch.place(m)
	}
	ch.do(func() {
		g := ch.shard.groups[ch.id]
		for _, m := range cg.members() {
			g.armConsumer(m, cg.sessionTimeout(m), wire.KeyConsumerGroupHeartbeat)
		}
	})
}

// mayDowngrade says whether the group becomes a classic one when these members go: then all that
// remain must be classic ones (F28).
func (g *group) mayDowngrade(leaving []*consumerMember) bool {
	cg := g.consumer
	rest := len(cg.byID) - len(leaving)
	classic := cg.classicMembers()
	for _, m := range leaving {
		if m.classic != nil {
			classic--
		}
	}
	return rest > 0 && classic == rest && g.c.cfg.Consumer.MigrationPolicy.downgrades() &&
		rest <= g.c.cfg.MaxSize
}

// mayReplaceLast says the same for a static member whose place a classic one takes.
func (g *group) mayReplaceLast(m *consumerMember) bool {
	cg := g.consumer
	return m.classic == nil && cg.classicMembers() == len(cg.byID)-1 &&
		g.c.cfg.Consumer.MigrationPolicy.downgrades() && len(cg.byID) <= g.c.cfg.MaxSize
}

// downgrade makes a classic group of one whose last member of the consumer protocol goes, or is
// replaced by joining, a classic static member. It keeps the target assignment and, if rebalance is
// set, begins a join phase.
func (g *group) downgrade(
	ch *change, leaving []*consumerMember, joining *consumerMember, rebalance bool,
) {
	cg := g.consumer
	var ids []string
	heir := "" // whose assignment joining takes over
	for _, m := range cg.members() {
		if joining != nil && m.instance == joining.instance {
			heir = m.id
			ids = append(ids, joining.id)
			continue
		}
		ids = append(ids, m.id)
	}
	ch.tombstones(cg, ids)
	next := g.downgraded(leaving, joining, heir)
	ch.records = append(ch.records, next.record())
	ch.do(func() { g.becomeClassic(next, leaving, rebalance) })
}

// downgraded is the classic form of the group.
func (g *group) downgraded(
	leaving []*consumerMember, joining *consumerMember, heir string,
) *group {
	cg := g.consumer
	next := &group{
		c: g.c, shard: g.shard, id: g.id, ref: g.ref, members: newRoster(),
		state: trace.GroupStable, stateAt: g.c.env.Now(), previous: trace.GroupEmpty,
		generation: cg.epoch, protocolType: consumerProtocol,
	}
	targets := map[string][]assign.TopicIDPartition{}
	for _, m := range cg.members() {
		target := cg.targets[m.id]
		if m.id == heir {
			m = joining
		}
		if slices.ContainsFunc(leaving, func(o *consumerMember) bool { return o.id == m.id }) {
			continue
		}
		targets[m.id] = target
		next.members.put(m.classicMember())
		if next.leader == "" {
			next.leader = m.id
		}
	}
	next.protocol = next.selectProtocol()
	for _, m := range next.members.all() {
		a := wire.Assignment{Partitions: g.c.named(targets[m.id])}
		if s, err := wire.DecodeSubscription(m.metadata(next.protocol)); err == nil {
			a.Version = s.Version
		}
		m.assignment = wire.EncodeAssignment(a)
	}
	return next
}

func (m *consumerMember) classicMember() *member {
	return &member{
		id: m.id, instance: m.instance, ref: m.ref, client: m.client,
		rebalanceTimeout: m.rebalanceTimeout,
		sessionTimeout:   millis(m.classic.SessionTimeoutMillis),
		protocols:        joinProtocols(m.classic),
	}
}

// becomeClassic takes over what next has.
func (g *group) becomeClassic(next *group, leaving []*consumerMember, rebalance bool) {
	for _, m := range g.consumer.members() {
		g.consumer.timersOf(m.id).stop()
	}
	for _, m := range leaving {
		g.tellRemoved(m)
	}
	leader := next.leader
	g.consumer, g.members, g.generation = nil, next.members, next.generation
	g.protocolType, g.protocol, g.leader = next.protocolType, next.protocol, ""
	g.enter(trace.GroupStable)
	g.setLeader(leader)
	for _, m := range g.members.all() {
		g.arm(m, m.sessionTimeout, wire.KeyJoinGroup)
	}
	if rebalance {
		g.prepareRebalance()
	}
}

// idPartitions names partitions by their topics' ids; topics that do not exist are left out.
func (c *Coordinator) idPartitions(list []wire.TopicPartition) []assign.TopicIDPartition {
	var out []assign.TopicIDPartition
	for _, tp := range list {
		if t := c.topics.Topic(tp.Topic); t != nil {
			out = append(out, assign.TopicIDPartition{Topic: t.ID, Partition: tp.Partition})
		}
	}
	return out
}

// named is the reverse of idPartitions.
func (c *Coordinator) named(list []assign.TopicIDPartition) []wire.TopicPartition {
	var out []wire.TopicPartition
	for _, p := range list {
		if t := c.topics.TopicByID(p.Topic); t != nil {
			out = append(out, wire.TopicPartition{Topic: t.Name, Partition: p.Partition})
		}
	}
	return out
}
