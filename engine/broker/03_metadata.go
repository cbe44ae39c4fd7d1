package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// Metadata, key 3, versions 0-13.
//
// Tells the brokers, the controller and the leaders of the topics asked for, as this broker knows
// them; no list means all topics. A topic that is not there is created if client and broker allow
// it, and answered UNKNOWN_TOPIC_OR_PARTITION this once (E34). A partition without leader has leader
// -1 and LEADER_NOT_AVAILABLE (E25).
//
// Left out: authorized operations.

// clusterID is the name of every cluster here.
const clusterID = "rebalance-lab"

// Port is the one that a broker is said to listen on unless it has an address of its own.
const Port = 9092

func (b *Broker) metadata(req *kmsg.MetadataRequest) *kmsg.MetadataResponse {
	c := b.cluster
	r := kmsg.NewPtrMetadataResponse()
	r.ControllerID = b.knownController()
	cluster := clusterID
	r.ClusterID = &cluster
	for _, n := range c.nodes {
		if b.image.unfenced(n.id) {
			m := kmsg.NewMetadataResponseBroker()
			m.NodeID, m.Host, m.Port = n.id, n.host, n.port
			if n.rack != "" {
				m.Rack = &n.rack
			}
			r.Brokers = append(r.Brokers, m)
		}
	}
	if req.Topics == nil || req.Version == 0 && len(req.Topics) == 0 {
		for _, t := range c.topics {
			if b.image.knows(t) {
				r.Topics = append(r.Topics, b.describe(t))
			}
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
		if t := c.byID[q.TopicID]; b.image.knows(t) {
			return b.describe(t)
		}
		missing.TopicID, missing.ErrorCode = q.TopicID, int16(wire.UnknownTopicID)
		return missing
	}
	if t := c.byName[*q.Topic]; b.image.knows(t) {
		return b.describe(t)
	}
	missing.Topic, missing.ErrorCode = q.Topic, int16(wire.UnknownTopicOrPartition)
	switch {
	case !validTopicName(*q.Topic):
		missing.ErrorCode = int16(wire.InvalidTopicException)
	case *q.Topic == OffsetsTopic:
		b.autoCreate(c.offsetsSpec())
	case c.cfg.autoCreate && (req.Version < 4 || req.AllowAutoTopicCreation):
		b.autoCreate(TopicSpec{
			Name: *q.Topic, Partitions: c.cfg.partitions, ReplicationFactor: c.cfg.replicationFactor,
		})
	}
	return missing
}

// autoCreate creates a topic that was found missing, or asks the controller to.
func (b *Broker) autoCreate(spec TopicSpec) {
	if b.cluster.settles() || b.controls() {
		// Another broker may have been quicker, or too few brokers live for the replicas: the client
		// asks again either way.
		_ = b.cluster.CreateTopic(spec)
		return
	}
	q := kmsg.NewPtrCreateTopicsRequest()
	q.Version = wire.Pick(wire.KeyCreateTopics)
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions = spec.Name, spec.Partitions
	t.ReplicationFactor = int16(spec.ReplicationFactor)
	for _, e := range spec.Configs {
		c := kmsg.NewCreateTopicsRequestTopicConfig()
		c.Name, c.Value = e.Key, &e.Value
		t.Configs = append(t.Configs, c)
	}
	q.Topics = append(q.Topics, t)
	b.askController("forwarding", q, func(kmsg.Response) {}) // the client asks again in any case
}

func (b *Broker) describe(t *Topic) kmsg.MetadataResponseTopic {
	out := kmsg.NewMetadataResponseTopic()
	name := t.Name
	out.Topic, out.TopicID, out.IsInternal = &name, t.ID, t.Internal
	states := b.image.statesOf(t)
	out.Partitions = make([]kmsg.MetadataResponseTopicPartition, len(states))
	for i, s := range states {
		o := kmsg.NewMetadataResponseTopicPartition()
		o.Partition, o.Leader, o.LeaderEpoch = int32(i), s.Leader, s.Epoch
		o.Replicas, o.ISR = s.Replicas, s.ISR
		for _, id := range s.Replicas {
			if !b.image.unfenced(id) {
				o.OfflineReplicas = append(o.OfflineReplicas, id)
			}
		}
		if s.Leader < 0 {
			o.ErrorCode = int16(wire.LeaderNotAvailable)
		}
		out.Partitions[i] = o
	}
	return out
}
