package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// BrokerHeartbeat, key 63, versions 0-1.
//
// Gives the broker a new session of broker.session.timeout.ms. One that is fenced and has caught up
// is counted in; one that wants to shut down loses its leaderships first and is told to go when it
// has none and the others know.
func (b *Broker) brokerHeartbeat(req *kmsg.BrokerHeartbeatRequest) *kmsg.BrokerHeartbeatResponse {
	r := kmsg.NewPtrBrokerHeartbeatResponse()
	c := b.cluster
	g := c.committed.broker(req.BrokerID)
	switch {
	case !b.decides():
		r.ErrorCode = int16(wire.NotController)
		return r
	case !g.known:
		r.ErrorCode = int16(wire.BrokerIDNotRegistered)
		return r
	case g.epoch != req.BrokerEpoch:
		r.ErrorCode = int16(wire.StaleBrokerEpoch)
		return r
	}
	if req.BrokerID != b.id {
		b.duty.heartbeat(req.BrokerID)
	}
	b.duty.applied[req.BrokerID-1] = req.CurrentMetadataOffset
	r.IsCaughtUp = req.CurrentMetadataOffset >= g.epoch
	switch {
	case req.WantShutdown:
		c.release(req.BrokerID)
		if r.ShouldShutdown = b.duty.mayGo(req.BrokerID); r.ShouldShutdown && !g.fenced {
			c.fence(req.BrokerID)
		}
	case g.fenced && r.IsCaughtUp && !req.WantFence:
		c.unfence(req.BrokerID)
	}
	r.IsFenced = c.committed.broker(req.BrokerID).fenced
	return r
}

// release moves away what a broker leads that wants to go, and takes it out of the in-sync replicas.
func (c *Cluster) release(id int32) {
	if !c.committed.broker(id).shutting {
		c.commit(wire.MetadataRecord{
			Type: wire.BrokerChangeRecord, Broker: id, BrokerEpoch: c.committed.broker(id).epoch,
			Shutdown: wire.RegistrationShuttingDown,
		})
	}
	c.elect(func(s *State) bool {
		return s.Leader == id || len(s.ISR) > 1 && slices.Contains(s.ISR, id)
	}, election{without: id})
}

func (c *Cluster) leadsAny(id int32) bool {
	for _, t := range c.topics {
		for _, s := range c.committed.statesOf(t) {
			if s.Leader == id {
				return true
			}
		}
	}
	return false
}
