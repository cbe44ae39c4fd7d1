package assign

import (
	"cmp"
	"slices"
)

// levels finds the smallest and the largest of some members while partitions are dealt to the one
// kind and taken from the other, without sorting again after each. Members stand by size. Those of
// the lowest size form a range at the front, which is gone through once and then stands one higher,
// where it takes in the neighbours of that size; the range of the largest at the back is the mirror
// image of it. [MemberAssignmentBalancer]
type levels struct {
	// size is shared with the caller, who changes it for the members that are handed out.
	size []int32
	line []int32

	lowEnd, lowNext int   // the low range is line[:lowEnd]; lowNext is whose turn it is
	low             int32 // size of its members before this pass

	// The high range is line[highStart:highEnd]; what follows has nothing to give.
	highStart, highEnd, highNext int
	high                         int32
}

func newLevels(size, members []int32) *levels {
	l := &levels{size: size, line: slices.Clone(members)}
	slices.SortFunc(l.line, func(a, b int32) int {
		return cmp.Or(cmp.Compare(size[a], size[b]), cmp.Compare(a, b))
	})
	n := len(l.line)
	l.low = size[l.line[0]] - 1
	l.highStart, l.highEnd, l.highNext = n, n, n-1
	l.high = size[l.line[n-1]] + 1
	return l
}

// spread is the difference in size between the largest and the smallest at the beginning.
func (l *levels) spread() int32 { return l.high - l.low - 2 }

// even says whether the two ranges are at most one apart.
func (l *levels) even() bool { return l.high-l.low <= 1 }

// nextSmallest is the member that should get the next partition.
func (l *levels) nextSmallest() int32 {
	if l.lowNext >= l.lowEnd {
		l.low++
		for l.lowEnd < len(l.line) && l.size[l.line[l.lowEnd]] == l.low {
			l.lowEnd++
		}
		l.lowNext = 0
	}
	l.lowNext++
	return l.line[l.lowNext-1]
}

// nextLargest is the member that should give the next partition, -1 if there is none.
func (l *levels) nextLargest() int32 {
	if l.highNext < l.highStart {
		if l.highEnd <= l.highStart && l.highStart > 0 {
			l.high = l.size[l.line[l.highStart-1]] // all of the range were excluded
		} else {
			l.high--
		}
		for l.highStart > 0 && l.size[l.line[l.highStart-1]] == l.high {
			l.highStart--
		}
		l.highNext = l.highEnd - 1
	}
	if l.highNext < 0 {
		return -1
	}
	l.highNext--
	return l.line[l.highNext+1]
}

// excludeLargest takes the member that was handed out last out of the range: it has nothing to
// give.
func (l *levels) excludeLargest() {
	last := l.highEnd - 1
	l.line[l.highNext+1], l.line[last] = l.line[last], l.line[l.highNext+1]
	l.highEnd--
}
