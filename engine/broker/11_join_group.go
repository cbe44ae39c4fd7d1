package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/group"
)

// JoinGroup, key 11, versions 0-9. The answer may come only when the join phase ends (A12-A44).
//
// Left out: authorization.
func (b *Broker) joinGroup(l *line, req *kmsg.JoinGroupRequest) {
	from := group.Client{ID: l.now.Client, Host: "/" + l.conn.Peer()}
	b.groups.JoinGroup(req, from, func(r *kmsg.JoinGroupResponse) { l.reply(r) })
}
