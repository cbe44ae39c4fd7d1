package assign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// member reads "C1 t1,t2" and, with an instance id and a rack, "C1=i1@a t1".
func member(text string) Member {
	id, topics, _ := strings.Cut(text, " ")
	m := Member{Generation: -1}
	id, m.Rack, _ = strings.Cut(id, "@")
	m.ID, m.InstanceID, _ = strings.Cut(id, "=")
	m.Topics = strings.Split(topics, ",")
	return m
}

// topic reads "t1:3" and, with the racks of partitions with one replica each, "t1:3 a,b,c".
func topic(text string) Topic {
	text, racks, ok := strings.Cut(text, " ")
	name, n, _ := strings.Cut(text, ":")
	count, err := strconv.Atoi(n)
	if err != nil {
		panic(err)
	}
	t := Topic{Name: name, Partitions: int32(count)}
	if ok {
		for _, r := range strings.Split(racks, ",") {
			t.Racks = append(t.Racks, []string{r})
		}
	}
	return t
}

func setup(members, topics []string) ([]Member, []Topic) {
	var ms []Member
	for _, m := range members {
		ms = append(ms, member(m))
	}
	var ts []Topic
	for _, t := range topics {
		ts = append(ts, topic(t))
	}
	return ms, ts
}

// text is a result as "t1-0,1 t2-0 | none".
func text(result []MemberAssignment) string {
	var members []string
	for _, m := range result {
		var s strings.Builder
		last := ""
		for _, tp := range m.Partitions {
			switch {
			case tp.Topic == last:
				s.WriteString(",")
			case last != "":
				s.WriteString(" ")
				fallthrough
			default:
				s.WriteString(tp.Topic + "-")
			}
			last = tp.Topic
			fmt.Fprint(&s, tp.Partition)
		}
		if last == "" {
			s.WriteString("none")
		}
		members = append(members, s.String())
	}
	return strings.Join(members, " | ")
}

// The rows are the worked examples of kafka-behaviour D.3.
func TestWorkedExamples(t *testing.T) {
	all := "t1,t2,t3"
	for _, tt := range []struct {
		row, assignor   string
		members, topics []string
		want            string
	}{
		{"1", "range", []string{"C1 t1,t2", "C2 t1,t2"}, []string{"t1:3", "t2:3"},
			"t1-0,1 t2-0,1 | t1-2 t2-2"},
		{"2", "range", []string{"C1 t1", "C2 t1,t2", "C3 t1"}, []string{"t1:3", "t2:2"},
			"t1-0 | t1-1 t2-0,1 | t1-2"},
		{"3", "range", []string{"C1 t", "C2 t"}, []string{"t:1"}, "t-0 | none"},
		{"4", "range", []string{"consumer-b=i1 t1,t2", "consumer-a=i2 t1,t2"},
			[]string{"t1:3", "t2:3"}, "t1-0,1 t2-0,1 | t1-2 t2-2"},
		{"4, a dynamic", "range", []string{"consumer-b=i1 t1,t2", "consumer-a t1,t2"},
			[]string{"t1:3", "t2:3"}, "t1-0,1 t2-0,1 | t1-2 t2-2"},
		{"5", "range", []string{"x=i1 t1,t2", "w=i2 t1,t2", "v=i3 t1,t2", "c4 t1,t2"},
			[]string{"t1:5", "t2:4"}, "t1-0,1 t2-0 | t1-2 t2-1 | t1-3 t2-2 | t1-4 t2-3"},
		{"5, c5", "range", []string{"x=i1 t1,t2", "w=i2 t1,t2", "v=i3 t1,t2", "c5 t1,t2"},
			[]string{"t1:5", "t2:4"}, "t1-0,1 t2-0 | t1-2 t2-1 | t1-3 t2-2 | t1-4 t2-3"},
		{"6a", "range", []string{"C1 " + all, "C2 " + all, "C3 " + all},
			[]string{"t1:6", "t2:7", "t3:2"},
			"t1-0,1 t2-0,1,2 t3-0 | t1-2,3 t2-3,4 t3-1 | t1-4,5 t2-5,6"},
		{"6b", "range", []string{"C1@a " + all, "C2@b " + all, "C3@c " + all},
			[]string{"t1:6 a,b,c,a,b,c", "t2:7 a,b,c,a,b,c,a", "t3:2 b,c"},
			"t1-0,3 t2-0,3,6 | t1-1,4 t2-1,4 t3-0 | t1-2,5 t2-2,5 t3-1"},
		{"7", "range", []string{"C1@a " + all, "C2@b " + all, "C3@c " + all},
			[]string{"t1:5 a,b,c,a,b", "t2:5 c,a,b,c,a", "t3:5 b,c,a,b,c"},
			"t1-0,1 t2-0,1 t3-0,1 | t1-2,3 t2-2,3 t3-2,3 | t1-4 t2-4 t3-4"},
		{"8", "range", []string{"C1@a t1,t2", "C2@b t1,t2", "C3@b t3,t4", "C4@a t3,t4"},
			[]string{"t1:6 a,b,a,b,a,b", "t2:6 a,b,a,b,a,b", "t3:2 a,b", "t4:2 a,b"},
			"t1-0,2,4 t2-0,2,4 | t1-1,3,5 t2-1,3,5 | t3-1 t4-1 | t3-0 t4-0"},
		{"9", "roundrobin", []string{"C1 t1,t2", "C2 t1,t2"}, []string{"t1:3", "t2:3"},
			"t1-0,2 t2-1 | t1-1 t2-0,2"},
		{"10", "roundrobin", []string{"C1 t1", "C2 t1,t2", "C3 t1"}, []string{"t1:3", "t2:2"},
			"t1-0 | t1-1 t2-0,1 | t1-2"},
		{"11", "roundrobin", []string{"d=1 t1,t2", "c=2 t1,t2", "b=3 t1,t2", "4 t1,t2"},
			[]string{"t1:3", "t2:3"}, "t1-0 t2-1 | t1-1 t2-2 | t1-2 | t2-0"},
		{"12a", "roundrobin", []string{"C1 p1,p2,p3,p4,p5", "C2 p1,p3,p5", "C3 p1,p3,p5",
			"C4 p1,p2,p3,p4,p5"}, []string{"p1:2", "p2:1", "p3:2", "p4:1", "p5:2"},
			"p1-0 p3-0 p5-0 | p1-1 p3-1 p5-1 | none | p2-0 p4-0"},
		{"D6", "range", []string{"C1 t1,gone"}, []string{"t1:1", "other:1"}, "t1-0"},
		{"D6", "roundrobin", []string{"C1 t1,gone"}, []string{"t1:1", "other:1"}, "t1-0"},
	} {
		t.Run(tt.row+" "+tt.assignor, func(t *testing.T) {
			members, topics := setup(tt.members, tt.topics)
			require.Equal(t, tt.want, text(Assign(tt.assignor, members, topics)))
		})
	}
}

// The rows are truths S40 and S41, which were run on a Java client.
func TestTruthsOfRangeAndRoundRobin(t *testing.T) {
	six := []string{"t:6"}
	for _, tt := range []struct {
		row, assignor   string
		members, topics []string
		want            string
	}{
		{"S40 6/3", "range", []string{"A t", "B t", "C t"}, six, "t-0,1 | t-2,3 | t-4,5"},
		{"S40 6/2", "range", []string{"A t", "B t"}, six, "t-0,1,2 | t-3,4,5"},
		{"S40 6/4", "range", []string{"A t", "B t", "C t", "D t"}, six,
			"t-0,1 | t-2,3 | t-4 | t-5"},
		{"S40 D first", "range", []string{"A=2 t", "B=3 t", "C=4 t", "D=1 t"}, six,
			"t-2,3 | t-4 | t-5 | t-0,1"},
		{"S40 5/2", "range", []string{"A t", "B t"}, []string{"t:5"}, "t-0,1,2 | t-3,4"},
		{"S41 6/3", "roundrobin", []string{"A t", "B t", "C t"}, six, "t-0,3 | t-1,4 | t-2,5"},
		{"S41 B dies", "roundrobin", []string{"A t", "C t"}, six, "t-0,2,4 | t-1,3,5"},
		{"S41 D joins", "roundrobin", []string{"A t", "B t", "C t", "D t"}, six,
			"t-0,4 | t-1,5 | t-2 | t-3"},
	} {
		t.Run(tt.row, func(t *testing.T) {
			members, topics := setup(tt.members, tt.topics)
			require.Equal(t, tt.want, text(Assign(tt.assignor, members, topics)))
		})
	}
}

func TestManyTopicsPileUpOnRangesFirstMember(t *testing.T) { // S40, S41
	for _, tt := range []struct {
		counts        []int32
		members       int
		ranged, dealt []int
	}{
		{[]int32{3, 3, 3, 3, 3, 3, 3, 3, 3, 3}, 2, []int{20, 10}, []int{15, 15}},
		{[]int32{3, 3, 3, 3, 3, 3, 3, 3, 3, 3}, 3, []int{10, 10, 10}, []int{10, 10, 10}},
		{[]int32{3, 3, 3, 3, 3}, 2, []int{10, 5}, []int{8, 7}},
		{[]int32{5, 5, 5, 5, 5}, 2, []int{15, 10}, []int{13, 12}},
		{[]int32{7, 7, 7, 7, 7}, 2, []int{20, 15}, []int{18, 17}},
		{[]int32{1, 3, 5, 7, 9}, 2, []int{15, 10}, []int{13, 12}},
	} {
		var topics []Topic
		var names []string
		for i, n := range tt.counts {
			names = append(names, fmt.Sprintf("t%02d", i))
			topics = append(topics, Topic{Name: names[i], Partitions: n})
		}
		var members []Member
		for i := range tt.members {
			members = append(members, Member{ID: fmt.Sprint("m", i), Topics: names})
		}
		require.Equal(t, tt.ranged, sizes(Assign("range", members, topics)), "%v", tt.counts)
		require.Equal(t, tt.dealt, sizes(Assign("roundrobin", members, topics)), "%v",
			tt.counts)
	}
}

func sizes(result []MemberAssignment) []int {
	var n []int
	for _, m := range result {
		n = append(n, len(m.Partitions))
	}
	return n
}

func TestLookupKnowsTheNamesOnTheWire(t *testing.T) { // D4
	require.Equal(t, []string{"range", "roundrobin", "sticky", "cooperative-sticky", "rack-affinity"},
		Names())
	for _, name := range Names() {
		a, ok := Lookup(name)
		require.True(t, ok)
		require.Equal(t, name, a.Name())
	}
	_, ok := Lookup("nosuch")
	require.False(t, ok)
	require.Panics(t, func() { Assign("nosuch", nil, nil) })
	require.Empty(t, Assign("range", nil, []Topic{{Name: "t", Partitions: 1}}))
	require.Empty(t, Assign("roundrobin", nil, []Topic{{Name: "t", Partitions: 1}}))
}

// draw is a small generator so that the cases are the same in every run.
type draw uint64

func (d *draw) n(limit int) int {
	*d = *d*6364136223846793005 + 1442695040888963407
	return int(*d>>33) % limit
}

func randomCase(d *draw) ([]Member, []Topic) {
	racks := []string{"", "a", "b", "c"}
	var topics []Topic
	for i := range 1 + d.n(4) {
		t := Topic{Name: fmt.Sprint("t", i), Partitions: int32(d.n(9))}
		if d.n(2) == 0 {
			for range t.Partitions {
				t.Racks = append(t.Racks, []string{racks[1+d.n(3)], racks[1+d.n(3)]})
			}
		}
		topics = append(topics, t)
	}
	var members []Member
	for i := range 1 + d.n(5) {
		m := Member{ID: fmt.Sprint("m", d.n(1000), "-", i), Rack: racks[d.n(4)]}
		if d.n(3) == 0 {
			m.InstanceID = fmt.Sprint("i", i)
		}
		for _, t := range topics {
			if d.n(4) > 0 {
				m.Topics = append(m.Topics, t.Name)
			}
		}
		members = append(members, m)
	}
	return members, topics
}

func TestEveryPartitionHasOneSubscribedOwner(t *testing.T) {
	d := draw(1)
	for range 2000 {
		members, topics := randomCase(&d)
		for _, name := range Names() {
			result := Assign(name, members, topics)
			require.Len(t, result, len(members))
			owners := map[TopicPartition]string{}
			for i, m := range result {
				require.Equal(t, members[i].ID, m.ID)
				require.True(t, slices.IsSortedFunc(m.Partitions, TopicPartition.Compare))
				for _, tp := range m.Partitions {
					require.Contains(t, members[i].Topics, tp.Topic)
					require.NotContains(t, owners, tp)
					owners[tp] = m.ID
				}
			}
			want := 0
			for _, topic := range topics {
				if subscribed(members, topic.Name) {
					want += int(topic.Partitions)
				}
			}
			require.Len(t, owners, want)
		}
	}
}

func TestRangeSizesDifferByAtMostOnePerTopic(t *testing.T) { // D7
	d := draw(2)
	for range 2000 {
		members, topics := randomCase(&d)
		result := Assign("range", members, topics)
		for _, topic := range topics {
			least, most := 1000, 0
			for i, m := range result {
				if !slices.Contains(members[i].Topics, topic.Name) {
					continue
				}
				n := 0
				for _, tp := range m.Partitions {
					if tp.Topic == topic.Name {
						n++
					}
				}
				least, most = min(least, n), max(most, n)
			}
			require.LessOrEqual(t, most-least, 1)
		}
	}
}

func TestTheOrderOfMembersDoesNotMatter(t *testing.T) { // D5
	d := draw(3)
	for range 500 {
		members, topics := randomCase(&d)
		for _, name := range []string{"range", "roundrobin"} {
			want := Assign(name, members, topics)
			turned := slices.Clone(members)
			slices.Reverse(turned)
			slices.Reverse(topics)
			got := Assign(name, turned, topics)
			slices.Reverse(got)
			require.Equal(t, want, got)
		}
	}
}
