package assign

import "slices"

// Range gives each subscriber of a topic a run of neighbouring partitions; the first ones get one
// more if the number does not divide evenly (D7). Topics with equal partition counts and the same
// subscribers are thereby split alike, so that partition p of all of them has one owner.
//
// With racks, a member first gets partitions that have a replica in its rack, as long as sizes stay
// those of the plain rule; topics that are split alike stay so (D8, KIP-881).
type Range struct{}

// Name implements [Assignor].
func (Range) Name() string { return "range" }

// Assign implements [Assignor].
func (Range) Assign(members []Member, topics []Topic) []MemberAssignment {
	result := empty(members)
	sorted := order(members)
	var splits []*split
	for _, topic := range byName(topics) {
		if s := newSplit(topic, members, sorted); len(s.consumers) > 0 {
			splits = append(splits, s)
		}
	}
	if slices.ContainsFunc(splits, func(s *split) bool { return s.useRacks }) {
		matchRacks(splits, members)
	}
	for _, s := range splits {
		s.fill(func(int, int32) bool { return true })
	}
	for _, s := range splits {
		for p, c := range s.owner {
			got := &result[s.consumers[c]]
			got.Partitions = append(got.Partitions,
				TopicPartition{Topic: s.topic.Name, Partition: int32(p)})
		}
	}
	return result
}

// split is the state of one topic while it is being divided.
type split struct {
	topic Topic
	// consumers are the subscribers' indexes among the members, in order.
	consumers []int
	// owner is the consumer (an index into consumers) of each partition, -1 for none yet.
	owner []int
	// size is the number of partitions each consumer has so far.
	size []int
	// least is what every consumer gets; extra is how many may still get one more.
	least, extra int
	useRacks     bool
}

func newSplit(topic Topic, members []Member, sorted []int) *split {
	s := &split{topic: topic}
	for _, i := range sorted {
		if slices.Contains(members[i].Topics, topic.Name) {
			s.consumers = append(s.consumers, i)
		}
	}
	if len(s.consumers) == 0 {
		return s
	}
	s.owner = slices.Repeat([]int{-1}, int(topic.Partitions))
	s.size = make([]int, len(s.consumers))
	s.least = int(topic.Partitions) / len(s.consumers)
	s.extra = int(topic.Partitions) % len(s.consumers)
	s.useRacks = s.needsRacks(members)
	return s
}

// room is how many more partitions consumer c may get.
func (s *split) room(c int) int {
	n := s.least - s.size[c]
	if s.extra > 0 {
		n++
	}
	return max(n, 0)
}

func (s *split) give(c int, p int32) {
	s.owner[p] = c
	s.size[c]++
	if s.size[c] == s.least+1 {
		s.extra--
	}
}

// fill goes through the consumers once and gives each as many free partitions as it has room for
// and may have. The room is that at the consumer's turn.
func (s *split) fill(may func(c int, p int32) bool) {
	for c := range s.consumers {
		room := s.room(c)
		for p := int32(0); p < s.topic.Partitions && room > 0; p++ {
			if s.owner[p] < 0 && may(c, p) {
				s.give(c, p)
				room--
			}
		}
	}
}
