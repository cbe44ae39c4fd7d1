package peers

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/wire"
)

// group is a group of the assignor cooperative-sticky that one member joins: what the leader has in
// its hands when it must compute the assignment.
type group struct {
	members []kmsg.JoinGroupResponseMember
	topics  map[string]int32
}

// shapes are 10,000 partitions in different cuts. In a mixed group every other member leaves out
// the last topic.
var shapes = []struct {
	name   string
	topics int
	mixed  bool
}{
	{"1 topic", 1, false}, {"10 topics", 10, false}, {"1000 topics", 1000, false},
	{"10 topics, mixed subscriptions", 10, true},
}

const (
	members    = 1000
	partitions = 10000
)

// joined makes a balanced group of that shape which one more member has joined.
func joined(topics int, mixed bool) group {
	g := group{topics: map[string]int32{}}
	var names []string
	for t := range topics {
		name := fmt.Sprintf("topic-%04d", t)
		names = append(names, name)
		g.topics[name] = int32(partitions / topics)
	}
	ids := make([]string, members+1)
	for m := range ids {
		ids[m] = fmt.Sprintf("consumer-%04d-%08x-0000-4000-8000-000000000000", m, uint32(m)*2654435761)
	}
	owned := make([][]wire.TopicPartition, members+1)
	n := 0
	for t, name := range names {
		for p := range g.topics[name] {
			m := n % members
			if mixed && t == topics-1 { // the even members have the last topic for themselves
				m = n % (members / 2) * 2
			}
			owned[m] = append(owned[m], wire.TopicPartition{Topic: name, Partition: p})
			n++
		}
	}
	for m, id := range ids {
		wanted := names
		if mixed && m%2 == 1 {
			wanted = names[:topics-1]
		}
		s := wire.Subscription{Version: 3, Topics: wanted, Owned: owned[m], Generation: 7}
		if m == members {
			s.Generation = wire.NoGeneration
		}
		s.UserData = wire.EncodeStickyUserData(wire.StickyUserData{
			Previous: owned[m], Generation: s.Generation, HasGeneration: true,
		}) // what franz-go reads
		g.members = append(g.members, kmsg.JoinGroupResponseMember{
			MemberID: id, ProtocolMetadata: wire.EncodeSubscription(s),
		})
	}
	return g
}

// decode reads the members and topics as our client does.
func (g *group) decode() ([]assign.Member, []assign.Topic) {
	list := make([]assign.Member, len(g.members))
	for i := range g.members {
		s, err := wire.DecodeSubscription(g.members[i].ProtocolMetadata)
		if err != nil {
			panic(err)
		}
		list[i] = assign.Member{
			ID: g.members[i].MemberID, Topics: s.Topics, Owned: s.Owned, Generation: s.Generation,
			UserData: s.UserData,
		}
	}
	var topics []assign.Topic
	for name, n := range g.topics {
		topics = append(topics, assign.Topic{Name: name, Partitions: n})
	}
	return list, topics
}

func (g *group) ours() []kmsg.SyncGroupRequestGroupAssignment {
	list, topics := g.decode()
	var out []kmsg.SyncGroupRequestGroupAssignment
	for _, m := range (assign.CooperativeSticky{}).Assign(list, topics) {
		out = append(out, kmsg.SyncGroupRequestGroupAssignment{
			MemberID: m.ID, MemberAssignment: wire.EncodeAssignment(wire.Assignment{Partitions: m.Partitions}),
		})
	}
	return out
}

func (g *group) theirs() []kmsg.SyncGroupRequestGroupAssignment {
	b, _, err := kgo.CooperativeStickyBalancer().MemberBalancer(g.members)
	if err != nil {
		panic(err)
	}
	plan, err := b.(kgo.GroupMemberBalancerOrError).BalanceOrError(g.topics)
	if err != nil {
		panic(err)
	}
	return plan.IntoSyncAssignment()
}

// sizes are the members' numbers of partitions, sorted.
func sizes(t *testing.T, assignments []kmsg.SyncGroupRequestGroupAssignment) []int {
	var n []int
	for _, a := range assignments {
		got, err := wire.DecodeAssignment(a.MemberAssignment)
		require.NoError(t, err)
		n = append(n, len(got.Partitions))
	}
	slices.Sort(n)
	return n
}

// Both balance alike, so that the benchmarks compare the same work.
func TestBothBalanceTheGroupThatOneMemberJoins(t *testing.T) {
	for _, shape := range shapes {
		g := joined(shape.topics, shape.mixed)
		ours, theirs := sizes(t, g.ours()), sizes(t, g.theirs())
		require.Len(t, ours, members+1)
		require.Equal(t, theirs, ours, shape.name)
	}
}

// BenchmarkOneMemberJoins is the leader's work: decode all subscriptions, assign, encode.
func BenchmarkOneMemberJoins(b *testing.B) {
	for _, shape := range shapes {
		g := joined(shape.topics, shape.mixed)
		b.Run(shape.name+"/ours", func(b *testing.B) {
			for b.Loop() {
				g.ours()
			}
		})
		b.Run(shape.name+"/franz-go", func(b *testing.B) {
			for b.Loop() {
				g.theirs()
			}
		})
	}
}

// BenchmarkAssignorAlone leaves decoding and encoding out on both sides.
func BenchmarkAssignorAlone(b *testing.B) {
	for _, shape := range shapes {
		g := joined(shape.topics, shape.mixed)
		b.Run(shape.name+"/ours", func(b *testing.B) {
			list, topics := g.decode()
			for b.Loop() {
				assign.CooperativeSticky{}.Assign(list, topics)
			}
		})
		b.Run(shape.name+"/franz-go", func(b *testing.B) {
			balancer, _, err := kgo.CooperativeStickyBalancer().MemberBalancer(g.members)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := balancer.(kgo.GroupMemberBalancerOrError).BalanceOrError(g.topics); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
