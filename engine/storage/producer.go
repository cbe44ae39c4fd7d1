package storage

import (
	"math"
	"slices"

	"rebalancelab/engine/wire"
)

// keptBatches is the number of batches remembered for a producer (E30), which is also the number
// of requests that an idempotent producer may have in flight.
const keptBatches = 5

// producer is what the log knows of one idempotent producer.
type producer struct {
	id    int64
	epoch int16
	// batches are the newest ones of this epoch, oldest first.
	batches [keptBatches]producerBatch
	count   int
	// seenMs is the timestamp of the newest batch, by which the producer expires (E32).
	seenMs int64
}

type producerBatch struct {
	firstSeq, lastSeq int32
	base              int64
}

// Produced is the outcome of [Log.Produce].
type Produced struct {
	// Base is the batch's base offset, or that of the first copy if it is a duplicate.
	Base int64
	// Duplicate says that the log holds the batch already and nothing was appended (E30).
	Duplicate bool
}

// Produce appends one batch as leader of the given epoch, after the checks of an idempotent
// producer's numbering (E30-E32): [wire.None], [wire.OutOfOrderSequenceNumber] or
// [wire.InvalidProducerEpoch]. On an error nothing is appended. nowMs is the broker's time, which
// lets idle producers expire.
func (l *Log) Produce(batch []byte, epoch int32, nowMs int64) (Produced, wire.Code) {
	h := mustHeader(batch)
	if h.ProducerID >= 0 {
		l.expireProducers(nowMs)
		if base, dup := l.duplicate(&h); dup {
			return Produced{Base: base, Duplicate: true}, wire.None
		}
		if code := l.checkProducer(&h); code != wire.None {
			return Produced{Base: -1}, code
		}
	}
	base := l.end
	h.BaseOffset, h.LeaderEpoch = base, epoch
	l.add(batch[:h.Size()], &h)
	return Produced{Base: base}, wire.None
}

func (l *Log) findProducer(id int64) (int, bool) {
	return slices.BinarySearchFunc(l.producers, id, func(p producer, id int64) int {
		switch {
		case p.id < id:
			return -1
		case p.id > id:
			return 1
		}
		return 0
	})
}

func (l *Log) duplicate(h *wire.BatchHeader) (base int64, ok bool) {
	i, ok := l.findProducer(h.ProducerID)
	if !ok || l.producers[i].epoch != h.ProducerEpoch {
		return 0, false
	}
	p := &l.producers[i]
	last := addSequence(h.BaseSequence, h.LastOffsetDelta)
	for _, b := range p.batches[:p.count] {
		if b.firstSeq == h.BaseSequence && b.lastSeq == last {
			return b.base, true
		}
	}
	return 0, false
}

// checkProducer: an unknown producer may begin with any sequence, a new epoch must begin with 0,
// and a known epoch must go on without a gap (E31).
func (l *Log) checkProducer(h *wire.BatchHeader) wire.Code {
	i, ok := l.findProducer(h.ProducerID)
	if !ok {
		return wire.None
	}
	p := &l.producers[i]
	switch {
	case h.ProducerEpoch < p.epoch:
		return wire.InvalidProducerEpoch
	case h.ProducerEpoch > p.epoch:
		if h.BaseSequence != 0 {
			return wire.OutOfOrderSequenceNumber
		}
	case p.count > 0 && h.BaseSequence != addSequence(p.batches[p.count-1].lastSeq, 1):
		return wire.OutOfOrderSequenceNumber
	}
	return wire.None
}

// addSequence counts on from seq and wraps from the largest int32 to 0 (E31).
func addSequence(seq, n int32) int32 {
	if seq > math.MaxInt32-n {
		return n - (math.MaxInt32 - seq) - 1
	}
	return seq + n
}

// noteProducer remembers an appended batch; h has the offsets that it got.
func (l *Log) noteProducer(h *wire.BatchHeader) {
	if h.ProducerID < 0 || h.Attributes&wire.AttrControl != 0 {
		return
	}
	i, ok := l.findProducer(h.ProducerID)
	if !ok {
		l.producers = slices.Insert(l.producers, i,
			producer{id: h.ProducerID, epoch: h.ProducerEpoch})
	}
	p := &l.producers[i]
	if p.epoch != h.ProducerEpoch {
		p.epoch, p.count = h.ProducerEpoch, 0
	}
	if p.count == keptBatches {
		copy(p.batches[:], p.batches[1:])
		p.count--
	}
	p.batches[p.count] = producerBatch{
		firstSeq: h.BaseSequence,
		lastSeq:  addSequence(h.BaseSequence, h.LastOffsetDelta),
		base:     h.BaseOffset,
	}
	p.count++
	p.seenMs = h.MaxTimestamp
}

func (l *Log) expireProducers(nowMs int64) {
	l.producers = slices.DeleteFunc(l.producers, func(p producer) bool {
		return nowMs-p.seenMs >= l.cfg.ProducerExpirationMs
	})
}

// rebuildProducers reads the producers' state again from the log.
func (l *Log) rebuildProducers() {
	l.producers = l.producers[:0]
	for _, s := range l.segments {
		for i := range s.refs {
			h := mustHeader(s.batch(i))
			l.noteProducer(&h)
		}
	}
}
