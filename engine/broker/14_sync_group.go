package broker

import "github.com/twmb/franz-go/pkg/kmsg"

// SyncGroup, key 14, versions 0-5. The answer may come only when the leader's has come (A49-A54).
//
// Left out: authorization.
func (b *Broker) syncGroup(l *line, req *kmsg.SyncGroupRequest) {
	b.groups.SyncGroup(req, func(r *kmsg.SyncGroupResponse) { l.reply(r) })
}
