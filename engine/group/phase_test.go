package group

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestTheInitialDelayGrowsOnlyWithNewcomers(t *testing.T) { // A31, A32
	tests := []struct {
		name      string
		delay     time.Duration
		rebalance time.Duration
		joins     []time.Duration
		want      time.Duration
	}{
		{"a lone member waits exactly 3 s", 3 * time.Second, 300 * time.Second,
			[]time.Duration{0}, 3 * time.Second},
		{"three that start together wait 6 s", 3 * time.Second, 300 * time.Second,
			[]time.Duration{0, 0, 0}, 6 * time.Second},
		{"each window with a newcomer adds one", 3 * time.Second, 300 * time.Second,
			[]time.Duration{0, 2 * time.Second, 5 * time.Second, 8 * time.Second}, 12 * time.Second},
		{"the rebalance timeout is the most", 3 * time.Second, 5 * time.Second,
			[]time.Duration{0, 2 * time.Second, 4 * time.Second}, 5 * time.Second},
		{"no delay", 0, 300 * time.Second, []time.Duration{0}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, func(c *Config) { c.InitialRebalanceDelay = tt.delay })
			var calls []*call
			for i, at := range tt.joins {
				l.at(at)
				calls = append(calls, l.join(string(rune('a'+i)), timeouts(10*time.Second, tt.rebalance)))
			}
			l.at(time.Minute)
			for _, c := range calls {
				require.True(t, c.done())
				require.Equal(t, wire.None, c.code())
				require.Equal(t, tt.want, c.at)
				require.Equal(t, int32(1), c.join.Generation, "A38")
			}
		})
	}
}

func TestALoneLeaverInsideTheInitialDelayEmptiesTheGroupWhenItEnds(t *testing.T) { // A31, A36
	l := newLab(t)
	p := l.join("a", version(9))
	c := l.rejoin(p.join.MemberID, version(9))
	require.Equal(t, wire.None, l.leave(p.join.MemberID))
	require.Equal(t, wire.UnknownMemberID, c.code(), "A58")
	l.at(3 * time.Second)
	require.Equal(t, trace.GroupEmpty, l.group().state)
	require.Equal(t, int32(1), l.group().generation)
}

func TestTheRebalanceTimerIsTheLargestTimeoutAndNotExtended(t *testing.T) { // A34, A35
	l := newLab(t)
	ids := l.stable(
		l.join("a", timeouts(45*time.Second, 20*time.Second)),
		l.join("b", timeouts(45*time.Second, 30*time.Second)),
	)
	start := l.now()
	c := l.join("c", timeouts(45*time.Second, 10*time.Second))
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
	l.at(start + 10*time.Second)
	again := l.rejoin(ids[0], timeouts(45*time.Second, 20*time.Second))
	require.Equal(t, wire.RebalanceInProgress, l.heartbeat(ids[1], 1), "A48")
	l.at(start + 30*time.Second - 1)
	require.False(t, c.done())
	l.at(start + 30*time.Second)
	require.Equal(t, wire.None, c.code())
	require.Equal(t, start+30*time.Second, c.at)
	require.Equal(t, again.at, c.at)
	require.Equal(t, int32(2), c.join.Generation)
	require.Equal(t, wire.UnknownMemberID, l.heartbeat(ids[1], 2), "A35: b did not rejoin")
	gone := l.events(trace.MemberRemoved)
	require.Len(t, gone, 1)
	require.Equal(t, trace.RemovedByRebalance, gone[0].X)
}

func TestTheJoinPhaseEndsWhenAllHaveRejoined(t *testing.T) { // A26, A37
	l := newLab(t)
	ids := l.stable(l.join("a"), l.join("b"))
	c := l.join("c")
	l.at(l.now() + time.Second)
	a := l.rejoin(ids[0])
	require.False(t, a.done())
	b := l.rejoin(ids[1])
	for _, x := range []*call{a, b, c} {
		require.Equal(t, wire.None, x.code())
		require.Equal(t, ids[0], x.join.LeaderID)
		require.Equal(t, "range", *x.join.Protocol)
	}
	require.Len(t, a.join.Members, 3, "only the leader gets the list")
	require.Empty(t, b.join.Members)
	require.Equal(t, subscription("t"), a.join.Members[0].ProtocolMetadata)
}

func TestAPendingIDHoldsTheJoinPhaseBack(t *testing.T) { // A18, A19, A59
	l := newLab(t)
	ids := l.stable(l.join("a"), l.join("b"))
	p := l.join("p", version(4), timeouts(10*time.Second, time.Minute))
	require.Equal(t, wire.MemberIDRequired, p.code())
	require.Equal(t, trace.GroupStable, l.group().state, "A19: a pending id is no member")
	start := l.now()
	a := l.rejoin(ids[0]) // the leader
	b := l.rejoin(ids[1])
	require.False(t, a.done())
	l.at(start + 10*time.Second)
	require.Equal(t, wire.None, a.code())
	require.Equal(t, start+10*time.Second, a.at, "A59")
	require.Equal(t, a.at, b.at)
	require.Equal(t, wire.UnknownMemberID, l.rejoin(p.join.MemberID, version(4)).code())
}

func TestMembersThatNeverSyncAreRemovedStaticOnesToo(t *testing.T) { // A41
	l := newLab(t)
	a := l.join("a", timeouts(45*time.Second, 20*time.Second))
	b := l.join("b", static("i"), timeouts(45*time.Second, 25*time.Second))
	l.at(6 * time.Second)
	require.Equal(t, wire.None, a.code())
	s := l.sync(a.join.MemberID, 1, share(a.join.MemberID, 0))
	require.Equal(t, wire.None, s.code())
	require.Equal(t, trace.GroupStable, l.group().state)
	l.at(31*time.Second - 1)
	require.Equal(t, wire.None, l.heartbeat(b.join.MemberID, 1))
	require.Equal(t, wire.None, l.heartbeat(a.join.MemberID, 1))
	l.at(31 * time.Second)
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
	require.Equal(t, wire.UnknownMemberID, l.heartbeat(b.join.MemberID, 1))
	gone := l.events(trace.MemberRemoved)
	require.Equal(t, trace.RemovedBySync, gone[0].X)
}

func TestARebalanceInCompletingAnswersParkedSyncs(t *testing.T) { // A34
	l := newLab(t)
	a, b := l.join("a"), l.join("b")
	l.at(6 * time.Second)
	follower := b.join.MemberID
	if a.join.LeaderID == follower {
		follower = a.join.MemberID
	}
	s := l.sync(follower, 1)
	require.False(t, s.done())
	l.join("c")
	require.Equal(t, wire.RebalanceInProgress, s.code())
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
	timers := l.events(trace.GroupTimer)
	require.Equal(t, trace.TimerRebalance, timers[len(timers)-1].X)
}

func TestAnUnchangedFollowerIsAnsweredAtOnceAndALeaderRebalances(t *testing.T) { // A28, A30
	l := newLab(t)
	ids := l.stable(l.join("a"), l.join("b"))
	c := l.rejoin(ids[1])
	require.Equal(t, int32(1), c.join.Generation)
	require.Equal(t, ids[0], c.join.LeaderID)
	require.Equal(t, trace.GroupStable, l.group().state)
	l.rejoin(ids[1], offering(protocol("range", subscription("t", "u"))))
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state, "A30")

	l = newLab(t)
	ids = l.stable(l.join("a"), l.join("b"))
	l.rejoin(ids[0])
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state, "the leader's always does")
}

func TestInCompletingTheSameJoinIsAnsweredWithTheMemberListForTheLeader(t *testing.T) { // A27
	l := newLab(t)
	a, b := l.join("a"), l.join("b")
	l.at(6 * time.Second)
	require.Len(t, l.rejoin(a.join.MemberID).join.Members, 2)
	require.Empty(t, l.rejoin(b.join.MemberID).join.Members)
	require.Equal(t, trace.GroupCompletingRebalance, l.group().state)
	l.rejoin(b.join.MemberID, offering(protocol("range", subscription("u"))))
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
}

func TestTheProtocolIsVotedAmongWhatAllSupport(t *testing.T) { // A17, A40
	l := newLab(t)
	p := func(names ...string) func(*kmsg.JoinGroupRequest) {
		var list []kmsg.JoinGroupRequestProtocol
		for _, n := range names {
			list = append(list, protocol(n, subscription("t")))
		}
		return offering(list...)
	}
	a := l.join("a", p("range", "sticky", "roundrobin"))
	b := l.join("b", p("sticky", "roundrobin"))
	c := l.join("c", p("roundrobin", "sticky", "range"))
	require.Equal(t, wire.InconsistentGroupProtocol, l.join("d", p("range")).code())
	other := func(r *kmsg.JoinGroupRequest) { r.ProtocolType = "connect" }
	require.Equal(t, wire.InconsistentGroupProtocol, l.join("d", p("sticky"), other).code())
	empty := func(r *kmsg.JoinGroupRequest) { r.Group, r.ProtocolType = testGroup, "" }
	for _, first := range []func(*kmsg.JoinGroupRequest){empty, offering()} {
		require.Equal(t, wire.InconsistentGroupProtocol, newLab(t).join("d", first).code(), "in an Empty group")
	}
	l.at(10 * time.Second)
	for _, x := range []*call{a, b, c} {
		require.Equal(t, "sticky", *x.join.Protocol, "two of three vote for it")
	}
}

func TestTheGroupSizeIsLimitedByState(t *testing.T) { // A16, S76
	l := newLab(t, func(c *Config) { c.MaxSize = 3 })
	ids := l.stable(l.join("a"), l.join("b"), l.join("c"))
	fourth := l.join("d")
	require.Equal(t, wire.GroupMaxSizeReached, fourth.code())
	require.Empty(t, fourth.join.MemberID)
	wrong := func(r *kmsg.JoinGroupRequest) { r.ProtocolType = "connect" }
	require.Equal(t, wire.GroupMaxSizeReached, l.join("d", wrong).code(), "A17: size comes first")
	require.Equal(t, trace.GroupStable, l.group().state, "the group is undisturbed")
	require.Equal(t, wire.None, l.heartbeat(ids[0], 1))
	require.Equal(t, wire.None, l.rejoin(ids[1]).code(), "a member is never one too many")

	l = newLab(t, func(c *Config) { c.MaxSize = 2 })
	a := l.join("a")
	l.join("b")
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
	require.Equal(t, wire.GroupMaxSizeReached, l.join("c").code(), "two wait already")
	again := l.rejoin(l.group().leader)
	require.False(t, again.done(), "who waits already may ask again")
	l.at(6 * time.Second)
	require.False(t, a.done(), "the first request of it stays without an answer")
	require.Equal(t, wire.None, again.code())
	l.sync(again.join.MemberID, 1)
	for _, m := range l.group().members.all() {
		require.Equal(t, wire.None, l.leave(m.id))
	}
	l.at(l.now() + 300*time.Second)
	require.Equal(t, trace.GroupEmpty, l.group().state)
	l.cfg.MaxSize = 0
	require.False(t, l.join("a").done(), "an Empty group takes anybody")
}

func TestTheSessionTimeoutMustLieWithinTheBrokersBounds(t *testing.T) { // A9, A13
	for d, want := range map[time.Duration]bool{
		6*time.Second - time.Millisecond: false, 6 * time.Second: true,
		30 * time.Minute: true, 30*time.Minute + time.Millisecond: false,
	} {
		c := newLab(t).join("d", timeouts(d, time.Minute))
		require.Equal(t, want, !c.done(), "%v", d)
		if !want {
			require.Equal(t, wire.InvalidSessionTimeout, c.code())
		}
	}
}

// A group that nobody is left in is written down as an empty generation, so that a new coordinator
// knows that it is Empty, and since when; the members need not be told if that fails.
func TestTheEmptyGenerationIsWritten(t *testing.T) { // A36
	for _, fail := range []wire.Code{wire.None, wire.NotEnoughReplicas} {
		l := newLab(t)
		ids := l.stable(l.join("a"))
		l.fail = fail
		require.Equal(t, wire.None, l.leave(ids[0]))
		g := l.group()
		require.Equal(t, []any{trace.GroupEmpty, int32(2), ""}, []any{g.state, g.generation, g.protocol})
		l.fail = wire.None
		l.reload()
		l.at(l.now() + time.Second)
		want := trace.GroupEmpty
		if fail != wire.None {
			want = trace.GroupStable // what was written last
		}
		require.Equal(t, want, l.group().state)
	}
}

func TestMembersWalkInTheOrderOfAJavaHashMap(t *testing.T) { // A39, D11
	put := []string{"banana", "apple", "cherry", "Aa", "BB", "zebra"}
	want := javaOrder(put, 16, func(s string) string { return s })
	at := func(s string) int {
		for i := range want {
			if want[i] == s {
				return i
			}
		}
		return -1
	}
	require.Less(t, at("Aa"), at("BB"), "equal hashes keep the order of insertion")
	last := -1
	for _, s := range want {
		h := uint32(wire.JavaHash(s))
		bucket := int((h ^ h>>16) & 15)
		require.GreaterOrEqual(t, bucket, last)
		last = bucket
	}
	r := newRoster()
	for i := range 13 {
		r.put(&member{id: string(rune('a' + i))})
	}
	require.Equal(t, 32, r.table, "the 13th entry doubles a table of 16")
	require.Equal(t, "a", r.all()[0].id, "97 mod 32 = 1 is the first bucket in use")
}

func TestTheLeadersSuccessorIsTheNextInMapOrder(t *testing.T) { // A39
	l := newLab(t)
	ids := l.stable(l.join("a"), l.join("b"), l.join("c"))
	require.Equal(t, wire.None, l.leave(ids[0]))
	g := l.group()
	require.Equal(t, g.members.all()[0].id, g.leader)
}

func TestARemovalInsideTheInitialDelayCanEndIt(t *testing.T) { // A33, A60
	l := newLab(t, func(c *Config) { c.InitialRebalanceDelay = 400 * time.Second })
	l.join("a", timeouts(6*time.Second, 500*time.Second))
	l.at(time.Second)
	b := l.join("b", timeouts(6*time.Second, 500*time.Second))
	l.at(300*time.Second - 1)
	require.False(t, b.done())
	l.at(300 * time.Second) // a was added at 0 and is removed as a new member
	require.Equal(t, wire.None, b.code())
	require.Equal(t, 300*time.Second, b.at)
}

func TestVersionZeroHasNoRebalanceTimeout(t *testing.T) { // A22, A24
	l := newLab(t)
	c := l.join("a", version(0), timeouts(7*time.Second, time.Hour))
	l.at(3 * time.Second)
	require.Equal(t, wire.None, c.code())
	require.Equal(t, 7*time.Second, l.group().rebalanceTimeout())
	fail := l.rejoin("x", version(6))
	require.NotNil(t, fail.join.Protocol, "null is not allowed before version 7")
	require.Nil(t, l.rejoin("x", version(7)).join.Protocol)
}

func TestTheBoundsOfGroupMaxSizeHoldItsDefault(t *testing.T) { // A9
	require.Equal(t, math.MaxInt32, DefaultConfig().MaxSize)
	require.Equal(t, 3*time.Second, DefaultConfig().InitialRebalanceDelay)
}
