package broker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestAnEmptyFetchWaitsForMaxWaitAndNoLonger(t *testing.T) { // E2, E3
	l := newLab(t, 1)
	l.topic("t", 1)
	c := l.client("c", "broker-1")
	sent := l.now()
	r := c.fetch(fetchRequest("t", want{}))
	require.Equal(t, sent+2*oneWay+500*time.Millisecond, c.last().at)
	require.Equal(t, []int32{0}, numbers(r))
	require.Empty(t, parts(r)[0].RecordBatches)
	parkedAt := l.events(trace.FetchParked)
	require.Len(t, parkedAt, 1)
	require.Equal(t, parkedAt[0].At+int64(500*time.Millisecond), parkedAt[0].X)
	require.Equal(t, "c", l.log.String(parkedAt[0].Peer))
	answered := l.events(trace.FetchAnswered)
	require.Len(t, answered, 1)
	require.Equal(t, parkedAt[0].Y, answered[0].Y)

	none := fetchRequest("t", want{})
	none.MaxWaitMillis = 0
	sent = l.now()
	c.fetch(none)
	require.Equal(t, sent+2*oneWay, c.last().at)
}

func TestAParkedFetchIsAnsweredByTheAppendThatFillsIt(t *testing.T) { // E3, E4
	l := newLab(t, 1)
	l.topic("t", 2)
	c, p := l.client("c", "broker-1"), l.client("p", "broker-1")
	q := fetchRequest("t", want{part: 0}, want{part: 1})
	size := len(l.batch("one"))
	q.MinBytes = int32(2 * size)
	c.send(q)
	l.wait(100 * time.Millisecond)
	p.produce("t", 0, "one")
	require.Empty(t, c.answers, "one batch is not enough")
	p.send(produceRequest("t", 1, 1, l.batch("two")))
	sent := l.now()
	l.wait(10 * time.Millisecond)
	require.Len(t, c.answers, 1, "the bytes of both partitions count")
	require.Equal(t, sent+2*oneWay, c.last().at)
	r := c.last().frame.Resp.(*kmsg.FetchResponse)
	require.Equal(t, []int32{0, 1}, numbers(r))
	require.Equal(t, []int64{0}, offsetsIn(t, parts(r)[1].RecordBatches))
	require.Equal(t, int64(1), parts(r)[1].HighWatermark)
	require.Empty(t, l.replicaOf("t", 0).waiting)
	require.Empty(t, l.replicaOf("t", 1).waiting)
}

func TestAFetchWaitsItsOwnTimeAfterAnEarlierOneOfTheConnection(t *testing.T) { // E3
	for _, wait := range []int32{500, 40} { // ends after the first one's time, or before
		l := newLab(t, 1)
		l.topic("t", 1)
		c, p := l.client("c", "broker-1"), l.client("p", "broker-1")
		c.send(fetchRequest("t", want{}))
		l.wait(100 * time.Millisecond)
		p.produce("t", 0, "one")
		l.wait(10 * time.Millisecond)
		require.Len(t, c.answers, 1)
		q := fetchRequest("t", want{offset: 1})
		q.MaxWaitMillis = wait
		sent := l.now()
		c.fetch(q)
		require.Equal(t, sent+2*oneWay+time.Duration(wait)*time.Millisecond, c.last().at)
	}
}

func TestAnswersThatCameBackAreUsedAgainWithoutTracesOfTheirPast(t *testing.T) {
	l := newLab(t, 1)
	l.topic("t", 2)
	c := l.client("c", "broker-1")
	first := c.fetch(fetchRequest("t", want{part: 0, offset: 9}, want{part: 1, offset: 9}))
	require.Equal(t, int16(wire.OffsetOutOfRange), parts(first)[0].ErrorCode)
	c.last().frame.Release()
	q := fetchRequest("t", want{part: 1})
	q.MaxWaitMillis = 0
	second := c.fetch(q)
	require.Equal(t, hop == nil, first == second, "the second answer is the first one's struct")
	require.Len(t, second.Topics, 1)
	require.Equal(t, []int32{1}, numbers(second))
	require.Zero(t, parts(second)[0].ErrorCode)
	require.Zero(t, parts(second)[0].HighWatermark)
}

func (l *lab) replicaOf(topic string, part int32) *replica {
	t, _ := l.c.Topic(topic)
	p := t.Partitions[part]
	return l.c.leader(p).replica(p)
}

func TestErrorsFoundBeforeTheLogDoNotEndTheWait(t *testing.T) { // E1
	l := newLab(t, 1)
	l.topic("t", 1)
	c := l.client("c", "broker-1")
	sent := l.now()
	r := c.fetch(fetchRequest("t", want{part: 0}, want{part: 7}))
	require.Equal(t, sent+2*oneWay+500*time.Millisecond, c.last().at)
	require.Equal(t, int16(wire.UnknownTopicOrPartition), parts(r)[1].ErrorCode)
	sent = l.now()
	r = c.fetch(fetchRequest("t", want{part: 7}))
	require.Equal(t, sent+2*oneWay, c.last().at, "nothing is left to wait for")
	require.Equal(t, int64(-1), parts(r)[0].HighWatermark, "E7")
}

func TestFetchChecksEpochThenLeaderThenOffset(t *testing.T) { // E7, E8
	l := newLab(t, 2)
	l.topic("t", 2)
	c := l.client("c", "broker-1")
	c.produce("t", 0, "a", "b")
	l.kill("broker-1")
	l.revive("broker-1") // partition 0 is now in epoch 2
	c = l.client("c2", "broker-1")
	for _, tt := range []struct {
		want
		code wire.Code
	}{
		{want{offset: 0, epoch: 2}, wire.None},
		{want{offset: 9, epoch: 1}, wire.FencedLeaderEpoch},
		{want{offset: 9, epoch: 3}, wire.UnknownLeaderEpoch},
		{want{offset: 9, epoch: 2}, wire.OffsetOutOfRange},
		{want{offset: 2, epoch: 2}, wire.None},
		{want{part: 1}, wire.NotLeaderOrFollower},
	} {
		r := c.fetch(fetchRequest("t", tt.want))
		require.Equal(t, tt.code, wire.Code(parts(r)[0].ErrorCode), "%+v", tt.want)
	}
}

func TestFetchReturnsWholeBatchesWithinTheLimits(t *testing.T) { // E5, E6
	l := newLab(t, 1)
	l.topic("t", 2)
	p := l.client("p", "broker-1")
	p.produce("t", 0, "a", "b", "c")
	p.produce("t", 0, "d")
	p.produce("t", 1, "e")
	size := int32(l.replicaOf("t", 1).log.Bytes())
	c := l.client("c", "broker-1")
	get := func(q *kmsg.FetchRequest) (out [][]int64) {
		for _, x := range parts(c.fetch(q)) {
			out = append(out, offsetsIn(t, x.RecordBatches))
		}
		return out
	}
	require.Equal(t, [][]int64{{0, 1, 2, 3}}, get(fetchRequest("t", want{offset: 1})),
		"the batch that holds the offset comes whole")
	require.Equal(t, [][]int64{{0, 1, 2}, nil},
		get(fetchRequest("t", want{max: 1}, want{part: 1, max: 1})),
		"the first batch comes however large, and only that of the first partition with data")
	require.Equal(t, [][]int64{nil, {0}},
		get(fetchRequest("t", want{offset: 4}, want{part: 1, max: 1})))
	q := fetchRequest("t", want{}, want{part: 1})
	q.MaxBytes = size
	require.Equal(t, [][]int64{{0, 1, 2}, nil}, get(q), "the request's limit is used up")
	require.NoError(t, l.c.SetConfig("", "fetch.max.bytes", "1024"))
	require.Equal(t, [][]int64{{0, 1, 2, 3}, {0}}, get(fetchRequest("t", want{}, want{part: 1})))
}

func TestALaterRequestOfAConnectionWaitsForTheEarlierOne(t *testing.T) {
	l := newLab(t, 1)
	l.topic("t", 1)
	c, other := l.client("c", "broker-1"), l.client("o", "broker-1")
	c.send(fetchRequest("t", want{}))
	c.send(kmsg.NewPtrMetadataRequest())
	other.ask(kmsg.NewPtrMetadataRequest())
	l.wait(400 * time.Millisecond)
	require.Empty(t, c.answers)
	l.wait(200 * time.Millisecond)
	require.Len(t, c.answers, 2)
	require.Equal(t, int32(1), c.answers[0].frame.Corr)
	require.Equal(t, wire.KeyMetadata, c.answers[1].frame.Key)
}

func TestAClosedConnectionTakesItsParkedFetchWithIt(t *testing.T) {
	l := newLab(t, 1)
	l.topic("t", 1)
	c := l.client("c", "broker-1")
	c.send(fetchRequest("t", want{}))
	l.wait(time.Millisecond)
	require.Len(t, l.replicaOf("t", 0).waiting, 1)
	c.conn.Close()
	l.wait(time.Millisecond)
	require.Empty(t, l.replicaOf("t", 0).waiting)
	require.Len(t, l.events(trace.FetchAnswered), 1)
}

func TestAnUnservedVersionClosesTheConnection(t *testing.T) { // 0.2
	l := newLab(t, 1)
	c := l.client("c", "broker-1")
	r := kmsg.NewPtrProduceRequest()
	r.Version = 2
	c.send(r)
	l.wait(time.Second)
	require.True(t, c.closed)
	require.Empty(t, c.answers)
}

// kafka-go cannot read null.
func TestWithoutRecordsAPartitionHasAnEmptyRunNeverNull(t *testing.T) {
	l := newLab(t, 1)
	topic := l.topic("t", 1)
	c := l.client("c", "broker-1")
	for version := int16(4); version <= 18; version++ {
		for _, w := range []want{{}, {offset: 9}, {part: 7}} { // empty, out of range, unknown
			q := fetchRequest("t", w)
			q.Version, q.MaxWaitMillis = version, 0
			if version >= 13 {
				q.Topics[0].TopicID = topic.ID
			}
			c.ask(q)
			b := c.last().frame.Encode() // as it lies on the wire
			f, err := wire.DecodeResponse(b, wire.KeyFetch, version)
			require.NoError(t, err)
			run := parts(f.Resp.(*kmsg.FetchResponse))[0].RecordBatches
			require.NotNil(t, run, "version %d, %+v", version, w)
			require.Empty(t, run)
		}
	}
}
