package assign

import (
	"cmp"
	"slices"
)

// bits is a set of members.
type bits []uint64

func newBits(n int) bits        { return make(bits, (n+63)/64) }
func (b bits) has(m int32) bool { return b[m/64]>>(m%64)&1 != 0 }
func (b bits) set(m int32)      { b[m/64] |= 1 << (m % 64) }

// smallestOf is a topic's smallest subscriber as of a number of resizes.
type smallestOf struct {
	resizes int
	member  int32
}

// compare orders members by size, then by id.
func (s *mixedSticky) compare(a, b int32) int {
	if c := cmp.Compare(s.size[a], s.size[b]); c != 0 {
		return c
	}
	return cmp.Compare(s.rank[a], s.rank[b])
}

// join puts a member into the line.
func (s *mixedSticky) join(m int32) {
	i, _ := slices.BinarySearchFunc(s.line, m, s.compare)
	s.line = slices.Insert(s.line, i, m)
}

// resize changes a member's size and its place in the line, if it stands there.
func (s *mixedSticky) resize(m, by int32) {
	i, ok := slices.BinarySearchFunc(s.line, m, s.compare)
	if ok {
		s.line = slices.Delete(s.line, i, i+1)
	}
	s.size[m] += by
	s.resizes++
	if ok {
		s.join(m)
	}
}
