package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// InitProducerId, key 22, versions 0-5: a new producer id, epoch 0, each time.
//
// Left out: transactional ids, which are refused with INVALID_REQUEST.
func (b *Broker) initProducerID(req *kmsg.InitProducerIDRequest) *kmsg.InitProducerIDResponse {
	r := kmsg.NewPtrInitProducerIDResponse()
	if req.TransactionalID != nil {
		r.ErrorCode, r.ProducerID, r.ProducerEpoch = int16(wire.InvalidRequest), -1, -1
		return r
	}
	r.ProducerID, r.ProducerEpoch = b.cluster.nextProducerID, 0
	b.cluster.nextProducerID++
	return r
}
