package group

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// record is the group's state as a record, with the assignments that hold now (B26).
func (g *group) record() wire.Record {
	return g.recordWith(func(m *member) []byte { return m.assignment })
}

// recordWith is the group's state with the assignments that the caller names.
func (g *group) recordWith(assignment func(*member) []byte) wire.Record {
	v := kmsg.NewGroupMetadataValue()
	v.Version = 0 // the default
	v.ProtocolType, v.Generation = g.protocolType, g.generation
	v.CurrentStateTimestamp = g.stateAt.Millis()
	if g.protocol != "" {
		v.Protocol = &g.protocol
	}
	if g.leader != "" {
		v.Leader = &g.leader
	}
	if g.protocol != "" { // in Empty and before the first generation there is nothing to keep
		for _, m := range g.members.all() {
			v.Members = append(v.Members, m.record(g.protocol, assignment(m)))
		}
	}
	return g.c.stamp(wire.GroupKey(g.id), wire.EncodeGroupValue(v))
}

func (m *member) record(protocol string, assignment []byte) kmsg.GroupMetadataValueMember {
	v := kmsg.NewGroupMetadataValueMember()
	v.MemberID, v.InstanceID = m.id, m.instanceID()
	v.ClientID, v.ClientHost = m.client.ID, m.client.Host
	v.RebalanceTimeoutMillis = int32(m.rebalanceTimeout / time.Millisecond)
	v.SessionTimeoutMillis = int32(m.sessionTimeout / time.Millisecond)
	v.Subscription, v.Assignment = m.metadata(protocol), assignment
	return v
}

func (c *Coordinator) stamp(key, value []byte) wire.Record {
	return wire.Record{Timestamp: c.env.Now().Millis(), Key: key, Value: value}
}
