package group

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestAnyValidMemberCommitsAnyOffsetOfAnyPartition(t *testing.T) { // B9, B12
	l := newLab(t)
	ids := l.stable(l.join("a"), l.join("b"))
	for _, offset := range []int64{50, 7, -1, 1 << 60} {
		require.Equal(t, wire.None, l.commit(commitRequest(ids[1], 1, offset)))
		require.Equal(t, offset, l.committed(), "the last write wins")
	}
}

func TestTooLongMetadataRefusesOnlyItsPartition(t *testing.T) { // B10
	l := newLab(t)
	r := commitRequest("", -1, 1)
	add := func(part int32, text string) {
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.Metadata = part, int64(part), &text
		r.Topics[0].Partitions = append(r.Topics[0].Partitions, p)
	}
	add(1, strings.Repeat("x", 4097))
	add(2, strings.Repeat("\u00e9", 4096)) // 8,192 bytes, 4,096 units
	add(3, strings.Repeat("\U0001f642", 2049))
	require.Equal(t, []wire.Code{
		wire.None, wire.OffsetMetadataTooLarge, wire.None, wire.OffsetMetadataTooLarge,
	}, l.commitAll(r))
	list, _ := l.c.Offsets(testGroup, nil)
	require.Len(t, list, 2)
}

func TestACommitIsVisibleOnceItIsReplicated(t *testing.T) { // B11, A54
	l := newLab(t)
	l.hold = true
	var codes []wire.Code
	l.c.OffsetCommit(commitRequest("", -1, 4), func(c []wire.Code) { codes = c })
	require.Nil(t, codes)
	require.Equal(t, int64(-1), l.committed())
	l.letGo()
	require.Equal(t, []wire.Code{wire.None}, codes)
	require.Equal(t, int64(4), l.committed())
	for appendCode, want := range map[wire.Code]wire.Code{
		wire.RequestTimedOut:     wire.CoordinatorNotAvailable,
		wire.NotEnoughReplicas:   wire.CoordinatorNotAvailable,
		wire.NotLeaderOrFollower: wire.NotCoordinator,
		wire.MessageTooLarge:     wire.UnknownServerError,
	} {
		l.fail = appendCode
		require.Equal(t, want, l.commit(commitRequest("", -1, 9)))
		require.Equal(t, int64(4), l.committed())
	}
}

func TestAFailedWriteOfAssignmentsRebalances(t *testing.T) { // A52, A54
	l := newLab(t)
	c := l.join("a")
	l.at(3 * time.Second)
	l.fail = wire.NotEnoughReplicasAfterAppend
	s := l.sync(c.join.MemberID, 1)
	require.Equal(t, wire.CoordinatorNotAvailable, s.code())
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
}

func TestAssignmentsThatComeTooLateAreNotHandedOut(t *testing.T) { // A52
	l := newLab(t)
	c := l.join("a")
	l.at(3 * time.Second)
	l.hold = true
	s := l.sync(c.join.MemberID, 1, share(c.join.MemberID, 0))
	require.False(t, s.done())
	l.hold = false
	l.join("b")
	require.Equal(t, wire.RebalanceInProgress, s.code())
	l.letGo()
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
	require.Empty(t, l.events(trace.GenerationStable))
}

func TestMembersLeftOutGetNothingAndOnlyTheLeadersPlanCounts(t *testing.T) { // A52, A53
	l := newLab(t)
	a, b := l.join("a"), l.join("b")
	l.at(6 * time.Second)
	leader, follower := a.join.MemberID, b.join.MemberID
	f := l.sync(follower, 1, share(follower, 0, 1, 2))
	lead := l.sync(leader, 1, share(leader, 0, 1))
	require.Equal(t, wire.None, lead.code())
	require.Equal(t, share(leader, 0, 1).MemberAssignment, lead.sync.MemberAssignment)
	require.Empty(t, f.sync.MemberAssignment)
	parts := l.events(trace.PartitionAssigned)
	require.Len(t, parts, 2)
	for _, e := range parts {
		require.Equal(t, "t", l.log.String(e.Name))
		require.Equal(t, leader, l.log.String(e.Peer))
		require.Equal(t, int64(1), e.X)
		require.Equal(t, testGroup, l.log.String(trace.Ref(e.Y)))
	}
}

func TestSyncChecksTheProtocol(t *testing.T) { // A49, A50
	l := newLab(t)
	ids := l.stable(l.join("a"))
	try := func(version int16, kind, name *string) wire.Code {
		r := kmsg.NewPtrSyncGroupRequest()
		r.Version, r.Group, r.MemberID, r.Generation = version, testGroup, ids[0], 1
		r.ProtocolType, r.Protocol = kind, name
		var code wire.Code
		l.c.SyncGroup(r, func(s *kmsg.SyncGroupResponse) { code = wire.Code(s.ErrorCode) })
		return code
	}
	consumer, connect, ranged, sticky := "consumer", "connect", "range", "sticky"
	require.Equal(t, wire.None, try(5, &consumer, &ranged))
	require.Equal(t, wire.InconsistentGroupProtocol, try(5, &consumer, nil))
	require.Equal(t, wire.InconsistentGroupProtocol, try(5, nil, &ranged))
	require.Equal(t, wire.InconsistentGroupProtocol, try(5, &consumer, &sticky))
	require.Equal(t, wire.InconsistentGroupProtocol, try(5, &connect, &ranged))
	require.Equal(t, wire.None, try(4, nil, nil))
}

const day = 24 * time.Hour

func TestOffsetsOfAnEmptyGroupExpireSevenDaysAfterItBecameEmpty(t *testing.T) { // B19-B22
	l := newLab(t)
	ids := l.stable(l.join("a", timeouts(30*time.Minute, time.Minute)))
	require.Equal(t, wire.None, l.commit(commitRequest(ids[0], 1, 5)))
	for at := l.now(); at < 8*day; at += 20 * time.Minute { // a live group keeps them
		l.at(at)
		require.Equal(t, wire.None, l.heartbeat(ids[0], 1))
	}
	require.Equal(t, int64(5), l.committed())
	require.Equal(t, wire.None, l.leave(ids[0]))
	empty := l.now()
	require.Equal(t, trace.GroupEmpty, l.group().state)
	l.at(empty + 7*day - time.Second)
	require.Equal(t, int64(5), l.committed())
	l.at(empty + 7*day + 10*time.Minute)
	require.Equal(t, int64(-1), l.committed())
	require.Nil(t, l.group(), "B22: the group goes with its last offset")
	records := l.store[l.partition()]
	require.Nil(t, records[len(records)-1].Value, "a tombstone")
}

func TestOffsetsOfUnsubscribedTopicsExpireByTheirCommit(t *testing.T) { // B20
	l := newLab(t, func(c *Config) { c.OffsetsRetention = time.Hour })
	ids := l.stable(l.join("a", timeouts(30*time.Minute, time.Minute)))
	r := commitRequest(ids[0], 1, 5)
	other := kmsg.NewOffsetCommitRequestTopic()
	other.Topic = "u"
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Offset = 9
	other.Partitions = append(other.Partitions, p)
	r.Topics = append(r.Topics, other)
	require.Equal(t, []wire.Code{0, 0}, l.commitAll(r))
	for at := l.now(); at < 71*time.Minute; at += 20 * time.Minute {
		l.at(at)
		l.heartbeat(ids[0], 1)
	}
	l.at(71 * time.Minute)
	list, _ := l.c.Offsets(testGroup, nil)
	require.Len(t, list, 1)
	require.Equal(t, "t", list[0].TP.Topic)
	require.Len(t, l.events(trace.OffsetRemoved), 1)
}

func TestASimpleGroupsOffsetsExpireByTheirCommit(t *testing.T) { // B20, B21
	l := newLab(t)
	require.Equal(t, wire.None, l.commit(commitRequest("", -1, 5)))
	l.at(7*day - time.Minute)
	require.Equal(t, int64(5), l.committed())
	l.at(7*day + 10*time.Minute)
	require.Equal(t, int64(-1), l.committed())

	l = newLab(t)
	r := commitRequest("", -1, 5)
	r.Version, r.RetentionTimeMillis = 4, 60_000 // an old client's own retention
	require.Equal(t, wire.None, l.commit(r))
	l.at(11 * time.Minute)
	require.Equal(t, int64(-1), l.committed())
}

func TestAnOffsetExpiresAtTheVeryMomentItsRetentionIsOver(t *testing.T) { // B19, B21
	l := newLab(t, func(c *Config) { c.OffsetsRetention = time.Hour })
	require.Equal(t, wire.None, l.commit(commitRequest("", -1, 5)))
	l.at(time.Hour - 1)
	require.Equal(t, int64(5), l.committed())
	l.at(time.Hour) // the sixth look
	require.Equal(t, int64(-1), l.committed())
}

func TestAnEmptyGroupWithoutCommitsVanishesAtTheNextCheck(t *testing.T) { // B22
	l := newLab(t)
	ids := l.stable(l.join("a"))
	l.leave(ids[0])
	l.at(10*time.Minute - 1)
	require.NotNil(t, l.group())
	l.at(10 * time.Minute)
	require.Nil(t, l.group())
}

func TestDeleteGroups(t *testing.T) { // A68
	l := newLab(t)
	require.Equal(t, wire.GroupIDNotFound, l.c.Delete(testGroup))
	ids := l.stable(l.join("a"))
	require.Equal(t, wire.None, l.commit(commitRequest(ids[0], 1, 5)))
	require.Equal(t, wire.NonEmptyGroup, l.c.Delete(testGroup))
	l.leave(ids[0])
	require.Equal(t, wire.None, l.c.Delete(testGroup))
	require.Equal(t, int64(-1), l.committed())
	require.Nil(t, l.group())
}

func TestDescribeAndList(t *testing.T) { // A67
	l := newLab(t)
	none := l.c.Describe(testGroup, 6)
	require.Equal(t, "Dead", none.State)
	require.Equal(t, int16(wire.GroupIDNotFound), none.ErrorCode)
	require.Zero(t, l.c.Describe(testGroup, 5).ErrorCode)
	a := l.join("a")
	d := l.c.Describe(testGroup, 6)
	require.Equal(t, "PreparingRebalance", d.State)
	require.Empty(t, d.Members[0].ProtocolMetadata)
	l.stable(a)
	d = l.c.Describe(testGroup, 6)
	require.Equal(t, "Stable", d.State)
	require.Equal(t, "range", d.Protocol)
	require.Equal(t, "/a", d.Members[0].ClientHost)
	require.Equal(t, subscription("t"), d.Members[0].ProtocolMetadata)
	list, _ := l.c.List([]string{"Stable"}, nil)
	require.Len(t, list, 1)
	list, _ = l.c.List([]string{"Empty"}, nil)
	require.Empty(t, list)
}
