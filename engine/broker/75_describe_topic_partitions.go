package broker

import (
	"cmp"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// DescribeTopicPartitions, key 75, version 0 (KIP-966): topics by name, in pages of partitions. The
// next page begins at the cursor of the one before. No topics means all.
//
// Left out: authorized operations, eligible leader replicas.
func (b *Broker) describeTopicPartitions(
	req *kmsg.DescribeTopicPartitionsRequest,
) *kmsg.DescribeTopicPartitionsResponse {
	r := kmsg.NewPtrDescribeTopicPartitionsResponse()
	limit := min(req.ResponsePartitionLimit, maxPageOfPartitions)
	if limit < 1 {
		limit = maxPageOfPartitions
	}
	for _, name := range b.topicNames(req) {
		first := int32(0)
		if c := req.Cursor; c != nil && c.Topic == name {
			first = max(c.Partition, 0)
		}
		t, code := b.topicOf(name, [16]byte{}, false)
		if limit == 0 {
			r.NextCursor = &kmsg.DescribeTopicPartitionsResponseNextCursor{Topic: name}
			break
		}
		out := kmsg.NewDescribeTopicPartitionsResponseTopic()
		out.Topic, out.ErrorCode = &name, int16(code)
		if t != nil {
			page := b.partitionsOf(t, first, limit)
			out.TopicID, out.IsInternal, out.Partitions = t.ID, t.Internal, page
			limit -= int32(len(page))
			if next := first + int32(len(page)); int(next) < len(b.image.statesOf(t)) {
				r.NextCursor = &kmsg.DescribeTopicPartitionsResponseNextCursor{
					Topic: name, Partition: next,
				}
			}
		}
		r.Topics = append(r.Topics, out)
		if r.NextCursor != nil {
			break
		}
	}
	return r
}

// maxPageOfPartitions is max.request.partition.size.limit.
const maxPageOfPartitions = 2000

// topicNames are the topics asked for from the cursor on, in order.
func (b *Broker) topicNames(req *kmsg.DescribeTopicPartitionsRequest) []string {
	var names []string
	for _, t := range req.Topics {
		names = append(names, t.Topic)
	}
	if len(req.Topics) == 0 {
		for _, t := range b.cluster.topics {
			if b.image.knows(t) {
				names = append(names, t.Name)
			}
		}
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Compare(x, y) })
	names = slices.Compact(names)
	if c := req.Cursor; c != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return name < c.Topic })
	}
	return names
}

func (b *Broker) partitionsOf(
	t *Topic, first, limit int32,
) []kmsg.DescribeTopicPartitionsResponseTopicPartition {
	var page []kmsg.DescribeTopicPartitionsResponseTopicPartition
	for _, m := range b.describe(t).Partitions {
		if m.Partition < first || int32(len(page)) == limit {
			continue
		}
		p := kmsg.NewDescribeTopicPartitionsResponseTopicPartition()
		p.Partition, p.ErrorCode, p.LeaderID, p.LeaderEpoch = m.Partition, m.ErrorCode, m.Leader, m.LeaderEpoch
		p.Replicas, p.ISR, p.OfflineReplicas = m.Replicas, m.ISR, m.OfflineReplicas
		page = append(page, p)
	}
	return page
}
