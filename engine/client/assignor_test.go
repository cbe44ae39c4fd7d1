package client

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/broker"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestEachOfferedAssignorCarriesItsOwnUserData(t *testing.T) { // D14, C37
	l := newLab(t, 2)
	cfg := testConfig()
	cfg.PartitionAssignmentStrategy = []string{"sticky", "cooperative-sticky", "range"}
	l.start(0, cfg, nil)
	l.run(2 * time.Second)
	l.answers[wire.KeyHeartbeat] = []wire.Code{wire.RebalanceInProgress}
	l.run(10 * time.Second)
	var joins []*kmsg.JoinGroupRequest
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.JoinGroupRequest); ok && r.MemberID != "" {
			joins = append(joins, r)
		}
	}
	require.Len(t, joins, 2)
	data := func(r *kmsg.JoinGroupRequest, i int) []byte {
		s, err := wire.DecodeSubscription(r.Protocols[i].Metadata)
		require.NoError(t, err)
		return s.UserData
	}
	none := wire.EncodeCooperativeUserData(wire.NoGeneration)
	require.Nil(t, data(joins[0], 0), "sticky has nothing to tell before its first assignment")
	require.Equal(t, none, data(joins[0], 1))
	require.Nil(t, data(joins[0], 2))
	had, err := wire.DecodeStickyUserData(data(joins[1], 0))
	require.NoError(t, err)
	require.Equal(t, wire.StickyUserData{
		Previous: []TopicPartition{{Topic: "t"}, {Topic: "t", Partition: 1}}, Generation: 1, HasGeneration: true,
	}, had)
	require.Equal(t, none, data(joins[1], 1), "only the assignor that was chosen learns of the assignment")
	require.Nil(t, data(joins[1], 2))
}

// strategies has a member that offers these assignors.
func strategies(names ...string) func(*member) {
	return func(m *member) { m.cfg.PartitionAssignmentStrategy = names }
}

func (k *cluster) owned(members ...*member) string {
	var lists []string
	for _, m := range members {
		require.Empty(k.t, m.errs, m.name)
		lists = append(lists, partsText(m.c.Assignment()))
	}
	return strings.ReplaceAll(strings.Join(lists, " "), "t-", "")
}

// protocols are the assignors that the group has chosen, generation by generation.
func (k *cluster) protocols() string {
	var names []string
	for _, e := range k.events(trace.GroupProtocol, "") {
		names = append(names, k.log.String(e.Peer))
	}
	return strings.Join(names, " ")
}

func TestStickyMovesOnlyWhatTheDeadMemberHad(t *testing.T) { // S42, S43
	for _, name := range []string{"sticky", "cooperative-sticky"} {
		k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 6})
		a, b, c := k.join(0, "A", strategies(name)), k.join(0, "B", strategies(name)), k.join(0, "C", strategies(name))
		k.run(10 * time.Second)
		require.Equal(t, "[0, 3] [1, 4] [2, 5]", k.owned(a, b, c), name)
		k.w.At(sim.Start.Add(20*time.Second), func() { b.closing = true })
		k.run(40 * time.Second)
		require.Equal(t, "[0, 1, 3] [2, 4, 5]", k.owned(a, c), name)
		require.Equal(t, strings.Repeat(name+" ", 2), k.protocols()+" ", "one round: nobody had to give anything up")
		stopped := len(slices.DeleteFunc(k.events(trace.Unowned, "A"), func(e trace.Event) bool {
			return e.At < int64(20*time.Second)
		}))
		require.Equal(t, map[string]int{"sticky": 2, "cooperative-sticky": 0}[name], stopped)
	}
}

func TestANewcomerTakesOnePartitionInTwoRounds(t *testing.T) { // S44, D15
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 6})
	var ms []*member
	for _, n := range []string{"A", "B", "C"} {
		ms = append(ms, k.join(0, n, strategies("cooperative-sticky")))
	}
	d := k.join(20*time.Second, "D", strategies("cooperative-sticky"))
	k.run(19 * time.Second)
	before := k.owned(ms...)
	k.run(40 * time.Second)
	require.Len(t, d.c.Assignment(), 1)
	require.Len(t, k.events(trace.GroupProtocol, ""), 3, "generation +2")
	lost := slices.DeleteFunc(k.events(trace.Unowned, ""), func(e trace.Event) bool { return e.At < int64(20*time.Second) })
	require.Len(t, lost, 1, "one partition moves, the other five stay: before "+before)
	require.Equal(t, d.c.Assignment()[0].Partition, lost[0].Part)
	got := k.events(trace.Owned, "D")
	require.Len(t, got, 1)
	require.Greater(t, got[0].At, lost[0].At, "it is given up before anybody else has it")
	require.Equal(t, int64(3), got[0].X, "nobody gets it in the round that takes it away")
}

func TestThePileOfTenPartitionsGoesToTheNewcomerAlone(t *testing.T) { // R10
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 10})
	coop := strategies("cooperative-sticky")
	c1, c2, c3 := k.join(0, "C1", coop), k.join(20*time.Second, "C2", coop), k.join(40*time.Second, "C3", coop)
	k.run(35 * time.Second)
	require.Equal(t, []int{5, 5}, []int{len(c1.c.Assignment()), len(c2.c.Assignment())})
	k.run(59 * time.Second)
	sizes := []int{len(c1.c.Assignment()), len(c2.c.Assignment()), len(c3.c.Assignment())}
	slices.Sort(sizes)
	require.Equal(t, []int{3, 3, 4}, sizes)
	require.Len(t, c3.c.Assignment(), 3)
	require.Len(t, k.events(trace.Unowned, ""), 8, "five moved to the second member, three to the third")
	generations := len(k.events(trace.GroupProtocol, ""))
	k.w.At(k.w.Now(), func() { c3.closing = true })
	k.run(80 * time.Second)
	require.Equal(t, generations+1, len(k.events(trace.GroupProtocol, "")), "orphans go out directly")
	require.Equal(t, []int{5, 5}, []int{len(c1.c.Assignment()), len(c2.c.Assignment())})
}

func TestTheDefaultListRunsRangeAndStopsEverything(t *testing.T) { // S46, D4, G1
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 6})
	a := k.join(0, "A", nil)
	k.join(20*time.Second, "B", nil)
	k.run(40 * time.Second)
	require.Equal(t, "range range", k.protocols())
	require.Len(t, k.events(trace.Unowned, "A"), 6)
	require.Equal(t, "[0, 1, 2]", k.owned(a))
}

func TestAMemberWithoutACommonAssignorIsRefusedAndTheGroupUndisturbed(t *testing.T) { // S45, R12, A17
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 4})
	a := k.join(0, "A", strategies("range"))
	c := k.join(20*time.Second, "C", strategies("cooperative-sticky"))
	k.run(40 * time.Second)
	name, _ := ErrorName(c.errs[0])
	require.Equal(t, wire.InconsistentGroupProtocol.Name(), name)
	require.Equal(t, "[0, 1, 2, 3]", k.owned(a))
	require.Equal(t, "range", k.protocols())
}

func TestAGroupChangesItsAssignorWhenTheLastMemberWithoutItLeaves(t *testing.T) { // R12, S45
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 4})
	a := k.join(0, "A", strategies("range"))
	b := k.join(10*time.Second, "B", strategies("cooperative-sticky", "range"))
	k.run(20 * time.Second)
	require.Equal(t, "[0, 1] [2, 3]", k.owned(a, b))
	k.w.At(sim.Start.Add(30*time.Second), func() { a.closing = true })
	k.run(50 * time.Second)
	require.Equal(t, "range range cooperative-sticky", k.protocols(), "one rebalance, and B is still eager")
	require.Equal(t, "[0, 1, 2, 3]", k.owned(b))
	require.Len(t, k.events(trace.Owned, "B"), 2+4, "all four count as new, since B had revoked its two")
}

func TestUnknownAssignorsAreRefusedWithTheListOfThose(t *testing.T) {
	cfg := DefaultConsumerConfig()
	cfg.PartitionAssignmentStrategy = []string{"sticky", "cooperative-sticky", "roundrobin"}
	require.NoError(t, cfg.Validate())
	cfg.PartitionAssignmentStrategy = []string{"stickyy"}
	require.ErrorContains(t, cfg.Validate(), "there are [range roundrobin sticky cooperative-sticky")
}

// onlooker gives everything to the first member and notes what it has seen.
type onlooker struct {
	topics []assign.Topic
	rack   string
}

func (o *onlooker) Name() string { return "onlooker" }
func (o *onlooker) Assign(members []assign.Member, topics []assign.Topic) []assign.MemberAssignment {
	o.topics, o.rack = topics, members[0].Rack
	return assign.Assign("range", members, topics)
}

func TestTheLeaderKnowsTheRacksAndWatchesThem(t *testing.T) { // C37, D8
	for _, rack := range []string{"a", ""} {
		l := newLab(t, 2)
		l.racks = map[int32]string{1: "a"}
		l.leader = func(p int32) int32 { return p + 1 }
		see := &onlooker{}
		cfg := testConfig()
		cfg.ClientRack, cfg.MetadataMaxAge = rack, 5*time.Second
		cfg.PartitionAssignmentStrategy, cfg.Assignors = []string{"onlooker"}, []assign.Assignor{see}
		l.start(0, cfg, nil)
		l.run(4 * time.Second)
		require.Equal(t, rack, see.rack)
		require.Equal(t, []assign.Topic{{
			Name: "t", Partitions: 2, Racks: [][]string{{"a"}, nil}, LeaderRacks: []string{"a", ""},
		}}, see.topics)
		l.racks[2] = "b"
		l.run(20 * time.Second)
		joins := map[string]int{"a": 2, "": 1}[rack]
		require.Len(t, l.times(wire.KeyJoinGroup), joins+1, "only a member with a rack looks at racks; the first is the one for its id")
		require.Equal(t, joins == 2, slices.Equal(see.topics[0].LeaderRacks, []string{"a", "b"}))
	}
}

// reckless gives everything to the last member at once, although others own it.
type reckless struct{}

func (reckless) Name() string      { return "reckless" }
func (reckless) Cooperative() bool { return true }
func (reckless) Assign(members []assign.Member, topics []assign.Topic) []assign.MemberAssignment {
	out := make([]assign.MemberAssignment, len(members))
	for i, m := range members {
		out[i].ID = m.ID
		if strings.HasPrefix(m.ID, "B") || len(members) == 1 {
			for p := range topics[0].Partitions {
				out[i].Partitions = append(out[i].Partitions, TopicPartition{Topic: topics[0].Name, Partition: p})
			}
		}
	}
	return out
}

func TestACooperativeAssignorMayNotTakeWhatAnotherMemberOwns(t *testing.T) { // D15
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 2})
	own := func(m *member) {
		m.cfg.PartitionAssignmentStrategy = []string{"reckless"}
		m.cfg.Assignors = []assign.Assignor{reckless{}}
	}
	a := k.join(0, "A", own)
	k.join(20*time.Second, "B", own)
	k.run(30 * time.Second)
	require.NotEmpty(t, a.errs, "A leads and throws")
	require.ErrorContains(t, a.errs[0], "t-0 goes to B")
}
