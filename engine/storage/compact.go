package storage

import "rebalancelab/engine/wire"

// Compact rewrites the closed segments that lie below the high watermark so that only the last
// record of each key is left in them, if the cleanup policy has compact. The active segment stays
// as it is, and so do offsets and the order of records. A tombstone stays until delete.retention.ms
// have passed since the first compaction that kept it (KIP-534). A compressed batch stays whole, and
// its keys replace nothing. Records younger than min.compaction.lag.ms are not touched, and nothing
// happens before the part that was never compacted exceeds min.cleanable.dirty.ratio of what could
// be. It returns the number of records removed. nowMs is the broker's time.
func (l *Log) Compact(nowMs int64) int {
	if !l.cfg.Compact {
		return 0
	}
	n := 0
	for n < len(l.segments)-1 && l.segments[n+1].base <= l.hw &&
		l.segments[n].maxTs <= nowMs-l.cfg.MinCompactionLagMs {
		n++
	}
	if !l.dirtyEnough(n) {
		return 0
	}
	l.cleaned = l.segments[n].base
	c := compaction{latest: make(map[string]int64), log: l, nowMs: nowMs}
	for _, s := range l.segments[:n] {
		c.collect(s)
	}
	for i, s := range l.segments[:n] {
		l.segments[i] = c.rewrite(s)
	}
	for i := 1; i < len(l.segments); i++ {
		l.segments[i].start = l.segments[i-1].start + l.segments[i-1].size
	}
	return c.removed
}

// dirtyEnough compares the bytes of the first n segments that were never compacted with all of them.
func (l *Log) dirtyEnough(n int) bool {
	dirty, all := int64(0), int64(0)
	for _, s := range l.segments[:n] {
		all += s.size
		if s.base >= l.cleaned {
			dirty += s.size
		}
	}
	return l.cfg.MinDirtyPerMille == 0 || dirty*1000 > l.cfg.MinDirtyPerMille*all
}

// compaction is one pass of the cleaner.
type compaction struct {
	log   *Log
	nowMs int64
	// latest is the last offset of each key. It is only looked up, never walked.
	latest  map[string]int64
	records []wire.Record
	removed int
}

func (c *compaction) collect(s *segment) {
	for i := range s.refs {
		b := s.batch(i)
		if h := mustHeader(b); h.Codec() != wire.NoCodec {
			continue
		}
		c.records = mustRecords(c.records[:0], b)
		for _, r := range c.records {
			if r.Key != nil {
				c.latest[string(r.Key)] = r.Offset
			}
		}
	}
}

func (c *compaction) rewrite(s *segment) *segment {
	clean := newSegment(s.base)
	clean.start = s.start
	for i := range s.refs {
		if b := c.batch(s.batch(i)); b != nil {
			h := mustHeader(b)
			clean.append(b, h.BaseOffset, h.LeaderEpoch)
		}
	}
	return clean
}

// batch returns what is left of a batch: itself, a smaller one or nil. The first pass over a
// batch with tombstones gives it the time from which they may go.
func (c *compaction) batch(b []byte) []byte {
	h := mustHeader(b)
	if h.Attributes&wire.AttrControl != 0 || h.Codec() != wire.NoCodec {
		return b
	}
	c.records = mustRecords(c.records[:0], b)
	all := len(c.records)
	kept := c.records[:0]
	tombstones := false
	for _, r := range c.records {
		expired := h.Attributes&wire.AttrDeleteHorizon != 0 && c.nowMs >= h.FirstTimestamp
		if r.Key == nil || c.latest[string(r.Key)] != r.Offset || r.Value == nil && expired {
			continue
		}
		tombstones = tombstones || r.Value == nil
		kept = append(kept, r)
	}
	c.removed += all - len(kept)
	mark := tombstones && h.Attributes&wire.AttrDeleteHorizon == 0
	switch {
	case len(kept) == 0:
		return nil
	case len(kept) == all && !mark:
		return b
	case mark:
		h.Attributes |= wire.AttrDeleteHorizon
		h.FirstTimestamp = c.nowMs + c.log.cfg.DeleteRetentionMs
	case !tombstones:
		h.Attributes &^= wire.AttrDeleteHorizon
	}
	return wire.EncodeSparseBatch(h, kept)
}
