package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// ListGroups, key 16, versions 0-5: the groups that this broker coordinates.
func (b *Broker) listGroups(req *kmsg.ListGroupsRequest) *kmsg.ListGroupsResponse {
	r := kmsg.NewPtrListGroupsResponse()
	groups, code := b.groups.List(req.StatesFilter)
	r.ErrorCode = int16(code)
	if len(req.TypesFilter) == 0 || slices.Contains(req.TypesFilter, "classic") {
		r.Groups = groups
	}
	return r
}
