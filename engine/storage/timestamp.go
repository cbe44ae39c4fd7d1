package storage

import "rebalancelab/engine/wire"

// Timestamps of a ListOffsets request that stand for a place (E11).
const (
	Latest         int64 = -1
	Earliest       int64 = -2
	MaxTimestamp   int64 = -3
	EarliestLocal  int64 = -4
	LatestTiered   int64 = -5
	EarliestUpload int64 = -6
)

// TimestampOffset answers [Log.OffsetForTimestamp]; all fields are -1 when nothing was found.
type TimestampOffset struct {
	Offset    int64
	Timestamp int64 // -1 for a place without record
	Epoch     int32
}

// OffsetForTimestamp finds the first record with a timestamp >= ts, or the place that a negative ts
// stands for (E11). Only offsets below limit count, and limit is itself the latest one: HW for a
// consumer, LEO for a follower. Timestamps are in milliseconds.
func (l *Log) OffsetForTimestamp(ts, limit int64) TimestampOffset {
	switch {
	case ts == Latest:
		return TimestampOffset{limit, -1, l.LatestEpoch()}
	case ts == Earliest || ts == EarliestLocal:
		return TimestampOffset{l.start, -1, l.epochAt(l.start)}
	case ts == MaxTimestamp:
		ts = l.newest(limit)
	}
	if ts < 0 {
		return TimestampOffset{-1, -1, -1}
	}
	return l.firstAt(ts, limit)
}

// newest is the largest timestamp of a batch below limit.
func (l *Log) newest(limit int64) int64 {
	ts := int64(-1)
	for _, s := range l.segments {
		if s.maxTs <= ts {
			continue
		}
		for i := range s.refs {
			if s.refs[i].base < limit {
				ts = max(ts, batchMaxTimestamp(s.batch(i)))
			}
		}
	}
	return ts
}

func (l *Log) firstAt(ts, limit int64) TimestampOffset {
	var records []wire.Record
	for _, s := range l.segments {
		if s.maxTs < ts {
			continue
		}
		for i := s.find(l.start); i < len(s.refs) && s.refs[i].base < limit; i++ {
			b := s.batch(i)
			if batchMaxTimestamp(b) < ts {
				continue
			}
			if h := mustHeader(b); h.Codec() != wire.NoCodec {
				return compressedAt(&h, l.start)
			}
			records = mustRecords(records[:0], b)
			for _, r := range records {
				if r.Timestamp >= ts && r.Offset >= l.start && r.Offset < limit {
					return TimestampOffset{r.Offset, r.Timestamp, mustHeader(b).LeaderEpoch}
				}
			}
		}
	}
	return TimestampOffset{-1, -1, -1}
}

// compressedAt answers with the first record of a compressed batch that holds the time asked for:
// which of its records it is cannot be seen, and a reader that begins too early misses nothing.
func compressedAt(h *wire.BatchHeader, start int64) TimestampOffset {
	ts := h.FirstTimestamp
	if h.Attributes&wire.AttrLogAppendTime != 0 {
		ts = h.MaxTimestamp
	}
	return TimestampOffset{max(h.BaseOffset, start), ts, h.LeaderEpoch}
}

// epochAt is the epoch in which an offset was written, -1 if it is not in the log.
func (l *Log) epochAt(offset int64) int32 {
	epoch := int32(-1)
	for _, e := range l.epochs {
		if e.Start <= offset {
			epoch = e.Epoch
		}
	}
	return epoch
}

// mustRecords decodes a batch of the log that is not compressed. A broker refuses what it cannot
// read, so that a batch that cannot be read here is a broken invariant.
func mustRecords(dst []wire.Record, batch []byte) []wire.Record {
	dst, err := wire.AppendRecords(dst, batch)
	if err != nil {
		panic("storage: " + err.Error())
	}
	return dst
}
