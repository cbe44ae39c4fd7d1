package broker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// copies checks that all brokers hold the same records of partition 0 of "t" from offset on.
func (l *lab) copies(offset int64) {
	want := l.copyOf(1).log.Read(offset, 1<<20, l.copyOf(1).log.LEO(), true)
	require.NotEmpty(l.t, want)
	for id := int32(2); id <= 3; id++ {
		log := l.copyOf(id).log
		require.Equal(l.t, want, log.Read(offset, 1<<20, log.LEO(), true), "broker %d", id)
	}
}

// deleteBelow asks the leader to delete what lies below an offset.
func (r *raw) deleteBelow(offset int64) {
	q := kmsg.NewPtrDeleteRecordsRequest()
	q.Version, q.TimeoutMillis = 2, 5000
	p := kmsg.NewDeleteRecordsRequestTopicPartition()
	p.Offset = offset
	topic := kmsg.NewDeleteRecordsRequestTopic()
	topic.Topic, topic.Partitions = "t", append(topic.Partitions, p)
	q.Topics = append(q.Topics, topic)
	a := r.ask(q).(*kmsg.DeleteRecordsResponse)
	require.Zero(r.l.t, a.Topics[0].Partitions[0].ErrorCode)
}

func TestAFollowerThatLacksWhatTheLeaderNoLongerHoldsStartsOver(t *testing.T) { // E24
	l := replicated(t)
	c := l.client("p", "broker-1")
	require.Zero(t, c.produce("t", 0, "a").ErrorCode)
	l.kill("broker-3")
	l.wait(12 * time.Second)
	require.Equal(t, []int32{1, 2}, l.state().ISR)
	for _, v := range []string{"b", "c", "d", "e", "f"} {
		require.Zero(t, c.produce("t", 0, v).ErrorCode)
	}
	l.wait(time.Second)
	c.deleteBelow(4)
	l.revive("broker-3")
	l.wait(5 * time.Second)

	require.Equal(t, []int64{6, 6, 6}, l.ends())
	require.Equal(t, int64(4), l.copyOf(3).log.LogStart())
	require.Equal(t, []int32{1, 2, 3}, l.state().ISR)
	l.copies(4)
	cut := l.events(trace.Truncated)
	require.Len(t, cut, 1)
	require.Equal(t, []int64{4, 1}, []int64{cut[0].X, cut[0].Y}, "from its end to the leader's start")
}

// The leader's log starts in the middle of a batch, and only whole batches are copied.
// [Partition.appendRecordsToFollowerOrFutureReplica]
func TestAFollowerThatStartsOverInsideABatchTakesTheWholeOfIt(t *testing.T) { // E24
	l := replicated(t)
	c := l.client("p", "broker-1")
	l.kill("broker-3")
	l.wait(12 * time.Second)
	require.Zero(t, c.produce("t", 0, "a", "b", "c", "d").ErrorCode)
	l.wait(time.Second)
	c.deleteBelow(2)
	l.revive("broker-3")
	l.wait(5 * time.Second)
	require.Equal(t, []int64{4, 4, 4}, l.ends())
	require.Equal(t, int64(2), l.copyOf(3).log.LogStart(), "but shows no more of it than the leader")
	require.Equal(t, []int32{1, 2, 3}, l.state().ISR)
	l.copies(2)
}

// With the epochs in its fetches a follower learns of what it has too much before the offsets are
// compared (E23), so the leader's answer is made up here.
func TestAFollowerBeyondTheLeadersEndCutsItsLogDown(t *testing.T) { // E24
	l := replicated(t)
	c := l.client("p", "broker-1")
	require.Zero(t, c.produce("t", 0, "a", "b").ErrorCode)
	l.wait(time.Second)
	f := l.copyOf(3)
	more := l.batch("x", "y", "z")
	wire.SetBase(more, 2, f.state.Epoch)
	f.log.AppendFollower(more)
	require.Equal(t, []int64{2, 2, 5}, l.ends())
	answer := kmsg.NewFetchResponseTopicPartition()
	answer.ErrorCode = int16(wire.OffsetOutOfRange)
	f.fetched(&answer)
	l.wait(time.Second)
	require.Equal(t, []int64{2, 2, 2}, l.ends())
	require.Zero(t, f.log.LogStart(), "it keeps the rest")
	require.Zero(t, c.produce("t", 0, "c").ErrorCode)
	l.wait(time.Second)
	require.Equal(t, []int64{3, 3, 3}, l.ends(), "and goes on from there")
	l.copies(0)
}
