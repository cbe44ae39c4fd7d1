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
	room := maxNewPartitions
	for i := range req.Topics {
		q := &req.Topics[i]
		out := kmsg.NewCreatePartitionsResponseTopic()
		out.Topic = q.Topic
		f := b.cluster.growthAsked(q)
		name := func(t *kmsg.CreatePartitionsRequestTopic) string { return t.Topic }
		if askedTwice(req.Topics, name, i) {
			f = refuse(wire.InvalidRequest, "topic %q is named twice", q.Topic)
		}
		if !b.decides() {
			f = refuse(wire.NotController, "broker %d is not the controller", b.id)
		}
		if f == nil {
			f = takeRoom(&room, q.Count-int32(len(b.cluster.byName[q.Topic].Partitions)))
		}
		if f == nil {
			var replicas [][]int32
			for _, a := range q.Assignment {
				replicas = append(replicas, a.Replicas)
			}
			f = b.cluster.addPartitions(q.Topic, q.Count, replicas, req.ValidateOnly)
		}
		out.ErrorCode, out.ErrorMessage = f.answer()
		r.Topics = append(r.Topics, out)
	}
	return r
}

// growthAsked checks what is asked.
func (c *Cluster) growthAsked(q *kmsg.CreatePartitionsRequestTopic) *fault {
	t := c.byName[q.Topic]
	if t == nil {
		return refuse(wire.UnknownTopicOrPartition, "there is no such topic")
	}
	have := int32(len(t.Partitions))
	switch {
	case q.Count <= have:
		return refuse(wire.InvalidPartitions,
			"topic %q has %d partitions already, and %d are no more", q.Topic, have, q.Count)
	case len(q.Assignment) > 0 && int32(len(q.Assignment)) != q.Count-have:
		return refuse(wire.InvalidReplicaAssignment, "%d partitions are new, %d are assigned",
			q.Count-have, len(q.Assignment))
	}
	for _, a := range q.Assignment {
		if len(a.Replicas) == 0 {
			return refuse(wire.InvalidReplicaAssignment, "a partition without replicas")
		}
	}
	return nil
}
