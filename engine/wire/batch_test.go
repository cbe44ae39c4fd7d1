package wire

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func sampleRecords() []Record {
	return []Record{
		{Offset: 0, Timestamp: 1767225600000, Key: []byte("k"), Value: []byte("value")},
		{Offset: 1, Timestamp: 1767225599990, Key: nil, Value: []byte{}},
		{Offset: 2, Timestamp: 1767225601000, Key: []byte{}, Value: nil, Headers: []Header{
			{Key: "trace", Value: []byte("abc")}, {Key: "", Value: nil},
		}},
	}
}

func TestBatchComesBackAsItWasWritten(t *testing.T) {
	h := BatchHeader{BaseOffset: 0, LeaderEpoch: 3, ProducerID: 9, ProducerEpoch: 1,
		BaseSequence: 7, Attributes: AttrTransactional}
	b := EncodeBatch(h, sampleRecords())
	got, records, err := DecodeBatch(b)
	require.NoError(t, err)
	require.Equal(t, sampleRecords(), records)
	require.Equal(t, len(b), got.Size())
	require.EqualValues(t, 3, got.Count)
	require.EqualValues(t, 2, got.LastOffset())
	require.EqualValues(t, 1767225600000, got.FirstTimestamp)
	require.EqualValues(t, 1767225601000, got.MaxTimestamp)
	require.EqualValues(t, 9, got.ProducerID)
	require.EqualValues(t, 1, got.ProducerEpoch)
	require.EqualValues(t, 7, got.BaseSequence)
	require.Equal(t, AttrTransactional, got.Attributes)
	require.True(t, CheckCRC(b))
}

// The other writer of the same format is kmsg's; it leaves lengths and the CRC to its caller.
func TestBatchEqualsTheOneThatKmsgWrites(t *testing.T) {
	var body []byte
	for i, r := range sampleRecords() {
		rec := kmsg.Record{OffsetDelta: int32(i), Key: r.Key, Value: r.Value,
			TimestampDelta64: r.Timestamp - 1767225600000}
		for _, h := range r.Headers {
			rec.Headers = append(rec.Headers, kmsg.Header{Key: h.Key, Value: h.Value})
		}
		rec.Length = int32(len(rec.AppendTo(nil)) - 1) // the length of length 0 is one byte
		body = rec.AppendTo(body)
	}
	want := kmsg.RecordBatch{
		FirstOffset: 100, Length: int32(BatchHeaderSize - 12 + len(body)), Magic: 2,
		PartitionLeaderEpoch: 4, LastOffsetDelta: 2, FirstTimestamp: 1767225600000,
		MaxTimestamp: 1767225601000, ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1,
		NumRecords: 3, Records: body,
	}
	raw := want.AppendTo(nil)
	want.CRC = int32(crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	h := PlainHeader()
	h.BaseOffset, h.LeaderEpoch = 100, 4
	require.Equal(t, want.AppendTo(nil), EncodeBatch(h, sampleRecords()))
}

func TestSetBaseLeavesTheChecksumRight(t *testing.T) {
	b := EncodeBatch(PlainHeader(), sampleRecords())
	SetBase(b, 1<<40, 12)
	require.True(t, CheckCRC(b))
	h, records, err := DecodeBatch(b)
	require.NoError(t, err)
	require.EqualValues(t, 12, h.LeaderEpoch)
	require.EqualValues(t, 1<<40+2, records[2].Offset)
}

func TestAChangedByteBreaksTheChecksum(t *testing.T) {
	b := EncodeBatch(PlainHeader(), sampleRecords())
	for i := posAttributes; i < len(b); i++ {
		b[i] ^= 0x40
		require.False(t, CheckCRC(b), "byte %d", i)
		b[i] ^= 0x40
	}
	require.False(t, CheckCRC(b[:40]))
}

func TestLogAppendTimeOverridesTheRecordsTimes(t *testing.T) { // E29
	b := EncodeBatch(PlainHeader(), sampleRecords())
	SetLogAppendTime(b, 42)
	require.True(t, CheckCRC(b))
	_, records, err := DecodeBatch(b)
	require.NoError(t, err)
	for _, r := range records {
		require.EqualValues(t, 42, r.Timestamp)
	}
}

func TestSparseBatchKeepsOffsetsAndItsEnd(t *testing.T) {
	h := PlainHeader()
	h.BaseOffset, h.LastOffsetDelta = 10, 9
	in := []Record{{Offset: 12, Timestamp: 5, Value: []byte("a")}, {Offset: 17, Timestamp: 6}}
	b := EncodeSparseBatch(h, in)
	got, records, err := DecodeBatch(b)
	require.NoError(t, err)
	require.Equal(t, in, records)
	require.EqualValues(t, 20, got.NextOffset())
	in[1].Offset = 20
	require.Panics(t, func() { EncodeSparseBatch(h, in) })
}

func TestDeleteHorizonStandsInTheFirstTimestamp(t *testing.T) { // KIP-534
	h := PlainHeader()
	h.Attributes |= AttrDeleteHorizon
	h.FirstTimestamp = 9000
	b := EncodeSparseBatch(h, []Record{{Timestamp: 70, Key: []byte("k")}})
	got, records, err := DecodeBatch(b)
	require.NoError(t, err)
	require.EqualValues(t, 9000, got.FirstTimestamp)
	require.EqualValues(t, 70, got.MaxTimestamp)
	require.EqualValues(t, 70, records[0].Timestamp)
}

func TestNextBatchStopsAtATruncatedOne(t *testing.T) { // E5
	one := EncodeBatch(PlainHeader(), sampleRecords())
	two := EncodeBatch(PlainHeader(), sampleRecords()[:1])
	all := append(append([]byte{}, one...), two...)
	for cut := 0; cut < len(all); cut++ {
		rest, n := all[:cut], 0
		for {
			batch, tail, err := NextBatch(rest)
			require.NoError(t, err)
			if batch == nil {
				break
			}
			require.Equal(t, one, batch)
			rest = tail
			n++
		}
		require.Equal(t, cut >= len(one), n == 1, "cut at %d", cut)
	}
	batch, rest, err := NextBatch(all)
	require.NoError(t, err)
	require.Equal(t, one, batch)
	batch, rest, err = NextBatch(rest)
	require.NoError(t, err)
	require.Equal(t, two, batch)
	require.Empty(t, rest)
}

func TestBadBatchesAreRefused(t *testing.T) {
	good := EncodeBatch(PlainHeader(), sampleRecords())
	change := func(f func(b []byte)) []byte {
		b := append([]byte{}, good...)
		f(b)
		return b
	}
	for _, tt := range []struct {
		name string
		in   []byte
		err  error
	}{
		{"empty", nil, ErrCorrupt},
		{"cut", good[:len(good)-1], ErrCorrupt},
		{"magic 1", change(func(b []byte) { b[posMagic] = 1 }), ErrCorrupt},
		{"compressed", change(func(b []byte) { b[posAttributes+1] = 2 }), ErrCompressed},
		{"length", change(func(b []byte) { b[posLength] = 0x80 }), ErrCorrupt},
		{"a record too few", change(func(b []byte) { b[posCount+3]-- }), ErrCorrupt},
		{"a record too many", change(func(b []byte) { b[posCount+3]++ }), ErrCorrupt},
		{"countless", change(func(b []byte) { b[posCount] = 0x7f }), ErrCorrupt},
		{"record length", change(func(b []byte) { b[BatchHeaderSize] += 2 }), ErrCorrupt},
		{"offset beyond end", change(func(b []byte) { b[posLastDelta+3] = 1 }), ErrCorrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := DecodeBatch(tt.in)
			require.ErrorIs(t, err, tt.err)
			kept := make([]Record, 1, 8)
			records, err := AppendRecords(kept, tt.in)
			require.ErrorIs(t, err, tt.err)
			require.Len(t, records, 1)
		})
	}
	require.Panics(t, func() { EncodeBatch(PlainHeader(), nil) })
}

func TestVarintSizeIsWhatVarintWrites(t *testing.T) {
	for shift := range 64 {
		for _, v := range []int64{1 << shift, -1 << shift, 1<<shift - 1, math.MinInt64} {
			require.Equal(t, len(binary.AppendVarint(nil, v)), varintSize(v), "%d", v)
		}
	}
}

func TestAppendRecordsReusesTheSlice(t *testing.T) {
	b := EncodeBatch(PlainHeader(), sampleRecords()[:2])
	dst := make([]Record, 0, 8)
	n := testing.AllocsPerRun(100, func() { dst, _ = AppendRecords(dst[:0], b) })
	require.Zero(t, n)
	require.Len(t, dst, 2)
}

func BenchmarkEncodeOneRecord(b *testing.B) {
	records := []Record{{Timestamp: 1767225600000, Key: []byte("order-123"),
		Value: []byte(`{"order":123,"item":"lamp","amount":1}`)}}
	b.ReportAllocs()
	for b.Loop() {
		EncodeBatch(PlainHeader(), records)
	}
}

func BenchmarkDecodeOneRecord(b *testing.B) {
	batch := EncodeBatch(PlainHeader(), []Record{{Timestamp: 1767225600000,
		Key: []byte("order-123"), Value: []byte(`{"order":123,"item":"lamp","amount":1}`)}})
	dst := make([]Record, 0, 1)
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = AppendRecords(dst[:0], batch)
	}
}

func FuzzDecodeBatch(f *testing.F) {
	f.Add(EncodeBatch(PlainHeader(), sampleRecords()))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, records, err := DecodeBatch(b); err == nil {
			again, err := AppendRecords(nil, b)
			require.NoError(t, err)
			require.Equal(t, records, again)
		}
		CheckCRC(b)
		for rest := b; ; {
			batch, tail, err := NextBatch(rest)
			if err != nil || batch == nil {
				break
			}
			require.Less(t, len(tail), len(rest))
			rest = tail
		}
	})
}
