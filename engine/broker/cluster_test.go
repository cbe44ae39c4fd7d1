package broker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func findRequest(group string) *kmsg.FindCoordinatorRequest {
	r := kmsg.NewPtrFindCoordinatorRequest()
	r.Version, r.CoordinatorKeys = 4, []string{group}
	return r
}

func (r *raw) find(group string) (int32, wire.Code) {
	a := r.ask(findRequest(group)).(*kmsg.FindCoordinatorResponse).Coordinators[0]
	return a.NodeID, wire.Code(a.ErrorCode)
}

func TestTheFirstFindCoordinatorCreatesTheOffsetsTopic(t *testing.T) { // A5, B27
	l := newLab(t, 3)
	c := l.client("c", "broker-2")
	_, code := c.find("my-group")
	require.Equal(t, wire.CoordinatorNotAvailable, code)
	id, code := c.find("my-group") // partition 12
	require.Equal(t, wire.None, code)
	require.Equal(t, int32(1+12%3), id)
	topic, ok := l.c.Topic(OffsetsTopic)
	require.True(t, ok)
	require.Len(t, topic.Partitions, 50)
	require.True(t, topic.cfg.log.Compact)
	require.Equal(t, int64(100<<20), topic.cfg.log.SegmentBytes)
	require.Equal(t, int64(1<<30), l.topic("t", 1).cfg.log.SegmentBytes)
	r := findRequest("my-group")
	r.Version, r.CoordinatorKey, r.CoordinatorKeys = 3, "foo", nil // partition 24
	require.Equal(t, int32(1), c.ask(r).(*kmsg.FindCoordinatorResponse).NodeID)
}

func metadataOf(topics ...string) *kmsg.MetadataRequest {
	r := kmsg.NewPtrMetadataRequest()
	r.Version, r.AllowAutoTopicCreation = 12, true
	for _, name := range topics {
		q := kmsg.NewMetadataRequestTopic()
		q.Topic = &name
		r.Topics = append(r.Topics, q)
	}
	return r
}

func TestMetadata(t *testing.T) { // E34
	l := newLab(t, 3)
	topic := l.topic("t", 4, 3)
	c := l.client("c", "broker-1")
	r := c.ask(metadataOf("t")).(*kmsg.MetadataResponse)
	require.Equal(t, int32(1), r.ControllerID)
	require.Len(t, r.Brokers, 3)
	require.Equal(t, topic.ID, r.Topics[0].TopicID)
	var leaders []int32
	for _, p := range r.Topics[0].Partitions {
		leaders = append(leaders, p.Leader)
	}
	require.Equal(t, []int32{3, 2, 3, 1}, leaders, "placed, then 1 + p mod 3")

	missing := func(q *kmsg.MetadataRequest) wire.Code {
		return wire.Code(c.ask(q).(*kmsg.MetadataResponse).Topics[0].ErrorCode)
	}
	require.Equal(t, wire.InvalidTopicException, missing(metadataOf("a b")))
	no := metadataOf("new")
	no.AllowAutoTopicCreation = false
	require.Equal(t, wire.UnknownTopicOrPartition, missing(no))
	require.Equal(t, wire.UnknownTopicOrPartition, missing(metadataOf("new")))
	require.Equal(t, wire.None, missing(metadataOf("new")), "created by the call before")
	all := metadataOf()
	all.Topics = nil
	require.Len(t, c.ask(all).(*kmsg.MetadataResponse).Topics, 2)
	id := metadataOf()
	q := kmsg.NewMetadataRequestTopic()
	q.TopicID = topic.ID
	id.Topics = append(id.Topics, q)
	require.Equal(t, "t", *c.ask(id).(*kmsg.MetadataResponse).Topics[0].Topic)
	id.Topics[0].TopicID[3]++
	require.Equal(t, wire.UnknownTopicID, missing(id))
}

func TestWhileABrokerIsDownItsPartitionsHaveNoLeader(t *testing.T) { // E25
	l := newLab(t, 3)
	l.topic("t", 3)
	l.client("p", "broker-1").produce("t", 0, "x", "y")
	l.kill("broker-1")
	c := l.client("c", "broker-2")
	r := c.ask(metadataOf("t")).(*kmsg.MetadataResponse)
	require.Len(t, r.Brokers, 2)
	require.Equal(t, int32(2), r.ControllerID)
	p := r.Topics[0].Partitions[0]
	require.Equal(t, int16(wire.LeaderNotAvailable), p.ErrorCode)
	require.Equal(t, int32(-1), p.Leader)
	l.revive("broker-1")
	p = c.ask(metadataOf("t")).(*kmsg.MetadataResponse).Topics[0].Partitions[0]
	require.Equal(t, int32(1), p.Leader)
	require.Equal(t, int32(2), p.LeaderEpoch)
	f := l.client("d", "broker-1").fetch(fetchRequest("t", want{}))
	require.Equal(t, []int64{0, 1}, offsetsIn(t, parts(f)[0].RecordBatches), "the log survives")
	require.Equal(t, int64(2), parts(f)[0].HighWatermark)
	controllers := l.events(trace.Controller)
	require.Len(t, controllers, 2)
	require.Equal(t, "broker-2", l.log.String(controllers[1].Node))
	elected := l.events(trace.LeaderElected)
	require.Equal(t, int64(1), elected[len(elected)-1].X)
	require.Equal(t, "broker-1", l.log.String(elected[len(elected)-1].Peer))
}

func TestASingleBrokerComesBackAlone(t *testing.T) {
	l := newLab(t, 1)
	l.topic("t", 1)
	l.kill("broker-1")
	require.Error(t, l.c.CreateTopic(TopicSpec{Name: "u", Partitions: 1}))
	l.revive("broker-1")
	require.Equal(t, int64(0), l.client("p", "broker-1").produce("t", 0, "x").BaseOffset)
}

func commitRequest(group, topic string, offset int64) *kmsg.OffsetCommitRequest {
	r := kmsg.NewPtrOffsetCommitRequest()
	r.Version, r.Group, r.Generation = 9, group, -1
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Offset = offset
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic, t.Partitions = topic, []kmsg.OffsetCommitRequestTopicPartition{p}
	r.Topics = append(r.Topics, t)
	return r
}

func (r *raw) commit(group, topic string, offset int64) wire.Code {
	a := r.ask(commitRequest(group, topic, offset)).(*kmsg.OffsetCommitResponse)
	return wire.Code(a.Topics[0].Partitions[0].ErrorCode)
}

func (r *raw) committed(group, topic string) (int64, wire.Code) {
	g := kmsg.NewOffsetFetchRequestGroup()
	t := kmsg.NewOffsetFetchRequestGroupTopic()
	t.Topic, t.Partitions = topic, []int32{0}
	g.Group, g.Topics = group, []kmsg.OffsetFetchRequestGroupTopic{t}
	q := kmsg.NewPtrOffsetFetchRequest()
	q.Version, q.Groups = 9, []kmsg.OffsetFetchRequestGroup{g}
	a := r.ask(q).(*kmsg.OffsetFetchResponse).Groups[0]
	if a.ErrorCode != 0 {
		return -1, wire.Code(a.ErrorCode)
	}
	return a.Topics[0].Partitions[0].Offset, wire.None
}

func TestCommitsAreRecordsAndSurviveTheBroker(t *testing.T) { // B1, B28, A64-A65
	l := newLab(t, 1)
	l.topic("t", 1)
	require.NoError(t, l.c.CommitOffset("g", "t", 0, 15))
	c := l.client("c", "broker-1")
	at, _ := c.committed("g", "t")
	require.Equal(t, int64(15), at)
	require.Equal(t, wire.None, c.commit("g", "t", 23))
	require.Equal(t, wire.UnknownTopicOrPartition, c.commit("g", "u", 1))
	preset := l.events(trace.OffsetCommitted)
	require.Equal(t, int64(1), preset[0].Z)
	require.Equal(t, int64(0), preset[1].Z)
	l.kill("broker-1")
	l.wait(time.Second)
	l.revive("broker-1")
	c = l.client("c2", "broker-1")
	_, code := c.committed("g", "t")
	require.Equal(t, wire.CoordinatorLoadInProgress, code)
	l.wait(100 * time.Millisecond)
	at, _ = c.committed("g", "t")
	require.Equal(t, int64(23), at)
}

func joinRequest(group string) *kmsg.JoinGroupRequest {
	r := kmsg.NewPtrJoinGroupRequest()
	r.Version, r.Group, r.ProtocolType = 3, group, "consumer"
	r.SessionTimeoutMillis, r.RebalanceTimeoutMillis = 45000, 300000
	p := kmsg.NewJoinGroupRequestProtocol()
	p.Name = "range"
	r.Protocols = append(r.Protocols, p)
	return r
}

func TestMovingTheCoordinator(t *testing.T) { // A4, A64, A65
	l := newLab(t, 3)
	l.topic("t", 1)
	require.NoError(t, l.c.CommitOffset("my-group", "t", 0, 7)) // partition 12, broker 1
	one, two := l.client("c1", "broker-1"), l.client("c2", "broker-2")
	one.send(joinRequest("my-group"))
	l.wait(time.Second)
	require.NoError(t, l.c.MoveCoordinator("my-group", 2))
	l.wait(time.Millisecond)
	parked := one.last().frame.Resp.(*kmsg.JoinGroupResponse)
	require.Equal(t, int16(wire.NotCoordinator), parked.ErrorCode)
	require.Equal(t, wire.NotCoordinator, one.commit("my-group", "t", 8))
	require.Equal(t, wire.CoordinatorLoadInProgress, two.commit("my-group", "t", 8))
	l.wait(100 * time.Millisecond)
	at, _ := two.committed("my-group", "t")
	require.Equal(t, int64(7), at)
	require.Equal(t, wire.None, two.commit("my-group", "t", 8))
	id, _ := one.find("my-group")
	require.Equal(t, int32(2), id)
	require.NoError(t, l.c.MoveCoordinator("my-group", 0))
	id, _ = one.find("my-group")
	require.Equal(t, int32(3), id, "the next running broker")
	require.Error(t, l.c.MoveCoordinator("my-group", 3))
	require.Error(t, l.c.MoveCoordinator("my-group", 9))
	l.kill("broker-1")
	require.Error(t, l.c.MoveCoordinator("my-group", 1))
	l.revive("broker-1")
	require.Equal(t, wire.NotCoordinator, l.client("c3", "broker-1").commit("my-group", "t", 1))
}

func TestALoneMemberIsAnsweredAfterThreeSecondsOverTheWire(t *testing.T) { // A31
	l := newLab(t, 1)
	c := l.client("c", "broker-1")
	c.find("g")
	sent := l.now()
	r := c.ask(joinRequest("g")).(*kmsg.JoinGroupResponse)
	require.Zero(t, r.ErrorCode)
	require.Equal(t, sent+2*oneWay+3*time.Second, c.last().at)
	require.Regexp(t, "^raw-", r.MemberID)
}

func TestAJoinParksItsConnectionOnly(t *testing.T) {
	l := newLab(t, 1)
	c, other := l.client("c", "broker-1"), l.client("o", "broker-1")
	c.find("g")
	c.send(joinRequest("g"))
	c.send(metadataOf())
	n := len(c.answers)
	other.ask(metadataOf())
	l.wait(2900 * time.Millisecond)
	require.Len(t, c.answers, n)
	l.wait(time.Second)
	require.Len(t, c.answers, n+2)
}

func TestApiVersions(t *testing.T) { // 0.2, KIP-511
	l := newLab(t, 1)
	c := l.client("c", "broker-1")
	q := kmsg.NewPtrApiVersionsRequest()
	q.Version, q.ClientSoftwareName, q.ClientSoftwareVersion = 4, "lab-client", "1.0.0"
	r := c.ask(q).(*kmsg.ApiVersionsResponse)
	require.Zero(t, r.ErrorCode)
	require.Equal(t, len(wire.Supported()), len(r.ApiKeys))
	require.Equal(t, int16(0), r.ApiKeys[0].MinVersion, "KAFKA-18659")
	bad := *q
	bad.ClientSoftwareName = "-x"
	require.Equal(t, int16(wire.InvalidRequest), c.ask(&bad).(*kmsg.ApiVersionsResponse).ErrorCode)
	future := *q
	future.Version = 99
	r = c.ask(&future).(*kmsg.ApiVersionsResponse)
	require.Equal(t, int16(wire.UnsupportedVersion), r.ErrorCode)
	require.Len(t, r.ApiKeys, 1)
	require.Zero(t, r.Version)
	require.Equal(t, int16(99), future.Version, "the request stays as it was sent")
}

func TestListOffsets(t *testing.T) { // E8, E11
	l := newLab(t, 2)
	l.topic("t", 2)
	start := l.w.Now().Millis()
	require.NoError(t, l.c.Preload("t", 0, []wire.Record{
		{Timestamp: start + 10}, {Timestamp: start + 20}, {Timestamp: start + 30},
	}))
	c := l.client("c", "broker-1")
	ask := func(part int32, ts int64, epoch int32) (int64, wire.Code) {
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.Timestamp, p.CurrentLeaderEpoch = part, ts, epoch
		topic := kmsg.NewListOffsetsRequestTopic()
		topic.Topic, topic.Partitions = "t", []kmsg.ListOffsetsRequestTopicPartition{p}
		q := kmsg.NewPtrListOffsetsRequest()
		q.Version, q.ReplicaID = 7, -1
		q.Topics = append(q.Topics, topic)
		o := c.ask(q).(*kmsg.ListOffsetsResponse).Topics[0].Partitions[0]
		return o.Offset, wire.Code(o.ErrorCode)
	}
	for _, tt := range []struct {
		ts     int64
		offset int64
	}{{-1, 3}, {-2, 0}, {-3, 2}, {start + 11, 1}, {start + 31, -1}} {
		offset, code := ask(0, tt.ts, -1)
		require.Equal(t, wire.None, code)
		require.Equal(t, tt.offset, offset)
	}
	_, code := ask(0, -1, 5)
	require.Equal(t, wire.UnknownLeaderEpoch, code)
	_, code = ask(1, -1, -1)
	require.Equal(t, wire.NotLeaderOrFollower, code)
	_, code = ask(9, -1, -1)
	require.Equal(t, wire.UnknownTopicOrPartition, code)
}

func TestTopicsGrowAndSettingsAreChecked(t *testing.T) {
	l := newLab(t, 3)
	l.topic("t", 2)
	require.NoError(t, l.c.AddPartitions("t", 5))
	require.Error(t, l.c.AddPartitions("t", 5))
	require.Error(t, l.c.AddPartitions("u", 5))
	r := l.client("c", "broker-1").ask(metadataOf("t")).(*kmsg.MetadataResponse)
	require.Len(t, r.Topics[0].Partitions, 5)
	require.Equal(t, int32(2), r.Topics[0].Partitions[4].Leader)
	for _, e := range []Entry{
		{"group.max.size", "many"}, {"no.such.key", "1"}, {"cleanup.policy", "delete"},
		{"auto.create.topics.enable", "perhaps"},
	} {
		require.Error(t, l.c.SetConfig("", e.Key, e.Value), e.Key)
	}
	require.Error(t, l.c.SetConfig("t", "cleanup.policy", "burn"))
	require.NoError(t, l.c.SetConfig("t", "retention.ms", "5"))
	require.NoError(t, l.c.SetConfig("", "log.retention.ms", "7"))
	topic, _ := l.c.Topic("t")
	require.Equal(t, int64(5), topic.cfg.log.RetentionMs, "the topic's own wins")
	require.Equal(t, int64(5), l.replicaOf("t", 4).log.Config().RetentionMs)
}

func TestOldSegmentsAreDeletedAndTheLogStartMoves(t *testing.T) {
	l := newLab(t, 1)
	require.NoError(t, l.c.CreateTopic(TopicSpec{
		Name: "t", Partitions: 1, Configs: []Entry{{"retention.ms", "60000"}},
	}))
	require.NoError(t, l.c.Preload("t", 0, l.records("a", "b")))
	l.at(5*time.Minute + time.Second)
	starts := l.events(trace.LogStart)
	require.Len(t, starts, 1)
	require.Equal(t, int64(2), starts[0].X)
	r := l.client("c", "broker-1").fetch(fetchRequest("t", want{}))
	require.Equal(t, int16(wire.OffsetOutOfRange), parts(r)[0].ErrorCode)
}

func TestOffsetForLeaderEpoch(t *testing.T) { // E12
	l := newLab(t, 1)
	l.topic("t", 1)
	l.client("p", "broker-1").produce("t", 0, "a", "b")
	l.kill("broker-1")
	l.revive("broker-1")
	c := l.client("p2", "broker-1")
	c.produce("t", 0, "c")
	p := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
	p.CurrentLeaderEpoch = -1
	topic := kmsg.NewOffsetForLeaderEpochRequestTopic()
	topic.Topic, topic.Partitions = "t", []kmsg.OffsetForLeaderEpochRequestTopicPartition{p}
	q := kmsg.NewPtrOffsetForLeaderEpochRequest()
	q.Version = 4
	q.Topics = append(q.Topics, topic)
	o := c.ask(q).(*kmsg.OffsetForLeaderEpochResponse).Topics[0].Partitions[0]
	require.Equal(t, int32(0), o.LeaderEpoch)
	require.Equal(t, int64(2), o.EndOffset)
}
