package storage

import "fmt"

// Retain deletes old segments if the cleanup policy has delete: those whose newest record is older
// than retention.ms, then the oldest ones while the rest still has retention.bytes; and, under any
// policy, those wholly below the log start. Nothing from the high watermark on goes. It says
// whether the log start moved. When everything is old, a new empty segment takes the active one's
// place. nowMs is the broker's time.
func (l *Log) Retain(nowMs int64) bool {
	spare := l.Bytes() - l.cfg.RetentionBytes
	n := 0
	for ; n < len(l.segments); n++ {
		s := l.segments[n]
		next := l.end
		if n+1 < len(l.segments) {
			next = l.segments[n+1].base
		}
		if next > l.hw || len(s.refs) == 0 && n == len(l.segments)-1 {
			break
		}
		old := l.cfg.Delete && l.cfg.RetentionMs >= 0 && nowMs-s.maxTs > l.cfg.RetentionMs
		big := l.cfg.Delete && l.cfg.RetentionBytes >= 0 && spare-s.size >= 0
		if !old && !big && next > l.start {
			break
		}
		spare -= s.size
	}
	if n == 0 {
		return false
	}
	if n == len(l.segments) {
		l.roll(l.end)
	}
	l.segments = append([]*segment(nil), l.segments[n:]...)
	return l.moveStart(l.segments[0].base)
}

// SetLogStart moves the log start to offset, as DeleteRecords does, and says whether it moved; it
// never goes back. Segments that end below it go at the next [Log.Retain]. It panics if offset
// lies beyond the high watermark.
func (l *Log) SetLogStart(offset int64) bool {
	if offset > l.hw {
		panic(fmt.Sprintf("storage: log start %d beyond high watermark %d", offset, l.hw))
	}
	return l.moveStart(offset)
}

func (l *Log) moveStart(offset int64) bool {
	if offset <= l.start {
		return false
	}
	l.start = offset
	l.trimEpochs(offset)
	return true
}
