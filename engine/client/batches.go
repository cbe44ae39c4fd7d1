package client

import (
	"slices"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// producerPart is the batches of one partition that wait, in order; the last one may be open.
type producerPart struct {
	topic  *producerTopic
	number int32
	queue  []*batch
	flying []*batch // in requests under way
	used   bool     // it has had a batch
	seq    sequences
	count  int64 // records so far, for the trace
}

func newProducerPart(t *producerTopic, n int32) *producerPart {
	return &producerPart{topic: t, number: n, seq: sequences{id: noProducerID, acked: -1, unresolved: -1}}
}

func (part *producerPart) tp() TopicPartition {
	return TopicPartition{Topic: part.topic.name, Partition: part.number}
}

// batch is records of one partition on their common way.
type batch struct {
	part     *producerPart
	records  []wire.Record
	cbs      []func(int32, int64, error)
	size     int // bytes on the wire
	limit    int // bytes that it may grow to, and that are taken from buffer.memory
	closed   bool
	done     bool // decided, be it on the wire or not
	created  sim.Time
	first    int64 // number of the first record among the partition's
	id       producerID
	sequence int32 // of the first record, -1 before the first try
	moved    bool  // its sequence was set anew after it had been sent
	tries    int
	retryAt  sim.Time
	epoch    int32 // newest leader epoch seen for it, and how many tries there were then
	epochAt  int
	bytes    []byte
	one      [1]wire.Record
	room     []byte // for bytes, until they are written
}

// recordBound is the most that a record takes beside its key and value, with the batch around it.
const recordBound = wire.BatchHeaderSize + 21

// bound is the size that a record is thought to have before it is placed.
// [AbstractRecords.estimateSizeInBytesUpperBound]
func (q *queued) bound() int { return recordBound + len(q.key) + len(q.value) }

// place puts a record into the open batch of its partition, or into a new one.
// [RecordAccumulator.append]
func (p *Producer) place(t *producerTopic, q *queued) {
	if q.bound() > min(p.cfg.MaxRequestSize, p.cfg.BufferMemory) {
		p.finish(q.cb, q.partition, -1, codeError(wire.MessageTooLarge))
		p.wakeAt(p.now())
		return
	}
	n, own := p.choose(t, q)
	if int(n) >= len(t.parts) {
		t.queued = append(t.queued, *q)
		p.wakeAt(p.now())
		return
	}
	part := t.parts[n]
	r := wire.Record{Timestamp: p.now().Millis(), Key: q.key, Value: q.value}
	b := part.open(&r)
	if b == nil {
		limit := max(p.cfg.BatchSize, q.bound())
		if p.memory > 0 && p.memory+limit > p.cfg.BufferMemory {
			p.blocked = append(p.blocked, blocked{t, *q})
			p.wakeAt(p.now())
			return
		}
		b = p.newBatch(part, limit)
		part.queue = append(part.queue, b)
	}
	before := b.size
	b.add(r, q.cb)
	part.count++
	if own {
		p.stuck(t, b.size-before, part.queue[len(part.queue)-1].full())
	}
	if p.due(b) {
		p.wakeAt(p.now())
	} else {
		p.wakeAt(b.created.Add(p.cfg.Linger))
	}
}

func (p *Producer) newBatch(part *producerPart, limit int) *batch {
	b := p.batches.Get()
	*b = batch{
		part: part, created: p.now(), id: noProducerID, sequence: -1, first: part.count, limit: limit,
		epoch: -1, records: b.records[:0], cbs: b.cbs[:0], room: b.room[:0],
	}
	if b.records == nil {
		b.records = b.one[:0]
	}
	part.used = true
	p.memory += limit
	return b
}

// hasMemory says whether a record could be placed now.
func (p *Producer) hasMemory(t *producerTopic, q *queued) bool {
	return p.memory == 0 || p.memory+max(p.cfg.BatchSize, q.bound()) <= p.cfg.BufferMemory
}

// add appends a record for which there is room.
func (b *batch) add(r wire.Record, cb func(int32, int64, error)) {
	b.size = b.with(&r)
	b.records = append(b.records, r)
	if cb != nil || len(b.cbs) > 0 {
		for len(b.cbs) < len(b.records)-1 {
			b.cbs = append(b.cbs, nil)
		}
		b.cbs = append(b.cbs, cb)
	}
}

// with is the size with one more record.
func (b *batch) with(r *wire.Record) int {
	if len(b.records) == 0 {
		return wire.BatchHeaderSize + r.Size(0, 0)
	}
	return b.size + r.Size(r.Timestamp-b.records[0].Timestamp, int64(len(b.records)))
}

// full says that nothing more goes into b.
func (b *batch) full() bool { return b.closed || b.size >= b.limit }

// open is the last batch if it has room for r; it is closed if not.
func (part *producerPart) open(r *wire.Record) *batch {
	if len(part.queue) == 0 {
		return nil
	}
	b := part.queue[len(part.queue)-1]
	if b.closed || b.with(r) > b.limit {
		b.closed = true
		return nil
	}
	return b
}

// due says whether b need not wait for more records.
func (p *Producer) due(b *batch) bool {
	queue := b.part.queue
	return p.forced || p.closed || len(p.blocked) > 0 || len(queue) > 1 || b.full() ||
		p.now() >= b.created.Add(p.cfg.Linger)
}

// again puts a batch back among those that wait: with idempotence in the order of sequences,
// otherwise before all others, so that batches sent after it may come before it.
// [RecordAccumulator.reenqueue]
func (part *producerPart) again(b *batch, idempotent bool) {
	i := 0
	for idempotent && i < len(part.queue) && part.queue[i].sequence >= 0 &&
		part.queue[i].sequence < b.sequence {
		i++
	}
	part.queue = slices.Insert(part.queue, i, b)
}

// split cuts a batch that a broker found too large into batches of batch.size, or into halves if it
// is such a part already. [RecordAccumulator.splitAndReenqueue]
func (p *Producer) split(big *batch) {
	limit := p.cfg.BatchSize
	if big.size <= limit {
		limit = max(wire.BatchHeaderSize+1, big.size/2)
	}
	var parts []*batch
	for i, r := range big.records {
		if n := len(parts); n == 0 || parts[n-1].with(&r) > limit {
			b := p.newBatch(big.part, limit)
			b.created, b.closed, b.first = big.created, true, big.first+int64(i)
			if big.sequence >= 0 {
				b.id, b.sequence = big.id, wrapped(big.sequence, i)
			}
			parts = append(parts, b)
		}
		parts[len(parts)-1].add(r, big.cb(i))
	}
	big.part.seq.forget(big)
	p.release(big)
	for _, b := range parts {
		if b.sequence >= 0 {
			big.part.seq.keep(b)
		}
	}
	for _, b := range slices.Backward(parts) {
		big.part.again(b, p.cfg.EnableIdempotence)
	}
	p.again = true
}

// release gives the memory of a decided batch back.
func (p *Producer) release(b *batch) {
	b.done = true
	p.memory -= b.limit
}

// reuse takes back a batch that has succeeded, unless an earlier try of it may still be on its way.
func (p *Producer) reuse(b *batch) {
	if b.tries == 0 && !b.moved {
		b.room = b.bytes
		p.batches.Put(b)
	}
}

func (b *batch) cb(i int) func(int32, int64, error) {
	if i < len(b.cbs) {
		return b.cbs[i]
	}
	return nil
}
