package client

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// parts are partitions of topic t.
func parts(numbers ...int32) []TopicPartition {
	var tps []TopicPartition
	for _, n := range numbers {
		tps = append(tps, TopicPartition{Topic: "t", Partition: n})
	}
	return tps
}

// told is an assignor that gives the only member what the test says, round after round.
type told struct {
	rounds [][]TopicPartition
	seen   []assign.Member
}

func (*told) Name() string { return "told" }

// Cooperative implements [assign.Cooperator].
func (*told) Cooperative() bool { return true }

func (a *told) Assign(members []assign.Member, _ []assign.Topic) []assign.MemberAssignment {
	a.seen = append(a.seen, members[0])
	next := a.rounds[0]
	if len(a.rounds) > 1 {
		a.rounds = a.rounds[1:]
	}
	return []assign.MemberAssignment{{ID: members[0].ID, Partitions: next}}
}

// cooperativeConfig follows the cooperative protocol; rounds are the assignments.
func cooperativeConfig(rounds ...[]TopicPartition) (ConsumerConfig, *told) {
	a := &told{rounds: rounds}
	cfg := testConfig()
	cfg.PartitionAssignmentStrategy = []string{"told"}
	cfg.Assignors = []assign.Assignor{a}
	return cfg, a
}

func (l *lab) enforce(d time.Duration, a *app) {
	l.do(d, func() { require.NoError(l.t, a.c.EnforceRebalance("")) })
}

func TestCooperativeRevokesAfterSyncWhatGoesAndJoinsAgainAtOnce(t *testing.T) { // C31, C32, D15
	l := newLab(t, 3)
	cfg, assignor := cooperativeConfig(parts(0, 1, 2), parts(0), parts(0, 2))
	cfg.EnableAutoCommit = false
	li := &listener{l: l}
	a := l.start(0, cfg, li)
	l.enforce(time.Second, a)
	l.run(1500 * time.Millisecond)
	require.Equal(t, []string{
		"assigned[t-0, t-1, t-2]",
		"revoked[t-1, t-2]", "assigned[]", // round one: only what goes, then what is new, even if nothing
		"assigned[t-2]", // round two, which followed without a beat in between
	}, li.calls)
	require.Contains(t, l.requests("ApiVersions", "Fetch", "Metadata", "ListOffsets", "OffsetFetch"),
		"SyncGroup JoinGroup SyncGroup JoinGroup SyncGroup")
	require.Empty(t, l.times(wire.KeyHeartbeat))
	require.Equal(t, parts(0, 2), a.c.Assignment())
	var owned [][]TopicPartition
	var generations []int32
	for _, m := range assignor.seen {
		owned, generations = append(owned, m.Owned), append(generations, m.Generation)
	}
	require.Equal(t, [][]TopicPartition{nil, parts(0, 1, 2), parts(0)}, owned)
	require.Equal(t, []int32{-1, 1, 2}, generations)
	require.Equal(t, 1, l.logged("need to revoke partitions and re-join"))
}

func TestWhatIsKeptIsFetchedAndReturnedDuringTheWholeRebalance(t *testing.T) { // C31, C38, G7
	l := newLab(t, 2)
	cfg, _ := cooperativeConfig(parts(0, 1), parts(0, 1))
	cfg.EnableAutoCommit = false
	a := l.start(0, cfg, nil)
	a.timeout = 50 * time.Millisecond
	l.run(900 * time.Millisecond)
	l.joinFor = 3 * time.Second
	l.enforce(time.Second, a)
	for i := range 20 {
		l.do(time.Second+time.Duration(i)*100*time.Millisecond, func() { l.write(int32(i%2), 1) })
	}
	var during []error
	a.after = func(records []Record, next func()) {
		if len(records) == 0 || l.at() < 1100*time.Millisecond || l.at() > 3900*time.Millisecond {
			next()
			return
		}
		a.c.CommitSync(nil, func(err error) {
			during = append(during, err)
			next()
		})
	}
	l.run(3900 * time.Millisecond)
	require.Equal(t, trace.ConsumerPreparing, a.c.grp.state)
	require.Len(t, a.records, 20)
	require.Empty(t, l.events(trace.Unowned))
	require.NotEmpty(t, during)
	for _, err := range during {
		name, _ := ErrorName(err)
		require.Equal(t, ErrRebalance, name)
	}
}

func TestACooperativeAutoCommitBeforeTheJoinStopsNothing(t *testing.T) { // C33
	l := newLab(t, 1)
	cfg, _ := cooperativeConfig(parts(0))
	l.write(0, 3)
	a := l.start(0, cfg, nil)
	a.timeout = 20 * time.Millisecond
	l.do(time.Second, func() {
		l.answers[wire.KeyOffsetCommit] = []wire.Code{
			wire.CoordinatorLoadInProgress, wire.CoordinatorLoadInProgress, wire.CoordinatorLoadInProgress,
		}
		require.NoError(t, a.c.EnforceRebalance(""))
	})
	l.do(1100*time.Millisecond, func() { l.write(0, 1) })
	l.run(1200 * time.Millisecond)
	require.Len(t, l.times(wire.KeyJoinGroup), 2, "the commit is still tried again")
	require.Len(t, a.records, 4, "and the partition is still read")
	l.run(2 * time.Second)
	require.Len(t, l.times(wire.KeyJoinGroup), 3)
	require.GreaterOrEqual(t, l.committed[parts(0)[0]], int64(3))
}

func TestCooperativeRevokesBeforeTheJoinWhatIsNotSubscribedAnyMore(t *testing.T) { // C31
	l := newLab(t, 1)
	l.topics = []string{"t", "u"}
	u := TopicPartition{Topic: "u"}
	cfg, _ := cooperativeConfig(append(parts(0), u), parts(0))
	cfg.EnableAutoCommit = false
	li := &listener{l: l}
	a := l.start(0, cfg, li)
	l.joinFor = 0
	l.do(time.Second, func() {
		l.joinFor = 500 * time.Millisecond
		require.NoError(t, a.c.Subscribe([]string{"t"}, li))
		require.False(t, a.c.sub.find(u).fetchable(), "nothing of it is fetched or returned any more")
		require.True(t, a.c.sub.find(parts(0)[0]).fetchable())
	})
	l.run(1400 * time.Millisecond)
	require.Equal(t, []string{"assigned[t-0, u-0]", "revoked[u-0]"}, li.calls, "before the Join's answer")
	require.Equal(t, parts(0), a.c.Assignment())
	l.run(2 * time.Second)
	require.Equal(t, []string{"assigned[t-0, u-0]", "revoked[u-0]", "assigned[]"}, li.calls,
		"and no second round")
	require.Len(t, l.times(wire.KeyJoinGroup), 3)
}

func TestAGenerationLostInTheJoinLosesThePartitions(t *testing.T) { // C34, C.7
	for _, tc := range []struct {
		name string
		key  int16
		code wire.Code
	}{
		{"join", wire.KeyJoinGroup, wire.UnknownMemberID},
		{"sync, unknown member", wire.KeySyncGroup, wire.UnknownMemberID},
		{"sync, old generation", wire.KeySyncGroup, wire.IllegalGeneration},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t, 2)
			cfg, assignor := cooperativeConfig(parts(0, 1))
			cfg.EnableAutoCommit = false
			li := &listener{l: l}
			a := l.start(0, cfg, li)
			l.do(time.Second, func() {
				l.answers[tc.key] = []wire.Code{tc.code}
				require.NoError(t, a.c.EnforceRebalance(""))
			})
			l.run(2 * time.Second)
			require.Equal(t, []string{"assigned[t-0, t-1]", "lost[t-0, t-1]", "assigned[t-0, t-1]"}, li.calls)
			last := assignor.seen[len(assignor.seen)-1]
			require.Empty(t, last.Owned, "what is lost is not claimed")
			require.Equal(t, int32(-1), last.Generation)
			require.Empty(t, a.errs)
		})
	}
}

func TestALossDuringARevokeCallbackIsToldAfterIt(t *testing.T) { // C28, C34
	l := newLab(t, 2)
	cfg, _ := cooperativeConfig(parts(0, 1), parts(0))
	cfg.EnableAutoCommit, cfg.MaxPollInterval = false, 10*time.Second
	li := &listener{l: l}
	li.in = func(call string, done func(error)) {
		wait := time.Duration(0)
		if call == "revoked" { // longer than max.poll.interval.ms
			wait = 15 * time.Second
		}
		l.p.env.After(wait, func() { done(nil) })
	}
	a := l.start(0, cfg, li)
	l.enforce(time.Second, a)
	l.run(17 * time.Second)
	require.Equal(t, []string{
		"assigned[t-0, t-1]", "revoked[t-1]", "assigned[]", "lost[t-0]", "assigned[t-0]",
	}, li.calls)
	require.Len(t, l.times(wire.KeyLeaveGroup), 1)
}

func TestAPauseSurvivesOnlyWhereThePartitionIsKept(t *testing.T) { // C17, C32, R21
	for _, tc := range []struct {
		name string
		cfg  func() ConsumerConfig
		want []TopicPartition
	}{
		{"cooperative", func() ConsumerConfig {
			cfg, _ := cooperativeConfig(parts(0, 1, 2), parts(0, 1), parts(0, 1, 2))
			return cfg
		}, parts(0, 1)},
		{"eager", testConfig, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t, 3)
			for p := range int32(3) {
				l.write(p, 5)
			}
			cfg := tc.cfg()
			a := l.start(0, cfg, nil)
			l.do(time.Second, func() { require.NoError(t, a.c.Pause(parts(0, 1, 2))) })
			l.enforce(1100*time.Millisecond, a)
			l.run(2 * time.Second)
			require.Equal(t, parts(0, 1, 2), a.c.Assignment())
			require.Equal(t, tc.want, a.c.Paused())
			require.Len(t, a.records, 15, "positions were committed, so nothing comes twice")
		})
	}
}

func TestAKeptPartitionKeepsItsPositionWithoutACommit(t *testing.T) { // C32
	for name, cooperative := range map[string]bool{"cooperative": true, "eager": false} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 1)
			l.write(0, 5)
			cfg := testConfig()
			if cooperative {
				cfg, _ = cooperativeConfig(parts(0))
			}
			cfg.EnableAutoCommit = false
			a := l.start(0, cfg, nil)
			l.enforce(time.Second, a)
			l.run(2 * time.Second)
			want := 5
			if !cooperative {
				want = 10 // from the reset policy again
			}
			require.Len(t, a.records, want)
		})
	}
}

func TestAnErrorOfACallbackAfterSyncIsThrownAsItIs(t *testing.T) { // C35
	l := newLab(t, 2)
	cfg, _ := cooperativeConfig(parts(0, 1), parts(0))
	cfg.EnableAutoCommit = false
	li := &listener{l: l}
	a := l.start(0, cfg, li)
	li.in = func(call string, done func(error)) {
		if call == "revoked" {
			a.c.CommitSync([]Offset{{TP: parts(1)[0], Offset: -5}}, done)
			return
		}
		l.p.env.After(0, func() { done(nil) })
	}
	l.do(time.Second, func() {
		l.answers[wire.KeyOffsetCommit] = []wire.Code{wire.OffsetMetadataTooLarge}
		require.NoError(t, a.c.EnforceRebalance(""))
	})
	l.run(2 * time.Second)
	require.Len(t, a.errs, 1)
	name, _ := ErrorName(a.errs[0])
	require.Equal(t, "OFFSET_METADATA_TOO_LARGE", name)
	require.Equal(t, []string{"assigned[t-0, t-1]", "revoked[t-1]", "assigned[]", "assigned[]"}, li.calls,
		"the steps that remain are done, and the second round follows")
}

func TestALeaveBetweenTheRoundsIsNoSecondOwner(t *testing.T) { // C42: closing during a rebalance
	l := newLab(t, 2)
	cfg, _ := cooperativeConfig(parts(0, 1))
	cfg.EnableAutoCommit = false
	li := &listener{l: l}
	a := l.start(0, cfg, li)
	l.do(time.Second, func() {
		l.joinFor = 5 * time.Second
		require.NoError(t, a.c.EnforceRebalance(""))
	})
	a.after = func(_ []Record, next func()) {
		if l.at() < 2*time.Second {
			next()
			return
		}
		a.c.Close(func(error) {})
	}
	l.run(10 * time.Second)
	require.Equal(t, []string{"assigned[t-0, t-1]", "lost[t-0, t-1]"}, li.calls,
		"a rebalance is under way, so it is too late for on_revoked")
	leaves := 0
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.LeaveGroupRequest); ok {
			leaves++
			require.Nil(t, r.Members[0].InstanceID)
		}
	}
	require.Equal(t, 1, leaves)
}
