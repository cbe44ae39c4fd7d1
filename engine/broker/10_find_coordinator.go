package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// FindCoordinator, key 10, versions 0-6 (4 asks for several keys).
//
// The coordinator is the leader of the group's partition of __consumer_offsets. The first call ever
// creates that topic and is answered COORDINATOR_NOT_AVAILABLE, as is one whose partition has no
// leader (A5).
//
// Left out: transactional ids and share groups, which are refused with INVALID_REQUEST.
func (b *Broker) findCoordinator(req *kmsg.FindCoordinatorRequest) *kmsg.FindCoordinatorResponse {
	r := kmsg.NewPtrFindCoordinatorResponse()
	if req.Version < 4 {
		n, code := b.coordinatorOf(req.CoordinatorKey, req.CoordinatorType)
		r.ErrorCode, r.NodeID, r.Port = int16(code), -1, -1
		if n != nil {
			r.NodeID, r.Host, r.Port = n.id, n.host, n.port
		}
		return r
	}
	for _, key := range req.CoordinatorKeys {
		n, code := b.coordinatorOf(key, req.CoordinatorType)
		o := kmsg.NewFindCoordinatorResponseCoordinator()
		o.Key, o.ErrorCode, o.NodeID, o.Port = key, int16(code), -1, -1
		if n != nil {
			o.NodeID, o.Host, o.Port = n.id, n.host, n.port
		}
		r.Coordinators = append(r.Coordinators, o)
	}
	return r
}

func (b *Broker) coordinatorOf(key string, kind int8) (*node, wire.Code) {
	if kind != 0 {
		return nil, wire.InvalidRequest
	}
	c := b.cluster
	s := b.image.state(b.image.partition(c.byName[OffsetsTopic], c.coordinatorPartition(key)))
	if s == nil {
		b.autoCreate(c.offsetsSpec())
		return nil, wire.CoordinatorNotAvailable
	}
	if n := c.node(s.Leader); n != nil && b.image.unfenced(s.Leader) {
		return n, wire.None
	}
	return nil, wire.CoordinatorNotAvailable
}
