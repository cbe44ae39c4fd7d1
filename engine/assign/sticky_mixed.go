package assign

import "slices"

// mixedSticky is the way taken when members subscribe to different topics: keep what is valid, give
// the rest to the smallest member that may have it, then move partitions while that evens sizes out
// (D13). [AbstractStickyAssignor.GeneralAssignmentBuilder]
type mixedSticky struct {
	*sticky
	// subscribers are the members of each topic, and wants the same as a set of bits per topic.
	subscribers [][]int32
	wants       []bits
	rank        []int32
	size        []int32
	// line is the members that take part, by size and then by id.
	line []int32
	// earlier is the member that had a partition in an older generation, -1 for none.
	earlier []int32
	// revoked says that a member had something it may not keep.
	revoked bool
	moves   movements
	// resizes counts the changes of any size; known are the smallest subscribers found so far.
	resizes int
	known   []smallestOf
	// uneven is the topic that was last found to allow a better balance.
	uneven int
}

func newMixedSticky(s *sticky) *mixedSticky {
	n := len(s.members)
	x := &mixedSticky{
		sticky: s, rank: make([]int32, n), size: make([]int32, n),
		resizes: 1, known: make([]smallestOf, len(s.catalog.topics)),
	}
	x.subscribers = make([][]int32, len(s.catalog.topics))
	x.wants = make([]bits, len(s.catalog.topics))
	for t := range x.wants {
		x.wants[t] = newBits(n)
	}
	for m := range s.members {
		for _, name := range s.members[m].Topics {
			if t, ok := s.catalog.index[name]; ok && !x.wants[t].has(int32(m)) {
				x.subscribers[t] = append(x.subscribers[t], int32(m))
				x.wants[t].set(int32(m))
			}
		}
	}
	byID := slices.Clone(s.walk)
	s.sortByID(byID)
	for r, m := range byID {
		x.rank[m] = int32(r)
	}
	x.moves = newMovements(s.catalog)
	return x
}

func (s *mixedSticky) assign() {
	s.findEarlier()
	s.keep()
	all := s.bySubscribers()
	free := all
	if slices.ContainsFunc(s.owner, func(m int32) bool { return m >= 0 }) {
		free = slices.DeleteFunc(slices.Clone(all), func(p int32) bool { return s.owner[p] >= 0 })
	}
	for m := range s.members {
		s.join(int32(m))
	}
	s.balance(all, free)
}

// findEarlier notes who had a partition in a generation below the highest: it gets the partition
// back if that helps. [prepopulateCurrentAssignments]
func (s *mixedSticky) findEarlier() {
	newest := int32(-1)
	for m := range s.claims {
		newest = max(newest, s.claims[m].generation)
	}
	s.earlier = slices.Repeat([]int32{-1}, len(s.owner))
	generation := make([]int32, len(s.owner))
	for _, m := range s.walk {
		c := &s.claims[m]
		if c.generation >= newest {
			continue
		}
		s.catalog.numbers(c.partitions, func(p int32) {
			if s.earlier[p] < 0 || c.generation > generation[p] {
				s.earlier[p], generation[p] = m, c.generation
			}
		})
	}
}

// keep leaves members what they had and may still have. [assignOwnedPartitions]
func (s *mixedSticky) keep() {
	for t := range s.catalog.topics {
		for p := s.catalog.first[t]; p < s.catalog.first[t+1]; p++ {
			m := s.had[p]
			switch {
			case m < 0:
			case !s.wants[t].has(m) || s.racks.mismatch(m, p):
				s.revoked = true
			default:
				s.owner[p] = m
				s.size[m]++
			}
		}
	}
}

// bySubscribers are all partitions, those of topics with the fewest subscribers first.
func (s *mixedSticky) bySubscribers() []int32 {
	topics := make([]int32, len(s.catalog.topics))
	for t := range topics {
		topics[t] = int32(t)
	}
	slices.SortStableFunc(topics, func(a, b int32) int {
		return len(s.subscribers[a]) - len(s.subscribers[b])
	})
	all := make([]int32, 0, len(s.owner))
	for _, t := range topics {
		for p := s.catalog.first[t]; p < s.catalog.first[t+1]; p++ {
			all = append(all, p)
		}
	}
	return all
}

// balance gives away what is free and then evens sizes out, unless that ends no better than it
// began.
func (s *mixedSticky) balance(all, free []int32) {
	initial := s.size[s.line[len(s.line)-1]] == 0
	rest := free
	if s.racks.inUse() {
		rest = slices.DeleteFunc(slices.Clone(free), func(p int32) bool {
			return s.giveToSmallest(p, func(m int32) bool { return !s.racks.mismatch(m, p) })
		})
	}
	for _, p := range rest {
		s.giveToSmallest(p, func(int32) bool { return true })
	}
	movable := func(list []int32) []int32 {
		return slices.DeleteFunc(slices.Clone(list), func(p int32) bool {
			return len(s.subscribers[s.catalog.topicOf(p)]) < 2
		})
	}
	s.line = slices.DeleteFunc(s.line, s.isFixed)
	before := slices.Clone(s.owner)
	score := s.score()
	if !s.revoked {
		s.evenOut(movable(free))
	}
	changed := s.evenOut(movable(all))
	if !initial && changed && s.score() >= score {
		s.owner = before
	}
}

// giveToSmallest gives p to the smallest member that subscribes to it and that may have it.
func (s *mixedSticky) giveToSmallest(p int32, may func(m int32) bool) bool {
	t := s.catalog.topicOf(p)
	for _, m := range s.line {
		if s.wants[t].has(m) && may(m) {
			s.resize(m, +1)
			s.owner[p] = m
			return true
		}
	}
	return false
}

// isFixed says whether a member can neither give nor take: nobody else may have what it may have.
func (s *mixedSticky) isFixed(m int32) bool {
	for t := range s.catalog.topics {
		if s.wants[t].has(m) && len(s.subscribers[t]) >= 2 {
			return false
		}
	}
	return true
}

// score is the sum of the differences in size of all pairs of members that take part: 0 is a
// perfect balance.
func (s *mixedSticky) score() int {
	sizes := make([]int, len(s.line))
	for i, m := range s.line {
		sizes[i] = int(s.size[m])
	}
	slices.Sort(sizes)
	score, below := 0, 0
	for i, n := range sizes {
		score += n*i - below
		below += n
	}
	return score
}
