package assign

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/wire"
)

// story plays one group that changes at random; the seed is in the name of each failure.
type story struct {
	*rand.Rand
	t        *testing.T
	assignor string
	mixed    bool
	topics   []Topic
	members  []Member
	born     int
}

func newStory(t *testing.T, assignor string, seed uint64, mixed bool) *story {
	s := &story{Rand: rand.New(rand.NewPCG(seed, 9)), t: t, assignor: assignor, mixed: mixed}
	for i := range 1 + s.IntN(5) {
		s.topics = append(s.topics, Topic{Name: fmt.Sprint("t", i), Partitions: int32(1 + s.IntN(9))})
	}
	for range 1 + s.IntN(6) {
		s.join()
	}
	return s
}

func (s *story) join() {
	s.born++
	m := Member{ID: fmt.Sprintf("m%d-%08x", s.IntN(10), s.Uint32()), Generation: wire.NoGeneration}
	for _, t := range s.topics {
		if !s.mixed || s.IntN(3) > 0 || len(m.Topics) == 0 {
			m.Topics = append(m.Topics, t.Name)
		}
	}
	s.members = append(s.members, m)
}

func (s *story) leave() { i := s.IntN(len(s.members)); s.members = slices.Delete(s.members, i, i+1) }

// settle plays rounds until nobody has to give anything up, and checks each.
func (s *story) settle() {
	for range 2 {
		owner := s.owners()
		round(s.assignor, s.members, s.topics)
		for _, m := range s.members {
			for _, tp := range m.Owned {
				before, owned := owner[tp]
				if s.assignor == "cooperative-sticky" && owned {
					require.Equal(s.t, before, m.ID, "%v goes to another while it is owned", tp)
				}
			}
		}
	}
	s.checkComplete()
}

func (s *story) owners() map[TopicPartition]string {
	owner := map[TopicPartition]string{}
	for _, m := range s.members {
		for _, tp := range m.Owned {
			require.NotContains(s.t, owner, tp, "two owners")
			require.Contains(s.t, m.Topics, tp.Topic, "%s has not subscribed", m.ID)
			owner[tp] = m.ID
		}
	}
	return owner
}

// checkComplete: every partition of a subscribed topic has one owner, and sizes are even where all
// may have everything.
func (s *story) checkComplete() {
	want := 0
	for _, topic := range s.topics {
		if len(subscribersOf(s.members, topic.Name)) > 0 {
			want += int(topic.Partitions)
		}
	}
	require.Len(s.t, s.owners(), want)
	if s.mixed {
		return
	}
	for _, m := range s.members {
		n := len(m.Owned)
		require.GreaterOrEqual(s.t, n, want/len(s.members))
		require.LessOrEqual(s.t, n, (want+len(s.members)-1)/len(s.members))
	}
}

// moved are the partitions of owner that have another now.
func (s *story) moved(owner map[TopicPartition]string) int {
	n := 0
	for tp, now := range s.owners() {
		if before, ok := owner[tp]; ok && before != now {
			n++
		}
	}
	return n
}

// stories runs play with both sticky assignors, many seeds, equal and mixed subscriptions.
func stories(t *testing.T, play func(s *story)) {
	for _, assignor := range []string{"sticky", "cooperative-sticky"} {
		for seed := range uint64(150) {
			for _, mixed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s seed %d mixed %v", assignor, seed, mixed), func(t *testing.T) {
					play(newStory(t, assignor, seed, mixed))
				})
			}
		}
	}
}

func TestStickyGivesEveryPartitionOnceAndEvenly(t *testing.T) { // D10, D13, D15
	stories(t, func(s *story) {
		s.settle()
		for range 6 {
			switch {
			case s.IntN(2) == 0 || len(s.members) == 1:
				s.join()
			case s.IntN(3) == 0:
				s.topics[0].Partitions++
			default:
				s.leave()
			}
			s.settle()
		}
	})
}

func TestStickyMovesAsLittleAsBalanceAllows(t *testing.T) { // D10, S42, S44, R10
	stories(t, func(s *story) {
		if s.mixed {
			return
		}
		s.settle()
		for range 4 {
			before := s.owners()
			s.join()
			s.settle()
			newcomer := s.members[len(s.members)-1]
			require.Equal(s.t, len(newcomer.Owned), s.moved(before), "all that moves goes to the newcomer")

			gone := s.IntN(len(s.members))
			before = s.owners()
			had := len(s.members[gone].Owned)
			s.members = slices.Delete(s.members, gone, gone+1)
			s.settle()
			require.Equal(s.t, had, s.moved(before), "only what the leaver had moves")
		}
	})
}

func TestNothingMovesWithoutAReason(t *testing.T) { // D13, G13
	stories(t, func(s *story) {
		s.settle()
		before := s.owners()
		s.settle()
		require.Zero(s.t, s.moved(before))
	})
}

// Only members whose ids fall into one bucket of Java's map are told apart by their order.
func TestTheOrderOfMembersDoesNotMatterToStickyWithoutCollisions(t *testing.T) { // D11, D12
	stories(t, func(s *story) {
		s.settle()
		s.join()
		buckets := map[int32]bool{}
		for _, m := range s.members {
			h := uint32(wire.JavaHash(m.ID))
			buckets[int32((h^h>>16)&uint32(wire.JavaTable(len(s.members))-1))] = true
		}
		if len(buckets) < len(s.members) {
			return
		}
		joined := joins(s.assignor, s.members)
		want := map[string][]TopicPartition{}
		for _, m := range Assign(s.assignor, joined, s.topics) {
			want[m.ID] = m.Partitions
		}
		for range 3 {
			s.Shuffle(len(joined), func(i, j int) { joined[i], joined[j] = joined[j], joined[i] })
			s.Shuffle(len(s.topics), func(i, j int) { s.topics[i], s.topics[j] = s.topics[j], s.topics[i] })
			for _, m := range Assign(s.assignor, joined, s.topics) {
				require.Equal(s.t, want[m.ID], m.Partitions)
			}
		}
	})
}

// serverStory plays a group of the consumer protocol.
type serverStory struct {
	*rand.Rand
	t    *testing.T
	spec GroupSpec
}

func (s *serverStory) join() {
	m := GroupMember{ID: fmt.Sprintf("%08x", s.Uint32())}
	for _, t := range s.spec.Topics {
		if !s.spec.Heterogeneous || s.IntN(3) > 0 || len(m.Topics) == 0 {
			m.Topics = append(m.Topics, t.ID)
		}
	}
	s.spec.Members = append(s.spec.Members, m)
}

// assign computes the target, checks it and counts what has moved.
func (s *serverStory) assign(a ServerAssignor) (moved int) {
	before := map[TopicIDPartition]string{}
	for _, m := range s.spec.Members {
		for _, p := range m.Target {
			before[p] = m.ID
		}
	}
	owner := map[TopicIDPartition]string{}
	wanted := map[TopicID]bool{}
	least, most := 1<<30, 0
	for i, got := range a.AssignGroup(s.spec) {
		m := &s.spec.Members[i]
		require.Equal(s.t, m.ID, got.ID)
		for _, id := range m.Topics {
			wanted[id] = true
		}
		for _, p := range got.Partitions {
			require.Contains(s.t, m.Topics, p.Topic)
			require.NotContains(s.t, owner, p)
			owner[p] = m.ID
			if before[p] != "" && before[p] != m.ID {
				moved++
			}
		}
		m.Target = got.Partitions
		least, most = min(least, len(m.Target)), max(most, len(m.Target))
	}
	total := 0
	for _, t := range s.spec.Topics {
		if wanted[t.ID] {
			total += int(t.Partitions)
		}
	}
	require.Len(s.t, owner, total)
	if a.Name() == "uniform" && !s.spec.Heterogeneous {
		require.LessOrEqual(s.t, most-least, 1)
	}
	return moved
}

func TestServerAssignorsGiveEveryPartitionOnceAndUniformMovesLittle(t *testing.T) { // F15
	for _, a := range serverAssignors {
		for seed := range uint64(200) {
			s := &serverStory{Rand: rand.New(rand.NewPCG(seed, 5)), t: t}
			s.spec.Heterogeneous = seed%2 == 1
			minimal := a.Name() == "uniform" && !s.spec.Heterogeneous
			for i := range 1 + s.IntN(5) {
				s.spec.Topics = append(s.spec.Topics, GroupTopic{ID: TopicID{byte(s.Uint32()), byte(i)}, Partitions: int32(1 + s.IntN(9))})
			}
			s.join()
			s.join()
			s.assign(a)
			for range 5 {
				s.join()
				moved := s.assign(a)
				newcomer := s.spec.Members[len(s.spec.Members)-1]
				if minimal {
					require.Equal(t, len(newcomer.Target), moved, "seed %d", seed)
				}
			}
			s.spec.Members = slices.Delete(s.spec.Members, 0, 3)
			if moved := s.assign(a); minimal {
				require.Zero(t, moved, "seed %d: three have left", seed)
			}
		}
	}
}

func TestASpecThatContradictsItselfIsABrokenInvariant(t *testing.T) {
	spec := groupSpec([]string{"A t1", "B t2"}, []string{"t1:1", "t2:1"})
	spec.Heterogeneous = false
	require.Panics(t, func() { Uniform{}.AssignGroup(spec) })
	spec.Heterogeneous = true
	spec.Topics = spec.Topics[:1]
	require.Panics(t, func() { ServerRange{}.AssignGroup(spec) })
	require.Empty(t, Uniform{}.AssignGroup(GroupSpec{}))
	require.Empty(t, ServerRange{}.AssignGroup(GroupSpec{}))
	require.Equal(t, []string{"uniform", "range"}, ServerNames(), "the default first (F5)")
	_, ok := LookupServer("sticky")
	require.False(t, ok)
}
