package group

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// Heartbeat says that a member lives, and is how it learns of a rebalance (A45-A48). A coordinator
// that still reads its log answers NONE.
func (c *Coordinator) Heartbeat(req *kmsg.HeartbeatRequest) *kmsg.HeartbeatResponse {
	r := kmsg.NewPtrHeartbeatResponse()
	r.ErrorCode = int16(c.heartbeat(req))
	return r
}

func (c *Coordinator) heartbeat(req *kmsg.HeartbeatRequest) wire.Code {
	if req.Group == "" {
		return wire.InvalidGroupID
	}
	s, code := c.route(req.Group)
	if code == wire.CoordinatorLoadInProgress {
		return wire.None
	}
	if code != wire.None {
		return code
	}
	g := s.groups[req.Group]
	if g == nil {
		return wire.UnknownMemberID
	}
	if g.consumer != nil {
		return g.heartbeatConsumer(req)
	}
	if g.state == trace.GroupDead {
		return wire.CoordinatorNotAvailable
	}
	if code := g.validate(req.MemberID, req.InstanceID); code != wire.None {
		return code
	}
	if req.Generation != g.generation {
		return wire.IllegalGeneration
	}
	m := g.members.get(req.MemberID)
	g.arm(m, m.sessionTimeout, wire.KeyHeartbeat)
	if g.state == trace.GroupPreparingRebalance {
		return wire.RebalanceInProgress
	}
	// Also while the leader's assignment is awaited: members that were told to rejoin then would
	// never get out of it (A48).
	return wire.None
}
