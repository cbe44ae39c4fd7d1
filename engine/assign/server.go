package assign

import (
	"bytes"
	"cmp"
	"slices"

	"rebalancelab/engine/wire"
)

// TopicID is a topic's id (KIP-516).
type TopicID = [16]byte

// TopicIDPartition names one partition by its topic's id.
type TopicIDPartition struct {
	Topic     TopicID
	Partition int32
}

// Compare orders by the bytes of the topic id, then by partition.
func (p TopicIDPartition) Compare(other TopicIDPartition) int {
	if c := bytes.Compare(p.Topic[:], other.Topic[:]); c != 0 {
		return c
	}
	return cmp.Compare(p.Partition, other.Partition)
}

// GroupMember is a member of a consumer group as the group coordinator sees it.
type GroupMember struct {
	ID string
	// InstanceID is empty for a dynamic member.
	InstanceID string
	Rack       string
	// Topics are the ids of the topics that the member subscribes to and that exist, each once.
	Topics []TopicID
	// Target is the member's present target assignment. A new static member has that of the member
	// whose place it takes.
	Target []TopicIDPartition
}

// GroupTopic is a topic that some member subscribes to.
type GroupTopic struct {
	ID         TopicID
	Partitions int32
	// Racks are the racks of each partition's replicas. No assignor of Kafka 4.3 reads them (F15).
	Racks [][]string
}

// GroupSpec is all that a server-side assignor knows of a group.
type GroupSpec struct {
	Members []GroupMember
	Topics  []GroupTopic
	// Heterogeneous says that the members do not all name the same topics, be they there or not.
	Heterogeneous bool
}

// TargetAssignment is what one member should have, ordered by [TopicIDPartition.Compare].
type TargetAssignment struct {
	ID         string
	Partitions []TopicIDPartition
}

// ServerAssignor is an assignor of the group coordinator (KIP-848). The result has one entry for
// each member, in the order of the spec's members. It panics for a spec that contradicts itself: a
// subscribed topic that is not listed, or different subscriptions in a homogeneous group.
type ServerAssignor interface {
	// Name is the name in group.remote.assignor and group.consumer.assignors.
	Name() string
	AssignGroup(spec GroupSpec) []TargetAssignment
}

// serverAssignors is group.consumer.assignors: the first is the default (F5).
var serverAssignors = [...]ServerAssignor{Uniform{}, ServerRange{}}

// LookupServer finds a server-side assignor by name.
func LookupServer(name string) (ServerAssignor, bool) {
	for _, a := range serverAssignors {
		if a.Name() == name {
			return a, true
		}
	}
	return nil, false
}

// ServerNames are the names of all server-side assignors, the default first (F5).
func ServerNames() []string {
	var names []string
	for _, a := range serverAssignors {
		names = append(names, a.Name())
	}
	return names
}

// groupTopics are the topics of a spec by id.
type groupTopics map[TopicID]*GroupTopic

// check indexes the topics and panics for a spec that contradicts itself.
func (s *GroupSpec) check() groupTopics {
	topics := make(groupTopics, len(s.Topics))
	for i := range s.Topics {
		topics[s.Topics[i].ID] = &s.Topics[i]
	}
	for i := range s.Members {
		for _, id := range s.Members[i].Topics {
			if topics[id] == nil {
				panic("assign: a member subscribes to a topic that is not listed")
			}
		}
		if !s.Heterogeneous && !sameTopics(s.Members[0].Topics, s.Members[i].Topics) {
			panic("assign: different subscriptions in a homogeneous group")
		}
	}
	return topics
}

func sameTopics(a, b []TopicID) bool {
	if slices.Equal(a, b) {
		return true
	}
	a, b = slices.Clone(a), slices.Clone(b)
	order := func(x, y TopicID) int { return bytes.Compare(x[:], y[:]) }
	slices.SortFunc(a, order)
	slices.SortFunc(b, order)
	return slices.Equal(a, b)
}

// walk is the members' indexes in the order in which the coordinator's map of members gives them.
func (s *GroupSpec) walk() []int {
	indexes := make([]int, len(s.Members))
	for i := range indexes {
		indexes[i] = i
	}
	return wire.JavaOrder(indexes, wire.JavaTable(len(indexes)), func(i int) int32 {
		return wire.JavaHash(s.Members[i].ID)
	})
}

// results are the assignments in the order of the spec's members, each sorted.
func (s *GroupSpec) results(given [][]TopicIDPartition) []TargetAssignment {
	out := make([]TargetAssignment, len(s.Members))
	for i := range out {
		slices.SortFunc(given[i], TopicIDPartition.Compare)
		out[i] = TargetAssignment{ID: s.Members[i].ID, Partitions: given[i]}
	}
	return out
}
