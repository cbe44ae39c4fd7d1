package trace

import "encoding/binary"

// Reader walks a log forward. It sees events appended after it was made.
type Reader struct {
	log   *Log
	ci    int // chunk
	pos   int // byte in the chunk
	index int // of the next event
	dec   deltas
}

// Reader returns a reader whose next event is number n. Getting there decodes at most one chunk.
func (l *Log) Reader(n int) *Reader {
	lo, hi := 0, len(l.chunks)
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if l.chunks[mid].first <= n {
			lo = mid
		} else {
			hi = mid
		}
	}
	c := &l.chunks[lo]
	r := &Reader{log: l, ci: lo, index: c.first, dec: deltas{at: c.at}}
	for r.index < n {
		if _, ok := r.Next(); !ok {
			break
		}
	}
	return r
}

func (r *Reader) chunk() *chunk { return &r.log.chunks[r.ci] }

// Index is the number of the event that Next returns.
func (r *Reader) Index() int { return r.index }

// Next returns the next event, or false at the present end of the log.
func (r *Reader) Next() (Event, bool) {
	for {
		c := r.chunk()
		if r.pos >= len(c.data) {
			if r.ci+1 >= len(r.log.chunks) {
				return Event{}, false
			}
			r.ci++
			r.pos = 0
			r.dec = deltas{at: r.chunk().at}
			continue
		}
		if c.data[r.pos] == 0 { // an interned name
			n, w := binary.Uvarint(c.data[r.pos+1:])
			r.pos += 1 + w + int(n)
			continue
		}
		e, n := r.dec.unpack(c.data[r.pos:])
		r.pos += n
		r.index++
		return e, true
	}
}
