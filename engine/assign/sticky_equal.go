package assign

import "slices"

// equalSticky is the way taken when all members subscribe to the same topics.
// [AbstractStickyAssignor.ConstrainedAssignmentBuilder]
type equalSticky struct {
	*sticky
	// least is what every member gets; withExtra is how many get one more in the end, extra how
	// many have it so far.
	least            int
	withExtra, extra int
	size             []int32
	// under are the members that have fewer than least, exact those that have just that and may
	// still get one more. Both are sorted by id before anything new is given away.
	under, exact []int32
	// lostBy is the member that must give a partition up, -1 for none.
	lostBy []int32
}

func (s *equalSticky) assign() {
	n := len(s.members)
	s.least, s.withExtra = len(s.owner)/n, len(s.owner)%n
	s.size = make([]int32, n)
	s.moving = make([]bool, len(s.owner))
	s.lostBy = slices.Repeat([]int32{-1}, len(s.owner))
	owned, end := s.ownedLists()
	for _, m := range s.walk {
		s.keep(m, owned[end[m]:end[m+1]])
	}
	s.sortByID(s.under)
	s.sortByID(s.exact)
	free := s.free()
	if s.racks.inUse() {
		slices.SortStableFunc(free, func(a, b int32) int {
			return int(s.racks.consumers[a] - s.racks.consumers[b])
		})
		free = s.giveInRack(free)
	}
	s.giveAround(free)
	for _, m := range s.under {
		if int(s.size[m]) != s.least {
			panic("assign: sticky has left a member below its quota")
		}
	}
}

// ownedLists are the partitions that each member may keep, member after member, each list by number
// of the partition in its topic and then by topic: member m's is owned[end[m]:end[m+1]].
func (s *equalSticky) ownedLists() (owned, end []int32) {
	end = make([]int32, len(s.members)+1)
	for p, m := range s.had {
		if m < 0 || s.isDisputed(int32(p)) {
			s.had[p] = -1
			continue
		}
		if s.racks.mismatch(m, int32(p)) {
			s.lostBy[p], s.had[p] = m, -1
			continue
		}
		end[m+1]++
	}
	for m := range s.members {
		end[m+1] += end[m]
	}
	owned = make([]int32, end[len(s.members)])
	next := slices.Clone(end)
	s.byPartition(func(p int32) {
		if m := s.had[p]; m >= 0 {
			owned[next[m]] = p
			next[m]++
		}
	})
	return owned, end
}

// byPartition visits the partitions in the order of their number in the topic, then of the topic.
func (s *equalSticky) byPartition(visit func(p int32)) {
	topics := make([]int32, len(s.catalog.topics))
	for t := range topics {
		topics[t] = int32(t)
	}
	for n := int32(0); len(topics) > 0; n++ {
		left := topics[:0]
		for _, t := range topics {
			if n < s.catalog.topics[t].Partitions {
				visit(s.catalog.first[t] + n)
				left = append(left, t)
			}
		}
		topics = left
	}
}

// keep leaves a member what it owned: everything while that is below the least, one more than the
// least if it has that many and there are members left to get it, else the least.
func (s *equalSticky) keep(m int32, owned []int32) {
	most := s.least
	if s.withExtra > 0 {
		most++
	}
	switch {
	case len(owned) < s.least:
		s.under = append(s.under, m)
	case len(owned) >= most && s.extra < s.withExtra:
		s.extra++
		if s.extra == s.withExtra {
			s.exact = s.exact[:0]
		}
		s.lose(m, owned[most:])
		owned = owned[:most]
	default:
		s.lose(m, owned[s.least:])
		owned = owned[:s.least]
		if s.extra < s.withExtra {
			s.exact = append(s.exact, m)
		}
	}
	for _, p := range owned {
		s.owner[p] = m
	}
	s.size[m] = int32(len(owned))
}

func (s *equalSticky) lose(m int32, partitions []int32) {
	for _, p := range partitions {
		s.lostBy[p] = m
	}
}

// free are the partitions without owner, by topic and partition.
func (s *equalSticky) free() []int32 {
	var free []int32
	for p, m := range s.owner {
		if m < 0 {
			free = append(free, int32(p))
		}
	}
	return free
}

// giveAround deals the partitions around the members below the least and then, one each, to those
// that have just the least.
func (s *equalSticky) giveAround(free []int32) {
	// The circle is under; a member that is full leaves it, the others move up from read to write.
	read, write := 0, 0
	for _, p := range free {
		if read == len(s.under) {
			s.under = s.under[:write]
			read, write = 0, 0
		}
		if len(s.under) == 0 {
			if len(s.exact) == 0 {
				panic("assign: sticky has partitions left and no member with room")
			}
			s.give(p, s.exact[0])
			s.exact = s.exact[1:]
			continue
		}
		m := s.under[read]
		read++
		if s.give(p, m) == s.least {
			s.exact = append(s.exact, m)
			continue
		}
		s.under[write] = m
		write++
	}
	s.under = append(s.under[:write], s.under[read:]...)
}

// give makes m the owner and returns its new size. Whoever lost the partition must revoke it first,
// and so must those who dispute it.
func (s *equalSticky) give(p, m int32) int {
	s.owner[p] = m
	s.size[m]++
	if s.lostBy[p] >= 0 && s.lostBy[p] != m || s.isDisputed(p) {
		s.moving[p] = true
	}
	return int(s.size[m])
}

// giveInRack gives away what it can to members in the partition's racks and returns the rest.
// [assignRackAwareRoundRobin]
func (s *equalSticky) giveInRack(free []int32) (rest []int32) {
	at := 0
	for _, p := range free {
		if i := s.nextInRack(p, s.under, at); i >= 0 {
			at = s.giveUnder(p, i)
		} else if i := s.nextInRack(p, s.exact, 0); i >= 0 {
			s.giveExact(p, i)
		} else {
			rest = append(rest, p)
		}
	}
	return rest
}

// giveUnder gives p to the i-th member below the least; it returns where the circle goes on.
func (s *equalSticky) giveUnder(p int32, i int) int {
	m := s.under[i]
	if s.give(p, m) >= s.least {
		s.under = slices.Delete(s.under, i, i+1)
		if s.extra < s.withExtra {
			s.exact = append(s.exact, m)
		}
	} else {
		i++
	}
	if len(s.under) == 0 {
		return 0
	}
	return i % len(s.under)
}

// giveExact gives p to the i-th member that has just the least.
func (s *equalSticky) giveExact(p int32, i int) {
	s.give(p, s.exact[i])
	s.exact = slices.Delete(s.exact, i, i+1)
	s.extra++
	if s.extra == s.withExtra {
		s.exact = nil
	}
}

// nextInRack is the first member of the circle, from place at on, that is in a rack of p; -1 for
// none.
func (s *equalSticky) nextInRack(p int32, circle []int32, at int) int {
	for i := range circle {
		place := (at + i) % len(circle)
		if s.racks.match(circle[place], p) {
			return place
		}
	}
	return -1
}
