package assign

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/wire"
)

// stickyMember reads "C1 t1,t2 t1-0 t2-1 @10": id, subscription, what it had, and the generation of
// that (1 if it had anything, and none if it had nothing).
func stickyMember(text string) Member {
	words := strings.Fields(text)
	m := Member{ID: words[0], Topics: strings.Split(words[1], ","), Generation: wire.NoGeneration}
	for _, word := range words[2:] {
		if generation, ok := strings.CutPrefix(word, "@"); ok {
			m.Generation = number(generation)
			continue
		}
		m.Owned = append(m.Owned, partitionsOf(word)...)
	}
	if m.Owned != nil && m.Generation == wire.NoGeneration {
		m.Generation = 1
	}
	return m
}

// joins gives members what their assignors would say of what they had. Sticky is eager: its members
// own nothing and tell by user data.
func joins(assignor string, members []Member) []Member {
	members = slices.Clone(members)
	for i := range members {
		m := &members[i]
		last := &Memory{Partitions: m.Owned, Generation: m.Generation}
		if m.Owned == nil {
			last = nil
		}
		switch assignor {
		case "sticky":
			m.UserData, m.Owned = Sticky{}.UserData("", last), nil
		case "cooperative-sticky":
			m.UserData = CooperativeSticky{}.UserData("", last)
		}
	}
	return members
}

// round lets an assignor answer once and gives the members what it has given them.
func round(assignor string, members []Member, topics []Topic) string {
	result := Assign(assignor, joins(assignor, members), topics)
	generation := int32(1)
	for i := range members {
		generation = max(generation, members[i].Generation+1)
	}
	for i := range members {
		members[i].Owned, members[i].Generation = result[i].Partitions, generation
	}
	return text(result)
}

// The rows are the worked examples of kafka-behaviour D.3; the wants are rounds, the first with the
// members as they stand, the next with what they then have.
func TestWorkedExamplesOfSticky(t *testing.T) { // D10-D15
	both := []string{"sticky", "cooperative-sticky"}
	sticky, cooperative := both[:1], both[1:]
	fourJoin := []string{"consumer1 t1,t2 t1-0,t1-2,t2-1,t2-3", "consumer2 t1,t2 t1-1,t2-0,t2-2",
		"consumer3 t1,t2", "consumer4 t1,t2"}
	for _, tt := range []struct {
		row             string
		assignors       []string
		members, topics []string
		wants           []string
	}{
		{"12b", sticky, []string{"C1 p1,p2,p3,p4,p5", "C2 p1,p3,p5", "C3 p1,p3,p5", "C4 p1,p2,p3,p4,p5"},
			[]string{"p1:2", "p2:1", "p3:2", "p4:1", "p5:2"},
			[]string{"p2-0 p3-0 | p1-0 p3-1 | p1-1 p5-0 | p4-0 p5-1"}},
		{"13", both, []string{"C1 t1,t2", "C2 t1,t2"}, []string{"t1:3", "t2:3"},
			[]string{"t1-0,2 t2-1 | t1-1 t2-0,2"}},
		{"14", both, []string{"C1 t1", "C2 t1,t2", "C3 t1"}, []string{"t1:3", "t2:2"},
			[]string{"t1-0,2 | t2-0,1 | t1-1"}},
		{"15", both, []string{"C1 t1,t2 t1-0,t2-1", "C2 t1,t2 t1-1,t2-2"}, []string{"t1:2", "t2:3"},
			[]string{"t1-0 t2-0,1 | t1-1 t2-2"}},
		{"16", sticky, []string{"consumer1 t1,t2 t1-0,t2-0", "consumer2 t1,t2 t1-1,t2-1", "consumer3 t1,t2"},
			[]string{"t1:2", "t2:2"}, []string{"t1-0 | t1-1 t2-1 | t2-0"}},
		{"16", cooperative, []string{"consumer1 t1,t2 t1-0,t2-0", "consumer2 t1,t2 t1-1,t2-1", "consumer3 t1,t2"},
			[]string{"t1:2", "t2:2"}, []string{"t1-0 | t1-1 t2-1 | none", "t1-0 | t1-1 t2-1 | t2-0"}},
		{"17", both, []string{"C1 t1,t2 t1-0", "C2 t1,t2 t1-1", "C3 t1,t2"}, []string{"t1:2", "t2:3"},
			[]string{"t1-0 t2-1 | t1-1 t2-2 | t2-0"}},
		{"18a", sticky, []string{"C1 t t-0,t-1,t-2", "C2 t"}, []string{"t:3"}, []string{"t-0,1 | t-2"}},
		{"18b", cooperative, []string{"C1 t t-0,t-1,t-2", "C2 t"}, []string{"t:3"},
			[]string{"t-0,1 | none", "t-0,1 | t-2"}},
		{"19a", sticky, fourJoin, []string{"t1:3", "t2:4"}, []string{"t1-0 t2-1 | t1-1 t2-0 | t1-2 t2-3 | t2-2"}},
		{"19b", cooperative, fourJoin, []string{"t1:3", "t2:4"},
			[]string{"t1-0 t2-1 | t1-1 t2-0 | none | none", "t1-0 t2-1 | t1-1 t2-0 | t1-2 t2-3 | t2-2"}},
		{"19c", both, []string{"consumer3 t1,t2 t1-2,t2-3", "consumer4 t1,t2 t2-2"}, []string{"t1:3", "t2:4"},
			[]string{"t1-0,2 t2-1,3 | t1-1 t2-0,2"}},
		{"20", both, []string{"C1 t t-0,t-1", "C2 t t-2", "C3 t"}, []string{"t:4"},
			[]string{"t-0,1 | t-2 | t-3"}},
		{"21", both, []string{"C1 t,t2 t-0,t-2,t2-1 @10", "C2 t,t2 t-0,t-2,t2-1 @9"}, []string{"t:3", "t2:3"},
			[]string{"t-0,2 t2-1 | t-1 t2-0,2"}},
		{"22", sticky, []string{"C1 t t-0,t-1", "C2 t t-0,t-2", "C3 t"}, []string{"t:3"},
			[]string{"t-1 | t-2 | t-0"}},
		{"22", cooperative, []string{"C1 t t-0,t-1", "C2 t t-0,t-2", "C3 t"}, []string{"t:3"},
			[]string{"t-1 | t-2 | none", "t-1 | t-2 | t-0"}},
		{"23", cooperative, []string{"C1 t t-0,t-1", "C2 t t-0,t-2", "C3 t"}, []string{"t:4"},
			[]string{"t-1,3 | t-2 | none", "t-1,3 | t-2 | t-0"}},
		{"S42 fresh", both, []string{"A t", "B t", "C t"}, []string{"t:6"}, []string{"t-0,3 | t-1,4 | t-2,5"}},
		{"S42 B dies", both, []string{"A t t-0,t-3", "C t t-2,t-5"}, []string{"t:6"},
			[]string{"t-0,1,3 | t-2,4,5"}},
		{"S42 from ranges", both, []string{"A t t-0,t-1", "C t t-4,t-5"}, []string{"t:6"},
			[]string{"t-0,1,2 | t-3,4,5"}},
	} {
		for _, assignor := range tt.assignors {
			t.Run(tt.row+" "+assignor, func(t *testing.T) {
				var members []Member
				for _, m := range tt.members {
					members = append(members, stickyMember(m))
				}
				_, topics := setup(nil, tt.topics)
				for _, want := range tt.wants {
					require.Equal(t, want, round(assignor, members, topics))
				}
				require.Equal(t, tt.wants[len(tt.wants)-1], round(assignor, members, topics),
					"the end of the story is stable")
			})
		}
	}
}

func TestClientsBeforeTheGenerationInTheSubscription(t *testing.T) { // D.3 example 24, D14
	var members []Member
	for i, id := range []string{"C1", "C2", "C3"} {
		m := Member{ID: id, Topics: []string{"t"}, Generation: wire.NoGeneration}
		if i < 2 {
			m.Owned = []TopicPartition{{Topic: "t", Partition: int32(i)}}
		}
		members = append(members, m)
	}
	topics := []Topic{{Name: "t", Partitions: 3}}
	want := "t-0 | t-1 | t-2"
	require.Equal(t, want, text(CooperativeSticky{}.Assign(members, topics)), "version 1, no user data")
	for i := range members {
		members[i].UserData = wire.EncodeCooperativeUserData(int32(i))
	}
	require.Equal(t, want, text(CooperativeSticky{}.Assign(members, topics)), "a generation in the user data")
	members[0].UserData = []byte{1}
	require.Equal(t, want, text(CooperativeSticky{}.Assign(members, topics)), "user data that cannot be read")
}

func TestUserDataThatCannotBeReadCountsAsNoHistory(t *testing.T) { // D14
	members := joins("sticky", []Member{stickyMember("A t t-2,t-3"), stickyMember("B t t-0,t-1")})
	topics := []Topic{{Name: "t", Partitions: 4}}
	require.Equal(t, "t-2,3 | t-0,1", text(Sticky{}.Assign(members, topics)))
	members[0].UserData = members[0].UserData[:5]
	require.Equal(t, "t-2,3 | t-0,1", text(Sticky{}.Assign(members, topics)), "what is left free falls to it")
	members[1].UserData = nil
	require.Equal(t, "t-0,2 | t-1,3", text(Sticky{}.Assign(members, topics)))
}

// With random ids a newcomer takes one partition, and hash order decides from whom.
func TestANewcomerTakesOnePartitionOfSix(t *testing.T) { // S44, G34
	topics := []Topic{{Name: "t", Partitions: 6}}
	for _, tt := range []struct{ owned, candidates []int32 }{
		{[]int32{0, 1, 2, 3, 4, 5}, []int32{1, 3, 5}},
		{[]int32{0, 3, 1, 4, 2, 5}, []int32{3, 4, 5}}, // what a fresh group has
	} {
		taken := map[int32]int{}
		d := draw(44)
		for range 300 {
			var members []Member
			for i := range 4 {
				m := Member{ID: fmt.Sprintf("m-%d-%d", i, d.n(1e6)), Topics: []string{"t"}, Generation: wire.NoGeneration}
				if i < 3 {
					m.Generation = 1
					for _, p := range tt.owned[2*i : 2*i+2] {
						m.Owned = append(m.Owned, TopicPartition{Topic: "t", Partition: p})
					}
				}
				members = append(members, m)
			}
			round("sticky", members, topics)
			var n []int
			for _, m := range members {
				n = append(n, len(m.Owned))
			}
			require.Equal(t, 1, n[3])
			slices.Sort(n)
			require.Equal(t, []int{1, 1, 2, 2}, n)
			taken[members[3].Owned[0].Partition]++
		}
		require.Len(t, taken, 3)
		for _, p := range tt.candidates {
			require.Positive(t, taken[p])
		}
	}
}

// The rows are truths S40, S41 and S52, which were run with kafka-go.
func TestAssignorsOfKafkaGo(t *testing.T) {
	for _, tt := range []struct {
		row      string
		assignor Assignor
		members  []string
		topics   []string
		want     string
	}{
		{"S40 5/2", KafkaGoRange{}, []string{"A t", "B t"}, []string{"t:5"}, "t-0,1 | t-2,3,4"},
		{"S40 6/3", KafkaGoRange{}, []string{"A t", "B t", "C t"}, []string{"t:6"}, "t-0,1 | t-2,3 | t-4,5"},
		{"S40 more members", KafkaGoRange{}, []string{"A t", "B t", "C t"}, []string{"t:2"}, "none | t-0 | t-1"},
		{"S41 two topics", KafkaGoRoundRobin{}, []string{"A t,u", "B t,u"}, []string{"t:3", "u:3"},
			"t-0,2 u-0,2 | t-1 u-1"},
		{"S41 sorted", KafkaGoRoundRobin{}, []string{"B t", "A t"}, []string{"t:3"}, "t-1 | t-0,2"},
		{"S52 a,b,c", RackAffinity{}, []string{"A@a t", "B@b t", "C@c t"}, []string{"t:6 a,a,b,b,c,c"},
			"t-0,1 | t-2,3 | t-4,5"},
		{"S52 a,a,b", RackAffinity{}, []string{"A@a t", "B@a t", "C@b t"}, []string{"t:6 a,a,b,b,c,c"},
			"t-0,4 | t-1,5 | t-2,3"},
		{"S52 remainder in rack", RackAffinity{}, []string{"A@a t", "B@b t"}, []string{"t:5 a,b,b,b,a"},
			"t-0,4 | t-1,2,3"},
		{"S52 no racks", RackAffinity{}, []string{"A t", "B t"}, []string{"t:3"}, "t-0,2 | t-1"},
		{"D6", RackAffinity{}, []string{"A@a gone"}, []string{"t:3"}, "none"},
	} {
		t.Run(tt.row+" "+tt.assignor.Name(), func(t *testing.T) {
			members, topics := setup(tt.members, tt.topics)
			for i := range members {
				members[i].UserData = RackAffinity{}.UserData(members[i].Rack, nil)
			}
			for i := range topics {
				for _, racks := range topics[i].Racks {
					topics[i].LeaderRacks = append(topics[i].LeaderRacks, racks[0])
				}
			}
			require.Equal(t, tt.want, text(tt.assignor.Assign(members, topics)))
		})
	}
	many := make([]Topic, 10)
	names := make([]string, 10)
	for i := range many {
		names[i] = fmt.Sprint("t", i)
		many[i] = Topic{Name: names[i], Partitions: 3}
	}
	members := []Member{{ID: "A", Topics: names}, {ID: "B", Topics: names}}
	require.Equal(t, []int{10, 20}, sizes(KafkaGoRange{}.Assign(members, many)), "S40")
	require.Equal(t, []int{20, 10}, sizes(KafkaGoRoundRobin{}.Assign(members, many)), "S41")
}
