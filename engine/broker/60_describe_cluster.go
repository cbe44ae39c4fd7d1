package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// DescribeCluster, key 60, versions 0-2: the brokers that run, and the controller. Asked for the
// controllers' addresses, a broker answers MISMATCHED_ENDPOINT_TYPE (KIP-919).
//
// Left out: authorized operations.
func (b *Broker) describeCluster(req *kmsg.DescribeClusterRequest) *kmsg.DescribeClusterResponse {
	c := b.cluster
	r := kmsg.NewPtrDescribeClusterResponse()
	r.ClusterID, r.ControllerID, r.EndpointType = clusterID, b.knownController(), endpointBrokers
	if req.Version >= 1 && req.EndpointType != endpointBrokers {
		text := "a broker listens here, no controller"
		r.ErrorCode, r.ErrorMessage = int16(wire.MismatchedEndpointType), &text
		return r
	}
	for _, n := range c.nodes {
		fenced := !b.image.unfenced(n.id)
		if !fenced || req.IncludeFencedBrokers && b.image.broker(n.id).known {
			m := kmsg.NewDescribeClusterResponseBroker()
			m.NodeID, m.Host, m.Port, m.IsFenced = n.id, n.host, n.port, fenced
			if n.rack != "" {
				m.Rack = &n.rack
			}
			r.Brokers = append(r.Brokers, m)
		}
	}
	return r
}

// endpointBrokers is the kind of address that clients use; 2 are those of controllers.
const endpointBrokers int8 = 1
