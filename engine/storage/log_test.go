package storage

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/wire"
)

// batch is a plain batch of n records; its timestamps begin at ts and count up.
func batch(n int, ts int64) []byte {
	var records []wire.Record
	for i := range n {
		records = append(records, wire.Record{Timestamp: ts + int64(i), Key: []byte("k"),
			Value: []byte("0123456789")})
	}
	return wire.EncodeBatch(wire.PlainHeader(), records)
}

// filled is a log with batches of the given lengths, all in epoch 0 and below the high watermark.
func filled(cfg Config, lengths ...int) *Log {
	l := New(cfg)
	for _, n := range lengths {
		l.Append(batch(n, l.LEO()), 0)
	}
	l.SetHW(l.LEO(), 0)
	return l
}

// bases are the base offsets of the batches in b.
func bases(t *testing.T, b []byte) []int64 {
	t.Helper()
	var got []int64
	for {
		one, rest, err := wire.NextBatch(b)
		require.NoError(t, err)
		if one == nil {
			require.Empty(t, b, "a batch was cut")
			return got
		}
		h, err := wire.ReadHeader(one)
		require.NoError(t, err)
		require.True(t, wire.CheckCRC(one))
		got, b = append(got, h.BaseOffset), rest
	}
}

func TestAppendGivesOffsetsAndLeavesTheCallersBytes(t *testing.T) {
	l := New(DefaultConfig())
	b := batch(3, 10)
	require.EqualValues(t, 0, l.Append(b, 4))
	require.EqualValues(t, 3, l.Append(b, 5))
	require.EqualValues(t, 6, l.LEO())
	require.Equal(t, batch(3, 10), b)
	h, records, err := wire.DecodeBatch(l.Read(3, 1000, 6, true))
	require.NoError(t, err)
	require.EqualValues(t, 5, h.LeaderEpoch)
	require.EqualValues(t, 5, records[2].Offset)
}

func TestReadReturnsWholeBatches(t *testing.T) { // E5, E7
	l := filled(DefaultConfig(), 2, 3, 1, 4) // offsets 0-1, 2-4, 5, 6-9
	size := func(n int) int64 { return int64(len(batch(n, 0))) }
	for _, tt := range []struct {
		name        string
		from, limit int64
		max         int64
		minOne      bool
		want        []int64
	}{
		{"all", 0, 10, 1 << 20, true, []int64{0, 2, 5, 6}},
		{"from the middle of a batch", 3, 10, 1 << 20, true, []int64{2, 5, 6}},
		{"the last record", 9, 10, 1 << 20, true, []int64{6}},
		{"at the end", 10, 10, 1 << 20, true, nil},
		{"limit ends it", 0, 5, 1 << 20, true, []int64{0, 2}},
		{"limit inside a batch leaves it out", 0, 4, 1 << 20, true, []int64{0}},
		{"nothing below the limit", 5, 5, 1 << 20, true, nil},
		{"size ends it", 0, 10, size(2) + size(3), true, []int64{0, 2}},
		{"one byte too few", 0, 10, size(2) + size(3) - 1, true, []int64{0}},
		{"the first one though larger", 2, 10, 1, true, []int64{2}},
		{"no larger one on demand", 2, 10, 1, false, nil},
		{"no bytes at all", 2, 10, 0, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, bases(t, l.Read(tt.from, tt.max, tt.limit, tt.minOne)))
		})
	}
}

func TestReadCrossesChunksAndSizeAgrees(t *testing.T) {
	l := New(DefaultConfig())
	var want []int64
	for i := range 3000 {
		want = append(want, l.LEO())
		l.Append(batch(1+i%4, 0), 0)
	}
	require.Greater(t, len(l.active().chunks), 5)
	require.Equal(t, want, bases(t, l.Read(0, 1<<30, l.LEO(), true)))
	require.EqualValues(t, l.Bytes(), l.Size(0, l.LEO()))
	for i := 0; i < len(want); i += 7 {
		for _, j := range []int{i + 1, i + 2, i + 500, len(want)} {
			limit := l.LEO()
			if j < len(want) {
				limit = want[j]
			}
			got := l.Read(want[i], 1<<30, limit, true)
			require.EqualValues(t, len(got), l.Size(want[i], limit))
			require.Equal(t, want[i:min(j, len(want))], bases(t, got))
		}
	}
}

func TestReadDoesNotCopyNorAllocate(t *testing.T) {
	l := filled(DefaultConfig(), 1, 1, 1)
	n := testing.AllocsPerRun(100, func() { l.Read(2, 1<<20, 3, true) })
	require.Zero(t, n)
	b := l.Read(1, 1<<20, 3, true)
	require.Equal(t, len(b), cap(b), "an append by the reader would write into the log")
}

func TestSegmentsRollBySizeAndTime(t *testing.T) {
	one := int64(len(batch(1, 0)))
	cfg := DefaultConfig()
	cfg.SegmentBytes = 2 * one
	l := filled(cfg, 1, 1, 1, 1, 1)
	require.Equal(t, 3, l.Segments())
	require.Equal(t, []int64{0, 1}, bases(t, l.Read(0, 1<<20, 5, true)), "one segment a read")
	require.Equal(t, []int64{2, 3}, bases(t, l.Read(2, 1<<20, 5, true)))
	require.EqualValues(t, 5*one, l.Size(0, 5))
	require.EqualValues(t, 2*one, l.Size(1, 3))
	require.True(t, l.InNewerSegment(1, 2)) // E3
	require.False(t, l.InNewerSegment(2, 3))

	cfg = DefaultConfig()
	cfg.SegmentMs = 100
	l = New(cfg)
	l.Append(batch(1, 1000), 0)
	l.Append(batch(1, 1100), 0)
	require.Equal(t, 1, l.Segments())
	l.Append(batch(1, 1101), 0)
	require.Equal(t, 2, l.Segments())
}

func TestHighWatermarkObeysItsBounds(t *testing.T) {
	l := New(DefaultConfig())
	l.Append(batch(4, 0), 0)
	require.True(t, l.SetHW(3, 0))
	require.False(t, l.SetHW(3, 0))
	require.EqualValues(t, 3, l.HW())
	require.EqualValues(t, 3, l.LSO())
	require.PanicsWithValue(t, "storage: high watermark 5 outside of log 0..4",
		func() { l.SetHW(5, 0) })
	require.PanicsWithValue(t, "storage: high watermark falls from 3 to 2 in epoch 0",
		func() { l.SetHW(2, 0) })
	require.True(t, l.SetHW(2, 1), "a new leader may know less")
	require.Panics(t, func() { l.SetHW(1, 1) })
	require.Panics(t, func() { l.SetHW(1, 0) })
}

func TestEpochsEndWhereTheNextOnesStart(t *testing.T) { // E12
	l := New(DefaultConfig())
	epoch, end := l.EndOffsetFor(0)
	require.Equal(t, []int64{-1, -1}, []int64{int64(epoch), end})
	l.Append(batch(2, 0), 2)
	l.Append(batch(2, 0), 2)
	l.AssignEpoch(4, l.LEO()) // a leader that wrote nothing
	l.AssignEpoch(5, l.LEO())
	l.Append(batch(3, 0), 5)
	require.EqualValues(t, 5, l.LatestEpoch())
	for _, tt := range []struct{ asked, epoch, end int64 }{
		{-1, -1, -1}, {0, 0, 0}, {1, 1, 0}, {2, 2, 4}, {3, 2, 4}, {4, 2, 4}, {5, 5, 7}, {6, -1, -1},
	} {
		epoch, end := l.EndOffsetFor(int32(tt.asked))
		require.Equal(t, tt, struct{ asked, epoch, end int64 }{tt.asked, int64(epoch), end})
	}
}

func TestAFollowerTruncatesAndFollows(t *testing.T) { // E23
	leader := filled(DefaultConfig(), 2, 2)
	follower := New(DefaultConfig())
	follower.AppendFollower(leader.Read(0, 1<<20, 4, true))
	require.Equal(t, leader.Read(0, 1<<20, 4, true), follower.Read(0, 1<<20, 4, true))
	held := follower.Read(2, 1<<20, 4, true)
	before := string(held)

	follower.Append(batch(1, 0), 1) // a short reign
	require.EqualValues(t, 1, follower.LatestEpoch())
	leader.Append(batch(3, 9), 2)
	epoch, end := leader.EndOffsetFor(1)
	require.EqualValues(t, 0, epoch)
	follower.TruncateTo(end)
	require.EqualValues(t, 4, follower.LEO())
	require.EqualValues(t, 0, follower.LatestEpoch())
	follower.AppendFollower(leader.Read(4, 1<<20, 7, true))
	require.Equal(t, leader.Read(0, 1<<20, 7, true), follower.Read(0, 1<<20, 7, true))
	require.Equal(t, before, string(held))
	require.Panics(t, func() { follower.AppendFollower(leader.Read(4, 1<<20, 7, true)) })
}

func TestTruncationCutsAtABatchAndTakesTheHighWatermarkAlong(t *testing.T) {
	one := int64(len(batch(2, 0)))
	cfg := DefaultConfig()
	cfg.SegmentBytes = 2 * one
	l := filled(cfg, 2, 2, 2, 2, 2) // segments 0-3, 4-7, 8-9
	old := l.Read(4, 1<<20, 8, true)
	text := string(old)
	l.TruncateTo(20)
	require.EqualValues(t, 10, l.LEO())
	l.TruncateTo(7) // inside of batch 6-7
	require.EqualValues(t, 6, l.LEO())
	require.EqualValues(t, 6, l.HW())
	require.Equal(t, 2, l.Segments())
	require.EqualValues(t, 3*one, l.Bytes())
	l.Append(batch(2, 99), 3)
	require.Equal(t, text, string(old), "a reader's bytes never change")
	require.Equal(t, []int64{4, 6}, bases(t, l.Read(4, 1<<20, 8, true)))
	l.TruncateTo(0)
	require.Zero(t, l.LEO())
	require.Zero(t, l.Bytes())
	l.StartOver(40)
	require.EqualValues(t, 40, l.Append(batch(1, 0), 3))
	require.EqualValues(t, 40, l.LogStart())
}

func TestOffsetsAreFoundByTimestamp(t *testing.T) { // E11
	l := New(DefaultConfig())
	l.Append(batch(2, 100), 0) // 100, 101
	l.Append(batch(2, 300), 1) // 300, 301
	l.Append(batch(1, 200), 1) // late
	l.Append(batch(1, 301), 1)
	for _, tt := range []struct {
		ts, limit int64
		want      TimestampOffset
	}{
		{Latest, 6, TimestampOffset{6, -1, 1}},
		{Latest, 4, TimestampOffset{4, -1, 1}},
		{Earliest, 6, TimestampOffset{0, -1, 0}},
		{EarliestLocal, 6, TimestampOffset{0, -1, 0}},
		{LatestTiered, 6, TimestampOffset{-1, -1, -1}},
		{EarliestUpload, 6, TimestampOffset{-1, -1, -1}},
		{MaxTimestamp, 6, TimestampOffset{3, 301, 1}},
		{MaxTimestamp, 2, TimestampOffset{1, 101, 0}},
		{0, 6, TimestampOffset{0, 100, 0}},
		{101, 6, TimestampOffset{1, 101, 0}},
		{102, 6, TimestampOffset{2, 300, 1}},
		{302, 6, TimestampOffset{-1, -1, -1}},
		{200, 2, TimestampOffset{-1, -1, -1}},
	} {
		require.Equal(t, tt.want, l.OffsetForTimestamp(tt.ts, tt.limit), "%d %d", tt.ts, tt.limit)
	}
	l.SetHW(6, 1)
	l.SetLogStart(1)
	require.Equal(t, TimestampOffset{1, 101, 0}, l.OffsetForTimestamp(0, 6))
	require.Equal(t, TimestampOffset{-1, -1, -1},
		New(DefaultConfig()).OffsetForTimestamp(MaxTimestamp, 0))
}

func idempotent(id int64, epoch int16, seq int32, n int) []byte {
	h := wire.BatchHeader{ProducerID: id, ProducerEpoch: epoch, BaseSequence: seq}
	return wire.EncodeBatch(h, make([]wire.Record, n))
}

func TestIdempotentProducersAreChecked(t *testing.T) { // E30, E31
	const maxSeq = 1<<31 - 1
	type step struct {
		epoch     int16
		seq       int32
		n         int
		base      int64
		duplicate bool
		code      wire.Code
	}
	for name, steps := range map[string][]step{
		"a repeat gets the first offset": {
			{0, 0, 2, 0, false, 0}, {0, 2, 1, 2, false, 0}, {0, 0, 2, 0, true, 0},
			{0, 2, 1, 2, true, 0}, {0, 3, 1, 3, false, 0}},
		"a gap is refused": {
			{0, 0, 1, 0, false, 0}, {0, 2, 1, -1, false, wire.OutOfOrderSequenceNumber},
			{0, 1, 1, 1, false, 0}},
		"another length is no repeat": {
			{0, 0, 2, 0, false, 0}, {0, 0, 1, -1, false, wire.OutOfOrderSequenceNumber}},
		"an unknown producer may begin anywhere": {{3, 17, 1, 0, false, 0}},
		"a new epoch begins with 0": {
			{0, 0, 1, 0, false, 0}, {1, 1, 1, -1, false, wire.OutOfOrderSequenceNumber},
			{1, 0, 1, 1, false, 0}, {0, 1, 1, -1, false, wire.InvalidProducerEpoch}},
		"sequences wrap": {
			{0, maxSeq - 1, 2, 0, false, 0}, {0, 0, 1, 2, false, 0},
			{0, maxSeq - 1, 2, 0, true, 0}},
		"a batch may wrap inside": {
			{0, maxSeq, 3, 0, false, 0}, {0, 2, 1, 3, false, 0}, {0, maxSeq, 3, 0, true, 0}},
		"only five batches are known": {
			{0, 0, 1, 0, false, 0}, {0, 1, 1, 1, false, 0}, {0, 2, 1, 2, false, 0},
			{0, 3, 1, 3, false, 0}, {0, 4, 1, 4, false, 0}, {0, 5, 1, 5, false, 0},
			{0, 1, 1, 1, true, 0}, {0, 0, 1, -1, false, wire.OutOfOrderSequenceNumber}}, // E32
	} {
		t.Run(name, func(t *testing.T) {
			l := New(DefaultConfig())
			for i, s := range steps {
				got, code := l.Produce(idempotent(7, s.epoch, s.seq, s.n), 0, 0)
				require.Equal(t, s.code, code, "step %d", i)
				require.Equal(t, Produced{s.base, s.duplicate}, got, "step %d", i)
			}
		})
	}
}

func TestProducerStateFollowsTheLog(t *testing.T) {
	l := New(DefaultConfig())
	for seq := range int32(3) {
		for _, id := range []int64{9, 4} {
			_, code := l.Produce(idempotent(id, 0, seq, 1), 0, 0)
			require.Equal(t, wire.None, code)
		}
	}
	follower := New(DefaultConfig())
	follower.AppendFollower(l.Read(0, 1<<20, 6, true))
	require.Equal(t, l.producers, follower.producers)
	l.TruncateTo(3) // keeps sequences 0, 1 of 9 and 0 of 4
	_, code := l.Produce(idempotent(4, 0, 2, 1), 0, 0)
	require.Equal(t, wire.OutOfOrderSequenceNumber, code)
	_, code = l.Produce(idempotent(4, 0, 1, 1), 0, 0)
	require.Equal(t, wire.None, code)
}

func TestIdleProducersExpire(t *testing.T) { // E32
	l := New(DefaultConfig())
	_, code := l.Produce(idempotent(4, 0, 0, 1), 0, 0)
	require.Equal(t, wire.None, code)
	_, code = l.Produce(idempotent(4, 0, 5, 1), 0, 86400000-1)
	require.Equal(t, wire.OutOfOrderSequenceNumber, code)
	_, code = l.Produce(idempotent(4, 0, 5, 1), 0, 86400000)
	require.Equal(t, wire.None, code)
}

func BenchmarkAppend(b *testing.B) {
	one := batch(1, 0)
	l := New(DefaultConfig())
	b.ReportAllocs()
	for b.Loop() {
		l.Append(one, 0)
		if l.LEO() > 1<<20 {
			l.StartOver(0)
		}
	}
}

func BenchmarkReadAtTheTail(b *testing.B) {
	l := New(DefaultConfig())
	for range 100000 {
		l.Append(batch(1, 0), 0)
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(l.Read(l.LEO()-1, 1<<20, l.LEO(), true)) == 0 || l.Size(0, l.LEO()) == 0 {
			b.Fatal("nothing read")
		}
	}
}

func ExampleLog() {
	l := New(DefaultConfig())
	l.Append(batch(3, 0), 0)
	l.Append(batch(2, 0), 0)
	l.SetHW(3, 0)
	fmt.Println(l.LEO(), len(l.Read(0, 1<<20, l.HW(), true)) > 0, l.Size(3, l.HW()))
	// Output: 5 true 0
}
