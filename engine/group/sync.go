package group

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// consumerProtocol is the protocol type of consumers.
const consumerProtocol = "consumer"

func failedSync(code wire.Code) *kmsg.SyncGroupResponse {
	r := kmsg.NewPtrSyncGroupResponse()
	r.ErrorCode = int16(code)
	return r
}

// SyncGroup hands the leader's assignments out. reply may be called at once, or when the leader's
// have come (A49-A52).
func (c *Coordinator) SyncGroup(req *kmsg.SyncGroupRequest, reply func(*kmsg.SyncGroupResponse)) {
	if req.Version >= 5 && (req.ProtocolType == nil || req.Protocol == nil) {
		reply(failedSync(wire.InconsistentGroupProtocol))
		return
	}
	if req.Group == "" {
		reply(failedSync(wire.InvalidGroupID))
		return
	}
	s, code := c.route(req.Group)
	if code != wire.None {
		reply(failedSync(code))
		return
	}
	g := s.groups[req.Group]
	if g == nil {
		reply(failedSync(wire.UnknownMemberID))
		return
	}
	if g.consumer != nil {
		g.syncConsumer(req, reply)
		return
	}
	if code := g.validateSync(req); code != wire.None {
		reply(failedSync(code))
		return
	}
	g.sync(req, reply)
}

func (g *group) validateSync(req *kmsg.SyncGroupRequest) wire.Code {
	if g.state == trace.GroupDead {
		return wire.CoordinatorNotAvailable
	}
	if code := g.validate(req.MemberID, req.InstanceID); code != wire.None {
		return code
	}
	if req.Generation != g.generation {
		return wire.IllegalGeneration
	}
	if req.ProtocolType != nil && *req.ProtocolType != g.protocolType ||
		req.Protocol != nil && *req.Protocol != g.protocol {
		return wire.InconsistentGroupProtocol
	}
	return wire.None
}

// sync is an accepted Sync, by state (A51). Empty needs no case: it has no members.
func (g *group) sync(req *kmsg.SyncGroupRequest, reply func(*kmsg.SyncGroupResponse)) {
	m := g.members.get(req.MemberID)
	switch g.state {
	case trace.GroupPreparingRebalance:
		reply(failedSync(wire.RebalanceInProgress))
	case trace.GroupCompletingRebalance:
		m.sync = reply
		g.emit(trace.Event{Kind: trace.MemberSyncing, Peer: m.ref})
		g.synced(m)
		if m.id == g.leader {
			g.assign(req)
		}
	case trace.GroupStable:
		g.synced(m)
		reply(g.assigned(m))
	}
}

// synced takes m off those whose Sync is missing; the last one stops the timer (A41).
func (g *group) synced(m *member) {
	m.toSync = false
	if g.timerKind != trace.TimerPendingSync {
		return
	}
	for _, o := range g.members.joined {
		if o.toSync {
			return
		}
	}
	g.stopTimer()
}

func (g *group) assigned(m *member) *kmsg.SyncGroupResponse {
	r := kmsg.NewPtrSyncGroupResponse()
	protocolType, protocol := g.protocolType, g.protocol
	r.ProtocolType, r.Protocol, r.MemberAssignment = &protocolType, &protocol, m.assignment
	return r
}

// assign writes the leader's assignments and then hands them out. A member that the leader left out
// gets an empty one (A52).
func (g *group) assign(req *kmsg.SyncGroupRequest) {
	byID := map[string][]byte{}
	for i := range req.GroupAssignment {
		byID[req.GroupAssignment[i].MemberID] = req.GroupAssignment[i].MemberAssignment
	}
	generation := g.generation
	record := g.recordWith(func(m *member) []byte { return byID[m.id] })
	g.c.write(g.shard, []wire.Record{record}, func(code wire.Code) {
		if g.state != trace.GroupCompletingRebalance || g.generation != generation {
			return
		}
		if code != wire.None {
			g.clearAssignments(code)
			g.rebalanceOrComplete()
			return
		}
		for _, m := range g.members.all() {
			m.assignment = byID[m.id]
			g.traceAssignment(m)
		}
		g.emit(trace.Event{Kind: trace.GenerationStable, X: int64(g.generation)})
		g.enter(trace.GroupStable)
		for _, m := range g.members.all() {
			if g.answerSync(m, g.assigned(m)) {
				g.arm(m, m.sessionTimeout, wire.KeySyncGroup)
			}
		}
	})
}

// clearAssignments drops all assignments and answers the parked Syncs with an error (A34, A52).
func (g *group) clearAssignments(code wire.Code) {
	for _, m := range g.members.all() {
		m.assignment = nil
		if g.answerSync(m, failedSync(code)) {
			g.arm(m, m.sessionTimeout, wire.KeySyncGroup)
		}
	}
}
