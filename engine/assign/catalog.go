package assign

import (
	"slices"
	"sort"
)

// catalog numbers the partitions of all subscribed topics from 0, by topic and partition, so that
// sticky assignors can keep what they know of a partition in plain arrays.
type catalog struct {
	topics []Topic
	// first is the number of each topic's partition 0; one entry more ends the last topic.
	first []int32
	index map[string]int32
}

// newCatalog lists the topics that have partitions and a subscriber (D6).
func newCatalog(members []Member, topics []Topic) *catalog {
	wanted := subscribedTopics(members)
	c := &catalog{index: make(map[string]int32, len(topics))}
	n := int32(0)
	for _, t := range byName(topics) {
		if t.Partitions > 0 && wanted[t.Name] {
			c.index[t.Name] = int32(len(c.topics))
			c.topics = append(c.topics, t)
			c.first = append(c.first, n)
			n += t.Partitions
		}
	}
	c.first = append(c.first, n)
	return c
}

func subscribedTopics(members []Member) map[string]bool {
	wanted := map[string]bool{}
	for i := range members {
		if i > 0 && slices.Equal(members[i].Topics, members[i-1].Topics) {
			continue
		}
		for _, name := range members[i].Topics {
			wanted[name] = true
		}
	}
	return wanted
}

// partitions is how many there are in all.
func (c *catalog) partitions() int { return int(c.first[len(c.topics)]) }

// topicOf is the topic (an index) of a partition's number.
func (c *catalog) topicOf(number int32) int32 {
	return int32(sort.Search(len(c.topics), func(t int) bool { return c.first[t+1] > number }))
}

// at turns a partition's number back into its name.
func (c *catalog) at(topic, number int32) TopicPartition {
	return TopicPartition{Topic: c.topics[topic].Name, Partition: number - c.first[topic]}
}

// numbers calls use with the number of each of the partitions that exists.
func (c *catalog) numbers(partitions []TopicPartition, use func(number int32)) {
	name, topic, ok := "", int32(0), false
	for i := range partitions {
		p := &partitions[i]
		if p.Topic != name || !ok {
			name = p.Topic
			topic, ok = c.index[name]
		}
		if ok && uint32(p.Partition) < uint32(c.topics[topic].Partitions) {
			use(c.first[topic] + p.Partition)
		}
	}
}

// lists gives every member its partitions by owner, which has a member or -1 for each partition's
// number. The lists are ordered by topic and partition.
func (c *catalog) lists(members []Member, owner []int32) []MemberAssignment {
	result := empty(members)
	sizes := make([]int32, len(members))
	for _, m := range owner {
		if m >= 0 {
			sizes[m]++
		}
	}
	all := make([]TopicPartition, 0, len(owner))
	for m := range result {
		if n := int(sizes[m]); n > 0 {
			result[m].Partitions = all[len(all) : len(all) : len(all)+n]
			all = all[:len(all)+n]
		}
	}
	for t := range c.topics {
		for number := c.first[t]; number < c.first[t+1]; number++ {
			if m := owner[number]; m >= 0 {
				got := &result[m]
				got.Partitions = append(got.Partitions, c.at(int32(t), number))
			}
		}
	}
	return result
}
