package group

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// joining is a JoinGroup request on its way through the checks.
type joining struct {
	req   *kmsg.JoinGroupRequest
	from  Client
	reply func(*kmsg.JoinGroupResponse)
}

func (j *joining) fail(id string, code wire.Code) { j.reply(failedJoin(id, code)) }

func (j *joining) session() time.Duration { return millis(j.req.SessionTimeoutMillis) }

// rebalance is the rebalance timeout; version 0 has none and takes the session's (A22).
func (j *joining) rebalance() time.Duration {
	if j.req.Version == 0 {
		return j.session()
	}
	return millis(j.req.RebalanceTimeoutMillis)
}

func millis(ms int32) time.Duration { return time.Duration(ms) * time.Millisecond }

func failedJoin(id string, code wire.Code) *kmsg.JoinGroupResponse {
	r := kmsg.NewPtrJoinGroupResponse()
	r.ErrorCode, r.MemberID, r.Generation = int16(code), id, -1
	return r
}

// JoinGroup takes a member in or lets it join anew. reply may be called at once, or when the join
// phase ends. The checks come in Kafka's order (A13-A20).
func (c *Coordinator) JoinGroup(
	req *kmsg.JoinGroupRequest, from Client, reply func(*kmsg.JoinGroupResponse),
) {
	j := &joining{req, from, func(r *kmsg.JoinGroupResponse) {
		if req.Version < 7 && r.Protocol == nil { // null is not allowed there (A24)
			r.Protocol = new(string)
		}
		reply(r)
	}}
	if req.Group == "" {
		j.fail(req.MemberID, wire.InvalidGroupID)
		return
	}
	if d := j.session(); d < c.cfg.MinSessionTimeout || d > c.cfg.MaxSessionTimeout {
		j.fail(req.MemberID, wire.InvalidSessionTimeout)
		return
	}
	s, code := c.route(req.Group)
	if code != wire.None {
		j.fail(req.MemberID, code)
		return
	}
	g := s.groups[req.Group]
	empty := g != nil && g.consumer != nil && g.state == trace.GroupEmpty
	switch {
	case g != nil && g.consumer != nil && !empty:
		g.joinConsumer(j)
		return
	case g != nil && !empty:
		g.join(j)
		return
	case req.MemberID != "":
		j.fail(req.MemberID, wire.UnknownMemberID)
		return
	}
	ch := &change{c: c, shard: s, id: req.Group}
	if empty {
		g.leaveConsumer(ch)
	} else {
		g = c.newGroup(s, req.Group)
		g.emitState()
	}
	// The record lets the group survive a fail-over, though it has no member yet (A23).
	blank := group{c: c, id: req.Group, stateAt: c.env.Now()}
	ch.records = append(ch.records, blank.record())
	ch.commit(func(code wire.Code) {
		if code != wire.None {
			j.fail("", code)
			return
		}
		g.join(j)
	})
}

func (g *group) join(j *joining) {
	id := j.req.MemberID
	if !g.accepts(id) {
		if m := g.members.get(id); m != nil {
			g.remove(m, trace.RemovedByRebalance)
		}
		j.fail("", wire.GroupMaxSizeReached)
		return
	}
	if g.state == trace.GroupDead {
		j.fail(id, wire.CoordinatorNotAvailable)
		return
	}
	if !g.supportsProtocols(j.req) {
		j.fail(id, wire.InconsistentGroupProtocol)
		return
	}
	switch {
	case id != "":
		g.joinKnown(j)
	case j.req.InstanceID != nil:
		g.joinStatic(j)
	default:
		g.joinDynamic(j)
	}
}

// accepts checks group.max.size (A16).
func (g *group) accepts(id string) bool {
	limit := g.c.cfg.MaxSize
	m := g.members.get(id)
	switch g.state {
	case trace.GroupEmpty, trace.GroupDead:
		return true
	case trace.GroupPreparingRebalance:
		return m != nil && m.join != nil || g.waiting < limit
	}
	return m != nil || g.members.len() < limit
}

// supportsProtocols: an Empty group takes any, else one protocol must suit all members (A17).
func (g *group) supportsProtocols(req *kmsg.JoinGroupRequest) bool {
	if g.state == trace.GroupEmpty {
		return req.ProtocolType != "" && len(req.Protocols) > 0
	}
	if req.ProtocolType != g.protocolType {
		return false
	}
	return len(g.candidates(func(yield func(string) bool) {
		for i := range req.Protocols {
			if !yield(req.Protocols[i].Name) {
				return
			}
		}
	})) > 0
}

// memberID makes a new id (A21).
func (g *group) memberID(prefix string) string {
	return prefix + "-" + g.c.env.Rand("member-id").UUID()
}

// joinDynamic gives a new member its id, with which it must come again (KIP-394, A18); before
// version 4 it joins at once.
func (g *group) joinDynamic(j *joining) {
	id := g.memberID(j.from.ID)
	if j.req.Version < 4 {
		g.addAndRebalance(j, id)
		return
	}
	g.pending = append(g.pending, pendingID{
		id, g.c.env.After(j.session(), func() { g.expirePending(id) }),
	})
	g.emit(trace.Event{Kind: trace.MemberPending, Peer: g.c.env.Ref(id)})
	j.fail(id, wire.MemberIDRequired)
}

func (g *group) addAndRebalance(j *joining, id string) {
	m := &member{
		id: id, ref: g.c.env.Ref(id), client: j.from, fresh: true,
		rebalanceTimeout: j.rebalance(), sessionTimeout: j.session(), protocols: j.req.Protocols,
	}
	if j.req.InstanceID != nil {
		m.instance = *j.req.InstanceID
	}
	if g.state == trace.GroupPreparingRebalance && g.previous == trace.GroupEmpty {
		g.newcomer = true
	}
	if g.members.len() == 0 {
		g.protocolType = j.req.ProtocolType
	}
	g.add(m)
	g.park(m, j.reply)
	g.arm(m, newMemberJoinTimeout, wire.KeyJoinGroup)
	g.rebalanceOrComplete()
}

// park keeps a Join until the phase ends. An earlier one of the same member stays without answer:
// its connection is gone.
func (g *group) park(m *member, reply func(*kmsg.JoinGroupResponse)) {
	if m.join == nil {
		g.waiting++
	}
	m.join = reply
	g.emit(trace.Event{Kind: trace.MemberJoining, Peer: m.ref})
}

// joinKnown is the Join of a member id that was given out (A20).
func (g *group) joinKnown(j *joining) {
	id := j.req.MemberID
	if g.isPending(id) {
		if j.req.InstanceID != nil {
			j.fail(id, wire.UnknownServerError)
			return
		}
		g.addAndRebalance(j, id)
		return
	}
	if code := g.validate(id, j.req.InstanceID); code != wire.None {
		j.fail(id, code)
		return
	}
	g.rejoin(j, g.members.get(id))
}

// rejoin is the Join of a member, by state (A26-A28). An Empty group has none (A29).
func (g *group) rejoin(j *joining, m *member) {
	same := m.matches(j.req.Protocols)
	leads := m.id == g.leader
	switch g.state {
	case trace.GroupPreparingRebalance:
		g.update(j, m)
		g.maybeCompleteJoin()
	case trace.GroupCompletingRebalance:
		if same { // its answer was lost (A27)
			j.reply(g.joined(m, leads))
			return
		}
		g.update(j, m)
		g.rebalanceOrComplete()
	case trace.GroupStable:
		if same && !leads {
			j.reply(g.joined(m, false))
			return
		}
		g.update(j, m)
		g.rebalanceOrComplete()
	}
}

// update takes over what the Join says and parks it.
func (g *group) update(j *joining, m *member) {
	m.protocols = j.req.Protocols
	if m.rebalanceTimeout != j.rebalance() || m.sessionTimeout != j.session() {
		m.rebalanceTimeout, m.sessionTimeout = j.rebalance(), j.session()
		g.emit(trace.Event{
			Kind: trace.MemberTimeouts, Peer: m.ref, X: int64(m.sessionTimeout),
			Y: int64(m.rebalanceTimeout),
		})
	}
	g.park(m, j.reply)
}

// joined is the successful answer to m; full adds the member list, in the map's order (A37, A39).
func (g *group) joined(m *member, full bool) *kmsg.JoinGroupResponse {
	r := kmsg.NewPtrJoinGroupResponse()
	protocolType, protocol := g.protocolType, g.protocol
	r.Generation, r.MemberID, r.LeaderID = g.generation, m.id, g.leader
	r.ProtocolType, r.Protocol = &protocolType, &protocol
	if !full {
		return r
	}
	for _, o := range g.members.all() {
		p := kmsg.NewJoinGroupResponseMember()
		p.MemberID, p.InstanceID = o.id, o.instanceID()
		p.ProtocolMetadata = o.metadata(g.protocol)
		r.Members = append(r.Members, p)
	}
	return r
}
