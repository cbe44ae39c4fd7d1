package broker

import "github.com/twmb/franz-go/pkg/kmsg"

// DeleteGroups, key 42, versions 0-2 (A68).
func (b *Broker) deleteGroups(req *kmsg.DeleteGroupsRequest) *kmsg.DeleteGroupsResponse {
	r := kmsg.NewPtrDeleteGroupsResponse()
	for _, id := range req.Groups {
		g := kmsg.NewDeleteGroupsResponseGroup()
		g.Group, g.ErrorCode = id, int16(b.groups.Delete(id))
		r.Groups = append(r.Groups, g)
	}
	return r
}
