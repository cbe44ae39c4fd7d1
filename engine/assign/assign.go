package assign

import (
	"slices"

	"rebalancelab/engine/wire"
)

// TopicPartition names one partition of a topic.
type TopicPartition = wire.TopicPartition

// Member is a group member as the leader sees it.
type Member struct {
	ID string
	// InstanceID is the group.instance.id, empty for a dynamic member.
	InstanceID string
	Topics     []string
	// Owned are the partitions that the member says it holds, and Generation the one in which it
	// got them, -1 for none.
	Owned      []TopicPartition
	Generation int32
	// UserData is what the member's assignor of the same name has added, nil for nothing (D14).
	UserData []byte
	// Rack is empty for a member without client.rack.
	Rack string
}

// Topic is a topic as the leader's metadata has it.
type Topic struct {
	Name       string
	Partitions int32
	// Racks are the racks of each partition's replicas; nil when the brokers have none.
	Racks [][]string
	// LeaderRacks are the racks of each partition's leader, "" for a broker without one; nil when
	// none has.
	LeaderRacks []string
}

// MemberAssignment is what one member gets, ordered by topic and partition.
type MemberAssignment struct {
	ID         string
	Partitions []TopicPartition
}

// Assignor distributes partitions. The result has one entry for each member, in the order of
// members. Topics that are subscribed but not listed are skipped (D6), listed ones that nobody
// subscribed too. No result at all (nil for a group that has members) means that the assignor has
// failed, as one of the application's own may.
type Assignor interface {
	// Name is the group protocol's name on the wire (D4).
	Name() string
	Assign(members []Member, topics []Topic) []MemberAssignment
}

// Memory is what an assignor remembers in its member: the last assignment that was computed by an
// assignor of its name, and the generation of that.
type Memory struct {
	Partitions []TopicPartition
	Generation int32
}

// Annotator is an [Assignor] that writes user data into its member's subscription.
type Annotator interface {
	Assignor
	// UserData makes the user data of the next subscription of a member in that rack; last is nil
	// before its first assignment (D14).
	UserData(rack string, last *Memory) []byte
}

// Cooperator is an [Assignor] that may support the cooperative protocol besides the eager one (D4).
type Cooperator interface {
	Assignor
	Cooperative() bool
}

// Cooperative says whether a supports the cooperative protocol (D4).
func Cooperative(a Assignor) bool {
	c, ok := a.(Cooperator)
	return ok && c.Cooperative()
}

// assignors is the registry, by name.
var assignors = [...]Assignor{Range{}, RoundRobin{}, Sticky{}, CooperativeSticky{}, RackAffinity{}}

// Lookup finds an assignor by its name on the wire.
func Lookup(name string) (Assignor, bool) {
	for _, a := range assignors {
		if a.Name() == name {
			return a, true
		}
	}
	return nil, false
}

// Names are the names of all assignors.
func Names() []string {
	var names []string
	for _, a := range assignors {
		names = append(names, a.Name())
	}
	return names
}

// Assign is [Lookup] and then [Assignor.Assign]. It panics for an unknown name.
func Assign(name string, members []Member, topics []Topic) []MemberAssignment {
	a, ok := Lookup(name)
	if !ok {
		panic("assign: no assignor is named " + name)
	}
	return a.Assign(members, topics)
}

// order is the members' indexes in the order that range and round robin go by: static members
// first, by instance id, then dynamic ones by member id (D5).
func order(members []Member) []int {
	indexes := make([]int, len(members))
	for i := range indexes {
		indexes[i] = i
	}
	slices.SortFunc(indexes, func(i, j int) int { return compare(&members[i], &members[j]) })
	return indexes
}

func compare(a, b *Member) int {
	switch {
	case a.InstanceID != "" && b.InstanceID != "":
		return wire.CompareUTF16(a.InstanceID, b.InstanceID)
	case a.InstanceID != "":
		return -1
	case b.InstanceID != "":
		return 1
	}
	return wire.CompareUTF16(a.ID, b.ID)
}

// byName is the topics sorted by name.
func byName(topics []Topic) []Topic {
	sorted := slices.Clone(topics)
	slices.SortFunc(sorted, func(a, b Topic) int { return wire.CompareUTF16(a.Name, b.Name) })
	return sorted
}

// empty is the result before anything is assigned.
func empty(members []Member) []MemberAssignment {
	result := make([]MemberAssignment, len(members))
	for i := range members {
		result[i].ID = members[i].ID
	}
	return result
}
