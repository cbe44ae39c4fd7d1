package broker

import "github.com/twmb/franz-go/pkg/kmsg"

// ListGroups, key 16, versions 0-5: the groups that this broker coordinates.
func (b *Broker) listGroups(req *kmsg.ListGroupsRequest) *kmsg.ListGroupsResponse {
	r := kmsg.NewPtrListGroupsResponse()
	groups, code := b.groups.List(req.StatesFilter, req.TypesFilter)
	r.ErrorCode, r.Groups = int16(code), groups
	return r
}
