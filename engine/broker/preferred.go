package broker

import (
	"slices"

	"rebalancelab/engine/wire"
)

// rackAwareSelector is the replica.selector.class that Kafka brings; without one every consumer
// reads from the leader (KIP-392).
const rackAwareSelector = "org.apache.kafka.common.replica.RackAwareReplicaSelector"

// readable finds the replica that a fetch may read here: the leader's, or for a newer consumer any
// that knows the same epoch (E8, E9).
func (b *Broker) readable(f *fetching, p *Partition, epoch int32) (*replica, wire.Code) {
	r, code := b.check(p, epoch)
	if code == wire.NotLeaderOrFollower && f.anyReplica {
		if copied := b.replica(p); copied != nil && copied.state.Leader >= 0 {
			return copied, wire.None
		}
	}
	return r, code
}

// preferredFor is the broker that a consumer should rather read from: the most caught-up replica in
// its rack that is in sync and has the offset, the leader itself before all others. 0 stands for the
// leader.
func (r *replica) preferredFor(f *fetching, offset int64) int32 {
	b := r.broker
	if f.rack == "" || !b.cluster.cfg.rackAware || !r.leads() || b.image.broker(b.id).rack == f.rack {
		return 0
	}
	best, end := int32(0), int64(-1)
	for i := range r.followers {
		c := &r.followers[i]
		if c.end > end && c.end >= offset && b.image.broker(c.id).rack == f.rack &&
			b.image.live(c.id) && slices.Contains(r.state.ISR, c.id) {
			best, end = c.id, c.end
		}
	}
	return best
}
