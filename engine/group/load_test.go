package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// reload takes the partition away and gives it back, with what was written.
func (l *lab) reload() {
	l.c.Unload(l.partition())
	l.c.Load(l.partition(), l.store[l.partition()])
}

func TestLosingThePartitionAnswersWhoeverWaits(t *testing.T) { // A64
	l := newLab(t)
	ids := l.stable(l.join("a"), l.join("b"))
	c := l.join("c")
	l.c.Unload(l.partition())
	require.Equal(t, wire.NotCoordinator, c.code())
	require.Equal(t, wire.NotCoordinator, l.heartbeat(ids[0], 1))
	require.Equal(t, wire.NotCoordinator, l.commit(commitRequest(ids[0], 1, 1)))
	l.at(time.Hour) // no timer is left that could fire
	states := l.events(trace.GroupState)
	require.Equal(t, trace.GroupDead, states[len(states)-1].X)
}

func TestLosingThePartitionAnswersAParkedSync(t *testing.T) { // A64
	l := newLab(t)
	l.join("a")
	b := l.join("b")
	l.at(6 * time.Second)
	waits := l.sync(b.join.MemberID, 1)
	require.False(t, waits.done())
	l.c.Unload(l.partition())
	require.Equal(t, wire.NotCoordinator, waits.code())
}

func TestWhileLoadingOnlyHeartbeatsAreAnswered(t *testing.T) { // A6, A45
	l := newLab(t)
	ids := l.stable(l.join("a"))
	l.reload()
	require.Equal(t, wire.None, l.heartbeat(ids[0], 1))
	require.Equal(t, wire.None, l.heartbeat("stranger", 99))
	loading := wire.CoordinatorLoadInProgress
	require.Equal(t, loading, l.join("b").code())
	require.Equal(t, loading, l.sync(ids[0], 1).code())
	require.Equal(t, loading, l.leave(ids[0]))
	require.Equal(t, loading, l.commit(commitRequest(ids[0], 1, 1)))
	_, code := l.c.Offsets(testGroup, nil)
	require.Equal(t, loading, code)
}

func TestAfterLoadingAGroupGoesOnWhereItWas(t *testing.T) { // A65, B28
	l := newLab(t)
	ids := l.stable(l.join("a"), l.join("b", static("i")))
	for _, offset := range []int64{3, 8, 5} {
		require.Equal(t, wire.None, l.commit(commitRequest(ids[0], 1, offset)))
	}
	assigned := l.sync(ids[0], 1).sync.MemberAssignment
	l.at(l.now() + 40*time.Second)
	l.heartbeat(ids[0], 1)
	l.heartbeat(ids[1], 1)
	l.reload()
	l.at(l.now() + time.Second)
	loaded := time.Duration(l.events(trace.CoordinatorLoaded)[1].At)
	g := l.group()
	require.Equal(t, trace.GroupStable, g.state)
	require.Equal(t, ids[0], g.leader)
	require.Equal(t, int64(5), l.committed(), "the last record of a key wins")
	require.Equal(t, assigned, l.sync(ids[0], 1).sync.MemberAssignment)
	require.Equal(t, ids[1], g.static("i").id)
	require.Equal(t, int32(1), l.rejoin(ids[1], static("i")).join.Generation, "no rebalance")
	l.at(loaded + 45*time.Second - 1)
	require.Equal(t, 2, g.members.len())
	l.at(loaded + 45*time.Second)
	require.Equal(t, 0, g.members.len(), "every session starts full")
}

func TestAMemberThatOffersSeveralProtocolsRebalancesAfterLoading(t *testing.T) { // A66
	l := newLab(t)
	both := offering(protocol("range", subscription("t")), protocol("sticky", subscription("t")))
	ids := l.stable(l.join("a", both), l.join("b", both))
	require.Equal(t, int32(1), l.rejoin(ids[1], both).join.Generation)
	l.reload()
	l.at(l.now() + time.Second)
	require.False(t, l.rejoin(ids[1], both).done())
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
}

func TestAGroupAboveTheLimitRebalancesAfterLoading(t *testing.T) { // A65
	l := newLab(t)
	l.stable(l.join("a"), l.join("b"))
	l.cfg.MaxSize = 1
	l.reload()
	l.at(l.now() + time.Second)
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
}

func TestANewGroupSurvivesAFailOver(t *testing.T) { // A23
	l := newLab(t)
	require.Equal(t, wire.MemberIDRequired, l.join("a", version(9)).code())
	l.reload()
	l.at(time.Second)
	require.NotNil(t, l.group())
	require.Equal(t, trace.GroupEmpty, l.group().state)
}

func TestTombstonesAndUnknownRecordsWhileLoading(t *testing.T) { // B24, B27, B28
	l := newLab(t)
	require.Equal(t, wire.None, l.commit(commitRequest("", -1, 5)))
	records := append([]wire.Record(nil), l.store[l.partition()]...)
	records = append(records,
		wire.Record{Key: []byte{0, 99, 0, 1, 'g'}, Value: []byte{0, 0}}, // of a later Kafka
		wire.Record{Key: wire.OffsetKey(testGroup, wire.TopicPartition{Topic: "t"})},
	)
	l.c.Unload(l.partition())
	l.c.Load(l.partition(), records)
	l.at(time.Second)
	require.Equal(t, int64(-1), l.committed())
}

func TestACommitUnderWayWhenThePartitionIsLostIsRefused(t *testing.T) { // A64
	l := newLab(t)
	l.hold = true
	var codes []wire.Code
	l.c.OffsetCommit(commitRequest("", -1, 4), func(c []wire.Code) { codes = c })
	l.c.Unload(l.partition())
	l.c.Load(l.partition(), nil)
	l.letGo()
	require.Equal(t, []wire.Code{wire.NotCoordinator}, codes)
	require.Equal(t, int64(-1), l.committed())
}

func TestAnswersOfOldVersions(t *testing.T) { // A55
	l := newLab(t)
	ids := l.stable(l.join("a"))
	r := kmsg.NewPtrLeaveGroupRequest()
	r.Version, r.Group, r.MemberID = 0, testGroup, "x"
	require.Equal(t, int16(wire.UnknownMemberID), l.c.LeaveGroup(r).ErrorCode)
	r.MemberID = ids[0]
	require.Zero(t, l.c.LeaveGroup(r).ErrorCode)
}
