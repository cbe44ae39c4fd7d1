package assign

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// javaCase is one question to an assignor of Apache Kafka, with the answer.
type javaCase struct {
	line           int
	server         bool
	assignor, kind string
	topics         []string
	members        []string
	gives          []string
}

// javaCases reads what testdata/oracle/Oracle.java has written.
func javaCases(t *testing.T) []javaCase {
	f, err := os.Open("testdata/java-4.3.0.txt.gz")
	require.NoError(t, err)
	defer f.Close()
	text, err := gzip.NewReader(f)
	require.NoError(t, err)
	var cases []javaCase
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "#": // the run that follows
			continue
		case "client", "server":
			c := javaCase{line: n, server: word == "server"}
			c.assignor, c.kind, _ = strings.Cut(rest, " ")
			cases = append(cases, c)
			continue
		}
		c := &cases[len(cases)-1]
		switch word {
		case "topic":
			c.topics = append(c.topics, rest)
		case "member":
			c.members = append(c.members, rest)
		case "gives":
			c.gives = append(c.gives, rest)
		}
	}
	require.NoError(t, lines.Err())
	return cases
}

func listed(text string) []string {
	if text == "-" {
		return nil
	}
	return strings.Split(text, ",")
}

func optional(text string) string {
	if text == "-" {
		return ""
	}
	return text
}

func number(text string) int32 {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return int32(n)
}

// partitionsOf reads "t1-0,t1-2".
func partitionsOf(text string) []TopicPartition {
	var tps []TopicPartition
	for _, p := range listed(text) {
		i := strings.LastIndex(p, "-")
		tps = append(tps, TopicPartition{Topic: p[:i], Partition: number(p[i+1:])})
	}
	return tps
}

func javaTopic(text string) Topic {
	words := strings.Fields(text)
	t := Topic{Name: words[0], Partitions: number(words[1])}
	for _, racks := range listed(words[2]) {
		t.Racks = append(t.Racks, strings.Split(racks, ";"))
	}
	return t
}

func javaMember(text string) Member {
	w := strings.Fields(text)
	m := Member{ID: w[0], InstanceID: optional(w[1]), Rack: optional(w[2]), Topics: listed(w[3]),
		Generation: number(w[4]), Owned: partitionsOf(w[5])}
	if data, ok := strings.CutPrefix(w[6], "x"); ok {
		var err error
		if m.UserData, err = hex.DecodeString(data); err != nil {
			panic(err)
		}
	}
	return m
}

func (c *javaCase) askClient() []string {
	var members []Member
	for _, m := range c.members {
		members = append(members, javaMember(m))
	}
	var topics []Topic
	for _, t := range c.topics {
		topics = append(topics, javaTopic(t))
	}
	var gives []string
	for _, m := range Assign(c.assignor, members, topics) {
		gives = append(gives, m.ID+" "+joined(m.Partitions))
	}
	return gives
}

func joined[T fmt.Stringer](items []T) string {
	if len(items) == 0 {
		return "-"
	}
	var words []string
	for _, p := range items {
		words = append(words, p.String())
	}
	return strings.Join(words, ",")
}

func javaID(text string) (id TopicID) {
	if n, err := hex.Decode(id[:], []byte(text)); err != nil || n != len(id) {
		panic("no topic id: " + text)
	}
	return id
}

func (c *javaCase) askServer() []string {
	spec := GroupSpec{Heterogeneous: c.kind == "heterogeneous"}
	var ids []TopicID
	for _, t := range c.topics {
		w := strings.Fields(t)
		ids = append(ids, javaID(w[0]))
		spec.Topics = append(spec.Topics, GroupTopic{ID: javaID(w[0]), Partitions: number(w[1])})
	}
	for _, text := range c.members {
		w := strings.Fields(text)
		m := GroupMember{ID: w[0], InstanceID: optional(w[1])}
		for _, id := range listed(w[2]) {
			m.Topics = append(m.Topics, javaID(id))
		}
		for _, p := range partitionsOf(w[3]) {
			m.Target = append(m.Target, TopicIDPartition{javaID(p.Topic), p.Partition})
		}
		spec.Members = append(spec.Members, m)
	}
	a, ok := LookupServer(c.assignor)
	if !ok {
		panic("no such assignor: " + c.assignor)
	}
	var gives []string
	for _, m := range a.AssignGroup(spec) {
		slices.SortStableFunc(m.Partitions, func(a, b TopicIDPartition) int {
			return slices.Index(ids, a.Topic) - slices.Index(ids, b.Topic)
		})
		var tps []TopicPartition
		for _, p := range m.Partitions {
			tps = append(tps, TopicPartition{Topic: hex.EncodeToString(p.Topic[:]), Partition: p.Partition})
		}
		gives = append(gives, m.ID+" "+joined(tps))
	}
	return gives
}

// unwanted says whether Java gave a member a partition of a topic that it does not subscribe to. Its
// sticky assignors do so for an earlier owner that has changed its subscription; ours do not.
func (c *javaCase) unwanted() bool {
	for i := range c.gives {
		topics := listed(strings.Fields(c.members[i])[3])
		for _, tp := range partitionsOf(strings.Fields(c.gives[i])[1]) {
			if !slices.Contains(topics, tp.Topic) {
				return true
			}
		}
	}
	return false
}

// The answers of the Java assignors, whole groups over several rounds: range, round robin, sticky,
// cooperative-sticky, and uniform and range of the server.
func TestAnswersAreThoseOfJava(t *testing.T) { // D5-D15, F15
	count, unwanted := map[string]int{}, 0
	for _, c := range javaCases(t) {
		place := "client"
		ask := c.askClient
		if c.server {
			place, ask = "server", c.askServer
		}
		name := fmt.Sprintf("%s %s, line %d", place, c.assignor, c.line)
		if !c.server && c.unwanted() {
			unwanted++
			continue
		}
		require.Equal(t, c.gives, ask(), name)
		count[place+" "+c.assignor]++
	}
	require.Len(t, count, 6)
	require.Less(t, unwanted, 5)
}
