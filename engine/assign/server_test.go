package assign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// topicID is the id of a test's topic: its name's bytes.
func topicID(name string) TopicID {
	var id TopicID
	copy(id[:], name)
	return id
}

func topicName(id TopicID) string { return strings.TrimRight(string(id[:]), "\x00") }

// groupMember reads "A t1,t3 t1-0 t1-1": id, subscription, target assignment.
func groupMember(text string) GroupMember {
	words := strings.Fields(text)
	m := GroupMember{}
	m.ID, m.InstanceID, _ = strings.Cut(words[0], "=")
	if len(words) > 1 && words[1] != "-" {
		for _, name := range strings.Split(words[1], ",") {
			m.Topics = append(m.Topics, topicID(name))
		}
	}
	for i := 2; i < len(words); i++ {
		name, number, _ := strings.Cut(words[i], "-")
		p, err := strconv.Atoi(number)
		if err != nil {
			panic(err)
		}
		m.Target = append(m.Target, TopicIDPartition{topicID(name), int32(p)})
	}
	return m
}

func groupSpec(members, topics []string) GroupSpec {
	var spec GroupSpec
	for _, text := range topics {
		t := topic(text)
		spec.Topics = append(spec.Topics, GroupTopic{ID: topicID(t.Name), Partitions: t.Partitions})
	}
	for _, m := range members {
		spec.Members = append(spec.Members, groupMember(m))
		spec.Heterogeneous = spec.Heterogeneous ||
			!sameTopics(spec.Members[0].Topics, spec.Members[len(spec.Members)-1].Topics)
	}
	return spec
}

func targetText(result []TargetAssignment) string {
	var named []MemberAssignment
	for _, m := range result {
		n := MemberAssignment{ID: m.ID}
		for _, p := range m.Partitions {
			n.Partitions = append(n.Partitions, TopicPartition{Topic: topicName(p.Topic), Partition: p.Partition})
		}
		named = append(named, n)
	}
	return text(named)
}

// The rows are the worked examples of kafka-behaviour D.3.
func TestWorkedExamplesOfTheServer(t *testing.T) { // F15
	for _, tt := range []struct {
		row, assignor   string
		members, topics []string
		want            string
	}{
		{"26", "uniform", []string{"A t1,t2 t1-0 t1-1 t2-0 t2-1", "B t1,t2 t1-2 t2-2"},
			[]string{"t1:3", "t2:3"}, "t1-0,1 t2-0 | t1-2 t2-1,2"},
		{"27", "uniform", []string{"A t1,t2 t1-0 t1-2 t2-0", "B t1,t2 t1-1 t2-1 t2-2", "C t1,t2"},
			[]string{"t1:3", "t2:3"}, "t1-0,2 | t1-1 t2-1 | t2-0,2"},
		{"28", "range", []string{"A t1,t3", "B t1,t3", "C t1,t3"}, []string{"t1:3", "t3:2"},
			"t1-0 t3-0 | t1-1 t3-1 | t1-2"},
		{"29", "range", []string{"A t1,t2 t1-0 t1-1 t2-0 t2-1", "B t1,t2 t1-2 t2-2", "C t1,t2"},
			[]string{"t1:3", "t2:3"}, "t1-0 t2-0 | t1-1 t2-1 | t1-2 t2-2"},
		{"static first", "range", []string{"A t1", "B=i1 t1"}, []string{"t1:3"}, "t1-2 | t1-0,1"},
		{"mixed", "range", []string{"A t1", "B t1,t2"}, []string{"t1:2", "t2:2"}, "t1-0 | t1-1 t2-0,1"},
		{"mixed", "uniform", []string{"A t1", "B t1,t2"}, []string{"t1:2", "t2:2"}, "t1-0,1 | t2-0,1"},
	} {
		t.Run(tt.row+" "+tt.assignor, func(t *testing.T) {
			a, ok := LookupServer(tt.assignor)
			require.True(t, ok)
			require.Equal(t, tt.want, targetText(a.AssignGroup(groupSpec(tt.members, tt.topics))))
		})
	}
}

func TestUniformBalancesAFreshGroup(t *testing.T) { // D.3 example 25: the order follows hashes
	result := Uniform{}.AssignGroup(groupSpec([]string{"A t1,t3", "B t1,t3"}, []string{"t1:3", "t3:2"}))
	n := []int{len(result[0].Partitions), len(result[1].Partitions)}
	slices.Sort(n)
	require.Equal(t, []int{2, 3}, n, fmt.Sprint(result))
}
