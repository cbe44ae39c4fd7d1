package group

import (
	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
)

// tells says whether changes are told to the trace: not while a log is read, only what came of it.
func (g *group) tells() bool { return !g.shard.replaying }

// refreshState brings the state in step with members and epochs and tells it if it has changed.
func (g *group) refreshState() {
	cg := g.consumer
	state := cg.state()
	if g.state == state && g.generation == cg.epoch {
		return
	}
	g.generation = cg.epoch
	g.enter(state)
	if state == trace.GroupStable {
		g.emit(trace.Event{Kind: trace.GenerationStable, X: int64(cg.epoch)})
	}
}

// tellMember tells of a new member.
func (g *group) tellMember(m *consumerMember) {
	if !g.tells() {
		return
	}
	g.emit(trace.Event{
		Kind: trace.MemberAdded, Peer: m.ref, X: int64(g.consumer.sessionTimeout(m)),
		Y: int64(m.rebalanceTimeout), Z: int64(g.c.env.Ref(m.client.ID)),
	})
}

// tellRemoved tells that a member is gone and ends its timers.
func (g *group) tellRemoved(m *consumerMember) {
	t := g.consumer.timersOf(m.id)
	t.stop()
	delete(g.consumer.timers, m.id)
	if !g.tells() {
		return
	}
	g.emit(trace.Event{
		Kind: trace.MemberRemoved, Peer: m.ref, X: t.why, Y: t.heard.Since(),
	})
}

// tellPlace tells what has changed in a member's epoch and partitions.
func (g *group) tellPlace(old, m *consumerMember) {
	if !g.tells() {
		return
	}
	for _, list := range [][]holding{old.assigned, old.revoking} {
		for _, h := range list {
			switch {
			case holds(m.assigned, h.partition):
			case !holds(m.revoking, h.partition):
				g.tellPartition(trace.PartitionReleased, m, h.partition)
			case !holds(old.revoking, h.partition):
				g.tellPartition(trace.PartitionRevoking, m, h.partition)
			}
		}
	}
	if m.epoch != old.epoch || m.state != old.state {
		g.emit(trace.Event{
			Kind: trace.MemberEpoch, Peer: m.ref, X: int64(m.epoch), Y: int64(m.previous), Z: m.state,
		})
	}
	for _, h := range m.assigned {
		if !holds(old.assigned, h.partition) {
			g.tellPartition(trace.PartitionAssigned, m, h.partition)
		}
	}
}

func (g *group) tellPartition(kind trace.Kind, m *consumerMember, p assign.TopicIDPartition) {
	t := g.c.topics.TopicByID(p.Topic)
	if t == nil {
		return // deleted since
	}
	g.c.env.Trace(trace.Event{
		Kind: kind, Name: g.c.env.Ref(t.Name), Part: p.Partition, Peer: m.ref,
		X: int64(m.epoch), Y: int64(g.ref),
	})
}

// tellTarget tells a member's target assignment.
func (g *group) tellTarget(id string) {
	if !g.tells() {
		return
	}
	m, list := g.consumer.member(id), g.consumer.targets[id]
	g.emit(trace.Event{
		Kind: trace.MemberTarget, Peer: m.ref, X: int64(g.consumer.epoch), Y: int64(len(list)),
	})
	for _, p := range list {
		t := g.c.topics.TopicByID(p.Topic)
		if t == nil {
			continue
		}
		g.c.env.Trace(trace.Event{
			Kind: trace.TargetPartition, Name: g.c.env.Ref(t.Name), Part: p.Partition, Peer: m.ref,
			X: int64(g.consumer.epoch), Y: int64(g.ref),
		})
	}
}

// tellLoaded tells what the log said of the group, as if it had happened just now.
func (g *group) tellLoaded() {
	cg := g.consumer
	g.emit(trace.Event{
		Kind: trace.GroupProtocol, Peer: g.c.env.Ref(cg.preferredAssignor(cg.members())),
		X: int64(cg.targetEpoch),
	})
	for _, m := range cg.members() {
		g.tellMember(m)
		g.tellTarget(m.id)
		g.tellPlace(&consumerMember{}, m)
		for _, h := range m.revoking {
			g.tellPartition(trace.PartitionRevoking, m, h.partition)
		}
	}
}
