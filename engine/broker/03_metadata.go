package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// Metadata, key 3, versions 0-13.
//
// Tells the running brokers, the controller and the leaders of the topics asked for; no list means
// all topics. A topic that is not there is created if client and broker allow it, and answered
// UNKNOWN_TOPIC_OR_PARTITION this once (E34). A partition whose broker is down has leader -1 and
// LEADER_NOT_AVAILABLE (E25).
//
// Left out: authorized operations, racks.

// clusterID is the name of every cluster here.
const clusterID = "rebalance-lab"

// Port is the one that a broker is said to listen on unless it has an address of its own.
const Port = 9092

func (b *Broker) metadata(req *kmsg.MetadataRequest) *kmsg.MetadataResponse {
	c := b.cluster
	r := kmsg.NewPtrMetadataResponse()
	r.ControllerID = c.controller
	cluster := clusterID
	r.ClusterID = &cluster
	for _, n := range c.nodes {
		if n.broker != nil {
			m := kmsg.NewMetadataResponseBroker()
			m.NodeID, m.Host, m.Port = n.id, n.host, n.port
			r.Brokers = append(r.Brokers, m)
		}
	}
	if req.Topics == nil || req.Version == 0 && len(req.Topics) == 0 {
		for _, t := range c.topics {
			r.Topics = append(r.Topics, c.describe(t))
		}
		return r
	}
	for i := range req.Topics {
		r.Topics = append(r.Topics, b.describeAsked(req, &req.Topics[i]))
	}
	return r
}

func (b *Broker) describeAsked(
	req *kmsg.MetadataRequest, q *kmsg.MetadataRequestTopic,
) kmsg.MetadataResponseTopic {
	c := b.cluster
	missing := kmsg.NewMetadataResponseTopic()
	if q.Topic == nil {
		if t := c.byID[q.TopicID]; t != nil {
			return c.describe(t)
		}
		missing.TopicID, missing.ErrorCode = q.TopicID, int16(wire.UnknownTopicID)
		return missing
	}
	if t := c.byName[*q.Topic]; t != nil {
		return c.describe(t)
	}
	missing.Topic, missing.ErrorCode = q.Topic, int16(wire.UnknownTopicOrPartition)
	switch {
	case !validTopicName(*q.Topic):
		missing.ErrorCode = int16(wire.InvalidTopicException)
	case *q.Topic == OffsetsTopic:
		b.autoCreate(c.createOffsetsTopic())
	case c.cfg.autoCreate && (req.Version < 4 || req.AllowAutoTopicCreation):
		b.autoCreate(c.CreateTopic(TopicSpec{Name: *q.Topic, Partitions: c.cfg.partitions}))
	}
	return missing
}

// autoCreate: the topic was found missing and its name is right, so its creation cannot fail.
func (b *Broker) autoCreate(err error) {
	if err != nil {
		panic("broker: " + err.Error())
	}
}

func (c *Cluster) describe(t *Topic) kmsg.MetadataResponseTopic {
	out := kmsg.NewMetadataResponseTopic()
	name := t.Name
	out.Topic, out.TopicID, out.IsInternal = &name, t.ID, t.Internal
	out.Partitions = make([]kmsg.MetadataResponseTopicPartition, len(t.Partitions))
	for i, p := range t.Partitions {
		o := kmsg.NewMetadataResponseTopicPartition()
		o.Partition, o.Leader, o.LeaderEpoch = p.Index, p.Leader, p.Epoch
		o.Replicas, o.ISR = p.Replicas, p.ISR
		if p.Leader < 0 {
			o.ErrorCode = int16(wire.LeaderNotAvailable)
			o.OfflineReplicas = p.Replicas
		}
		out.Partitions[i] = o
	}
	return out
}
