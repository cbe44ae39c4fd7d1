package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// CreatePartitions, key 37, versions 0-3: a topic grows to a number of partitions.
//
// Left out: authorization, quotas.
func (b *Broker) createPartitions(req *kmsg.CreatePartitionsRequest) *kmsg.CreatePartitionsResponse {
	r := kmsg.NewPtrCreatePartitionsResponse()
	for i := range req.Topics {
		q := &req.Topics[i]
		out := kmsg.NewCreatePartitionsResponseTopic()
		out.Topic = q.Topic
		leaders, f := b.cluster.growthAsked(q)
		name := func(t *kmsg.CreatePartitionsRequestTopic) string { return t.Topic }
		if askedTwice(req.Topics, name, i) {
			f = refuse(wire.InvalidRequest, "topic %q is named twice", q.Topic)
		}
		if f == nil && !req.ValidateOnly {
			t := b.cluster.byName[q.Topic]
			for p := int32(len(t.Partitions)); p < q.Count; p++ {
				b.cluster.place(t, p, leaders)
			}
		}
		out.ErrorCode, out.ErrorMessage = f.answer()
		r.Topics = append(r.Topics, out)
	}
	return r
}

// growthAsked checks what is asked. The leaders are by partition; nil where the cluster places.
func (c *Cluster) growthAsked(q *kmsg.CreatePartitionsRequestTopic) (leaders []int32, f *fault) {
	t := c.byName[q.Topic]
	if t == nil {
		return nil, refuse(wire.UnknownTopicOrPartition, "there is no such topic")
	}
	have := int32(len(t.Partitions))
	if q.Count <= have {
		return nil, refuse(wire.InvalidPartitions,
			"topic %q has %d partitions already, and %d are no more", q.Topic, have, q.Count)
	}
	if len(q.Assignment) == 0 {
		return nil, nil
	}
	if int32(len(q.Assignment)) != q.Count-have {
		return nil, refuse(wire.InvalidReplicaAssignment, "%d partitions are new, %d are assigned",
			q.Count-have, len(q.Assignment))
	}
	for _, p := range t.Partitions {
		leaders = append(leaders, p.Replicas[0])
	}
	for _, a := range q.Assignment {
		if f := c.replicasFault(a.Replicas); f != nil {
			return nil, f
		}
		leaders = append(leaders, a.Replicas[0])
	}
	return leaders, nil
}
