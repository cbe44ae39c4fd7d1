package group

import (
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// Describe answers for one group of a DescribeGroups request of the given version; what members
// sent and were given is told only in Stable (A67).
func (c *Coordinator) Describe(id string, version int16) kmsg.DescribeGroupsResponseGroup {
	r := kmsg.NewDescribeGroupsResponseGroup()
	r.Group = id
	s, code := c.route(id)
	if code != wire.None {
		r.ErrorCode = int16(code)
		return r
	}
	g := s.groups[id]
	if g == nil || g.consumer != nil { // a group of the consumer protocol is not described here (F20)
		r.State = trace.GroupStateNames[trace.GroupDead]
		if version >= 6 {
			r.ErrorCode = int16(wire.GroupIDNotFound)
		}
		return r
	}
	r.State, r.ProtocolType = trace.GroupStateNames[g.state], g.protocolType
	stable := g.state == trace.GroupStable
	if stable {
		r.Protocol = g.protocol
	}
	for _, m := range g.members.all() {
		d := kmsg.NewDescribeGroupsResponseGroupMember()
		d.MemberID, d.InstanceID = m.id, m.instanceID()
		d.ClientID, d.ClientHost = m.client.ID, m.client.Host
		if stable {
			d.ProtocolMetadata, d.MemberAssignment = m.metadata(g.protocol), m.assignment
		}
		r.Members = append(r.Members, d)
	}
	return r
}

// List names the groups that this broker coordinates, with those states and types (all if none is
// named), in order of partition and creation. The code is COORDINATOR_LOAD_IN_PROGRESS while a partition is
// still being read; the others' groups are listed all the same.
func (c *Coordinator) List(states, types []string) ([]kmsg.ListGroupsResponseGroup, wire.Code) {
	var out []kmsg.ListGroupsResponseGroup
	code := wire.None
	for _, s := range c.shards {
		if s == nil {
			continue
		}
		if s.loading {
			code = wire.CoordinatorLoadInProgress
			continue
		}
		for _, g := range s.order {
			name := trace.GroupStateNames[g.state]
			if len(states) > 0 && !containsFold(states, name) ||
				len(types) > 0 && !containsFold(types, g.kind()) {
				continue
			}
			r := kmsg.NewListGroupsResponseGroup()
			r.Group, r.ProtocolType, r.GroupState, r.GroupType = g.id, g.protocolType, name, g.kind()
			out = append(out, r)
		}
	}
	return out, code
}

// containsFold: the broker does not care about upper and lower case in these filters.
func containsFold(list []string, s string) bool {
	return slices.ContainsFunc(list, func(o string) bool { return strings.EqualFold(o, s) })
}

// kind is the group's type as ListGroups names it (KIP-848).
func (g *group) kind() string {
	if g.consumer != nil {
		return "consumer"
	}
	return "classic"
}

// Delete ends a group and its offsets; only an Empty one can go (A68).
func (c *Coordinator) Delete(id string) wire.Code {
	if id == "" {
		return wire.InvalidGroupID
	}
	s, code := c.route(id)
	if code != wire.None {
		return code
	}
	g := s.groups[id]
	if g == nil {
		return wire.GroupIDNotFound
	}
	if g.state != trace.GroupEmpty {
		return wire.NonEmptyGroup
	}
	var tps []wire.TopicPartition
	for i := range g.offsets.list {
		tps = append(tps, g.offsets.list[i].tp)
	}
	g.bury(tps, true)
	return wire.None
}
