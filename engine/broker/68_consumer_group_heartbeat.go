package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/group"
)

// ConsumerGroupHeartbeat, key 68, versions 0-1 (1 lets the client choose its member id and subscribe
// by a regular expression). Joining, heartbeats and leaving of the consumer protocol (F1-F18,
// KIP-848).
//
// Left out: authorization, the feature group.version (it is always on).
func (b *Broker) consumerGroupHeartbeat(l *line, req *kmsg.ConsumerGroupHeartbeatRequest) {
	from := group.Client{ID: l.now.Client, Host: "/" + l.conn.Peer()}
	b.groups.ConsumerGroupHeartbeat(req, from, func(r *kmsg.ConsumerGroupHeartbeatResponse) {
		l.reply(r)
	})
}
