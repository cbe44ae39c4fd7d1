package assign

import (
	"slices"

	"rebalancelab/engine/wire"
)

// Sticky balances the group and lets members keep what they had as far as balance allows (D10,
// D13). It is eager: everybody gives up everything first, and what a member had comes from its user
// data. [StickyAssignor]
type Sticky struct{}

// Name implements [Assignor].
func (Sticky) Name() string { return "sticky" }

// Assign implements [Assignor].
func (Sticky) Assign(members []Member, topics []Topic) []MemberAssignment {
	s := newSticky(members, topics, stickyClaim)
	s.assign()
	return s.catalog.lists(members, s.owner)
}

// UserData implements [Annotator]: the last assignment and its generation; nothing before the
// first.
func (Sticky) UserData(_ string, last *Memory) []byte {
	if last == nil {
		return nil
	}
	return wire.EncodeStickyUserData(wire.StickyUserData{
		Previous: last.Partitions, Generation: last.Generation, HasGeneration: true,
	})
}

// CooperativeSticky balances as [Sticky] does, by what members own, and then holds back every
// partition that somebody must give up first: nobody gets it in this round, and its owner's rejoin
// starts the next (D15). [CooperativeStickyAssignor]
type CooperativeSticky struct{}

// Name implements [Assignor].
func (CooperativeSticky) Name() string { return "cooperative-sticky" }

// Cooperative implements [Cooperator].
func (CooperativeSticky) Cooperative() bool { return true }

// Assign implements [Assignor].
func (CooperativeSticky) Assign(members []Member, topics []Topic) []MemberAssignment {
	s := newSticky(members, topics, cooperativeClaim)
	s.assign()
	s.holdBack()
	return s.catalog.lists(members, s.owner)
}

// UserData implements [Annotator]: the generation of the last assignment.
func (CooperativeSticky) UserData(_ string, last *Memory) []byte {
	generation := wire.NoGeneration
	if last != nil {
		generation = last.Generation
	}
	return wire.EncodeCooperativeUserData(generation)
}

// sticky is the state of one assignment, shared by both ways to compute it. Members are indexes
// into members, partitions are the numbers that catalog gives.
type sticky struct {
	members []Member
	catalog *catalog
	claims  []claim
	// walk is the members in the order of Java's map of subscriptions (D11).
	walk  []int32
	racks rackTable

	// had is each partition's owner before this round, where that can be believed; -1 for none.
	had []int32
	// disputed are the partitions that two members of one generation claim; nil for none.
	disputed []bool
	// owner is the result; -1 for none yet.
	owner []int32
	// moving are the partitions that must be given up before their new owner can have them. The
	// general way leaves it nil: there, ownership tells.
	moving []bool
}

func newSticky(members []Member, topics []Topic, read func(*Member) claim) *sticky {
	s := &sticky{members: members, catalog: newCatalog(members, topics)}
	s.claims = make([]claim, len(members))
	walk := make([]int32, len(members))
	for i := range members {
		s.claims[i] = read(&members[i])
		walk[i] = int32(i)
	}
	s.walk = wire.JavaOrder(walk, wire.JavaTable(len(walk)), func(i int32) int32 {
		return wire.JavaHash(members[i].ID)
	})
	s.racks = newRackTable(members, s.catalog)
	s.owner = slices.Repeat([]int32{-1}, s.catalog.partitions())
	return s
}

func (s *sticky) assign() {
	if len(s.members) == 0 {
		return
	}
	s.believe()
	if s.equalSubscriptions() {
		(&equalSticky{sticky: s}).assign()
	} else {
		newMixedSticky(s).assign()
	}
}

// sortByID sorts members by their ids, static ones too.
func (s *sticky) sortByID(list []int32) {
	slices.SortFunc(list, func(a, b int32) int {
		return wire.CompareUTF16(s.members[a].ID, s.members[b].ID)
	})
}

func (s *sticky) equalSubscriptions() bool {
	first := s.members[0].Topics
	var sorted []string
	for i := range s.members {
		topics := s.members[i].Topics
		if slices.Equal(topics, first) {
			continue
		}
		if sorted == nil {
			sorted = slices.Sorted(slices.Values(first))
		}
		if !slices.Equal(slices.Sorted(slices.Values(topics)), sorted) {
			return false
		}
	}
	return true
}

// believe finds out who had what. Of two claimants the one of the higher generation is right; two
// of the same generation are both wrong. What Java compares is the generation in the present
// member's claim with that in the earlier claimant's subscription.
// [AbstractStickyAssignor.allSubscriptionsEqual]
func (s *sticky) believe() {
	s.had = slices.Repeat([]int32{-1}, s.catalog.partitions())
	claimant := slices.Repeat([]int32{-1}, s.catalog.partitions())
	for _, m := range s.walk {
		generation := s.claims[m].generation
		s.catalog.numbers(s.claims[m].partitions, func(p int32) {
			earlier := wire.NoGeneration
			if claimant[p] >= 0 {
				earlier = max(earlier, s.members[claimant[p]].Generation)
			}
			switch {
			case claimant[p] < 0 || generation > earlier:
				s.had[p], claimant[p] = m, m
			case generation == earlier:
				s.had[p], claimant[p] = -1, m
				s.dispute(p)
			}
		})
	}
}

func (s *sticky) dispute(p int32) {
	if s.disputed == nil {
		s.disputed = make([]bool, s.catalog.partitions())
	}
	s.disputed[p] = true
}

func (s *sticky) isDisputed(p int32) bool { return s.disputed != nil && s.disputed[p] }

// holdBack takes away what must be revoked first (D15). [CooperativeStickyAssignor.adjustAssignment]
func (s *sticky) holdBack() {
	moving := s.moving
	if moving == nil {
		moving = s.takenFromOwners()
	}
	for p := range s.owner {
		if moving[p] {
			s.owner[p] = -1
		}
	}
}

// takenFromOwners are the partitions that one member says it owns and another is to get.
func (s *sticky) takenFromOwners() []bool {
	taken := make([]bool, len(s.owner))
	added := make([]bool, len(s.owner))
	for p := range added {
		added[p] = s.owner[p] >= 0
	}
	for m := range s.members {
		s.catalog.numbers(s.members[m].Owned, func(p int32) {
			if s.owner[p] == int32(m) {
				added[p] = false
			} else {
				taken[p] = true
			}
		})
	}
	for p := range taken {
		taken[p] = taken[p] && added[p]
	}
	return taken
}
