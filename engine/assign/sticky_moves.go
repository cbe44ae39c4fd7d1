package assign

import "rebalancelab/engine/wire"

// evenOut moves partitions to smaller members, round after round, until no move helps.
// [performReassignments]
func (s *mixedSticky) evenOut(movable []int32) (moved bool) {
	balanced := len(movable) == 0 || s.balanced()
	for again := true; again; {
		again = false
		for _, p := range movable {
			if balanced {
				break
			}
			if s.improve(p) {
				again, moved = true, true
				balanced = s.balanced()
			}
		}
	}
	return moved
}

// improve moves p back to its earlier owner, or a partition of its topic to the smallest
// subscriber, if the one that has it is larger by two or more.
func (s *mixedSticky) improve(p int32) bool {
	t := s.catalog.topicOf(p)
	size := s.size[s.owner[p]]
	// Java does not ask whether the earlier owner still subscribes, and its member would refuse.
	if m := s.earlier[p]; m >= 0 && s.wants[t].has(m) && size > s.size[m]+1 {
		s.reassign(t, p, m)
		return true
	}
	smallest := s.smallest(t)
	if size <= s.size[smallest]+1 {
		return false
	}
	s.reassign(t, p, smallest)
	return true
}

// smallest is the first in line of a topic's subscribers. It is asked for partition after partition
// and found anew only when a size has changed.
func (s *mixedSticky) smallest(t int32) int32 {
	known := &s.known[t]
	if known.resizes == s.resizes {
		return known.member
	}
	best := s.subscribers[t][0]
	for _, m := range s.subscribers[t][1:] {
		if s.compare(m, best) < 0 {
			best = m
		}
	}
	*known = smallestOf{s.resizes, best}
	return best
}

// reassign moves p to a member, or in its place another partition of the topic for which this is
// the way back. [reassignPartition, processPartitionMovement]
func (s *mixedSticky) reassign(t, p, to int32) {
	p = s.moves.instead(t, p, s.owner[p], to)
	from := s.owner[p]
	s.moves.record(t, p, from, to)
	s.owner[p] = to
	s.resize(from, -1)
	s.resize(to, +1)
}

// balanced says whether no member could take a partition from one that is larger by two or more.
func (s *mixedSticky) balanced() bool {
	if s.size[s.line[0]] >= s.size[s.line[len(s.line)-1]]-1 {
		return true
	}
	for range s.catalog.topics {
		if !s.evenTopic(int32(s.uneven)) {
			return false
		}
		s.uneven = (s.uneven + 1) % len(s.catalog.topics)
	}
	return true
}

func (s *mixedSticky) evenTopic(t int32) bool {
	if len(s.subscribers[t]) < 2 {
		return true
	}
	least := s.size[s.smallest(t)]
	for p := s.catalog.first[t]; p < s.catalog.first[t+1]; p++ {
		if s.size[s.owner[p]] > least+1 {
			return false
		}
	}
	return true
}

// movements remembers, topic by topic, which partitions have gone from which member to which, so
// that two members do not swap partitions of one topic. [PartitionMovements]
type movements struct {
	catalog *catalog
	// by is the pair of each partition that has moved.
	by map[int32]movePair
	// of is the partitions that each pair has moved.
	of map[movePair]*movedSet
}

type movePair struct{ topic, from, to int32 }

func newMovements(c *catalog) movements {
	return movements{catalog: c, by: map[int32]movePair{}, of: map[movePair]*movedSet{}}
}

// instead is the partition to move when p is to go from one member to another: one that has come
// the other way, if there is one.
func (m *movements) instead(topic, p, from, to int32) int32 {
	if pair, ok := m.by[p]; ok {
		from = pair.from
	}
	if set := m.of[movePair{topic, to, from}]; set != nil {
		return set.first(m.catalog)
	}
	return p
}

// record notes a movement; two of one partition become one, or none if it is back.
func (m *movements) record(topic, p, from, to int32) {
	if pair, ok := m.by[p]; ok {
		m.forget(p, pair)
		if pair.from == to {
			return
		}
		from = pair.from
	}
	pair := movePair{topic, from, to}
	m.by[p] = pair
	set := m.of[pair]
	if set == nil {
		set = &movedSet{topic: topic}
		m.of[pair] = set
	}
	set.add(p)
}

func (m *movements) forget(p int32, pair movePair) {
	delete(m.by, p)
	set := m.of[pair]
	set.remove(p)
	if len(set.members) == 0 {
		delete(m.of, pair)
	}
}

// movedSet is a Java HashSet of partitions of one topic.
type movedSet struct {
	topic   int32
	members []int32 // in order of insertion
	most    int     // that it ever had: the table does not shrink
}

func (s *movedSet) add(p int32) {
	s.members = append(s.members, p)
	s.most = max(s.most, len(s.members))
}

func (s *movedSet) remove(p int32) {
	for i := range s.members {
		if s.members[i] == p {
			s.members = append(s.members[:i], s.members[i+1:]...)
			return
		}
	}
}

// first is the one that a walk over the set meets first.
func (s *movedSet) first(c *catalog) int32 {
	topic := wire.JavaHash(c.topics[s.topic].Name)
	return wire.JavaOrder(s.members, wire.JavaTable(s.most), func(p int32) int32 {
		return 31*(31+p-c.first[s.topic]) + topic // TopicPartition.hashCode
	})[0]
}
