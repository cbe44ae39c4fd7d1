package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// ListOffsets, key 2, versions 1-11.
//
// Finds the first offset at or after a time, or the place that a negative timestamp stands for; a
// consumer's latest offset is the high watermark (E11). The epoch is checked first (E8).
//
// Left out: OFFSET_NOT_AVAILABLE of a fresh leader, since its high watermark is never behind here.
func (b *Broker) listOffsets(req *kmsg.ListOffsetsRequest) *kmsg.ListOffsetsResponse {
	r := kmsg.NewPtrListOffsetsResponse()
	for i := range req.Topics {
		t := &req.Topics[i]
		out := kmsg.NewListOffsetsResponseTopic()
		out.Topic = t.Topic
		topic, _ := b.topicOf(t.Topic, [16]byte{}, false)
		for j := range t.Partitions {
			q := &t.Partitions[j]
			p := kmsg.NewListOffsetsResponseTopicPartition()
			p.Partition, p.Offset, p.Timestamp, p.LeaderEpoch = q.Partition, -1, -1, -1
			rep, code := b.check(topic.partition(q.Partition), q.CurrentLeaderEpoch)
			if code == wire.None {
				o := rep.log.OffsetForTimestamp(q.Timestamp, rep.log.HW())
				p.Offset, p.Timestamp, p.LeaderEpoch = o.Offset, o.Timestamp, o.Epoch
			}
			p.ErrorCode = int16(code)
			out.Partitions = append(out.Partitions, p)
		}
		r.Topics = append(r.Topics, out)
	}
	return r
}
