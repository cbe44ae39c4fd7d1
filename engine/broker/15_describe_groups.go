package broker

import "github.com/twmb/franz-go/pkg/kmsg"

// DescribeGroups, key 15, versions 0-6 (A67).
//
// Left out: authorized operations.
func (b *Broker) describeGroups(req *kmsg.DescribeGroupsRequest) *kmsg.DescribeGroupsResponse {
	r := kmsg.NewPtrDescribeGroupsResponse()
	for _, id := range req.Groups {
		r.Groups = append(r.Groups, b.groups.Describe(id, req.Version))
	}
	return r
}
