package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// BrokerRegistration, key 62, versions 0-4.
//
// The controller takes a broker in, fenced until its heartbeats show that it has caught up. As long
// as the session of an earlier process of that id runs, a new one is refused with
// DUPLICATE_BROKER_REGISTRATION: a broker that was killed is back only after that.
//
// Left out: listeners, features and directories.
func (b *Broker) brokerRegistration(
	req *kmsg.BrokerRegistrationRequest,
) *kmsg.BrokerRegistrationResponse {
	r := kmsg.NewPtrBrokerRegistrationResponse()
	r.BrokerEpoch = -1
	c := b.cluster
	g := c.committed.broker(req.BrokerID)
	switch {
	case !b.decides():
		r.ErrorCode = int16(wire.NotController)
	case g.known && !g.fenced && !g.shutting && req.BrokerID != b.id && b.duty.sessionOf(req.BrokerID):
		r.ErrorCode = int16(wire.DuplicateBrokerRegistration)
	default:
		if g.known && !g.fenced {
			c.fence(req.BrokerID)
		}
		c.register(req.BrokerID, true)
		b.duty.leaving[req.BrokerID-1] = 0
		r.BrokerEpoch = c.committed.broker(req.BrokerID).epoch
		if req.BrokerID != b.id {
			b.duty.heartbeat(req.BrokerID)
		}
	}
	return r
}
