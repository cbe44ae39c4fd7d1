package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// OffsetCommit, key 8, versions 2-10 (10 names topics by id).
//
// Partitions that do not exist are refused here, one by one, and the coordinator is asked about the
// rest; if there is none it is not asked at all, so that errors of the group stay unseen (B1).
//
// Left out: authorization.
func (b *Broker) offsetCommit(l *line, req *kmsg.OffsetCommitRequest) {
	r := kmsg.NewPtrOffsetCommitResponse()
	known := *req
	known.Topics = nil
	var open []*int16 // where the coordinator's codes go
	r.Topics = make([]kmsg.OffsetCommitResponseTopic, len(req.Topics))
	for i := range req.Topics {
		q := &req.Topics[i]
		out := &r.Topics[i]
		*out = kmsg.NewOffsetCommitResponseTopic()
		t, code := b.topicOf(q.Topic, q.TopicID, req.Version >= 10)
		if req.Version >= 10 {
			out.TopicID = q.TopicID
		} else {
			out.Topic = q.Topic
		}
		ask := kmsg.NewOffsetCommitRequestTopic()
		out.Partitions = make([]kmsg.OffsetCommitResponseTopicPartition, len(q.Partitions))
		for j := range q.Partitions {
			p := &out.Partitions[j]
			p.Partition = q.Partitions[j].Partition
			switch {
			case code != wire.None:
				p.ErrorCode = int16(code)
			case b.image.partition(t, p.Partition) == nil:
				p.ErrorCode = int16(wire.UnknownTopicOrPartition)
			default:
				if ask.Topic = t.Name; req.Version >= 10 {
					ask.TopicID = q.TopicID // it is stored with the offset (B18)
				}
				ask.Partitions = append(ask.Partitions, q.Partitions[j])
				open = append(open, &p.ErrorCode)
			}
		}
		if len(ask.Partitions) > 0 {
			known.Topics = append(known.Topics, ask)
		}
	}
	if len(open) == 0 {
		l.reply(r)
		return
	}
	b.groups.OffsetCommit(&known, func(codes []wire.Code) {
		for i, code := range codes {
			*open[i] = int16(code)
		}
		l.reply(r)
	})
}
