package wire

import (
	"cmp"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TopicPartition names one partition of a topic.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// String is Java's form, such as "order_events-0".
func (tp TopicPartition) String() string { return tp.Topic + "-" + itoa(int64(tp.Partition)) }

// Compare orders by topic (as Java compares strings), then by partition.
func (tp TopicPartition) Compare(other TopicPartition) int {
	if c := CompareUTF16(tp.Topic, other.Topic); c != 0 {
		return c
	}
	return cmp.Compare(tp.Partition, other.Partition)
}

// SubscriptionVersion is the version in which the Java client of Kafka 4.3 writes its subscription
// and reads assignments.
const SubscriptionVersion int16 = 3

// Subscription is what a consumer sends as JoinGroup metadata (D1).
type Subscription struct {
	// Version 0 has topics and user data, 1 adds Owned, 2 Generation, 3 Rack.
	Version  int16
	Topics   []string
	UserData []byte
	// Owned are the partitions that the member still holds while it joins (KIP-429).
	Owned []TopicPartition
	// Generation is the one in which Owned was assigned, -1 for none (KIP-792).
	Generation int32
	// Rack is empty for a member without a rack (KIP-881).
	Rack string
}

// Assignment is what the leader sends as a member's SyncGroup assignment (D1).
type Assignment struct {
	Version    int16
	Partitions []TopicPartition
	UserData   []byte
}

// EncodeSubscription writes s in its version, topics and owned partitions sorted as Java does (D2).
func EncodeSubscription(s Subscription) []byte {
	topics := slices.Clone(s.Topics)
	slices.SortFunc(topics, CompareUTF16)
	owned := slices.Clone(s.Owned)
	slices.SortFunc(owned, TopicPartition.Compare)
	m := kmsg.ConsumerMemberMetadata{
		Version: s.Version, Topics: topics, UserData: s.UserData, Generation: s.Generation,
	}
	for _, g := range groupByTopic(owned) {
		m.OwnedPartitions = append(m.OwnedPartitions,
			kmsg.ConsumerMemberMetadataOwnedPartition{Topic: g.topic, Partitions: g.partitions})
	}
	if s.Rack != "" {
		m.Rack = &s.Rack
	}
	return m.AppendTo(nil)
}

// DecodeSubscription reads a subscription of any version; one above [SubscriptionVersion] is read
// as that version, since fields are only ever appended (D2). Generation is -1 before version 2.
func DecodeSubscription(b []byte) (Subscription, error) {
	m := kmsg.NewConsumerMemberMetadata()
	if err := m.ReadFrom(b); err != nil {
		return Subscription{}, err
	}
	s := Subscription{
		Version: m.Version, Topics: m.Topics, UserData: m.UserData, Generation: m.Generation,
	}
	owned := 0
	for i := range m.OwnedPartitions {
		owned += len(m.OwnedPartitions[i].Partitions)
	}
	s.Owned = slices.Grow(s.Owned, owned)
	for i := range m.OwnedPartitions {
		for _, p := range m.OwnedPartitions[i].Partitions {
			s.Owned = append(s.Owned, TopicPartition{m.OwnedPartitions[i].Topic, p})
		}
	}
	if m.Rack != nil {
		s.Rack = *m.Rack
	}
	return s, nil
}

// SubscribedTopics reads the topics of a subscription and nothing that later versions have added,
// as the group coordinator does: whatever follows may be unreadable (D3).
func SubscribedTopics(b []byte) ([]string, error) {
	v0 := slices.Clone(b)
	if len(v0) >= 2 {
		v0[0], v0[1] = 0, 0
	}
	m := kmsg.NewConsumerMemberMetadata()
	err := m.ReadFrom(v0)
	return m.Topics, err
}

// EncodeAssignment writes a in its version: topics in the order of their first partition.
func EncodeAssignment(a Assignment) []byte {
	m := kmsg.ConsumerMemberAssignment{Version: a.Version, UserData: a.UserData}
	for _, g := range groupByTopic(a.Partitions) {
		m.Topics = append(m.Topics,
			kmsg.ConsumerMemberAssignmentTopic{Topic: g.topic, Partitions: g.partitions})
	}
	return m.AppendTo(nil)
}

// DecodeAssignment reads an assignment. No bytes at all are an empty assignment: a leader that
// names no assignment for a member leaves it so.
func DecodeAssignment(b []byte) (Assignment, error) {
	if len(b) == 0 {
		return Assignment{}, nil
	}
	m := kmsg.NewConsumerMemberAssignment()
	if err := m.ReadFrom(b); err != nil {
		return Assignment{}, err
	}
	a := Assignment{Version: m.Version, UserData: m.UserData}
	for i := range m.Topics {
		for _, p := range m.Topics[i].Partitions {
			a.Partitions = append(a.Partitions, TopicPartition{m.Topics[i].Topic, p})
		}
	}
	return a, nil
}

type topicGroup struct {
	topic      string
	partitions []int32
}

// groupByTopic keeps the order of the topics' first appearance and of the partitions in a topic.
func groupByTopic(tps []TopicPartition) []topicGroup {
	var groups []topicGroup
	for _, tp := range tps {
		i := len(groups) - 1
		if i < 0 || groups[i].topic != tp.Topic { // else as with the partition before
			i = slices.IndexFunc(groups, func(g topicGroup) bool { return g.topic == tp.Topic })
		}
		if i < 0 {
			i = len(groups)
			groups = append(groups, topicGroup{topic: tp.Topic})
		}
		groups[i].partitions = append(groups[i].partitions, tp.Partition)
	}
	return groups
}
