package trace

import "encoding/binary"

// chunkSize is the room of one chunk. A chunk holds some 20,000 events; delta coding starts anew in
// each, so that reading can begin at any chunk.
const chunkSize = 256 << 10

// maxPacked bounds the bytes of one packed event or of one interned string with its head.
const maxPacked = 80

// chunk is a run of packed events. It holds no pointers besides its one byte slice, so that the
// garbage collector passes over a trace of millions of events at no cost.
type chunk struct {
	data  []byte
	first int    // index of the first event in it
	at    int64  // time of the event before the first
	hash  uint64 // digest of everything before it
}

// Log is the packed history of one run. Its zero value is not ready: use [NewLog].
type Log struct {
	chunks []chunk
	count  int
	last   int64 // time of the last event
	enc    deltas

	names []string
	refs  map[string]Ref
	bytes int64
}

// deltas is what coding remembers between events of one chunk.
type deltas struct {
	at   int64
	node Ref
	x    [256]int64
}

// NewLog returns an empty log.
func NewLog() *Log {
	l := &Log{names: []string{""}, refs: map[string]Ref{"": 0}}
	l.chunks = append(l.chunks, chunk{data: make([]byte, 0, chunkSize)})
	return l
}

// Len is the number of events.
func (l *Log) Len() int { return l.count }

// Bytes is the memory that packed events take.
func (l *Log) Bytes() int64 { return l.bytes + int64(len(l.tail().data)) }

// End is the time of the last event in nanoseconds since the start; 0 when there is none.
func (l *Log) End() int64 { return l.last }

// Hash is the hash of the whole log: of every event in order and of every name used.
func (l *Log) Hash() uint64 { return l.tail().digest() }

func (c *chunk) digest() uint64 { return digest(c.hash, c.data) }

func (l *Log) tail() *chunk { return &l.chunks[len(l.chunks)-1] }

// Ref interns s: the same text has the same Ref in one log. The first use is written to the trace.
func (l *Log) Ref(s string) Ref {
	if r, ok := l.refs[s]; ok {
		return r
	}
	r := Ref(len(l.names))
	l.names = append(l.names, s)
	l.refs[s] = r
	c := l.room(len(s) + maxPacked)
	c.data = append(c.data, 0)
	c.data = binary.AppendUvarint(c.data, uint64(len(s)))
	c.data = append(c.data, s...)
	return r
}

// Lookup finds the Ref of s without interning it.
func (l *Log) Lookup(s string) (Ref, bool) {
	r, ok := l.refs[s]
	return r, ok
}

// String is the text of r.
func (l *Log) String(r Ref) string {
	if int(r) >= len(l.names) {
		return ""
	}
	return l.names[r]
}

// room returns the tail chunk with space for n more bytes, and starts a new one when there is none.
func (l *Log) room(n int) *chunk {
	c := l.tail()
	if len(c.data)+n <= cap(c.data) {
		return c
	}
	l.bytes += int64(len(c.data))
	l.enc = deltas{at: l.last}
	l.chunks = append(l.chunks, chunk{
		data: make([]byte, 0, max(chunkSize, n)), first: l.count, at: l.last, hash: c.digest(),
	})
	return l.tail()
}

// Append writes e. Events must come in order of time.
func (l *Log) Append(e *Event) {
	if e.At < l.last {
		panic("trace: an event lies before the one written last")
	}
	if e.Kind == 0 {
		panic("trace: an event without a kind")
	}
	c := l.room(maxPacked)
	n := len(c.data)
	c.data = c.data[:n+l.enc.pack(c.data[n:n+maxPacked], e)]
	l.last = e.At
	l.count++
}

// HashAt is the hash of the first n events and the names they use: equal logs up to there have equal
// hashes.
func (l *Log) HashAt(n int) uint64 {
	if n >= l.count {
		return l.Hash()
	}
	r := l.Reader(n)
	return digest(r.chunk().hash, r.chunk().data[:r.pos])
}

// Before counts the events with At <= t: the index of the first event after t.
func (l *Log) Before(t int64) int {
	lo, hi := 0, len(l.chunks)
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if l.chunks[mid].at <= t {
			lo = mid
		} else {
			hi = mid
		}
	}
	r := l.Reader(l.chunks[lo].first)
	n := r.index
	for {
		e, ok := r.Next()
		if !ok || e.At > t {
			return n
		}
		n++
	}
}
