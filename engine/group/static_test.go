package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestAStaticMemberNeedsNoSecondStepAndIsNamedByItsInstance(t *testing.T) { // A21, A42
	l := newLab(t)
	c := l.join("client", static("pod-0"))
	l.at(3 * time.Second)
	require.Equal(t, wire.None, c.code())
	require.Regexp(t, "^pod-0-[0-9a-f]{8}-[0-9a-f]{4}-4", c.join.MemberID)
	d := l.join("client", version(9))
	require.Regexp(t, "^client-[0-9a-f]{8}-", d.join.MemberID)
}

func TestAStaticReturnInStableDoesNotRebalance(t *testing.T) { // A43, A44
	for _, tt := range []struct {
		name    string
		version int16
		leader  bool
	}{
		{"a follower", 9, false},
		{"the leader, version 9", 9, true},
		{"the leader, version 8", 8, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t)
			ids := l.stable(l.join("a", static("i0")), l.join("b", static("i1")))
			who, instance := ids[1], "i1"
			if tt.leader {
				who, instance = ids[0], "i0"
			}
			l.at(l.now() + 20*time.Second)
			c := l.join("x", static(instance), version(tt.version),
				offering(protocol("range", subscription("another topic"))))
			require.Equal(t, wire.None, c.code())
			require.Equal(t, int32(1), c.join.Generation)
			require.NotEqual(t, who, c.join.MemberID)
			require.Equal(t, trace.GroupStable, l.group().state, "A44: only the name counts")
			switch {
			case tt.leader && tt.version >= 9:
				require.True(t, c.join.SkipAssignment)
				require.Len(t, c.join.Members, 2)
				require.Equal(t, c.join.MemberID, c.join.LeaderID)
			case tt.leader:
				require.Equal(t, who, c.join.LeaderID, "the old id, so that it does not assign")
				require.Empty(t, c.join.Members)
			default:
				require.False(t, c.join.SkipAssignment)
			}
			s := l.sync(c.join.MemberID, 1)
			require.Equal(t, wire.None, s.code())
			require.NotEmpty(t, s.sync.MemberAssignment, "it keeps its partitions")
			r := kmsg.NewPtrHeartbeatRequest()
			r.Version, r.Group, r.MemberID, r.Generation, r.InstanceID = 4, testGroup, who, 1, &instance
			require.Equal(t, int16(wire.FencedInstanceID), l.c.Heartbeat(r).ErrorCode)
			gone := l.events(trace.MemberRemoved)
			require.Equal(t, trace.RemovedByReplace, gone[0].X)
			parts := l.events(trace.PartitionAssigned)
			require.Equal(t, l.log.String(parts[len(parts)-1].Peer), c.join.MemberID)
		})
	}
}

func TestAStaticReturnWithAnotherProtocolRebalances(t *testing.T) { // A43
	l := newLab(t)
	both := offering(protocol("range", nil), protocol("sticky", nil))
	l.stable(l.join("a", static("i0"), both))
	c := l.join("a", static("i0"), offering(protocol("sticky", nil)))
	require.Equal(t, wire.None, c.code())
	require.Equal(t, int32(2), c.join.Generation)
	require.Equal(t, "sticky", *c.join.Protocol)
}

func TestAStaticReturnFencesWhoeverWaitsUnderTheOldID(t *testing.T) { // A42
	l := newLab(t)
	l.stable(l.join("a"), l.join("b", static("i")))
	l.join("c")
	g := l.group()
	old := l.rejoin(g.static("i").id, static("i"))
	require.False(t, old.done())
	again := l.join("b", static("i"))
	require.Equal(t, wire.FencedInstanceID, old.code())
	require.False(t, again.done(), "it takes part in the phase under way")
	require.Equal(t, trace.GroupPreparingRebalance, g.state)
}

func TestAStaticReturnInCompletingRebalances(t *testing.T) { // A44
	l := newLab(t)
	l.join("a")
	l.join("b", static("i"))
	l.at(6 * time.Second)
	require.Equal(t, trace.GroupCompletingRebalance, l.group().state)
	l.join("b", static("i"))
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
}

func TestAFailedWriteRestoresTheOldStaticMember(t *testing.T) { // A43, A54
	l := newLab(t)
	ids := l.stable(l.join("a", static("i0")))
	l.fail = wire.NotEnoughReplicas
	c := l.join("a", static("i0"))
	require.Equal(t, wire.CoordinatorNotAvailable, c.code())
	require.Equal(t, ids[0], l.group().static("i0").id)
	require.Equal(t, ids[0], l.group().leader)
	require.Equal(t, wire.None, l.heartbeat(ids[0], 1))
}

func TestAStaticMemberThatDidNotRejoinStays(t *testing.T) { // A35, A37
	l := newLab(t)
	ids := l.stable(
		l.join("a", timeouts(200*time.Second, 20*time.Second)),
		l.join("b", static("i"), timeouts(200*time.Second, 20*time.Second)),
	)
	start := l.now()
	a := l.rejoin(ids[0], timeouts(200*time.Second, 20*time.Second))
	l.at(start + 20*time.Second)
	require.Equal(t, wire.None, a.code())
	require.Len(t, a.join.Members, 2, "it is in the leader's list with its old metadata")
}

func TestOnlyStaticMembersLeftReArmsTheTimer(t *testing.T) { // A35
	l := newLab(t)
	ids := l.stable(
		l.join("a", timeouts(200*time.Second, 20*time.Second)),
		l.join("b", static("i"), timeouts(60*time.Second, 20*time.Second)),
	)
	start := l.now()
	require.Equal(t, wire.None, l.leave(ids[0]))
	l.at(start + 59*time.Second)
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
	require.Equal(t, int32(1), l.group().generation)
	l.at(start + 60*time.Second)
	require.Equal(t, trace.GroupEmpty, l.group().state)
	require.Equal(t, int32(2), l.group().generation, "A36")
}

func TestAnAdministratorRemovesAStaticMemberByItsInstance(t *testing.T) { // A57
	l := newLab(t)
	ids := l.stable(l.join("a", static("i0")), l.join("b", static("i1")))
	leave := func(id, instance string) *kmsg.LeaveGroupResponse {
		m := kmsg.NewLeaveGroupRequestMember()
		m.MemberID, m.InstanceID = id, &instance
		r := kmsg.NewPtrLeaveGroupRequest()
		r.Version, r.Group, r.Members = 5, testGroup, []kmsg.LeaveGroupRequestMember{m}
		return l.c.LeaveGroup(r)
	}
	require.Equal(t, int16(wire.UnknownMemberID), leave("", "i9").Members[0].ErrorCode)
	require.Equal(t, int16(wire.FencedInstanceID), leave(ids[0], "i1").Members[0].ErrorCode)
	require.Equal(t, trace.GroupStable, l.group().state)
	require.Equal(t, int16(0), leave("", "i1").Members[0].ErrorCode)
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
}
