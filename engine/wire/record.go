package wire

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Record is one message of a batch.
type Record struct {
	Offset int64
	// Timestamp is in milliseconds since the Unix epoch.
	Timestamp int64
	// Key and Value may be nil, which is not the same as empty; a nil value is a tombstone.
	Key, Value []byte
	Headers    []Header
}

// Header is a key and value that an application adds to a record.
type Header struct {
	Key   string
	Value []byte
}

// Size is how many bytes the record takes in a batch whose first record is timeDelta ms and
// offsetDelta records before it.
func (r *Record) Size(timeDelta, offsetDelta int64) int {
	n := r.bodySize(timeDelta, offsetDelta)
	return varintSize(int64(n)) + n
}

// bodySize is the length of the record without its own length field.
func (r *Record) bodySize(timeDelta, offsetDelta int64) int {
	n := 1 + varintSize(timeDelta) + varintSize(offsetDelta) +
		bytesSize(r.Key) + bytesSize(r.Value) + varintSize(int64(len(r.Headers)))
	for i := range r.Headers {
		h := &r.Headers[i]
		n += varintSize(int64(len(h.Key))) + len(h.Key) + bytesSize(h.Value)
	}
	return n
}

func (r *Record) append(b []byte, timeDelta, offsetDelta int64) []byte {
	b = binary.AppendVarint(b, int64(r.bodySize(timeDelta, offsetDelta)))
	b = append(b, 0) // attributes: unused
	b = binary.AppendVarint(b, timeDelta)
	b = binary.AppendVarint(b, offsetDelta)
	b = appendBytes(b, r.Key)
	b = appendBytes(b, r.Value)
	b = binary.AppendVarint(b, int64(len(r.Headers)))
	for i := range r.Headers {
		h := &r.Headers[i]
		b = binary.AppendVarint(b, int64(len(h.Key)))
		b = append(b, h.Key...)
		b = appendBytes(b, h.Value)
	}
	return b
}

func appendBytes(b, v []byte) []byte {
	if v == nil {
		return append(b, 1) // zigzag of -1
	}
	return append(binary.AppendVarint(b, int64(len(v))), v...)
}

func bytesSize(v []byte) int {
	if v == nil {
		return 1
	}
	return varintSize(int64(len(v))) + len(v)
}

// varintSize is the length of v as a zigzag varint.
func varintSize(v int64) int {
	return (bits.Len64(uint64(v<<1^v>>63)|1) + 6) / 7
}

func appendRecords(dst []Record, h *BatchHeader, b []byte) ([]Record, error) {
	if h.Codec() != NoCodec {
		return dst, fmt.Errorf("%w: codec %d", ErrCompressed, h.Codec())
	}
	start := len(dst)
	r := reader{b: b[BatchHeaderSize:h.Size()]}
	if int64(h.Count) > int64(len(r.b))/7 { // no record is shorter than 7 bytes
		return dst, fmt.Errorf("%w: %d records in %d bytes", ErrCorrupt, h.Count, len(r.b))
	}
	if need := start + int(h.Count); cap(dst) < need {
		grown := make([]Record, start, need)
		copy(grown, dst)
		dst = grown
	}
	for range h.Count {
		dst = append(dst, Record{})
		readRecord(&r, h, &dst[len(dst)-1])
	}
	if r.bad || len(r.b) != 0 {
		return dst[:start], fmt.Errorf("%w: records do not fill it", ErrCorrupt)
	}
	return dst, nil
}

func readRecord(all *reader, h *BatchHeader, rec *Record) {
	r := reader{b: all.take(all.varint())}
	r.take(1)
	rec.Timestamp = h.FirstTimestamp + r.varint()
	if h.Attributes&AttrLogAppendTime != 0 {
		rec.Timestamp = h.MaxTimestamp
	}
	delta := r.varint()
	rec.Offset = h.BaseOffset + delta
	rec.Key = r.bytes()
	rec.Value = r.bytes()
	if n := r.varint(); n != 0 {
		rec.Headers = readHeaders(&r, n)
	}
	if r.bad || len(r.b) != 0 || delta < 0 || delta > int64(h.LastOffsetDelta) {
		all.bad = true
	}
}

func readHeaders(r *reader, n int64) []Header {
	if n < 0 || n > int64(len(r.b))/2 { // no header is shorter than 2 bytes
		r.bad = true
		return nil
	}
	headers := make([]Header, n)
	for i := range headers {
		headers[i].Key = string(r.take(r.varint()))
		headers[i].Value = r.bytes()
	}
	return headers
}

// reader takes values off a slice. Once something is missing it stays bad and gives zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) take(n int64) []byte {
	if n < 0 || n > int64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

// bytes reads a length and that many bytes; length -1 is nil.
func (r *reader) bytes() []byte {
	n := r.varint()
	if n == -1 {
		return nil
	}
	return r.take(n)
}
