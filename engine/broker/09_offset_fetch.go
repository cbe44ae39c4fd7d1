package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/group"
	"rebalancelab/engine/wire"
)

// OffsetFetch, key 9, versions 1-10 (8 asks for several groups, 10 names topics by id).
//
// No offset is -1 and no error (B13). Errors stand with each partition in version 1, at the top
// from 2 on, and with the group from 8 on (B14).
//
// Left out: authorization, transactions (B16).
func (b *Broker) offsetFetch(req *kmsg.OffsetFetchRequest) *kmsg.OffsetFetchResponse {
	r := kmsg.NewPtrOffsetFetchResponse()
	if req.Version < 8 {
		b.offsetFetchOne(req, r)
		return r
	}
	for i := range req.Groups {
		r.Groups = append(r.Groups, b.offsetFetchGroup(req, &req.Groups[i]))
	}
	return r
}

func (b *Broker) offsetFetchOne(req *kmsg.OffsetFetchRequest, r *kmsg.OffsetFetchResponse) {
	var tps []wire.TopicPartition
	if req.Topics != nil || req.Version < 2 {
		tps = []wire.TopicPartition{}
	}
	for i := range req.Topics {
		for _, p := range req.Topics[i].Partitions {
			tps = append(tps, wire.TopicPartition{Topic: req.Topics[i].Topic, Partition: p})
		}
	}
	list, code := b.groups.Offsets(req.Group, tps)
	if code != wire.None {
		r.ErrorCode = int16(code)
		for _, tp := range tps {
			list = append(list, group.Offset{TP: tp, Offset: -1, Epoch: -1})
		}
	}
	for _, o := range list {
		n := len(r.Topics)
		if n == 0 || r.Topics[n-1].Topic != o.TP.Topic {
			t := kmsg.NewOffsetFetchResponseTopic()
			t.Topic = o.TP.Topic
			r.Topics = append(r.Topics, t)
			n++
		}
		p := kmsg.NewOffsetFetchResponseTopicPartition()
		p.Partition, p.Offset, p.LeaderEpoch = o.TP.Partition, o.Offset, o.Epoch
		metadata := o.Metadata
		p.Metadata, p.ErrorCode = &metadata, int16(code)
		r.Topics[n-1].Partitions = append(r.Topics[n-1].Partitions, p)
	}
}

func (b *Broker) offsetFetchGroup(
	req *kmsg.OffsetFetchRequest, q *kmsg.OffsetFetchRequestGroup,
) kmsg.OffsetFetchResponseGroup {
	out := kmsg.NewOffsetFetchResponseGroup()
	out.Group = q.Group
	byID := req.Version >= 10
	var tps []wire.TopicPartition
	if q.Topics != nil {
		tps = []wire.TopicPartition{}
	}
	for i := range q.Topics {
		name := q.Topics[i].Topic
		if byID {
			t, _ := b.topicOf("", q.Topics[i].TopicID, true)
			if t == nil {
				out.Topics = append(out.Topics, unknownOffsets(&q.Topics[i]))
				continue
			}
			name = t.Name
		}
		for _, p := range q.Topics[i].Partitions {
			tps = append(tps, wire.TopicPartition{Topic: name, Partition: p})
		}
	}
	who := group.Asker{MemberID: q.MemberID, Epoch: q.MemberEpoch}
	list, code := b.groups.Offsets(q.Group, tps, who)
	if code != wire.None {
		out.ErrorCode, out.Topics = int16(code), nil
		return out
	}
	for _, o := range list {
		out.Topics = b.appendOffset(out.Topics, o, byID)
	}
	return out
}

func unknownOffsets(q *kmsg.OffsetFetchRequestGroupTopic) kmsg.OffsetFetchResponseGroupTopic {
	t := kmsg.NewOffsetFetchResponseGroupTopic()
	t.TopicID = q.TopicID
	for _, index := range q.Partitions {
		p := kmsg.NewOffsetFetchResponseGroupTopicPartition()
		p.Partition, p.Offset, p.ErrorCode = index, -1, int16(wire.UnknownTopicID)
		p.Metadata = new(string)
		t.Partitions = append(t.Partitions, p)
	}
	return t
}

func (b *Broker) appendOffset(
	topics []kmsg.OffsetFetchResponseGroupTopic, o group.Offset, byID bool,
) []kmsg.OffsetFetchResponseGroupTopic {
	t := kmsg.NewOffsetFetchResponseGroupTopic()
	if byID {
		t.TopicID = b.cluster.byName[o.TP.Topic].ID
	} else {
		t.Topic = o.TP.Topic
	}
	n := len(topics)
	if n == 0 || topics[n-1].Topic != t.Topic || topics[n-1].TopicID != t.TopicID {
		topics = append(topics, t)
		n++
	}
	p := kmsg.NewOffsetFetchResponseGroupTopicPartition()
	metadata := o.Metadata
	p.Partition, p.Offset, p.LeaderEpoch, p.Metadata = o.TP.Partition, o.Offset, o.Epoch, &metadata
	topics[n-1].Partitions = append(topics[n-1].Partitions, p)
	return topics
}
