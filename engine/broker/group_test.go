package broker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestAGroupLivesOverTheWire(t *testing.T) { // A18, A31, A48, A51, A55, A67, A68
	l := newLab(t, 1)
	l.topic("t", 2)
	c := l.client("c", "broker-1")
	c.find("g")
	join := joinRequest("g")
	join.Version = 9
	first := c.ask(join).(*kmsg.JoinGroupResponse)
	require.Equal(t, int16(wire.MemberIDRequired), first.ErrorCode)
	join.MemberID = first.MemberID
	r := c.ask(join).(*kmsg.JoinGroupResponse)
	require.Zero(t, r.ErrorCode)
	require.Equal(t, first.MemberID, r.LeaderID)

	a := kmsg.NewSyncGroupRequestGroupAssignment()
	a.MemberID = r.MemberID
	a.MemberAssignment = wire.EncodeAssignment(wire.Assignment{
		Partitions: []wire.TopicPartition{{Topic: "t"}, {Topic: "t", Partition: 1}},
	})
	sync := kmsg.NewPtrSyncGroupRequest()
	sync.Version, sync.Group, sync.MemberID, sync.Generation = 5, "g", r.MemberID, r.Generation
	sync.ProtocolType, sync.Protocol = r.ProtocolType, r.Protocol
	sync.GroupAssignment = append(sync.GroupAssignment, a)
	s := c.ask(sync).(*kmsg.SyncGroupResponse)
	require.Zero(t, s.ErrorCode)
	require.Equal(t, a.MemberAssignment, s.MemberAssignment)

	beat := kmsg.NewPtrHeartbeatRequest()
	beat.Version, beat.Group, beat.MemberID, beat.Generation = 4, "g", r.MemberID, r.Generation
	require.Zero(t, c.ask(beat).(*kmsg.HeartbeatResponse).ErrorCode)

	describe := kmsg.NewPtrDescribeGroupsRequest()
	describe.Version, describe.Groups = 5, []string{"g"}
	d := c.ask(describe).(*kmsg.DescribeGroupsResponse).Groups[0]
	require.Equal(t, "Stable", d.State)
	require.Equal(t, "/c", d.Members[0].ClientHost)
	list := kmsg.NewPtrListGroupsRequest()
	list.Version = 5
	require.Len(t, c.ask(list).(*kmsg.ListGroupsResponse).Groups, 1)
	list.TypesFilter = []string{"consumer"}
	require.Empty(t, c.ask(list).(*kmsg.ListGroupsResponse).Groups)

	remove := kmsg.NewPtrDeleteGroupsRequest()
	remove.Version, remove.Groups = 2, []string{"g"}
	deleted := func() wire.Code {
		return wire.Code(c.ask(remove).(*kmsg.DeleteGroupsResponse).Groups[0].ErrorCode)
	}
	require.Equal(t, wire.NonEmptyGroup, deleted())
	leave := kmsg.NewPtrLeaveGroupRequest()
	leave.Version, leave.Group = 5, "g"
	m := kmsg.NewLeaveGroupRequestMember()
	m.MemberID = r.MemberID
	leave.Members = append(leave.Members, m)
	require.Zero(t, c.ask(leave).(*kmsg.LeaveGroupResponse).Members[0].ErrorCode)
	require.Equal(t, wire.None, deleted())
	require.Equal(t, wire.GroupIDNotFound, deleted())
}

func TestOffsetFetchByVersion(t *testing.T) { // B13, B14
	l := newLab(t, 2)
	topic := l.topic("t", 2)
	require.NoError(t, l.c.CommitOffset("my-group", "t", 1, 4)) // partition 12, broker 1
	c, wrong := l.client("c", "broker-1"), l.client("w", "broker-2")

	old := kmsg.NewPtrOffsetFetchRequest()
	old.Version, old.Group = 1, "my-group"
	q := kmsg.NewOffsetFetchRequestTopic()
	q.Topic, q.Partitions = "t", []int32{0, 1}
	old.Topics = append(old.Topics, q)
	r := c.ask(old).(*kmsg.OffsetFetchResponse)
	require.Equal(t, int64(-1), r.Topics[0].Partitions[0].Offset)
	require.Equal(t, int64(4), r.Topics[0].Partitions[1].Offset)
	r = wrong.ask(old).(*kmsg.OffsetFetchResponse)
	require.Equal(t, int16(wire.NotCoordinator), r.Topics[0].Partitions[0].ErrorCode)
	all := *old
	all.Version, all.Topics = 7, nil
	r = c.ask(&all).(*kmsg.OffsetFetchResponse)
	require.Len(t, r.Topics[0].Partitions, 1, "no list means all that there is")
	require.Equal(t, int16(wire.NotCoordinator), wrong.ask(&all).(*kmsg.OffsetFetchResponse).ErrorCode)

	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = "my-group"
	known, unknown := kmsg.NewOffsetFetchRequestGroupTopic(), kmsg.NewOffsetFetchRequestGroupTopic()
	known.TopicID, known.Partitions = topic.ID, []int32{1}
	unknown.TopicID, unknown.Partitions = [16]byte{9}, []int32{0}
	g.Topics = append(g.Topics, known, unknown)
	byID := kmsg.NewPtrOffsetFetchRequest()
	byID.Version = 10
	byID.Groups = append(byID.Groups, g)
	groups := c.ask(byID).(*kmsg.OffsetFetchResponse).Groups
	require.Len(t, groups[0].Topics, 2)
	for _, topicAnswer := range groups[0].Topics {
		p := topicAnswer.Partitions[0]
		if topicAnswer.TopicID == topic.ID {
			require.Equal(t, int64(4), p.Offset)
		} else {
			require.Equal(t, int16(wire.UnknownTopicID), p.ErrorCode)
		}
	}
	groups = wrong.ask(byID).(*kmsg.OffsetFetchResponse).Groups
	require.Equal(t, int16(wire.NotCoordinator), groups[0].ErrorCode)
}

func TestCommitByTopicID(t *testing.T) { // 0.2, B1
	l := newLab(t, 1)
	topic := l.topic("t", 1)
	c := l.client("c", "broker-1")
	c.find("g")
	r := commitRequest("g", "", 9)
	r.Version, r.Topics[0].TopicID = 10, topic.ID
	a := c.ask(r).(*kmsg.OffsetCommitResponse)
	require.Zero(t, a.Topics[0].Partitions[0].ErrorCode)
	require.Equal(t, topic.ID, a.Topics[0].TopicID)
	at, _ := c.committed("g", "t")
	require.Equal(t, int64(9), at)
	bad := commitRequest("g", "", 9)
	bad.Version, bad.Topics[0].TopicID = 10, [16]byte{1}
	a = c.ask(bad).(*kmsg.OffsetCommitResponse)
	require.Equal(t, int16(wire.UnknownTopicID), a.Topics[0].Partitions[0].ErrorCode)
}

// What does not exist is refused here, and the coordinator is asked about the rest only: whether there
// is one shows only with the rest.
func TestTheCoordinatorIsNotAskedAboutPartitionsThatDoNotExist(t *testing.T) { // B1
	l := newLab(t, 2)
	l.topic("t", 1)
	require.NoError(t, l.c.CommitOffset("my-group", "t", 0, 4)) // partition 12, broker 1
	wrong := l.client("w", "broker-2")
	require.Equal(t, wire.UnknownTopicOrPartition, wrong.commit("my-group", "gone", 1))
	both := commitRequest("my-group", "gone", 1)
	both.Topics = append(both.Topics, commitRequest("my-group", "t", 5).Topics...)
	r := wrong.ask(both).(*kmsg.OffsetCommitResponse)
	require.Equal(t, wire.UnknownTopicOrPartition, wire.Code(r.Topics[0].Partitions[0].ErrorCode))
	require.Equal(t, wire.NotCoordinator, wire.Code(r.Topics[1].Partitions[0].ErrorCode))
	right := l.client("r", "broker-1")
	r = right.ask(both).(*kmsg.OffsetCommitResponse)
	require.Equal(t, wire.UnknownTopicOrPartition, wire.Code(r.Topics[0].Partitions[0].ErrorCode))
	require.Zero(t, r.Topics[1].Partitions[0].ErrorCode, "one does not stop the other")
	at, _ := right.committed("my-group", "t")
	require.Equal(t, int64(5), at)
}

func TestAParkedFetchIsToldThatItsLeaderMoved(t *testing.T) { // E3, E13
	l := newLab(t, 2)
	require.NoError(t, l.c.createOffsetsTopic())
	c := l.client("c", "broker-1")
	c.send(fetchRequest(OffsetsTopic, want{part: 12}))
	l.wait(time.Millisecond)
	require.NoError(t, l.c.MoveCoordinator("my-group", 2))
	l.wait(time.Millisecond)
	p := parts(c.last().frame.Resp.(*kmsg.FetchResponse))[0]
	require.Equal(t, int16(wire.NotLeaderOrFollower), p.ErrorCode)
	require.Equal(t, int32(2), p.CurrentLeader.LeaderID)
	require.Equal(t, int32(1), p.CurrentLeader.LeaderEpoch)
}

// A member leaves on a connection that its own parked Join mutes. When the Join is answered because the
// member ran out of time, the leave must wait until the group has removed it.
func TestARequestBehindAParkedOneWaitsUntilTheGroupHasDoneItsWork(t *testing.T) { // A60
	l := newLab(t, 1)
	one, two := l.client("one", "broker-1"), l.client("two", "broker-1")
	one.find("g")
	settled := joinRequest("g")
	settled.SessionTimeoutMillis, settled.RebalanceTimeoutMillis = 1_800_000, 1_800_000
	first := one.ask(settled).(*kmsg.JoinGroupResponse)
	require.Zero(t, first.ErrorCode)

	two.send(joinRequest("g")) // parked: the first member does not join again
	leave := kmsg.NewPtrLeaveGroupRequest()
	leave.Version, leave.Group = 2, "g"
	l.wait(time.Millisecond)
	leave.MemberID = l.log.String(l.events(trace.MemberAdded)[1].Peer)
	two.send(leave)
	l.wait(301 * time.Second)
	require.Len(t, two.answers, 2)
	require.Equal(t, int16(wire.UnknownMemberID), two.answers[0].frame.Resp.(*kmsg.JoinGroupResponse).ErrorCode)
	require.Equal(t, int16(wire.UnknownMemberID), two.answers[1].frame.Resp.(*kmsg.LeaveGroupResponse).ErrorCode)
}
