package broker

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// long is a fetch that waits for ten seconds or so many bytes.
func long(minBytes int32, wants ...want) *kmsg.FetchRequest {
	q := fetchRequest("t", wants...)
	q.MaxWaitMillis, q.MinBytes = 10_000, minBytes
	return q
}

func TestWhatIsAnsweredAtOnceIsNotParked(t *testing.T) { // E2
	l := newLab(t, 1)
	l.topic("t", 2)
	p := l.client("p", "broker-1")
	p.produce("t", 0, "one")
	none := long(1, want{offset: 1})
	none.MaxWaitMillis = 0
	for name, q := range map[string]*kmsg.FetchRequest{
		"no time to wait":     none,
		"enough bytes":        long(1, want{}),
		"an error of reading": long(1, want{offset: 9}, want{part: 1}),
		"nothing to read":     long(1),
	} {
		c := l.client("c "+name, "broker-1")
		sent := l.now()
		c.fetch(q)
		require.Equal(t, sent+2*oneWay, c.last().at, name)
	}
	require.Empty(t, l.events(trace.FetchParked))
}

func TestAParkedFetchWaitsForBytesThatMayBeGiven(t *testing.T) { // E1, E3
	l := newLab(t, 1)
	l.topic("t", 2)
	p := l.client("p", "broker-1")
	size := int32(len(l.batch("one")))
	capped := l.client("capped", "broker-1")
	capped.send(long(size+10, want{part: 0, max: size}, want{part: 1, max: size}))
	unknown := l.client("unknown", "broker-1")
	unknown.send(long(size+10, want{part: 0}, want{part: 7}))
	l.wait(10 * time.Millisecond)
	p.produce("t", 0, "one")
	p.produce("t", 0, "two")
	l.wait(10 * time.Millisecond)
	require.Empty(t, capped.answers, "of one partition no more counts than may be given of it")
	require.Len(t, unknown.answers, 1, "while the other one has its bytes in one partition")
	p.produce("t", 1, "three")
	l.wait(10 * time.Millisecond)
	require.Len(t, capped.answers, 1)

	again := l.client("again", "broker-1")
	again.send(long(10*size, want{part: 0}, want{part: 7}))
	l.wait(10 * time.Millisecond)
	p.produce("t", 0, "four")
	l.wait(time.Second)
	require.Empty(t, again.answers, "a partition that is not known does not end the wait, whoever appends")
}

func TestAParkedFetchEndsWhenItsLogWasCutOrASegmentIsFull(t *testing.T) { // E3
	l := newLab(t, 1)
	require.NoError(t, l.c.CreateTopic(TopicSpec{
		Name: "t", Partitions: 1, Configs: []Entry{{"segment.bytes", "1048576"}},
	}))
	p, c := l.client("p", "broker-1"), l.client("c", "broker-1")
	p.produce("t", 0, "one", "two")
	c.send(long(4<<20, want{offset: 2}))
	l.wait(10 * time.Millisecond)
	p.produce("t", 0, strings.Repeat("x", 600_000))
	l.wait(10 * time.Millisecond)
	require.Empty(t, c.answers)
	big := l.client("big", "broker-1")
	big.produce("t", 0, strings.Repeat("y", 600_000)) // does not fit into the segment
	l.wait(10 * time.Millisecond)
	require.Len(t, c.answers, 1, "answered with what the segment holds")

	r := l.replicaOf("t", 0)
	c.send(long(1, want{offset: r.log.LEO()}))
	l.wait(10 * time.Millisecond)
	require.Len(t, c.answers, 1)
	r.log.TruncateTo(2)
	r.wake()
	l.wait(10 * time.Millisecond)
	require.Len(t, c.answers, 2)
	out := parts(c.last().frame.Resp.(*kmsg.FetchResponse))[0]
	require.Equal(t, wire.OffsetOutOfRange, wire.Code(out.ErrorCode))
}

func TestAConsumersWaitEndsWithTheHighWatermarkAndAFollowersWithTheAppend(t *testing.T) { // E4
	l := replicated(t)
	l.w.Cut("broker-1", "broker-2")
	l.w.Cut("broker-1", "broker-3")
	consumer, follower := l.client("c", "broker-1"), l.client("f", "broker-1")
	consumer.send(long(1, want{}))
	q := long(1, want{})
	q.ReplicaID = 2
	follower.send(q)
	l.wait(10 * time.Millisecond)
	p := l.client("p", "broker-1")
	p.send(produceRequest("t", 0, 1, l.batch("x")))
	l.wait(10 * time.Millisecond)
	require.Len(t, follower.answers, 1)
	require.Empty(t, consumer.answers)
	l.w.HealAll()
	l.wait(4 * time.Second)
	require.Len(t, consumer.answers, 1)
	r := consumer.last().frame.Resp.(*kmsg.FetchResponse)
	require.Equal(t, []int64{0}, offsetsIn(t, parts(r)[0].RecordBatches))
}
