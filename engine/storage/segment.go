package storage

import (
	"encoding/binary"

	"rebalancelab/engine/wire"
)

// Chunks double from the first size to the largest, so that the many small logs of a cluster cost
// little and a long one is read in long runs.
const (
	firstChunk   = 1 << 10
	largestChunk = 256 << 10
)

// segment is a run of batches, the unit of retention and compaction.
type segment struct {
	// base is the segment's first offset, whether or not a record with it is still there.
	base int64
	// start counts the bytes of the log before this segment; the log renews it.
	start  int64
	size   int64
	maxTs  int64
	refs   []ref
	chunks []chunk
}

// ref is the place of one batch.
type ref struct {
	base       int64
	chunk, off int32
}

// chunk is a piece of memory that is filled once: its bytes never move and never change.
type chunk struct {
	start int64 // bytes of the segment before this chunk
	data  []byte
}

func newSegment(base int64) *segment { return &segment{base: base, maxTs: -1} }

// append copies a batch to the end and gives the copy its place.
func (s *segment) append(batch []byte, base int64, epoch int32) {
	n := len(s.chunks)
	if n == 0 || cap(s.chunks[n-1].data)-len(s.chunks[n-1].data) < len(batch) {
		room := firstChunk
		if n > 0 {
			room = min(2*cap(s.chunks[n-1].data), largestChunk)
		}
		room = max(room, firstChunk, len(batch))
		s.chunks = append(s.chunks, chunk{start: s.size, data: make([]byte, 0, room)})
		n++
	}
	c := &s.chunks[n-1]
	off := len(c.data)
	c.data = append(c.data, batch...)
	wire.SetBase(c.data[off:], base, epoch)
	s.refs = append(s.refs, ref{base: base, chunk: int32(n - 1), off: int32(off)})
	s.size += int64(len(batch))
	s.maxTs = max(s.maxTs, batchMaxTimestamp(batch))
}

// pos is the number of the segment's bytes before batch i; i may be the number of batches.
func (s *segment) pos(i int) int64 {
	if i == len(s.refs) {
		return s.size
	}
	r := s.refs[i]
	return s.chunks[r.chunk].start + int64(r.off)
}

// batch is the bytes of batch i.
func (s *segment) batch(i int) []byte { return s.run(i, i+1) }

// run is the bytes of batches [i, j), without a copy unless they lie in several chunks.
func (s *segment) run(i, j int) []byte {
	first, n := s.refs[i], s.pos(j)-s.pos(i)
	data := s.chunks[first.chunk].data[first.off:]
	if n <= int64(len(data)) {
		return data[:n:n]
	}
	all := append(make([]byte, 0, n), data...)
	for c := first.chunk + 1; int64(len(all)) < n; c++ {
		data = s.chunks[c].data
		all = append(all, data[:min(int64(len(data)), n-int64(len(all)))]...)
	}
	return all
}

// find is the first batch that holds an offset >= offset; the number of batches if there is none.
func (s *segment) find(offset int64) int {
	lo, hi := 0, len(s.refs)
	if hi > 0 && s.refs[hi-1].base <= offset {
		lo = hi // mostly it is the last one that is asked for
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s.refs[mid].base <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo > 0 && s.last(lo-1) >= offset {
		return lo - 1
	}
	return lo
}

// last is the last offset of batch i.
func (s *segment) last(i int) int64 {
	r := s.refs[i]
	b := s.chunks[r.chunk].data[r.off:]
	return r.base + int64(int32(binary.BigEndian.Uint32(b[23:])))
}

// truncate drops all batches that reach to offset or beyond. The memory of the dropped ones may
// still be in use by a reader, so it is not written again.
func (s *segment) truncate(offset int64) {
	n := s.find(offset)
	if n == len(s.refs) {
		return
	}
	r := s.refs[n]
	s.size = s.pos(n)
	s.refs = s.refs[:n]
	c := &s.chunks[r.chunk]
	c.data = c.data[:r.off:r.off]
	s.chunks = s.chunks[:r.chunk+1]
	s.maxTs = -1
	for i := range s.refs {
		s.maxTs = max(s.maxTs, batchMaxTimestamp(s.batch(i)))
	}
}

func batchMaxTimestamp(b []byte) int64 { return int64(binary.BigEndian.Uint64(b[35:])) }

func mustHeader(b []byte) wire.BatchHeader {
	h, err := wire.ReadHeader(b)
	if err != nil {
		panic("storage: " + err.Error())
	}
	return h
}
