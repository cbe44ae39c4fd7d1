package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
)

// BatchHeaderSize is the length of a batch's header in bytes, everything before its records.
const BatchHeaderSize = 61

// Where the fields of a batch header stand. The CRC covers everything from attributes on.
const (
	posBaseOffset    = 0
	posLength        = 8
	posLeaderEpoch   = 12
	posMagic         = 16
	posCRC           = 17
	posAttributes    = 21
	posLastDelta     = 23
	posFirstTime     = 27
	posMaxTime       = 35
	posProducerID    = 43
	posProducerEpoch = 51
	posBaseSequence  = 53
	posCount         = 57
)

// Bits of a batch's attributes.
const (
	// AttrCompression masks the [Codec].
	AttrCompression int16 = 0x07
	// AttrLogAppendTime: every record's timestamp is the header's MaxTimestamp.
	AttrLogAppendTime int16 = 0x08
	AttrTransactional int16 = 0x10
	AttrControl       int16 = 0x20
	// AttrDeleteHorizon: FirstTimestamp is the time from which compaction may drop the batch's
	// tombstones (KIP-534).
	AttrDeleteHorizon int16 = 0x40
)

// Codec is how the records of a batch are compressed. Only records without are read here: a broker
// stores batches as they come, and its own are not compressed.
type Codec int16

// The codecs of format v2; there are no others.
const (
	NoCodec Codec = iota
	Gzip
	Snappy
	LZ4
	Zstd
)

// NoProducer is the producer id, and as int16 or int32 the producer epoch and base sequence, of a
// batch from a producer that is not idempotent.
const NoProducer = -1

// Errors of reading batches. ErrCorrupt is Kafka's CORRUPT_MESSAGE; ErrCompressed says that the
// records of a good batch are not read here.
var (
	ErrCorrupt    = errors.New("corrupt record batch")
	ErrCompressed = errors.New("compressed record batch")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// BatchHeader is the fixed part of a record batch of format v2 (magic 2).
type BatchHeader struct {
	// BaseOffset is the offset of the first record; 0 on its way from a producer.
	BaseOffset int64
	// Length counts the bytes after the length field; a batch takes Length + 12 bytes.
	// Encoding sets it.
	Length int32
	// LeaderEpoch is the epoch of the leader that appended the batch.
	LeaderEpoch int32
	// CRC is the CRC-32C of the bytes from the attributes on. Encoding sets it.
	CRC        uint32
	Attributes int16
	// LastOffsetDelta is the batch's last offset minus its base offset; compaction keeps it even
	// when the last record goes.
	LastOffsetDelta int32
	// FirstTimestamp and MaxTimestamp are in milliseconds since the Unix epoch. Encoding sets them
	// from the records, but for the FirstTimestamp of a batch with a delete horizon.
	FirstTimestamp, MaxTimestamp int64
	ProducerID                   int64
	ProducerEpoch                int16
	BaseSequence                 int32
	// Count is the number of records. Encoding sets it.
	Count int32
}

// PlainHeader is the header of a batch of a producer that is not idempotent.
func PlainHeader() BatchHeader {
	return BatchHeader{ProducerID: NoProducer, ProducerEpoch: NoProducer, BaseSequence: NoProducer}
}

// Codec is the compression of the batch's records.
func (h *BatchHeader) Codec() Codec { return Codec(h.Attributes & AttrCompression) }

// Size is the length of the whole batch in bytes.
func (h *BatchHeader) Size() int { return int(h.Length) + posLeaderEpoch }

// LastOffset is the last offset that the batch covers.
func (h *BatchHeader) LastOffset() int64 { return h.BaseOffset + int64(h.LastOffsetDelta) }

// NextOffset is the offset after the batch.
func (h *BatchHeader) NextOffset() int64 { return h.LastOffset() + 1 }

// EncodeBatch writes one batch whose records have consecutive offsets from h.BaseOffset. The
// records' own Offset fields are not looked at. It panics without records.
func EncodeBatch(h BatchHeader, records []Record) []byte {
	return AppendBatch(nil, h, records)
}

// AppendBatch is [EncodeBatch] behind dst, which it grows at most once.
func AppendBatch(dst []byte, h BatchHeader, records []Record) []byte {
	h.LastOffsetDelta = int32(len(records) - 1)
	return encodeBatch(dst, &h, records, false)
}

// EncodeSparseBatch writes a batch whose offsets have gaps, as compaction leaves them: each record
// keeps its Offset, and the batch still reaches to h.LastOffsetDelta.
func EncodeSparseBatch(h BatchHeader, records []Record) []byte {
	return encodeBatch(nil, &h, records, true)
}

func encodeBatch(dst []byte, h *BatchHeader, records []Record, sparse bool) []byte {
	if len(records) == 0 {
		panic("wire: a batch needs a record")
	}
	h.Count = int32(len(records))
	if h.Attributes&AttrDeleteHorizon == 0 {
		h.FirstTimestamp = records[0].Timestamp
	}
	h.MaxTimestamp = records[0].Timestamp
	size := BatchHeaderSize
	for i := range records {
		r := &records[i]
		h.MaxTimestamp = max(h.MaxTimestamp, r.Timestamp)
		n := r.bodySize(r.Timestamp-h.FirstTimestamp, offsetDelta(h, r, i, sparse))
		size += varintSize(int64(n)) + n
	}
	h.Length = int32(size - posLeaderEpoch)
	start := len(dst)
	b := slices.Grow(dst, size)[:start+BatchHeaderSize]
	h.put(b[start:])
	for i := range records {
		r := &records[i]
		b = r.append(b, r.Timestamp-h.FirstTimestamp, offsetDelta(h, r, i, sparse))
	}
	sealBatch(b[start:])
	return b
}

func offsetDelta(h *BatchHeader, r *Record, i int, sparse bool) int64 {
	if !sparse {
		return int64(i)
	}
	d := r.Offset - h.BaseOffset
	if d < 0 || d > int64(h.LastOffsetDelta) {
		panic(fmt.Sprintf("wire: record offset %d outside of its batch %d..%d",
			r.Offset, h.BaseOffset, h.LastOffset()))
	}
	return d
}

func (h *BatchHeader) put(b []byte) {
	be := binary.BigEndian
	be.PutUint64(b[posBaseOffset:], uint64(h.BaseOffset))
	be.PutUint32(b[posLength:], uint32(h.Length))
	be.PutUint32(b[posLeaderEpoch:], uint32(h.LeaderEpoch))
	b[posMagic] = 2
	be.PutUint16(b[posAttributes:], uint16(h.Attributes))
	be.PutUint32(b[posLastDelta:], uint32(h.LastOffsetDelta))
	be.PutUint64(b[posFirstTime:], uint64(h.FirstTimestamp))
	be.PutUint64(b[posMaxTime:], uint64(h.MaxTimestamp))
	be.PutUint64(b[posProducerID:], uint64(h.ProducerID))
	be.PutUint16(b[posProducerEpoch:], uint16(h.ProducerEpoch))
	be.PutUint32(b[posBaseSequence:], uint32(h.BaseSequence))
	be.PutUint32(b[posCount:], uint32(h.Count))
}

func sealBatch(b []byte) {
	binary.BigEndian.PutUint32(b[posCRC:], crc32.Checksum(b[posAttributes:], castagnoli))
}

// SetBase gives an encoded batch its place in the log. Base offset and leader epoch lie outside of
// the CRC, which therefore stays right.
func SetBase(batch []byte, baseOffset int64, epoch int32) {
	binary.BigEndian.PutUint64(batch[posBaseOffset:], uint64(baseOffset))
	binary.BigEndian.PutUint32(batch[posLeaderEpoch:], uint32(epoch))
}

// SetLogAppendTime overwrites the batch's time with the broker's, in milliseconds, and renews the
// CRC (E29).
func SetLogAppendTime(batch []byte, ms int64) {
	attr := binary.BigEndian.Uint16(batch[posAttributes:]) | uint16(AttrLogAppendTime)
	binary.BigEndian.PutUint16(batch[posAttributes:], attr)
	binary.BigEndian.PutUint64(batch[posMaxTime:], uint64(ms))
	sealBatch(batch)
}

// ReadHeader reads the header of the first batch in b. It fails with [ErrCorrupt] when b does not
// begin with a whole batch of format v2. It does not check the CRC.
func ReadHeader(b []byte) (BatchHeader, error) {
	var h BatchHeader
	if len(b) < BatchHeaderSize {
		return h, fmt.Errorf("%w: %d bytes", ErrCorrupt, len(b))
	}
	if b[posMagic] != 2 {
		return h, fmt.Errorf("%w: magic %d", ErrCorrupt, b[posMagic])
	}
	be := binary.BigEndian
	h = BatchHeader{
		BaseOffset:      int64(be.Uint64(b[posBaseOffset:])),
		Length:          int32(be.Uint32(b[posLength:])),
		LeaderEpoch:     int32(be.Uint32(b[posLeaderEpoch:])),
		CRC:             be.Uint32(b[posCRC:]),
		Attributes:      int16(be.Uint16(b[posAttributes:])),
		LastOffsetDelta: int32(be.Uint32(b[posLastDelta:])),
		FirstTimestamp:  int64(be.Uint64(b[posFirstTime:])),
		MaxTimestamp:    int64(be.Uint64(b[posMaxTime:])),
		ProducerID:      int64(be.Uint64(b[posProducerID:])),
		ProducerEpoch:   int16(be.Uint16(b[posProducerEpoch:])),
		BaseSequence:    int32(be.Uint32(b[posBaseSequence:])),
		Count:           int32(be.Uint32(b[posCount:])),
	}
	if h.Length < BatchHeaderSize-posLeaderEpoch || int64(h.Length)+posLeaderEpoch > int64(len(b)) {
		return h, fmt.Errorf("%w: length %d in %d bytes", ErrCorrupt, h.Length, len(b))
	}
	if h.LastOffsetDelta < 0 || h.Count < 0 {
		return h, fmt.Errorf("%w: %d records, last delta %d", ErrCorrupt, h.Count,
			h.LastOffsetDelta)
	}
	return h, nil
}

// CheckCRC says whether batch, exactly one whole batch, has the checksum that its header claims.
func CheckCRC(batch []byte) bool {
	return len(batch) >= BatchHeaderSize &&
		binary.BigEndian.Uint32(batch[posCRC:]) == crc32.Checksum(batch[posAttributes:], castagnoli)
}

// NextBatch cuts the first batch off b, a run of batches as a fetch answers them. batch is nil at
// the end; a last batch that was cut short counts as the end, since a fetch may stop in its middle.
// A batch of another format is an error.
func NextBatch(b []byte) (batch, rest []byte, err error) {
	if len(b) <= posMagic {
		return nil, nil, nil
	}
	length := int32(binary.BigEndian.Uint32(b[posLength:]))
	if b[posMagic] != 2 || length < BatchHeaderSize-posLeaderEpoch {
		return nil, nil, fmt.Errorf("%w: magic %d, length %d", ErrCorrupt, b[posMagic], length)
	}
	size := int64(length) + posLeaderEpoch
	if size > int64(len(b)) {
		return nil, nil, nil
	}
	return b[:size:size], b[size:], nil
}

// DecodeBatch reads the first batch in b. Keys and values are slices of b. It does not check the
// CRC; see [CheckCRC].
func DecodeBatch(b []byte) (BatchHeader, []Record, error) {
	h, err := ReadHeader(b)
	if err != nil {
		return h, nil, err
	}
	records, err := appendRecords(nil, &h, b)
	return h, records, err
}

// AppendRecords is [DecodeBatch] into a slice of the caller: it appends the records of the first
// batch in b to dst, and allocates nothing but the growth of dst and headers. On an error dst
// comes back as it was.
func AppendRecords(dst []Record, b []byte) ([]Record, error) {
	h, err := ReadHeader(b)
	if err != nil {
		return dst, err
	}
	return appendRecords(dst, &h, b)
}
