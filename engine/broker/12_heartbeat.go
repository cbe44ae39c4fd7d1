package broker

import "github.com/twmb/franz-go/pkg/kmsg"

// Heartbeat, key 12, versions 0-4 (A45-A48).
//
// Left out: authorization.
func (b *Broker) heartbeat(req *kmsg.HeartbeatRequest) *kmsg.HeartbeatResponse {
	return b.groups.Heartbeat(req)
}
