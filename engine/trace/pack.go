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

func (d *deltas) pack(b []byte, e Event) []byte {
	mark := len(b)
	b = append(b, byte(e.Kind), 0)
	var mask byte
	if v := e.At - d.at; v != 0 {
		mask |= hasAt
		b = binary.AppendUvarint(b, uint64(v))
	}
	if e.Node != d.node {
		mask |= hasNode
		b = binary.AppendUvarint(b, uint64(e.Node))
	}
	if e.Peer != 0 {
		mask |= hasPeer
		b = binary.AppendUvarint(b, uint64(e.Peer))
	}
	if e.Name != 0 {
		mask |= hasName
		b = binary.AppendUvarint(b, uint64(e.Name))
	}
	if e.Part != 0 {
		mask |= hasPart
		b = binary.AppendVarint(b, int64(e.Part))
	}
	if v := e.X - d.x[e.Kind]; v != 0 {
		mask |= hasX
		b = binary.AppendVarint(b, v)
	}
	if e.Y != 0 {
		mask |= hasY
		b = binary.AppendVarint(b, e.Y)
	}
	if e.Z != 0 {
		mask |= hasZ
		b = binary.AppendVarint(b, e.Z)
	}
	b[mark+1] = mask
	d.at, d.node, d.x[e.Kind] = e.At, e.Node, e.X
	return b
}

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

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// fnv is FNV-1a in its 64-bit form, carried on from h.
func fnv(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}
