package assign

import (
	"cmp"
	"slices"
)

// The assignors in this file are those of the Go client segmentio/kafka-go. Two of them have names
// that Java uses too, and different answers: whoever leads decides (S40, S41).

// KafkaGoRange is kafka-go's `range`: member i of c gets the partitions from i*n/c to (i+1)*n/c, so
// that what is left over goes to the last members, and topics are cut one by one (S40).
// [RangeGroupBalancer]
type KafkaGoRange struct{}

// Name implements [Assignor].
func (KafkaGoRange) Name() string { return "range" }

// Assign implements [Assignor].
func (KafkaGoRange) Assign(members []Member, topics []Topic) []MemberAssignment {
	return dealTopics(members, topics, func(partition, partitions, members int) int {
		return ((partition+1)*members - 1) / partitions
	})
}

// KafkaGoRoundRobin is kafka-go's `roundrobin`: it begins with the first member again for every
// topic (S41). [RoundRobinGroupBalancer]
type KafkaGoRoundRobin struct{}

// Name implements [Assignor].
func (KafkaGoRoundRobin) Name() string { return "roundrobin" }

// Assign implements [Assignor].
func (KafkaGoRoundRobin) Assign(members []Member, topics []Topic) []MemberAssignment {
	return dealTopics(members, topics, func(partition, _, members int) int { return partition % members })
}

// dealTopics deals every topic to its subscribers, sorted by id as Go compares strings. pick is the
// place of the subscriber who gets a partition.
func dealTopics(
	members []Member, topics []Topic, pick func(partition, partitions, members int) int,
) []MemberAssignment {
	result := empty(members)
	for _, topic := range byName(topics) {
		subscribers := subscribersOf(members, topic.Name)
		if len(subscribers) == 0 {
			continue
		}
		slices.SortFunc(subscribers, func(a, b int) int { return cmp.Compare(members[a].ID, members[b].ID) })
		for p := range topic.Partitions {
			got := &result[subscribers[pick(int(p), int(topic.Partitions), len(subscribers))]]
			got.Partitions = append(got.Partitions, TopicPartition{Topic: topic.Name, Partition: p})
		}
	}
	return result
}

// subscribersOf are the indexes of a topic's subscribers.
func subscribersOf(members []Member, topic string) []int {
	var subscribers []int
	for i := range members {
		if slices.Contains(members[i].Topics, topic) {
			subscribers = append(subscribers, i)
		}
	}
	return subscribers
}

// RackAffinity is kafka-go's `rack-affinity`: topic by topic, members first get partitions that are
// led in their rack, and then all get the same number, one more for some (S52). Members go in the
// order of the coordinator's list. kafka-go goes through the racks in no order; here it is theirs by
// name. [RackAffinityGroupBalancer]
type RackAffinity struct{}

// Name implements [Assignor].
func (RackAffinity) Name() string { return "rack-affinity" }

// UserData implements [Annotator]: the member's rack.
func (RackAffinity) UserData(rack string, _ *Memory) []byte { return []byte(rack) }

// Assign implements [Assignor].
func (RackAffinity) Assign(members []Member, topics []Topic) []MemberAssignment {
	result := empty(members)
	for _, topic := range byName(topics) {
		if subscribers := subscribersOf(members, topic.Name); len(subscribers) > 0 {
			newAffinity(members, subscribers, &topic).assign(result)
		}
	}
	return result
}

// affinity is one topic while it is dealt by racks.
type affinity struct {
	topic       *Topic
	subscribers []int
	// in are the subscribers of each rack, led the partitions that are led there.
	in  map[string][]int
	led map[string][]int32
	// got is what each subscriber has so far.
	got map[int][]int32
	// each is what every subscriber gets; extra is how many may still get one more.
	each, extra int
}

func newAffinity(members []Member, subscribers []int, topic *Topic) *affinity {
	n := int(topic.Partitions)
	a := &affinity{
		topic: topic, subscribers: subscribers, in: map[string][]int{}, led: map[string][]int32{},
		got: map[int][]int32{}, each: n / len(subscribers), extra: n % len(subscribers),
	}
	for _, m := range subscribers {
		rack := string(members[m].UserData)
		a.in[rack] = append(a.in[rack], m)
	}
	for p := range topic.Partitions {
		rack := ""
		if int(p) < len(topic.LeaderRacks) {
			rack = topic.LeaderRacks[p]
		}
		a.led[rack] = append(a.led[rack], p)
	}
	return a
}

func (a *affinity) assign(result []MemberAssignment) {
	var rest []int32
	for _, rack := range sortedKeys(a.led) {
		rest = append(rest, a.giveInRack(a.led[rack], a.in[rack])...)
	}
	for _, m := range a.subscribers {
		n := a.each - len(a.got[m])
		if n >= 0 && a.extra > 0 {
			n++
			a.extra--
		}
		if n > 0 {
			a.got[m] = append(a.got[m], rest[:n]...)
			rest = rest[n:]
		}
		slices.Sort(a.got[m])
		for _, p := range a.got[m] {
			result[m].Partitions = append(result[m].Partitions, TopicPartition{Topic: a.topic.Name, Partition: p})
		}
	}
}

// giveInRack gives one rack's partitions to the members there and returns what they cannot have:
// all the same number, at most each, then one more for some of them.
func (a *affinity) giveInRack(parts []int32, members []int) (rest []int32) {
	if len(members) == 0 {
		return parts
	}
	n := min(len(parts)/len(members), a.each)
	for _, m := range members {
		a.got[m] = append(a.got[m], parts[:n]...)
		parts = parts[n:]
	}
	more := len(parts)
	if n == a.each {
		more = min(more, a.extra, len(members))
		a.extra -= more
	}
	for i := range more {
		a.got[members[i]] = append(a.got[members[i]], parts[i])
	}
	return parts[more:]
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
