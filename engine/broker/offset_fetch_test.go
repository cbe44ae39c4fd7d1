package broker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// offsetsRequest asks for partition 0 of "t" by name (version 9), or by an id (version 10).
func offsetsRequest(group string, id ...[16]byte) *kmsg.OffsetFetchRequest {
	t := kmsg.NewOffsetFetchRequestGroupTopic()
	t.Topic, t.Partitions = "t", []int32{0}
	q := kmsg.NewPtrOffsetFetchRequest()
	q.Version = 9
	if len(id) > 0 {
		q.Version, t.Topic, t.TopicID = 10, "", id[0]
	}
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group, g.Topics = group, []kmsg.OffsetFetchRequestGroupTopic{t}
	q.Groups = append(q.Groups, g)
	return q
}

// waitingCommit is a cluster in which offset 4 of "t" is committed for my-group, whose coordinator,
// broker 1, has written a commit of 9 that cannot be replicated: its links are cut.
func waitingCommit(t *testing.T) (l *lab, commits, asks *raw) {
	l = replicated(t)
	commits, asks = l.client("commits", "broker-1"), l.client("asks", "broker-1")
	commits.find("my-group") // partition 12
	l.wait(time.Second)
	require.Equal(t, wire.None, commits.commit("my-group", "t", 4))
	l.w.Cut("broker-1", "broker-2")
	l.w.Cut("broker-1", "broker-3")
	commits.send(commitRequest("my-group", "t", 9))
	l.wait(10 * time.Millisecond)
	return l, commits, asks
}

func TestStableOffsetsAreToldWhenWhatWasWrittenBeforeIsReplicated(t *testing.T) { // B16
	l, commits, asks := waitingCommit(t)
	at, _ := asks.committed("my-group", "t")
	require.Equal(t, int64(4), at, "without require_stable: what is replicated by now")
	q := offsetsRequest("my-group")
	q.RequireStable = true
	before, done := len(asks.answers), len(commits.answers)
	asks.send(q)
	old := kmsg.NewPtrOffsetFetchRequest()
	old.Version, old.Group, old.RequireStable = 7, "my-group", true
	asks.send(old)
	l.wait(time.Second)
	require.Len(t, asks.answers, before, "it waits")
	require.Len(t, commits.answers, done)
	l.w.HealAll()
	l.wait(2 * time.Second)
	require.Len(t, commits.answers, done+1, "the commit was replicated")
	require.Len(t, asks.answers, before+2)
	r := asks.answers[before].frame.Resp.(*kmsg.OffsetFetchResponse)
	require.Equal(t, int64(9), r.Groups[0].Topics[0].Partitions[0].Offset)
	r = asks.answers[before+1].frame.Resp.(*kmsg.OffsetFetchResponse)
	require.Equal(t, int64(9), r.Topics[0].Partitions[0].Offset, "version 7, all that there is")
}

func TestStableOffsetsThatCannotBeHadInTimeAreAnsweredNotCoordinator(t *testing.T) { // B17
	l, commits, asks := waitingCommit(t)
	q := offsetsRequest("my-group")
	q.RequireStable = true
	sent := l.now()
	r := asks.ask(q).(*kmsg.OffsetFetchResponse)
	require.Equal(t, wire.NotCoordinator, wire.Code(r.Groups[0].ErrorCode))
	require.Equal(t, sent+5*time.Second+2*oneWay, asks.last().at, "offsets.commit.timeout.ms")
	c := commits.last().frame.Resp.(*kmsg.OffsetCommitResponse)
	require.Equal(t, wire.CoordinatorNotAvailable, wire.Code(c.Topics[0].Partitions[0].ErrorCode),
		"the commit itself is answered otherwise (B11)")
	told := l.events(trace.OffsetCommitted)
	l.w.HealAll()
	l.wait(2 * time.Second)
	at, _ := asks.committed("my-group", "t")
	require.Equal(t, int64(9), at, "and counts as soon as it is replicated after all, as the log has it (B11)")
	require.Len(t, l.events(trace.OffsetCommitted), len(told)+1)
	for in, want := range map[wire.Code]wire.Code{
		wire.None:                         wire.None,
		wire.NotEnoughReplicasAfterAppend: wire.None,
		wire.UnknownTopicOrPartition:      wire.NotCoordinator,
		wire.RequestTimedOut:              wire.NotCoordinator,
		wire.NotLeaderOrFollower:          wire.NotCoordinator,
	} {
		require.Equal(t, want, stableError(in), in.Name())
	}
}

func TestAnOffsetOfAnotherTopicOfThatNameIsNone(t *testing.T) { // B18
	l := newLab(t, 1)
	topic := l.topic("t", 1)
	c := l.client("c", "broker-1")
	c.find("g")
	found := func(q *kmsg.OffsetFetchRequest) int64 {
		r := c.ask(q).(*kmsg.OffsetFetchResponse).Groups[0]
		require.Zero(t, r.ErrorCode)
		require.Zero(t, r.Topics[0].Partitions[0].ErrorCode)
		return r.Topics[0].Partitions[0].Offset
	}
	commit := func(id [16]byte, offset int64) {
		r := commitRequest("g", "t", offset)
		if id != [16]byte{} {
			r.Version, r.Topics[0].TopicID, r.Topics[0].Topic = 10, id, ""
		}
		require.Zero(t, c.ask(r).(*kmsg.OffsetCommitResponse).Topics[0].Partitions[0].ErrorCode)
	}
	commit(topic.ID, 9)
	require.Equal(t, int64(9), found(offsetsRequest("g", topic.ID)))
	require.Equal(t, int64(9), found(offsetsRequest("g")))

	// The topic is made anew under its name before its offsets are gone.
	old := topic.ID
	delete(l.c.byID, old)
	topic.ID = [16]byte{7, 7}
	l.c.byID[topic.ID] = topic
	require.Equal(t, int64(-1), found(offsetsRequest("g", topic.ID)))
	require.Equal(t, int64(9), found(offsetsRequest("g")), "by name there is nothing to compare")
	commit([16]byte{}, 3)
	require.Equal(t, int64(3), found(offsetsRequest("g", topic.ID)), "committed by name: it fits any id")
	commit(topic.ID, 5)

	l.kill("broker-1")
	l.revive("broker-1")
	l.wait(time.Second)
	c = l.client("after", "broker-1")
	topic.ID = [16]byte{8, 8}
	l.c.byID[topic.ID] = topic
	require.Equal(t, int64(-1), found(offsetsRequest("g", topic.ID)), "the id is in the record")
	require.Equal(t, int64(5), found(offsetsRequest("g")))
}
