package trace

import "encoding/binary"

// An event is packed as: kind, a mask of the fields that follow, then the fields as varints. At is
// the distance from the event before, Node is left out when it is the same as before, X is the
// distance from the X of the last event of that kind; the other fields stand as they are, left out
// when zero.
const (
	hasAt = 1 << iota
	hasNode
	hasPeer
	hasName
	hasPart
	hasX
	hasY
	hasZ
)

// pack writes e to the start of b, which has room for maxPacked bytes, and returns how many it took.
func (d *deltas) pack(b []byte, e *Event) int {
	n, mask := 2, byte(0)
	if v := e.At - d.at; v != 0 {
		mask |= hasAt
		n = putUnsigned(b, n, uint64(v))
	}
	if e.Node != d.node {
		mask |= hasNode
		n = putUnsigned(b, n, uint64(e.Node))
	}
	if e.Peer != 0 {
		mask |= hasPeer
		n = putUnsigned(b, n, uint64(e.Peer))
	}
	if e.Name != 0 {
		mask |= hasName
		n = putUnsigned(b, n, uint64(e.Name))
	}
	if e.Part != 0 {
		mask |= hasPart
		n = putSigned(b, n, int64(e.Part))
	}
	if v := e.X - d.x[e.Kind]; v != 0 {
		mask |= hasX
		n = putSigned(b, n, v)
	}
	if e.Y != 0 {
		mask |= hasY
		n = putSigned(b, n, e.Y)
	}
	if e.Z != 0 {
		mask |= hasZ
		n = putSigned(b, n, e.Z)
	}
	b[0], b[1] = byte(e.Kind), mask
	d.at, d.node, d.x[e.Kind] = e.At, e.Node, e.X
	return n
}

// putUnsigned writes v as a varint to b from n on and returns where it ends.
func putUnsigned(b []byte, n int, v uint64) int {
	for v >= 0x80 {
		b[n] = byte(v) | 0x80
		v >>= 7
		n++
	}
	b[n] = byte(v)
	return n + 1
}

// putSigned is putUnsigned for a number that may be negative.
func putSigned(b []byte, n int, v int64) int { return putUnsigned(b, n, uint64(v<<1^v>>63)) }

// unpack reads one event from b and returns it with the bytes it took.
func (d *deltas) unpack(b []byte) (Event, int) {
	e := Event{Kind: Kind(b[0]), At: d.at, Node: d.node}
	mask := b[1]
	n := 2
	unsigned := func() uint64 {
		v, w := binary.Uvarint(b[n:])
		n += w
		return v
	}
	signed := func() int64 {
		v, w := binary.Varint(b[n:])
		n += w
		return v
	}
	if mask&hasAt != 0 {
		e.At += int64(unsigned())
	}
	if mask&hasNode != 0 {
		e.Node = Ref(unsigned())
	}
	if mask&hasPeer != 0 {
		e.Peer = Ref(unsigned())
	}
	if mask&hasName != 0 {
		e.Name = Ref(unsigned())
	}
	if mask&hasPart != 0 {
		e.Part = int32(signed())
	}
	e.X = d.x[e.Kind]
	if mask&hasX != 0 {
		e.X += signed()
	}
	if mask&hasY != 0 {
		e.Y = signed()
	}
	if mask&hasZ != 0 {
		e.Z = signed()
	}
	d.at, d.node, d.x[e.Kind] = e.At, e.Node, e.X
	return e, n
}
