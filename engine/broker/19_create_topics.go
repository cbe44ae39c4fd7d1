package broker

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// CreateTopics, key 19, versions 2-7 (4 lets the brokers choose numbers, 5 tells what was chosen).
//
// A broker that is not the controller passes the request on to it. Topics are looked at
// one by one, in the controller's order of checks: named twice, there already, name, numbers,
// assignment, settings [ControllerApis, ReplicationControlManager].
//
// Left out: authorization, policies, quotas.
func (b *Broker) createTopics(req *kmsg.CreateTopicsRequest) *kmsg.CreateTopicsResponse {
	r := kmsg.NewPtrCreateTopicsResponse()
	room := maxNewPartitions
	for i := range req.Topics {
		q := &req.Topics[i]
		out := kmsg.NewCreateTopicsResponseTopic()
		out.Topic, out.NumPartitions, out.ReplicationFactor = q.Topic, -1, -1
		spec, f := b.cluster.topicAsked(q, &room)
		if !b.decides() {
			f = refuse(wire.NotController, "broker %d is not the controller", b.id)
		} else if askedTwice(req.Topics, func(t *kmsg.CreateTopicsRequestTopic) string { return t.Topic }, i) {
			f = refuse(wire.InvalidRequest, "topic %q is named twice", q.Topic)
		}
		if f == nil && !req.ValidateOnly {
			b.cluster.create(spec)
		}
		if f != nil {
			out.ErrorCode, out.ErrorMessage = f.answer()
		} else {
			b.cluster.tellCreated(&out, spec)
		}
		r.Topics = append(r.Topics, out)
	}
	return r
}

// maxNewPartitions is how many partitions a request may bring about: what the controller writes as
// one batch [ReplicationControlManager].
const maxNewPartitions int32 = 10_000

// takeRoom takes n of what a request may still bring about.
func takeRoom(room *int32, n int32) *fault {
	if n > *room {
		return refuse(wire.PolicyViolation, "more than %d new partitions", maxNewPartitions)
	}
	*room -= n
	return nil
}

// fault is an error with words for a person, as administrators get it.
type fault struct {
	code wire.Code
	text string
}

func refuse(code wire.Code, format string, args ...any) *fault {
	return &fault{code, fmt.Sprintf(format, args...)}
}

func (f *fault) Error() string { return f.text }

func (f *fault) answer() (int16, *string) {
	if f == nil {
		return 0, nil
	}
	return int16(f.code), &f.text
}

// askedTwice says whether the name of list[i] stands elsewhere in the list, too.
func askedTwice[T any](list []T, name func(*T) string, i int) bool {
	for j := range list {
		if j != i && name(&list[j]) == name(&list[i]) {
			return true
		}
	}
	return false
}

// topicAsked checks a topic that is asked for and says how it would be created; room is the number of partitions
// that the request may still bring about.
func (c *Cluster) topicAsked(q *kmsg.CreateTopicsRequestTopic, room *int32) (TopicSpec, *fault) {
	s := TopicSpec{Name: q.Topic, Partitions: q.NumPartitions}
	if f := c.nameFault(q.Topic); f != nil {
		return s, f
	}
	if len(q.ReplicaAssignment) > 0 {
		if f := c.assignmentAsked(q, &s); f != nil {
			return s, f
		}
	} else if f := c.numbersAsked(q, &s); f != nil {
		return s, f
	}
	cfg := c.cfg.topic
	for _, e := range q.Configs {
		if e.Value == nil {
			return s, refuse(wire.InvalidConfig, "%s has no value", e.Name)
		}
		s.Configs = append(s.Configs, Entry{e.Name, *e.Value})
		if err := cfg.apply(s.Configs[len(s.Configs)-1]); err != nil {
			return s, refuse(wire.InvalidConfig, "%v", err)
		}
	}
	if f := takeRoom(room, s.Partitions); f != nil {
		return s, f
	}
	placed, f := c.placement(&s, 0)
	s.Replicas = placed
	return s, f
}

// nameFault: metrics write '.' as '_', so that two names that differ in nothing else collide.
func (c *Cluster) nameFault(name string) *fault {
	if c.byName[name] != nil {
		return refuse(wire.TopicAlreadyExists, "topic %q exists already", name)
	}
	if !validTopicName(name) {
		return refuse(wire.InvalidTopicException, "%q is not a topic name", name)
	}
	plain := strings.ReplaceAll(name, ".", "_")
	for _, t := range c.topics {
		if strings.ReplaceAll(t.Name, ".", "_") == plain {
			return refuse(wire.InvalidTopicException, "topic %q collides with %q", name, t.Name)
		}
	}
	return nil
}

func (c *Cluster) numbersAsked(q *kmsg.CreateTopicsRequestTopic, s *TopicSpec) *fault {
	s.ReplicationFactor = int32(q.ReplicationFactor)
	switch {
	case q.ReplicationFactor == 0 || q.ReplicationFactor < -1:
		return refuse(wire.InvalidReplicationFactor, "replication factor %d", q.ReplicationFactor)
	case q.NumPartitions == 0 || q.NumPartitions < -1:
		return refuse(wire.InvalidPartitions, "%d partitions", q.NumPartitions)
	}
	if q.NumPartitions == -1 {
		s.Partitions = c.cfg.partitions
	}
	if q.ReplicationFactor == -1 {
		s.ReplicationFactor = c.cfg.replicationFactor
	}
	return nil
}

// assignmentAsked takes over a list of brokers for each partition.
func (c *Cluster) assignmentAsked(q *kmsg.CreateTopicsRequestTopic, s *TopicSpec) *fault {
	switch {
	case q.ReplicationFactor != -1:
		return refuse(wire.InvalidRequest, "both an assignment and a replication factor are given")
	case q.NumPartitions != -1:
		return refuse(wire.InvalidRequest, "both an assignment and a number of partitions are given")
	}
	s.Partitions = int32(len(q.ReplicaAssignment))
	s.Replicas = make([][]int32, s.Partitions)
	for _, a := range q.ReplicaAssignment {
		if a.Partition < 0 || a.Partition >= s.Partitions || s.Replicas[a.Partition] != nil {
			return refuse(wire.InvalidReplicaAssignment, "partitions are not numbered from 0 on")
		}
		if len(a.Replicas) == 0 {
			return refuse(wire.InvalidReplicaAssignment, "a partition without replicas")
		}
		s.Replicas[a.Partition] = a.Replicas
		s.ReplicationFactor = int32(len(a.Replicas))
	}
	return nil
}

// tellCreated fills in what a topic got, whether or not it was only tried.
func (c *Cluster) tellCreated(out *kmsg.CreateTopicsResponseTopic, s TopicSpec) {
	out.NumPartitions, out.ReplicationFactor = s.Partitions, int16(s.ReplicationFactor)
	if t := c.byName[s.Name]; t != nil {
		out.TopicID = t.ID
	}
	for _, d := range c.describeTopicConfig(s.Configs) {
		o := kmsg.NewCreateTopicsResponseTopicConfig()
		o.Name, o.Value, o.Source = d.key, &d.value, int8(d.source)
		out.Configs = append(out.Configs, o)
	}
}
