package group

import (
	"slices"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// change is what one request does to a group: records in the order in which they are written, and
// what they do to the coordinator's memory once the log has taken them.
type change struct {
	c       *Coordinator
	shard   *shard
	id      string // of the group
	records []wire.Record
	effects []func()
}

// add writes a record of the consumer protocol.
func (ch *change) add(e wire.ConsumerEntry) {
	e.Group = ch.id
	key, value := e.Encode()
	ch.records = append(ch.records, ch.c.stamp(key, value))
	ch.do(func() { ch.c.applyConsumer(ch.shard, &e) })
}

// commit appends the records and, unless the log refuses them at once, takes their effect; then runs
// when they are replicated. So a refused change has never been, while one whose replication takes
// too long stands, and its client is told to try again. A change without records waits for those written
// before it: else a client would learn of a state that a fail-over takes back. [CoordinatorRuntime]
func (ch *change) commit(then func(wire.Code)) {
	applied, answered, answer := false, false, wire.None
	ch.c.write(ch.shard, ch.records, func(code wire.Code) {
		if applied {
			then(code)
			return
		}
		answered, answer = true, code
	})
	if !answered || answer == wire.None {
		ch.apply()
	}
	applied = true
	if answered {
		then(answer)
	}
}

func (ch *change) apply() {
	for _, effect := range ch.effects {
		effect()
	}
	if g := ch.shard.groups[ch.id]; g != nil && g.consumer != nil {
		g.refreshState()
	}
}

// Entries of the records that more than one request writes.

func (ch *change) describe(m *consumerMember) {
	ch.add(wire.ConsumerEntry{
		Type: wire.ConsumerMemberRecord, Member: m.id, Value: m.description(),
	})
}

func (ch *change) place(m *consumerMember) {
	ch.add(wire.ConsumerEntry{
		Type: wire.CurrentAssignmentRecord, Member: m.id, Value: m.place(),
	})
}

func (ch *change) target(id string, list []assign.TopicIDPartition) {
	ch.add(wire.ConsumerEntry{
		Type: wire.TargetAssignmentRecord, Member: id,
		Value: &wire.TargetAssignmentValue{Topics: targetTopics(list)},
	})
}

func (ch *change) epoch(epoch int32, hash int64) {
	ch.add(wire.ConsumerEntry{
		Type:  wire.ConsumerGroupRecord,
		Value: &wire.ConsumerGroupValue{Epoch: epoch, MetadataHash: hash},
	})
}

func (ch *change) targetEpoch(epoch int32, at int64) {
	ch.add(wire.ConsumerEntry{
		Type: wire.TargetEpochRecord, Value: &wire.TargetEpochValue{Epoch: epoch, Timestamp: at},
	})
}

// bury deletes a member. The order matters: first its partitions become free, last it is gone. why
// is a trace.RemovedBy value.
func (ch *change) bury(id string, why int64) {
	ch.add(wire.ConsumerEntry{Type: wire.CurrentAssignmentRecord, Member: id})
	ch.add(wire.ConsumerEntry{Type: wire.TargetAssignmentRecord, Member: id})
	ch.do(func() { ch.shard.groups[ch.id].consumer.timersOf(id).why = why })
	ch.add(wire.ConsumerEntry{Type: wire.ConsumerMemberRecord, Member: id})
}

// do is an effect of the change beyond those of its records.
func (ch *change) do(effect func()) { ch.effects = append(ch.effects, effect) }

// tombstones delete a whole group in the log, whose members are those named. What that means here
// the caller says: it may become a group of the other protocol.
func (ch *change) tombstones(cg *consumerGroup, members []string) {
	bury := func(e wire.ConsumerEntry) {
		e.Group = ch.id
		key, _ := e.Encode()
		ch.records = append(ch.records, ch.c.stamp(key, nil))
	}
	for _, kind := range []int16{wire.CurrentAssignmentRecord, wire.TargetAssignmentRecord} {
		for _, id := range members {
			bury(wire.ConsumerEntry{Type: kind, Member: id})
		}
	}
	bury(wire.ConsumerEntry{Type: wire.TargetEpochRecord})
	for _, id := range members {
		bury(wire.ConsumerEntry{Type: wire.ConsumerMemberRecord, Member: id})
	}
	for _, r := range cg.regexes {
		bury(wire.ConsumerEntry{Type: wire.RegexRecord, Regex: r.regex})
	}
	bury(wire.ConsumerEntry{Type: wire.ConsumerGroupRecord})
}

// applyConsumer takes in one record of the consumer protocol, as it is written or when the log is
// read. A record makes the group that it belongs to; the tombstone of the group epoch, which comes
// last, ends it.
func (c *Coordinator) applyConsumer(s *shard, e *wire.ConsumerEntry) {
	g := s.groups[e.Group]
	if e.Value == nil {
		if g != nil && g.consumer != nil {
			g.consumer.forget(g, e)
		}
		return
	}
	if g == nil {
		g = c.newGroup(s, e.Group)
	}
	if g.consumer == nil {
		g.consumer = newConsumerGroup(c, e.Group)
		g.protocolType = consumerProtocol
	}
	g.consumer.take(g, e)
}

func (cg *consumerGroup) take(g *group, e *wire.ConsumerEntry) {
	switch v := e.Value.(type) {
	case *wire.ConsumerGroupValue:
		cg.epoch, cg.hash = v.Epoch, v.MetadataHash
	case *wire.TargetEpochValue:
		cg.targetEpoch, cg.targetAt = v.Epoch, v.Timestamp
	case *wire.TargetAssignmentValue:
		cg.targets[e.Member] = targetPartitions(v.Topics)
		g.tellTarget(e.Member)
	case *wire.ConsumerMemberValue:
		old := cg.byID[e.Member]
		m := cg.member(e.Member).with(func(n *consumerMember) { n.describe(v) })
		cg.put(m)
		if old == nil {
			g.tellMember(m)
		}
	case *wire.CurrentAssignmentValue:
		old := cg.member(e.Member)
		m := old.with(func(n *consumerMember) { n.takePlace(v) })
		cg.put(m)
		g.tellPlace(old, m)
	case *wire.RegexValue:
		cg.resolve(resolvedRegex{e.Regex, v.Topics, v.Version, v.Timestamp})
	}
}

// forget takes in a tombstone.
func (cg *consumerGroup) forget(g *group, e *wire.ConsumerEntry) {
	m := cg.byID[e.Member]
	switch e.Type {
	case wire.ConsumerGroupRecord:
		g.consumer = nil
		g.protocolType, g.state = "", trace.GroupEmpty
	case wire.TargetAssignmentRecord:
		delete(cg.targets, e.Member)
	case wire.CurrentAssignmentRecord:
		if m != nil {
			left := m.with(func(n *consumerMember) {
				n.epoch, n.previous, n.assigned, n.revoking = epochLeave, epochLeave, nil, nil
			})
			cg.put(left)
			g.tellPlace(m, left)
		}
	case wire.ConsumerMemberRecord:
		if m != nil {
			cg.drop(m)
			g.tellRemoved(m)
		}
	case wire.RegexRecord:
		cg.regexes = slices.DeleteFunc(cg.regexes, func(r resolvedRegex) bool {
			return r.regex == e.Regex
		})
	}
}

// member is the member of an id, or one of that id that is not in the group yet.
func (cg *consumerGroup) member(id string) *consumerMember {
	if m := cg.byID[id]; m != nil {
		return m
	}
	return &consumerMember{id: id, ref: cg.c.env.Ref(id), previous: -1}
}
