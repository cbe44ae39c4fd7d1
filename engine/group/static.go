package group

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// joinStatic is the Join of a static member that has no member id, so of a process that just
// started: it is new, or takes the place of the one before (A42, KIP-345).
func (g *group) joinStatic(j *joining) {
	id := g.memberID(*j.req.InstanceID)
	if old := g.static(*j.req.InstanceID); old != nil {
		g.replaceStatic(j, old, id)
		return
	}
	g.addAndRebalance(j, id)
}

// replaceStatic lets a new member id take over from the old one. In Stable there is no rebalance
// unless another protocol would be chosen (A43; only its name is compared, A44).
func (g *group) replaceStatic(j *joining, old *member, id string) {
	oldLeader := g.leader
	m := g.swap(old, id)
	g.arm(m, m.sessionTimeout, wire.KeyJoinGroup)
	g.update(j, m)
	switch g.state {
	case trace.GroupStable:
		if g.protocol == g.selectProtocol() {
			g.persistStatic(j, m, old, oldLeader)
			return
		}
		g.rebalanceOrComplete()
	case trace.GroupCompletingRebalance:
		// The leader may know the old id already and would assign to it.
		g.rebalanceOrComplete()
	case trace.GroupPreparingRebalance:
		g.maybeCompleteJoin()
	default:
		panic("group: a static member in a group without members")
	}
}

// swap puts a member with another id in m's place. Whoever waits under the old id is fenced (A42).
func (g *group) swap(old *member, id string) *member {
	g.answerJoin(old, failedJoin(old.id, wire.FencedInstanceID))
	g.answerSync(old, failedSync(wire.FencedInstanceID))
	m := &member{
		id: id, ref: g.c.env.Ref(id), instance: old.instance, client: old.client,
		rebalanceTimeout: old.rebalanceTimeout, sessionTimeout: old.sessionTimeout,
		protocols: old.protocols, assignment: old.assignment, toSync: old.toSync,
	}
	if g.leader == old.id {
		g.leader = "" // goes to the new id, not to the next in order
	}
	g.remove(old, trace.RemovedByReplace)
	g.add(m)
	return m
}

// persistStatic writes the new member id down and answers with the present generation. From version
// 9 on a leader gets the member list but is told not to assign; before, it is told that the old id
// leads (KIP-814).
func (g *group) persistStatic(j *joining, m, old *member, oldLeader string) {
	g.traceAssignment(m)
	generation := g.generation
	g.c.write(g.shard, []wire.Record{g.record()}, func(code wire.Code) {
		if g.state != trace.GroupStable || g.generation != generation || m.join == nil {
			return // a rebalance answers it
		}
		if code != wire.None {
			g.restoreStatic(m, old, code)
			return
		}
		leads := m.id == g.leader
		if j.req.Version >= 9 {
			r := g.joined(m, leads)
			r.SkipAssignment = leads
			g.answerJoin(m, r)
			return
		}
		r := g.joined(m, false)
		r.LeaderID = oldLeader
		g.answerJoin(m, r)
	})
}

func (g *group) restoreStatic(m, old *member, code wire.Code) {
	g.answerJoin(m, failedJoin("", code))
	m.protocols = old.protocols
	m.rebalanceTimeout, m.sessionTimeout = old.rebalanceTimeout, old.sessionTimeout
	back := g.swap(m, old.id)
	g.arm(back, back.sessionTimeout, wire.KeyJoinGroup)
}

// traceAssignment tells the trace which partitions m holds now.
func (g *group) traceAssignment(m *member) {
	if g.protocolType != consumerProtocol {
		return
	}
	a, err := wire.DecodeAssignment(m.assignment)
	if err != nil { // bytes are the clients' business (A53)
		return
	}
	for _, tp := range a.Partitions {
		g.c.env.Trace(trace.Event{
			Kind: trace.PartitionAssigned, Name: g.c.env.Ref(tp.Topic), Part: tp.Partition,
			Peer: m.ref, X: int64(g.generation), Y: int64(g.ref),
		})
	}
}

// answerJoin answers a parked Join, if there is one.
func (g *group) answerJoin(m *member, r *kmsg.JoinGroupResponse) bool {
	reply := m.join
	if reply == nil {
		return false
	}
	m.join = nil
	g.waiting--
	g.emit(trace.Event{Kind: trace.MemberAnswered, Peer: m.ref, X: int64(wire.KeyJoinGroup)})
	reply(r)
	return true
}

// answerSync answers a parked Sync, if there is one.
func (g *group) answerSync(m *member, r *kmsg.SyncGroupResponse) bool {
	reply := m.sync
	if reply == nil {
		return false
	}
	m.sync = nil
	g.emit(trace.Event{Kind: trace.MemberAnswered, Peer: m.ref, X: int64(wire.KeySyncGroup)})
	reply(r)
	return true
}
