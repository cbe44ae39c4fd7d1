package client

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// recordOverhead is about what a record takes beside its key and value.
const recordOverhead = 20

// producerPart is the batches of one partition that wait, in order; the last one may be open.
type producerPart struct {
	topic    *producerTopic
	number   int32
	queue    []*batch
	inFlight int
	sequence int32 // of the next batch's first record, for idempotence
	count    int64 // records so far, for the trace
}

// batch is records of one partition on their common way.
type batch struct {
	part     *producerPart
	records  []wire.Record
	cbs      []func(int32, int64, error)
	size     int
	created  sim.Time
	first    int64 // number of the first record among the partition's
	sequence int32 // -1 before the first try
	tries    int
	retryAt  sim.Time
	bytes    []byte
	one      [1]wire.Record
	room     []byte // for bytes, until they are written
}

// place puts a record into the open batch of its partition, or into a new one.
func (p *Producer) place(t *producerTopic, q *queued) {
	n := p.choose(t, q)
	if int(n) >= len(t.parts) {
		p.finish(q.cb, n, -1, &Error{Name: ErrIllegalArgument, Text: "topic " + t.name +
			" has no partition " + itoa(int64(n))})
		p.wakeAt(p.now())
		return
	}
	size := len(q.key) + len(q.value) + recordOverhead
	if size > p.cfg.MaxRequestSize {
		p.finish(q.cb, n, -1, codeError(wire.MessageTooLarge))
		p.wakeAt(p.now())
		return
	}
	part := t.parts[n]
	b := part.open(size, p.cfg.BatchSize)
	if b == nil {
		b = p.newBatch()
		b.part, b.created, b.first = part, p.now(), part.count
		part.queue = append(part.queue, b)
	}
	b.records = append(b.records,
		wire.Record{Timestamp: p.now().Millis(), Key: q.key, Value: q.value})
	if q.cb != nil || b.cbs != nil {
		for len(b.cbs) < len(b.records)-1 {
			b.cbs = append(b.cbs, nil)
		}
		b.cbs = append(b.cbs, q.cb)
	}
	b.size += size
	part.count++
	if p.ready(b) {
		p.wakeAt(p.now())
	} else {
		p.wakeAt(b.created.Add(p.cfg.Linger))
	}
}

func (p *Producer) newBatch() *batch {
	b := p.batches.Get()
	*b = batch{sequence: -1, records: b.records[:0], cbs: b.cbs[:0], room: b.room[:0]}
	if b.records == nil {
		b.records = b.one[:0]
	}
	return b
}

// open is the last batch if it has not been sent and has room.
func (part *producerPart) open(size, limit int) *batch {
	if n := len(part.queue); n > 0 {
		if b := part.queue[n-1]; b.sequence < 0 && b.tries == 0 && b.size+size <= limit {
			return b
		}
	}
	return nil
}

// ready says whether b need not wait for more records.
func (p *Producer) ready(b *batch) bool {
	return p.forced || b.tries > 0 || b.size >= p.cfg.BatchSize ||
		b != b.part.queue[len(b.part.queue)-1] || p.now() >= b.created.Add(p.cfg.Linger)
}

// drain sends to every node that leads a partition with a ready batch the first batch of each of
// its partitions, while fewer requests than allowed are under way. [RecordAccumulator.drain]
func (p *Producer) drain() {
	for {
		p.readyNodes()
		sent := false
		for _, node := range p.nodeReady {
			sent = p.sendTo(node) || sent
		}
		if !sent {
			return
		}
	}
}

// readyNodes collects the nodes to send to and says when to look again.
func (p *Producer) readyNodes() {
	p.nodeReady = p.nodeReady[:0]
	now := p.now()
	for _, t := range p.topics {
		for _, part := range t.parts {
			p.expire(part)
			b := part.head()
			if b == nil {
				continue
			}
			p.wakeAt(b.created.Add(p.cfg.DeliveryTimeout))
			switch {
			case now < b.retryAt:
				p.wakeAt(b.retryAt)
			case !p.ready(b):
				p.wakeAt(b.created.Add(p.cfg.Linger))
			default:
				p.noteReady(part)
			}
		}
	}
}

func (p *Producer) noteReady(part *producerPart) {
	node := p.meta.leader(TopicPartition{Topic: part.topic.name, Partition: part.number}).leader
	if node < 0 {
		p.meta.want()
		p.meta.update()
		return
	}
	if !slices.Contains(p.nodeReady, node) {
		p.nodeReady = append(p.nodeReady, node)
	}
}

// head is the batch to be sent next; nil when there is none or order forbids it: a batch that is
// tried again waits until nothing else of its partition is under way.
func (part *producerPart) head() *batch {
	if len(part.queue) == 0 || part.queue[0].tries > 0 && part.inFlight > 0 {
		return nil
	}
	return part.queue[0]
}

// expire gives up batches that are older than delivery.timeout.ms.
func (p *Producer) expire(part *producerPart) {
	for len(part.queue) > 0 {
		b := part.queue[0]
		if p.now() < b.created.Add(p.cfg.DeliveryTimeout) {
			return
		}
		part.queue = part.queue[1:]
		p.giveUp(b, timeoutError("expiring %d records for %s-%d: %v has passed since batch "+
			"creation", len(b.records), part.topic.name, part.number, p.cfg.DeliveryTimeout))
	}
}

// produce is a request under way. It is used again once it has been answered; one whose fate is not
// known stays with the network.
type produce struct {
	p       *Producer
	frame   wire.Frame
	req     kmsg.ProduceRequest
	done    func(kmsg.Response, error) // answered, as one value
	batches []*batch
	topic   [1]kmsg.ProduceRequestTopic
	part    [1]kmsg.ProduceRequestTopicPartition
	one     [1]*batch
}

func (p *Producer) newProduce() *produce {
	r := p.requests.Get()
	if r.done == nil {
		r.p, r.done = p, r.answered
	}
	r.batches, r.req = r.one[:0], kmsg.NewProduceRequest()
	r.req.Topics = r.topic[:0]
	return r
}

func (p *Producer) sendTo(node int32) bool {
	l := p.link(node, roleNode)
	if l.resting() {
		p.wakeAt(l.retryAt)
		return false
	}
	if len(l.sent)+len(l.waiting) >= p.cfg.MaxInFlight {
		return false
	}
	r := p.newProduce()
	r.req.Acks = p.cfg.Acks
	r.req.TimeoutMillis = int32(p.cfg.RequestTimeout / time.Millisecond)
	for _, t := range p.topics {
		m := p.meta.topic(t.name)
		if m == nil {
			continue
		}
		for _, part := range t.parts {
			b := part.head()
			if b != nil && m.parts[part.number].leader == node && p.now() >= b.retryAt {
				r.add(t, m.id, b)
			}
		}
	}
	if len(r.batches) == 0 {
		p.requests.Put(r)
		return false
	}
	f := flight{
		req: &r.req, frame: &r.frame, deadline: p.now().Add(p.cfg.RequestTimeout), done: r.done,
	}
	if p.cfg.Acks == 0 {
		f.silent, f.done = true, nil
	} else {
		p.inFlight++
	}
	l.enqueue(f)
	if p.cfg.Acks == 0 {
		for _, b := range r.batches {
			b.part.inFlight--
			p.succeed(b, -1)
		}
	}
	return true
}

// add takes b off its queue into the request.
func (r *produce) add(t *producerTopic, id [16]byte, b *batch) {
	p, part := r.p, b.part
	part.queue = slices.Delete(part.queue, 0, 1)
	part.inFlight++
	b.encode(p)
	r.batches = append(r.batches, b)
	p.env.Trace(trace.Event{
		Kind: trace.ProducerSent, Name: t.ref, Part: part.number, X: b.first,
		Y: int64(len(b.records)),
	})
	q := kmsg.ProduceRequestTopicPartition{Partition: part.number, Records: b.bytes}
	n := len(r.req.Topics)
	if n == 0 || r.req.Topics[n-1].Topic != t.name {
		topic := kmsg.ProduceRequestTopic{Topic: t.name, TopicID: id}
		if n == 0 {
			topic.Partitions = r.part[:0]
		}
		r.req.Topics = append(r.req.Topics, topic)
		n++
	}
	r.req.Topics[n-1].Partitions = append(r.req.Topics[n-1].Partitions, q)
}

// encode gives b its sequence, once for all tries: that is what lets a broker see a repetition.
func (b *batch) encode(p *Producer) {
	if b.bytes != nil {
		return
	}
	h := wire.PlainHeader()
	if p.cfg.EnableIdempotence {
		b.sequence = b.part.sequence
		b.part.sequence = int32((int64(b.part.sequence) + int64(len(b.records))) & (1<<31 - 1))
		h.ProducerID, h.ProducerEpoch, h.BaseSequence = p.pid, p.pidEpoch, b.sequence
	}
	b.bytes, b.room = wire.AppendBatch(b.room, h, b.records), nil
}

func (r *produce) answered(resp kmsg.Response, err error) {
	p := r.p
	p.inFlight--
	for _, b := range r.batches {
		b.part.inFlight--
	}
	if err != nil {
		for _, b := range r.batches {
			p.retry(b, asError(err))
		}
		return
	}
	pr := resp.(*kmsg.ProduceResponse)
	for _, b := range r.batches {
		q := r.result(pr, b)
		if q == nil {
			p.retry(b, codeError(wire.UnknownServerError))
			continue
		}
		switch code := wire.Code(q.ErrorCode); code {
		case wire.None, wire.DuplicateSequenceNumber:
			p.succeed(b, q.BaseOffset)
			p.reuse(b)
		default:
			p.retry(b, codeError(code))
		}
	}
	p.requests.Put(r)
}

// reuse takes back a batch that has succeeded, unless an earlier try of it may still be on its way.
func (p *Producer) reuse(b *batch) {
	if b.tries == 0 {
		b.room = b.bytes
		p.batches.Put(b)
	}
}

// result finds the answer for b.
func (r *produce) result(pr *kmsg.ProduceResponse, b *batch) *kmsg.ProduceResponseTopicPartition {
	var id [16]byte
	for i := range r.req.Topics {
		if r.req.Topics[i].Topic == b.part.topic.name {
			id = r.req.Topics[i].TopicID
		}
	}
	for i := range pr.Topics {
		t := &pr.Topics[i]
		if pr.Version >= 13 && t.TopicID != id || pr.Version < 13 && t.Topic != b.part.topic.name {
			continue
		}
		for j := range t.Partitions {
			if t.Partitions[j].Partition == b.part.number {
				return &t.Partitions[j]
			}
		}
	}
	return nil
}

// retry puts b back, or gives it up when the error is final, the tries are used up or its time is
// over. OUT_OF_ORDER_SEQUENCE_NUMBER is not final for a batch that overtook an earlier one.
func (p *Producer) retry(b *batch, err *Error) {
	overtook := err.Code == wire.OutOfOrderSequenceNumber && len(b.part.queue) > 0 &&
		b.part.queue[0].sequence >= 0 && b.part.queue[0].sequence < b.sequence
	switch {
	case !err.Retriable && !overtook, b.tries >= p.cfg.Retries,
		p.now() >= b.created.Add(p.cfg.DeliveryTimeout):
		p.giveUp(b, err)
		return
	}
	p.meta.want()
	b.retryAt = p.now().Add(p.retryBackoff(b.tries))
	b.tries++
	b.part.inOrder(b)
}

func (p *Producer) succeed(b *batch, base int64) {
	p.env.Trace(trace.Event{
		Kind: trace.ProducerAcked, Name: b.part.topic.ref, Part: b.part.number, X: base,
		Y: int64(len(b.records)), Z: int64(p.cfg.Acks),
	})
	for i := range b.records {
		offset := base
		if base >= 0 {
			offset += int64(i)
		}
		p.finish(b.cb(i), b.part.number, offset, nil)
	}
}

func (p *Producer) giveUp(b *batch, err *Error) {
	p.env.Trace(trace.Event{
		Kind: trace.ProducerFailed, Name: b.part.topic.ref, Part: b.part.number,
		Y: int64(len(b.records)), Peer: p.env.Ref(err.Name),
	})
	for i := range b.records {
		p.finish(b.cb(i), b.part.number, -1, err)
	}
	p.forgetIdentity()
}

func (b *batch) cb(i int) func(int32, int64, error) {
	if i < len(b.cbs) {
		return b.cbs[i]
	}
	return nil
}
