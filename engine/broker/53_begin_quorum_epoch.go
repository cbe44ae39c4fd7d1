package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// BeginQuorumEpoch, key 53, versions 0-1: a new controller tells the voters of itself.
func (b *Broker) beginQuorumEpoch(req *kmsg.BeginQuorumEpochRequest) *kmsg.BeginQuorumEpochResponse {
	r := kmsg.NewPtrBeginQuorumEpochResponse()
	if len(req.Topics) != 1 || len(req.Topics[0].Partitions) != 1 {
		r.ErrorCode = int16(wire.InvalidRequest)
		return r
	}
	q := &req.Topics[0].Partitions[0]
	b.heardOf(q.LeaderEpoch, q.LeaderID, q.LeaderID)
	return r
}
