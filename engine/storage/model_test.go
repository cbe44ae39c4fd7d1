package storage

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// model is a log as a plain list of batches.
type model struct {
	base, last, size []int64
	segment          []int
}

func (m *model) read(from, max, limit int64) (bases []int64) {
	total, segment := int64(0), -1
	for i := range m.base {
		if m.last[i] < from || segment >= 0 && m.segment[i] != segment {
			continue
		}
		total += m.size[i]
		if m.last[i] >= limit || from >= limit || total > max && bases != nil {
			break
		}
		bases, segment = append(bases, m.base[i]), m.segment[i]
	}
	return bases
}

func (m *model) bytes(from, limit int64) (n int64) {
	for i := range m.base {
		if m.last[i] >= from && m.last[i] < limit {
			n += m.size[i]
		}
	}
	return n
}

func (m *model) truncate(offset int64) {
	n := 0
	for n < len(m.base) && m.last[n] < offset {
		n++
	}
	m.base, m.last, m.size, m.segment = m.base[:n], m.last[:n], m.size[:n], m.segment[:n]
}

// The method: the same random appends and truncations on a log and on a list; after each, reads and
// sizes between random batch bounds must agree.
func TestLogBehavesLikeAListOfBatches(t *testing.T) {
	rnd := uint64(1)
	draw := func(n int64) int64 {
		rnd = rnd*6364136223846793005 + 1442695040888963407
		return int64(rnd>>33) % n
	}
	for range 30 {
		cfg := DefaultConfig()
		cfg.SegmentBytes = 500 + draw(3000)
		l, m := New(cfg), &model{}
		for range 150 {
			if draw(12) == 0 && l.LEO() > 0 {
				to := max(l.LEO()-draw(30), 1)
				l.TruncateTo(to)
				m.truncate(to)
			} else {
				b := batch(int(1+draw(4)), 0)
				base := l.Append(b, 0)
				m.base, m.last = append(m.base, base), append(m.last, l.LEO()-1)
				m.size = append(m.size, int64(len(b)))
				m.segment = append(m.segment, l.Segments())
			}
			if len(m.base) == 0 {
				require.Zero(t, l.LEO())
				continue
			}
			require.Equal(t, m.last[len(m.last)-1]+1, l.LEO())
			from := draw(l.LEO() + 1)
			limit := m.last[draw(int64(len(m.last)))] + 1
			room := draw(1500)
			require.Equal(t, m.read(from, room, limit), bases(t, l.Read(from, room, limit, true)))
			require.Equal(t, m.bytes(from, limit), l.Size(from, limit), "%d..%d", from, limit)
		}
	}
}
