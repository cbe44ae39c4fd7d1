package group

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// LeaveGroup removes members at their own or an administrator's wish (A55-A58).
func (c *Coordinator) LeaveGroup(req *kmsg.LeaveGroupRequest) *kmsg.LeaveGroupResponse {
	members := req.Members
	if req.Version < 3 {
		one := kmsg.NewLeaveGroupRequestMember()
		one.MemberID = req.MemberID
		members = []kmsg.LeaveGroupRequestMember{one}
	}
	r := kmsg.NewPtrLeaveGroupResponse()
	codes, code := c.leave(req.Group, members)
	if req.Version < 3 {
		if code == wire.None {
			code = codes[0]
		}
		r.ErrorCode = int16(code)
		return r
	}
	r.ErrorCode = int16(code)
	for i := range codes {
		m := kmsg.NewLeaveGroupResponseMember()
		m.MemberID, m.InstanceID = members[i].MemberID, members[i].InstanceID
		m.ErrorCode = int16(codes[i])
		r.Members = append(r.Members, m)
	}
	return r
}

// leave returns an error for each member, or one for all.
func (c *Coordinator) leave(
	id string, members []kmsg.LeaveGroupRequestMember,
) ([]wire.Code, wire.Code) {
	if id == "" {
		return nil, wire.InvalidGroupID
	}
	s, code := c.route(id)
	if code != wire.None {
		return nil, code
	}
	codes := make([]wire.Code, len(members))
	g := s.groups[id]
	if g == nil {
		for i := range codes {
			codes[i] = wire.UnknownMemberID
		}
		return codes, wire.None
	}
	if g.state == trace.GroupDead {
		return nil, wire.CoordinatorNotAvailable
	}
	if g.consumer != nil {
		return g.removeConsumers(members), wire.None
	}
	some := false
	for i := range members {
		codes[i] = g.leaveOne(members[i].MemberID, members[i].InstanceID)
		some = some || codes[i] == wire.None
	}
	if some { // one follow-up for the whole batch (A58)
		switch g.state {
		case trace.GroupStable, trace.GroupCompletingRebalance:
			g.rebalanceOrComplete()
		case trace.GroupPreparingRebalance:
			g.maybeCompleteJoin()
		}
	}
	return codes, wire.None
}

func (g *group) leaveOne(id string, instance *string) wire.Code {
	var m *member
	switch {
	case id == "": // an administrator knows only the instance (A57)
		if instance != nil {
			m = g.static(*instance)
		}
		if m == nil {
			return wire.UnknownMemberID
		}
	case g.isPending(id):
		g.dropPending(id, trace.RemovedByLeave)
		return wire.None
	default:
		if code := g.validate(id, instance); code != wire.None {
			return code
		}
		m = g.members.get(id)
	}
	g.answerJoin(m, failedJoin(m.id, wire.UnknownMemberID))
	g.remove(m, trace.RemovedByLeave)
	return wire.None
}
