package wire

import (
	"encoding/binary"
	"errors"
	"math"
)

// NoGeneration stands for a generation that is not known.
const NoGeneration int32 = -1

// StickyUserData is what a member with the assignor `sticky` says in the user data of its
// subscription: what it had, since an eager member holds nothing when it joins (D14).
type StickyUserData struct {
	Previous []TopicPartition
	// Generation is that of Previous. Version 0 of the format has none: HasGeneration is false.
	Generation    int32
	HasGeneration bool
}

// errUserData is any reason why user data cannot be read.
var errUserData = errors.New("user data cannot be read")

// EncodeStickyUserData writes d as version 1, or as version 0 without a generation. The format has
// no version number: the two differ by the field at the end. Topics stand in the order of Java's
// map. [StickyAssignor]
func EncodeStickyUserData(d StickyUserData) []byte {
	groups := groupByTopic(d.Previous)
	groups = JavaOrder(groups, JavaTable(len(groups)), func(g topicGroup) int32 {
		return JavaHash(g.topic)
	})
	b := binary.BigEndian.AppendUint32(nil, uint32(len(groups)))
	for _, g := range groups {
		b = binary.BigEndian.AppendUint16(b, uint16(len(g.topic)))
		b = append(b, g.topic...)
		b = binary.BigEndian.AppendUint32(b, uint32(len(g.partitions)))
		for _, p := range g.partitions {
			b = binary.BigEndian.AppendUint32(b, uint32(p))
		}
	}
	if d.HasGeneration {
		b = binary.BigEndian.AppendUint32(b, uint32(d.Generation))
	}
	return b
}

// DecodeStickyUserData reads version 1 and, where that fails, version 0. Bytes that follow are
// ignored, as Java does.
func DecodeStickyUserData(b []byte) (StickyUserData, error) {
	r := userDataReader{b: b}
	var d StickyUserData
	for range r.count() {
		topic := r.text()
		for range r.count() {
			d.Previous = append(d.Previous, TopicPartition{topic, r.int32()})
		}
	}
	if r.failed {
		return StickyUserData{}, errUserData
	}
	d.Generation = r.int32()
	d.HasGeneration = !r.failed
	if r.failed {
		d.Generation = NoGeneration
	}
	return d, nil
}

// EncodeCooperativeUserData is the user data of `cooperative-sticky`: the generation of the last
// assignment, which subscriptions did not carry before their version 2 (D14).
func EncodeCooperativeUserData(generation int32) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(generation))
}

// DecodeCooperativeUserData reads the generation.
func DecodeCooperativeUserData(b []byte) (int32, error) {
	r := userDataReader{b: b}
	generation := r.int32()
	if r.failed {
		return NoGeneration, errUserData
	}
	return generation, nil
}

// userDataReader reads big-endian fields; after the first that is not there it gives zeros.
type userDataReader struct {
	b      []byte
	failed bool
}

func (r *userDataReader) take(n int) []byte {
	if r.failed || n < 0 || n > len(r.b) {
		r.failed = true
		return nil
	}
	field := r.b[:n]
	r.b = r.b[n:]
	return field
}

func (r *userDataReader) int32() int32 {
	b := r.take(4)
	if b == nil {
		return 0
	}
	return int32(binary.BigEndian.Uint32(b))
}

// count is the length of an array. Every element takes at least four bytes, so a greater length
// than the rest can hold is a mistake.
func (r *userDataReader) count() int {
	n := r.int32()
	if n < 0 || int64(n)*4 > int64(len(r.b)) {
		r.failed = true
		return 0
	}
	return int(n)
}

func (r *userDataReader) text() string {
	b := r.take(2)
	if b == nil {
		return ""
	}
	n := binary.BigEndian.Uint16(b)
	if n > math.MaxInt16 {
		r.failed = true
		return ""
	}
	return string(r.take(int(n)))
}
