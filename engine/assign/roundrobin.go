package assign

import "slices"

// RoundRobin deals all partitions of all topics, in order, around one circle of sorted members. A
// member that has not subscribed to a topic is passed over, and the circle moves on (D9).
type RoundRobin struct{}

// Name implements [Assignor].
func (RoundRobin) Name() string { return "roundrobin" }

// Assign implements [Assignor].
func (RoundRobin) Assign(members []Member, topics []Topic) []MemberAssignment {
	result := empty(members)
	circle := order(members)
	at := 0
	for _, topic := range byName(topics) {
		if !subscribed(members, topic.Name) {
			continue
		}
		for p := range topic.Partitions {
			for !slices.Contains(members[circle[at]].Topics, topic.Name) {
				at = (at + 1) % len(circle)
			}
			got := &result[circle[at]]
			got.Partitions = append(got.Partitions, TopicPartition{Topic: topic.Name, Partition: p})
			at = (at + 1) % len(circle)
		}
	}
	return result
}

func subscribed(members []Member, topic string) bool {
	return slices.ContainsFunc(members, func(m Member) bool {
		return slices.Contains(m.Topics, topic)
	})
}
