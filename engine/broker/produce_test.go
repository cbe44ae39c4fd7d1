package broker

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestProduceAppendsAndMovesTheHighWatermark(t *testing.T) {
	l := newLab(t, 1)
	l.topic("t", 1)
	c := l.client("p", "broker-1")
	require.Equal(t, int64(0), c.produce("t", 0, "a", "b").BaseOffset)
	out := c.produce("t", 0, "c")
	require.Equal(t, int64(2), out.BaseOffset)
	require.Zero(t, out.ErrorCode)
	appends := l.events(trace.Appended)
	require.Len(t, appends, 2)
	require.Equal(t, int64(2), appends[0].Y)
	require.Equal(t, "p", l.log.String(appends[0].Peer))
	marks := l.events(trace.HighWatermark)
	require.Equal(t, int64(3), marks[len(marks)-1].X)
}

func TestProduceErrorsAreValues(t *testing.T) { // E26, E28, E29
	l := newLab(t, 2)
	l.topic("t", 2)
	require.NoError(t, l.c.CreateTopic(TopicSpec{
		Name: "compacted", Partitions: 1, Configs: []Entry{{"cleanup.policy", "compact"}},
	}))
	require.NoError(t, l.c.CreateTopic(TopicSpec{
		Name: "small", Partitions: 1, Configs: []Entry{{"max.message.bytes", "100"}},
	}))
	require.NoError(t, l.c.createOffsetsTopic())
	c := l.client("p", "broker-1")
	good := l.batch("x")
	bad := append([]byte(nil), good...)
	bad[len(bad)-1] ^= 1
	packed := func(codec wire.Codec) []byte {
		return wire.EncodeBatch(wire.BatchHeader{
			Attributes: int16(codec), ProducerID: -1}, l.records("x"))
	}
	for name, limit := range map[string]int{"exact": len(good), "less": len(good) - 1} {
		require.NoError(t, l.c.CreateTopic(TopicSpec{
			Name: name, Partitions: 1, Configs: []Entry{{"max.message.bytes", fmt.Sprint(limit)}},
		}))
	}
	old := produceRequest("t", 0, 1, packed(wire.Zstd))
	old.Version = 6
	future := l.records("x")
	future[0].Timestamp += 3600*1000 + 1000
	tests := []struct {
		name string
		req  *kmsg.ProduceRequest
		want wire.Code
	}{
		{"good", produceRequest("t", 0, 1, good), wire.None},
		{"acks 2", produceRequest("t", 0, 2, good), wire.InvalidRequiredAcks},
		{"unknown topic", produceRequest("u", 0, 1, good), wire.UnknownTopicOrPartition},
		{"unknown partition", produceRequest("t", 9, 1, good), wire.UnknownTopicOrPartition},
		{"another leader", produceRequest("t", 1, 1, good), wire.NotLeaderOrFollower},
		{"bad CRC", produceRequest("t", 0, 1, bad), wire.CorruptMessage},
		{"no batch", produceRequest("t", 0, 1, nil), wire.CorruptMessage},
		{"two batches", produceRequest("t", 0, 1, append(append([]byte(nil), good...), good...)),
			wire.InvalidRecord},
		{"gzip", produceRequest("t", 0, 1, packed(wire.Gzip)), wire.None},
		{"snappy", produceRequest("t", 0, 1, packed(wire.Snappy)), wire.None},
		{"lz4", produceRequest("t", 0, 1, packed(wire.LZ4)), wire.None},
		{"zstd", produceRequest("t", 0, 1, packed(wire.Zstd)), wire.None},
		{"zstd before version 7", old, wire.UnsupportedCompressionType},
		{"an unknown codec", produceRequest("t", 0, 1, packed(5)), wire.UnknownServerError},
		{"the coordinator's topic", produceRequest(OffsetsTopic, 0, 1, good),
			wire.InvalidTopicException},
		{"as large as may be", produceRequest("exact", 0, 1, good), wire.None},
		{"one byte too large", produceRequest("less", 0, 1, good), wire.MessageTooLarge},
		{"too large", produceRequest("small", 0, 1, l.batch(string(make([]byte, 100)))),
			wire.MessageTooLarge},
		{"too far ahead", produceRequest("t", 0, 1,
			wire.EncodeBatch(wire.PlainHeader(), future)), wire.InvalidTimestamp},
		{"no key", produceRequest("compacted", 0, 1, good), wire.InvalidRecord},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := c.ask(tt.req).(*kmsg.ProduceResponse)
			require.Equal(t, tt.want, wire.Code(r.Topics[0].Partitions[0].ErrorCode))
		})
	}
	r := c.ask(produceRequest("t", 1, 1, good)).(*kmsg.ProduceResponse)
	require.Equal(t, int32(2), r.Topics[0].Partitions[0].CurrentLeader.LeaderID, "E13")
}

func TestAcksZeroHasNoAnswerAndAnErrorClosesTheConnection(t *testing.T) { // E27
	l := newLab(t, 1)
	topic := l.topic("t", 1)
	c := l.client("p", "broker-1")
	c.send(produceRequest("t", 0, 0, l.batch("x")))
	l.wait(time.Second)
	require.Empty(t, c.answers)
	require.False(t, c.closed)
	require.Equal(t, int64(1), l.c.leader(topic.Partitions[0]).replica(topic.Partitions[0]).log.LEO())
	c.send(produceRequest("u", 0, 0, l.batch("x")))
	l.wait(time.Second)
	require.Empty(t, c.answers)
	require.True(t, c.closed)
}

func TestAnIdempotentDuplicateSucceedsWithTheFirstOffset(t *testing.T) { // E30, E31
	l := newLab(t, 1)
	l.topic("t", 1)
	c := l.client("p", "broker-1")
	id := c.ask(initRequest()).(*kmsg.InitProducerIDResponse).ProducerID
	require.NotEqual(t, id, c.ask(initRequest()).(*kmsg.InitProducerIDResponse).ProducerID)
	send := func(seq int32) (wire.Code, int64) {
		b := wire.EncodeBatch(wire.BatchHeader{ProducerID: id, BaseSequence: seq}, l.records("x"))
		r := c.ask(produceRequest("t", 0, -1, b)).(*kmsg.ProduceResponse)
		p := r.Topics[0].Partitions[0]
		return wire.Code(p.ErrorCode), p.BaseOffset
	}
	for _, step := range []struct {
		seq  int32
		code wire.Code
		base int64
	}{
		{0, wire.None, 0}, {1, wire.None, 1}, {0, wire.None, 0},
		{3, wire.OutOfOrderSequenceNumber, -1}, {2, wire.None, 2},
	} {
		code, base := send(step.seq)
		require.Equal(t, step.code, code)
		require.Equal(t, step.base, base)
	}
	require.Len(t, l.events(trace.Appended), 3)
}

func initRequest() *kmsg.InitProducerIDRequest {
	r := kmsg.NewPtrInitProducerIDRequest()
	r.Version = 4
	return r
}

func TestLogAppendTimeOverwritesTheProducersTime(t *testing.T) { // E29
	l := newLab(t, 1)
	require.NoError(t, l.c.CreateTopic(TopicSpec{
		Name: "t", Partitions: 1, Configs: []Entry{{"message.timestamp.type", "LogAppendTime"}},
	}))
	c := l.client("p", "broker-1")
	l.at(10 * time.Millisecond)
	batch := wire.EncodeBatch(wire.PlainHeader(), []wire.Record{{Timestamp: 5, Value: []byte("x")}})
	sent := append([]byte(nil), batch...)
	r := c.ask(produceRequest("t", 0, 1, batch)).(*kmsg.ProduceResponse)
	stamp := l.w.Now().Millis()
	require.Equal(t, stamp, r.Topics[0].Partitions[0].LogAppendTime)
	require.Equal(t, sent, batch, "the sender's bytes stay as they are")
	f := c.fetch(fetchRequest("t", want{}))
	_, records, err := wire.DecodeBatch(parts(f)[0].RecordBatches)
	require.NoError(t, err)
	require.Equal(t, stamp, records[0].Timestamp)
}

func TestACompressedBatchIsStoredAndFetchedAsItCame(t *testing.T) { // E28
	for codec := wire.Gzip; codec <= wire.Zstd; codec++ {
		l := newLab(t, 1)
		require.NoError(t, l.c.CreateTopic(TopicSpec{
			Name: "t", Partitions: 1, Configs: []Entry{{"cleanup.policy", "compact"}},
		}))
		c := l.client("p", "broker-1")
		sent := wire.EncodeBatch(wire.BatchHeader{
			Attributes: int16(codec), ProducerID: wire.NoProducer}, l.records("unreadable", "here"))
		for _, base := range []int64{0, 2} {
			r := c.ask(produceRequest("t", 0, -1, sent)).(*kmsg.ProduceResponse)
			require.Equal(t, base, r.Topics[0].Partitions[0].BaseOffset)
		}
		got := parts(c.fetch(fetchRequest("t", want{})))[0].RecordBatches
		first, rest, err := wire.NextBatch(got)
		require.NoError(t, err)
		second, _, err := wire.NextBatch(rest)
		require.NoError(t, err)
		wire.SetBase(sent, 0, 0)
		require.Equal(t, sent, first)
		wire.SetBase(sent, 2, 0)
		require.Equal(t, sent, second)
	}
}
