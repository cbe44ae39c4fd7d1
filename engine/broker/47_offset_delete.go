package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// OffsetDelete, key 47, version 0 (KIP-496): a group forgets offsets of topics that it does not
// subscribe now. Partitions that do not exist are refused here, one by one.
//
// Left out: authorization.
func (b *Broker) offsetDelete(l *line, req *kmsg.OffsetDeleteRequest) {
	r := kmsg.NewPtrOffsetDeleteResponse()
	var tps []wire.TopicPartition
	var open []*int16 // where the coordinator's codes go
	r.Topics = make([]kmsg.OffsetDeleteResponseTopic, len(req.Topics))
	for i := range req.Topics {
		q, out := &req.Topics[i], &r.Topics[i]
		out.Topic = q.Topic
		out.Partitions = make([]kmsg.OffsetDeleteResponseTopicPartition, len(q.Partitions))
		for j := range q.Partitions {
			p := &out.Partitions[j]
			p.Partition = q.Partitions[j].Partition
			if b.image.partition(b.cluster.byName[q.Topic], p.Partition) == nil {
				p.ErrorCode = int16(wire.UnknownTopicOrPartition)
				continue
			}
			tps = append(tps, wire.TopicPartition{Topic: q.Topic, Partition: p.Partition})
			open = append(open, &p.ErrorCode)
		}
	}
	b.groups.DeleteOffsets(req.Group, tps, func(code wire.Code, codes []wire.Code) {
		if code != wire.None {
			r.ErrorCode, r.Topics = int16(code), nil
		}
		for i, c := range codes {
			*open[i] = int16(c)
		}
		l.reply(r)
	})
}
