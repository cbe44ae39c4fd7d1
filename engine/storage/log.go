package storage

import (
	"fmt"

	"rebalancelab/engine/wire"
)

// Config is what a log needs of its topic's settings. Times are in milliseconds, -1 is no limit.
type Config struct {
	SegmentBytes      int64 // segment.bytes
	SegmentMs         int64 // segment.ms
	RetentionMs       int64 // retention.ms
	RetentionBytes    int64 // retention.bytes
	Delete            bool  // cleanup.policy has delete
	Compact           bool  // cleanup.policy has compact
	DeleteRetentionMs int64 // delete.retention.ms
	// MinCompactionLagMs is min.compaction.lag.ms. MinDirtyPerMille is min.cleanable.dirty.ratio times
	// 1000; with 0 every pass of the cleaner compacts.
	MinCompactionLagMs, MinDirtyPerMille int64
	// ProducerExpirationMs is the broker's producer.id.expiration.ms.
	ProducerExpirationMs int64
}

// DefaultConfig is Kafka's for a topic without settings of its own.
func DefaultConfig() Config {
	const day = 24 * 3600 * 1000
	return Config{
		SegmentBytes:         1 << 30,
		SegmentMs:            7 * day,
		RetentionMs:          7 * day,
		RetentionBytes:       -1,
		Delete:               true,
		DeleteRetentionMs:    day,
		ProducerExpirationMs: day,
	}
}

// Log is a partition's log on one broker.
type Log struct {
	cfg Config
	// segments is never empty; the last one is active, that is, appended to.
	segments  []*segment
	start     int64
	hw        int64
	end       int64
	hwEpoch   int32
	cleaned   int64 // what lies below was compacted before
	epochs    []EpochStart
	producers []producer
}

// New is an empty log that begins at offset 0.
func New(cfg Config) *Log {
	return &Log{cfg: cfg, segments: []*segment{newSegment(0)}, hwEpoch: -1}
}

// Config is the log's present configuration.
func (l *Log) Config() Config { return l.cfg }

// SetConfig changes the configuration; it rules from the next append or clean-up on.
func (l *Log) SetConfig(cfg Config) { l.cfg = cfg }

// LogStart is the first offset that may be read.
func (l *Log) LogStart() int64 { return l.start }

// HW is the high watermark: consumers read below it.
func (l *Log) HW() int64 { return l.hw }

// LSO is the last stable offset; it equals HW since there are no transactions yet.
func (l *Log) LSO() int64 { return l.hw }

// LEO is the log end offset, the one that the next record gets.
func (l *Log) LEO() int64 { return l.end }

// SetHW moves the high watermark and says whether it changed. epoch is the leader epoch under which
// the caller learned it. It panics if the high watermark would pass the log's end or fall behind
// the log's start, or decrease within an epoch.
func (l *Log) SetHW(hw int64, epoch int32) bool {
	if hw > l.end || hw < l.start {
		panic(fmt.Sprintf("storage: high watermark %d outside of log %d..%d", hw, l.start, l.end))
	}
	if hw < l.hw && epoch <= l.hwEpoch {
		panic(fmt.Sprintf("storage: high watermark falls from %d to %d in epoch %d",
			l.hw, hw, epoch))
	}
	changed := hw != l.hw
	l.hw, l.hwEpoch = hw, max(epoch, l.hwEpoch)
	return changed
}

// RestoreHW sets the high watermark to what was last written to the disk, as a broker does that
// starts after it was killed; it lies within the log in any case.
func (l *Log) RestoreHW(hw int64) { l.hw = max(min(hw, l.end), l.start) }

// Append puts one batch at the end as the leader of the given epoch does, and returns its base
// offset. It copies batch, which stays as it was, and notes its producer's state without a check;
// [Log.Produce] checks.
func (l *Log) Append(batch []byte, epoch int32) int64 {
	h := mustHeader(batch)
	base := l.end
	h.BaseOffset, h.LeaderEpoch = base, epoch
	l.add(batch[:h.Size()], &h)
	return base
}

// AppendFollower puts batches at the end as a follower does: offsets and epochs are the leader's.
// It panics if an offset would repeat. A last batch that was cut short is left out.
func (l *Log) AppendFollower(batches []byte) {
	for {
		batch, rest, err := wire.NextBatch(batches)
		if err != nil {
			panic("storage: " + err.Error())
		}
		if batch == nil {
			return
		}
		h := mustHeader(batch)
		if h.BaseOffset < l.end {
			panic(fmt.Sprintf("storage: follower appends %d at end %d", h.BaseOffset, l.end))
		}
		l.add(batch, &h)
		batches = rest
	}
}

func (l *Log) add(batch []byte, h *wire.BatchHeader) {
	s := l.active()
	if l.full(s, h) {
		s = l.roll(h.BaseOffset)
	}
	l.AssignEpoch(h.LeaderEpoch, h.BaseOffset)
	s.append(batch, h.BaseOffset, h.LeaderEpoch)
	l.end = h.NextOffset()
	l.noteProducer(h)
}

// full says whether the batch must open a new segment: by size, or by the time between the
// segment's first batch and this one.
func (l *Log) full(s *segment, h *wire.BatchHeader) bool {
	if len(s.refs) == 0 {
		return false
	}
	if s.size+int64(h.Size()) > l.cfg.SegmentBytes {
		return true
	}
	return l.cfg.SegmentMs >= 0 &&
		h.MaxTimestamp-batchMaxTimestamp(s.batch(0)) > l.cfg.SegmentMs
}

func (l *Log) active() *segment { return l.segments[len(l.segments)-1] }

// roll closes the active segment and opens one at base.
func (l *Log) roll(base int64) *segment {
	old := l.active()
	s := newSegment(base)
	s.start = old.start + old.size
	l.segments = append(l.segments, s)
	return s
}

// Read returns whole batches of one segment, from the one that holds offset from on, that end below
// limit and together have at most maxBytes; with minOne the first one comes even if it is larger
// (E5). Records before from can be among them. It returns nil when there is nothing to read. The
// caller has checked from against the log's bounds (E7) and must not write to the result.
func (l *Log) Read(from int64, maxBytes int64, limit int64, minOne bool) []byte {
	if from >= limit || from >= l.end {
		return nil
	}
	for k := l.segmentOf(from); k < len(l.segments); k++ {
		s := l.segments[k]
		i := s.find(from)
		if i == len(s.refs) {
			continue // compaction left nothing from here to the segment's end
		}
		j := i
		for j < len(s.refs) && s.last(j) < limit &&
			(s.pos(j+1)-s.pos(i) <= maxBytes || minOne && j == i) {
			j++
		}
		if j == i {
			return nil
		}
		return s.run(i, j)
	}
	return nil
}

// segmentOf is the index of the last segment that begins at or before offset.
func (l *Log) segmentOf(offset int64) int {
	lo, hi := 0, len(l.segments)-1
	if l.segments[hi].base <= offset {
		return hi
	}
	for lo+1 < hi {
		mid := (lo + hi) / 2
		if l.segments[mid].base <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Size is the number of bytes in the batches from the one that holds from up to limit, what a read
// without limits would return over all segments. It costs two binary searches.
func (l *Log) Size(from, limit int64) int64 {
	if from >= limit {
		return 0
	}
	return l.position(min(limit, l.end)) - l.position(from)
}

// position is the number of bytes before the batch that holds offset.
func (l *Log) position(offset int64) int64 {
	s := l.segments[l.segmentOf(offset)]
	if offset >= l.end {
		s = l.active()
		return s.start + s.size
	}
	return s.start + s.pos(s.find(offset))
}

// Bytes is the size of the whole log.
func (l *Log) Bytes() int64 { return l.active().start + l.active().size - l.segments[0].start }

// Segments is the number of segments.
func (l *Log) Segments() int { return len(l.segments) }

// InNewerSegment says whether offset end lies in a newer segment than offset from, which ends a
// waiting fetch (E3).
func (l *Log) InNewerSegment(from, end int64) bool { return l.segmentOf(end) > l.segmentOf(from) }

// TruncateTo drops every batch that reaches to offset or beyond, as a follower does that disagrees
// with its new leader (E23). The high watermark goes down with the end if it must. What was known
// of the producers is read again from what is left.
func (l *Log) TruncateTo(offset int64) {
	if offset >= l.end {
		l.truncateEpochs(l.end) // one under which nothing was written may be unknown to the leader
		return
	}
	if offset <= l.start {
		l.reset(offset)
		return
	}
	l.segments = l.segments[:l.segmentOf(offset)+1]
	s := l.active()
	s.truncate(offset)
	l.end = s.base
	if n := len(s.refs); n > 0 {
		l.end = max(l.end, s.last(n-1)+1)
	}
	l.hw, l.cleaned = min(l.hw, l.end), min(l.cleaned, l.end)
	l.truncateEpochs(l.end)
	l.rebuildProducers()
}

// reset empties the log and lets it go on at offset.
func (l *Log) reset(offset int64) {
	l.segments = []*segment{newSegment(offset)}
	l.start, l.hw, l.end, l.cleaned = offset, offset, offset, offset
	l.epochs, l.producers = nil, nil
}

// StartOver empties the log and lets it go on at offset, as a follower does whose leader no longer
// holds what it lacks (E24).
func (l *Log) StartOver(offset int64) { l.reset(offset) }
