package storage

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/wire"
)

func keyed(ts int64, kvs ...string) []byte {
	var records []wire.Record
	for i := 0; i < len(kvs); i += 2 {
		r := wire.Record{Timestamp: ts, Key: []byte(kvs[i]), Value: []byte(kvs[i+1])}
		if kvs[i+1] == "" {
			r.Value = nil
		}
		records = append(records, r)
	}
	return wire.EncodeBatch(wire.PlainHeader(), records)
}

// content is the log's records as "offset key=value".
func content(t *testing.T, l *Log) []string {
	t.Helper()
	var got []string
	for from := l.LogStart(); ; {
		b := l.Read(from, 1<<20, l.LEO(), true)
		if b == nil {
			return got
		}
		for {
			one, rest, err := wire.NextBatch(b)
			require.NoError(t, err)
			if one == nil {
				break
			}
			require.True(t, wire.CheckCRC(one))
			h, records, err := wire.DecodeBatch(one)
			require.NoError(t, err)
			for _, r := range records {
				got = append(got, fmt.Sprintf("%d %s=%s", r.Offset, r.Key, r.Value))
			}
			from, b = h.NextOffset(), rest
		}
	}
}

func compacted(t *testing.T) *Log {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Compact, cfg.Delete, cfg.DeleteRetentionMs = true, false, 1000
	cfg.SegmentMs = 99
	l := New(cfg)
	l.Append(keyed(0, "a", "1", "b", "1", "a", "2"), 0) // 0-2
	l.Append(keyed(0, "c", "1"), 0)                     // 3
	l.Append(keyed(200, "b", "", "c", "2"), 1)          // 4-5, second segment
	l.Append(keyed(400, "a", "3"), 1)                   // 6, active
	l.SetHW(l.LEO(), 1)
	require.Equal(t, 3, l.Segments())
	return l
}

func TestCompactionKeepsTheLastValueOfEachKey(t *testing.T) {
	l := compacted(t)
	require.Equal(t, 3, l.Compact(5000))
	want := []string{"2 a=2", "4 b=", "5 c=2", "6 a=3"}
	require.Equal(t, want, content(t, l))
	require.EqualValues(t, 7, l.LEO())
	require.Zero(t, l.Compact(5000))
	require.Equal(t, want, content(t, l))
	require.EqualValues(t, l.Bytes(), l.Size(0, 7))
	require.EqualValues(t, len(l.Read(6, 1<<20, 7, true)), l.Size(6, 7))
	require.Equal(t, l.Read(4, 1<<20, 7, true), l.Read(3, 1<<20, 7, true), "3 is gone")
}

func TestTombstonesGoAfterDeleteRetention(t *testing.T) { // KIP-534
	l := compacted(t)
	l.Compact(5000)
	require.Zero(t, l.Compact(5999))
	require.Equal(t, 1, l.Compact(6000))
	require.Equal(t, []string{"2 a=2", "5 c=2", "6 a=3"}, content(t, l))
}

func TestCompactionStopsAtTheHighWatermark(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Compact, cfg.SegmentBytes = true, 1
	l := New(cfg)
	for range 4 {
		l.Append(keyed(0, "a", "1"), 0)
	}
	l.SetHW(1, 0)
	require.Zero(t, l.Compact(0))
	l.SetHW(3, 0)
	require.Equal(t, 2, l.Compact(0))
	require.Equal(t, []string{"2 a=1", "3 a=1"}, content(t, l))
	require.Zero(t, filled(DefaultConfig(), 1, 1).Compact(0), "not a compacted topic")
}

func TestRetentionByTimeMovesTheLogStart(t *testing.T) {
	cfg := DefaultConfig()
	cfg.SegmentBytes, cfg.RetentionMs = 1, 1000
	l := New(cfg)
	for i := range 4 {
		l.Append(batch(2, int64(i)*1000), int32(i))
	}
	l.SetHW(6, 3)
	require.False(t, l.Retain(1001))
	require.True(t, l.Retain(1002))
	require.EqualValues(t, 2, l.LogStart())
	epoch, end := l.EndOffsetFor(0)
	require.EqualValues(t, []int64{0, 2}, []int64{int64(epoch), end})
	require.True(t, l.Retain(99999))
	require.EqualValues(t, 6, l.LogStart(), "nothing from the high watermark on goes")
	l.SetHW(8, 3)
	require.True(t, l.Retain(99999))
	require.EqualValues(t, 8, l.LogStart())
	require.Zero(t, l.Bytes())
	require.False(t, l.Retain(999999))
	require.EqualValues(t, 8, l.Append(batch(1, 0), 3))
	require.Positive(t, l.Size(8, 9))
}

func TestRetentionByBytesKeepsAtLeastThatMuch(t *testing.T) {
	one := int64(len(batch(1, 0)))
	cfg := DefaultConfig()
	cfg.SegmentBytes, cfg.RetentionMs, cfg.RetentionBytes = 1, -1, 2*one+1
	l := filled(cfg, 1, 1, 1, 1, 1)
	require.True(t, l.Retain(0))
	require.EqualValues(t, 2, l.LogStart())
	require.EqualValues(t, 3*one, l.Bytes())
	require.False(t, l.Retain(0))
}

func TestDeletedRecordsGoWithTheirSegments(t *testing.T) {
	cfg := DefaultConfig()
	cfg.SegmentBytes, cfg.Delete = 1, false
	l := filled(cfg, 2, 2, 2)
	require.True(t, l.SetLogStart(3))
	require.False(t, l.SetLogStart(2))
	require.EqualValues(t, 3, l.LogStart())
	require.Equal(t, 3, l.Segments())
	require.False(t, l.Retain(0))
	require.Equal(t, 2, l.Segments())
	require.EqualValues(t, 3, l.LogStart())
	require.Panics(t, func() { l.SetLogStart(7) })
}

func TestCompactionWaitsForItsLagAndForEnoughDirt(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Compact, cfg.Delete, cfg.SegmentBytes = true, false, 1
	cfg.MinCompactionLagMs, cfg.MinDirtyPerMille = 1000, 500
	l := New(cfg)
	put := func(key string, ms int64) {
		l.Append(wire.EncodeBatch(wire.PlainHeader(), []wire.Record{
			{Timestamp: ms, Key: []byte(key), Value: []byte("v")},
		}), 0)
		l.SetHW(l.LEO(), 0)
	}
	put("a", 0)
	put("a", 100)
	put("b", 200) // the active segment
	require.Zero(t, l.Compact(999), "too young")
	require.Equal(t, 1, l.Compact(1100), "the older a goes")
	put("a", 300)
	put("c", 400)
	put("d", 500)
	require.Equal(t, int64(2), l.cleaned)
	l.Compact(1200)
	require.Equal(t, int64(2), l.cleaned, "b is one of two segments, and half is not more than half")
	require.Equal(t, 1, l.Compact(1400), "three of four: the older a goes")
	require.Equal(t, int64(5), l.cleaned)
	require.Zero(t, l.Compact(1400), "nothing is dirty")
}
