package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/storage"
	"rebalancelab/engine/wire"
)

// ListOffsets, key 2, versions 1-11.
//
// Finds the first offset at or after a time, or the place that a negative timestamp stands for; a
// consumer's latest offset is the high watermark, a follower's the log's end (E11). The epoch is
// checked first (E8). A fresh leader that does not know yet how much of its log is replicated answers
// OFFSET_NOT_AVAILABLE, before version 5 LEADER_NOT_AVAILABLE (KIP-207).
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
			rep, code := b.check(b.image.partition(topic, q.Partition), q.CurrentLeaderEpoch)
			if code == wire.None {
				var o storage.TimestampOffset
				o, code = rep.offsetFor(q.Timestamp, req.ReplicaID >= 0)
				p.Offset, p.Timestamp, p.LeaderEpoch = o.Offset, o.Timestamp, o.Epoch
			}
			if code == wire.OffsetNotAvailable && req.Version < 5 {
				code = wire.LeaderNotAvailable
			}
			p.ErrorCode = int16(code)
			out.Partitions = append(out.Partitions, p)
		}
		r.Topics = append(r.Topics, out)
	}
	return r
}

// offsetFor looks an offset up for a consumer, or for a follower.
func (r *replica) offsetFor(timestamp int64, follower bool) (storage.TimestampOffset, wire.Code) {
	if follower {
		return r.log.OffsetForTimestamp(timestamp, r.log.LEO()), wire.None
	}
	o := r.log.OffsetForTimestamp(timestamp, r.log.HW())
	fresh := r.epochStart > r.log.HW()
	if fresh && (timestamp == storage.Latest || o.Offset < 0) {
		return storage.TimestampOffset{Offset: -1, Timestamp: -1, Epoch: -1}, wire.OffsetNotAvailable
	}
	return o, wire.None
}
