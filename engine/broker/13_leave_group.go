package broker

import "github.com/twmb/franz-go/pkg/kmsg"

// LeaveGroup, key 13, versions 0-5 (3 names several members; A55-A58).
//
// Left out: authorization.
func (b *Broker) leaveGroup(req *kmsg.LeaveGroupRequest) *kmsg.LeaveGroupResponse {
	return b.groups.LeaveGroup(req)
}
