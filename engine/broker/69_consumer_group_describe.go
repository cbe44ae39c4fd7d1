package broker

import "github.com/twmb/franz-go/pkg/kmsg"

// ConsumerGroupDescribe, key 69, versions 0-1 (1 tells which protocol a member speaks) (F20).
//
// Left out: authorized operations.
func (b *Broker) consumerGroupDescribe(
	req *kmsg.ConsumerGroupDescribeRequest,
) *kmsg.ConsumerGroupDescribeResponse {
	r := kmsg.NewPtrConsumerGroupDescribeResponse()
	for _, id := range req.Groups {
		r.Groups = append(r.Groups, b.groups.DescribeConsumer(id))
	}
	return r
}
