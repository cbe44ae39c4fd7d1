package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/group"
	"rebalancelab/engine/wire"
)

// OffsetFetch, key 9, versions 1-10 (8 asks for several groups, 10 names topics by id).
//
// No offset is -1 and no error (B13). Errors stand with each partition in version 1, at the top
// from 2 on, and with the group from 8 on (B14). An offset that was committed for another topic of
// the same name is none, where the request names topics by id (B18).
//
// A request for stable offsets (version 7 on) is answered when everything that the coordinator had
// written before is replicated; others see what is replicated by now (B16).
//
// Left out: authorization, transactions.
func (b *Broker) offsetFetch(l *line, req *kmsg.OffsetFetchRequest) {
	r := kmsg.NewPtrOffsetFetchResponse()
	if req.Version < 8 {
		b.offsetsStable(req.RequireStable, req.Group, group.Asker{}, func(code wire.Code) {
			b.offsetFetchOne(req, r, code)
			l.reply(r)
		})
		return
	}
	r.Groups = make([]kmsg.OffsetFetchResponseGroup, len(req.Groups))
	open := len(req.Groups)
	for i := range req.Groups {
		q := &req.Groups[i]
		b.offsetsStable(req.RequireStable, q.Group, askerOf(q), func(code wire.Code) {
			r.Groups[i] = b.offsetFetchGroup(req, q, code)
			if open--; open == 0 {
				l.reply(r)
			}
		})
	}
	if len(req.Groups) == 0 {
		l.reply(r)
	}
}

func askerOf(q *kmsg.OffsetFetchRequestGroup) group.Asker {
	return group.Asker{MemberID: q.MemberID, Epoch: q.MemberEpoch}
}

// offsetsStable calls then when what the coordinator of a group has written so far is replicated, or
// with the reason why it cannot be known (B16). Who would be refused anyway need not wait.
func (b *Broker) offsetsStable(stable bool, id string, who group.Asker, then func(wire.Code)) {
	if !stable {
		then(wire.None)
		return
	}
	if _, code := b.groups.Offsets(id, []wire.TopicPartition{}, who); code != wire.None {
		then(code)
		return
	}
	r, code := b.check(b.image.partition(b.cluster.byName[OffsetsTopic], b.groups.Partition(id)), -1)
	if code != wire.None {
		then(stableError(code))
		return
	}
	r.await(r.log.LEO(), b.cluster.cfg.commitTimeout, func(code wire.Code) { then(stableError(code)) })
}

// stableError is how a wait for replication that failed is told to an OffsetFetch: old clients know
// what to do about NOT_COORDINATOR only (B17). Replicated with too few in sync is replicated.
func stableError(code wire.Code) wire.Code {
	if code == wire.None || code == wire.NotEnoughReplicasAfterAppend {
		return wire.None
	}
	return wire.NotCoordinator
}

func (b *Broker) offsetFetchOne(
	req *kmsg.OffsetFetchRequest, r *kmsg.OffsetFetchResponse, code wire.Code,
) {
	var tps []wire.TopicPartition
	if req.Topics != nil || req.Version < 2 {
		tps = []wire.TopicPartition{}
	}
	for i := range req.Topics {
		for _, p := range req.Topics[i].Partitions {
			tps = append(tps, wire.TopicPartition{Topic: req.Topics[i].Topic, Partition: p})
		}
	}
	var list []group.Offset
	if code == wire.None {
		list, code = b.groups.Offsets(req.Group, tps)
	}
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
	req *kmsg.OffsetFetchRequest, q *kmsg.OffsetFetchRequestGroup, code wire.Code,
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
	var list []group.Offset
	if code == wire.None {
		list, code = b.groups.Offsets(q.Group, tps, askerOf(q))
	}
	if code != wire.None {
		out.ErrorCode, out.Topics = int16(code), nil
		return out
	}
	for _, o := range list {
		if byID {
			t := b.cluster.byName[o.TP.Topic]
			switch {
			case t == nil: // it is gone, and its offsets are about to go
				continue
			case tps != nil && o.TopicID != [16]byte{} && o.TopicID != t.ID:
				o = group.Offset{TP: o.TP, Offset: -1, Epoch: -1}
			}
		}
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
