package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// OffsetForLeaderEpoch, key 23, versions 2-4: where an epoch ended (E12).
func (b *Broker) offsetForLeaderEpoch(
	req *kmsg.OffsetForLeaderEpochRequest,
) *kmsg.OffsetForLeaderEpochResponse {
	r := kmsg.NewPtrOffsetForLeaderEpochResponse()
	for i := range req.Topics {
		q := &req.Topics[i]
		t := kmsg.NewOffsetForLeaderEpochResponseTopic()
		t.Topic = q.Topic
		topic, _ := b.topicOf(q.Topic, [16]byte{}, false)
		for j := range q.Partitions {
			p := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
			p.Partition, p.LeaderEpoch, p.EndOffset = q.Partitions[j].Partition, -1, -1
			rep, code := b.check(b.image.partition(topic, p.Partition), q.Partitions[j].CurrentLeaderEpoch)
			if code == wire.None {
				p.LeaderEpoch, p.EndOffset = rep.log.EndOffsetFor(q.Partitions[j].LeaderEpoch)
			}
			p.ErrorCode = int16(code)
			t.Partitions = append(t.Partitions, p)
		}
		r.Topics = append(r.Topics, t)
	}
	return r
}
