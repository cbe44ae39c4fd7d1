package storage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/wire"
)

// zipped marks a batch as compressed: its records cannot be read, as those of a real one.
func zipped(batch []byte) []byte {
	h, records, err := wire.DecodeBatch(batch)
	if err != nil {
		panic(err)
	}
	h.Attributes |= int16(wire.LZ4)
	return wire.EncodeBatch(h, records)
}

func TestCompactionLeavesCompressedBatchesWhole(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Compact, cfg.Delete, cfg.SegmentMs = true, false, 99
	l := New(cfg)
	l.Append(keyed(0, "a", "1"), 0)
	l.Append(zipped(keyed(0, "a", "2", "a", "3")), 0)
	l.Append(keyed(0, "a", "4"), 0)
	l.Append(keyed(200, "b", "1"), 0) // active
	l.SetHW(l.LEO(), 0)
	require.Equal(t, 1, l.Compact(1000))
	require.Equal(t, []int64{1, 3, 4}, bases(t, append(
		append([]byte(nil), l.Read(0, 1<<20, l.HW(), true)...), l.Read(4, 1<<20, l.HW(), true)...)))
}

func TestATimeInsideACompressedBatchIsAnsweredWithItsFirstOffset(t *testing.T) { // E11
	l := New(DefaultConfig())
	l.Append(keyed(10, "a", "1"), 0)
	records := []wire.Record{{Timestamp: 20, Key: []byte("b")}, {Timestamp: 30, Key: []byte("c")}}
	l.Append(zipped(wire.EncodeBatch(wire.PlainHeader(), records)), 1)
	l.Append(keyed(40, "d", "1"), 1)
	l.SetHW(l.LEO(), 1)
	for _, tt := range []struct{ ts, offset, at int64 }{
		{5, 0, 10}, {15, 1, 20}, {20, 1, 20}, {25, 1, 20}, {30, 1, 20}, {31, 3, 40}, {41, -1, -1},
	} {
		got := l.OffsetForTimestamp(tt.ts, l.HW())
		require.Equal(t, tt.offset, got.Offset, "at %d", tt.ts)
		require.Equal(t, tt.at, got.Timestamp, "at %d", tt.ts)
	}
	require.Equal(t, int32(1), l.OffsetForTimestamp(25, l.HW()).Epoch)
}
