package client

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func (p *Producer) leaderOf(part *producerPart) partitionMeta { return p.meta.leader(part.tp()) }

// drain sends to every node that leads a partition with a batch due the first batch of each of its
// partitions, while fewer requests than allowed are under way. [Sender.sendProducerData]
func (p *Producer) drain() {
	for {
		p.readyNodes()
		sent := false
		for _, node := range p.ready {
			sent = p.sendTo(node) || sent
		}
		if !sent {
			return
		}
	}
}

// readyNodes collects the nodes to send to and says when to look again.
func (p *Producer) readyNodes() {
	p.ready = p.ready[:0]
	p.expireAll()
	for _, t := range p.topics {
		for _, part := range t.parts {
			b := p.head(part)
			if b == nil {
				continue
			}
			node := p.leaderOf(part).leader
			switch {
			case node < 0:
				p.meta.want()
				p.meta.update()
			case !slices.Contains(p.ready, node):
				p.ready = append(p.ready, node)
			}
		}
	}
}

// head is the batch to be sent next, or nil when there is none, or it waits: for more records, for
// its back-off, or for others before it. [RecordAccumulator.ready]
func (p *Producer) head(part *producerPart) *batch {
	if len(part.queue) == 0 || p.cfg.MaxInFlight == 1 && len(part.flying) > 0 {
		return nil
	}
	b := part.queue[0]
	if p.cfg.EnableIdempotence && !part.seq.mayGo(b, p.id) {
		return nil
	}
	if epoch := p.leaderOf(part).epoch; epoch > b.epoch { // a new leader is tried at once (KIP-951)
		b.epoch, b.epochAt = epoch, b.tries
	}
	switch {
	case b.tries > 0 && p.now() < b.retryAt && b.epochAt != b.tries:
		p.wakeAt(b.retryAt)
		return nil
	case b.tries == 0 && !p.due(b):
		p.wakeAt(b.created.Add(p.cfg.Linger))
		return nil
	}
	return b
}

// expireAll gives up batches that are older than delivery.timeout.ms, those on the wire too.
func (p *Producer) expireAll() {
	for _, t := range p.topics {
		for _, part := range t.parts {
			for len(part.queue) > 0 && p.expired(part.queue[0]) {
				b := part.queue[0]
				part.queue = slices.Delete(part.queue, 0, 1)
				p.expire(b)
			}
			for _, b := range part.flying {
				if !b.done && p.expired(b) {
					p.expire(b)
				}
			}
		}
	}
}

func (p *Producer) expired(b *batch) bool {
	due := b.created.Add(p.cfg.DeliveryTimeout)
	if p.now() < due {
		p.wakeAt(due)
		return false
	}
	return true
}

// expire: whether a batch that was sent before is in the log stays open. [Sender.failExpiredBatches]
func (p *Producer) expire(b *batch) {
	p.giveUp(b, timeoutError("expiring %d record(s) for %s: %v has passed since batch creation; the "+
		"request has not been sent, or no server response has been received yet", len(b.records),
		b.part.tp(), p.cfg.DeliveryTimeout), false)
	if s := &b.part.seq; b.sequence >= 0 && b.tries > 0 {
		s.unresolved = max(s.unresolved, wrapped(b.lastSequence(), 1))
		p.again = true
	}
}

// produce is a request under way. It is used again once it has been answered; one whose fate is not
// known stays with the network.
type produce struct {
	p       *Producer
	frame   wire.Frame
	req     kmsg.ProduceRequest
	done    func(kmsg.Response, error) // answered, as one value
	size    int
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
	r.batches, r.req, r.size = r.one[:0], kmsg.NewProduceRequest(), 0
	r.req.Topics = r.topic[:0]
	return r
}

func (p *Producer) sendTo(node int32) bool {
	l := p.link(node, roleNode)
	switch {
	case l.resting():
		p.wakeAt(l.retryAt)
		return false
	case l.state != linkReady: // batches go on filling meanwhile
		l.connect()
		return false
	case len(l.sent) >= p.cfg.MaxInFlight:
		return false
	}
	r := p.collect(node)
	if len(r.batches) == 0 {
		p.requests.Put(r)
		return false
	}
	f := flight{
		req: &r.req, frame: &r.frame, deadline: p.now().Add(p.cfg.RequestTimeout), done: r.done,
	}
	if p.cfg.Acks == 0 {
		f.silent, f.done = true, nil
	}
	l.enqueue(f)
	if p.cfg.Acks == 0 { // sent is all that there is to know (E27)
		for _, b := range r.batches {
			b.landed()
			p.succeed(b, -1)
		}
	}
	return true
}

// collect makes the request for node, as large as max.request.size allows.
// [RecordAccumulator.drainBatchesForOneNode]
func (p *Producer) collect(node int32) *produce {
	r := p.newProduce()
	r.req.Acks = p.cfg.Acks
	r.req.TimeoutMillis = int32(p.cfg.RequestTimeout / time.Millisecond)
	for _, t := range p.topics {
		m := p.meta.topic(t.name)
		if m == nil {
			continue
		}
		for _, part := range t.parts {
			b := p.head(part)
			if b == nil || p.leaderOf(part).leader != node {
				continue
			}
			if r.size += b.size; r.size > p.cfg.MaxRequestSize && len(r.batches) > 0 {
				return r
			}
			r.add(t, m.id, b)
		}
	}
	return r
}

// add takes b off its queue into the request.
func (r *produce) add(t *producerTopic, id [16]byte, b *batch) {
	p, part := r.p, b.part
	part.queue = slices.Delete(part.queue, 0, 1)
	part.flying = append(part.flying, b)
	b.closed = true
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

// encode writes the batch with its sequence: that is what lets a broker see a repetition.
func (b *batch) encode(p *Producer) {
	if p.cfg.EnableIdempotence {
		b.part.seq.number(b, p.id)
	}
	if b.bytes != nil {
		return
	}
	h := wire.PlainHeader()
	if p.cfg.EnableIdempotence {
		h.ProducerID, h.ProducerEpoch, h.BaseSequence = b.id.id, b.id.epoch, b.sequence
	}
	b.bytes, b.room = wire.AppendBatch(b.room, h, b.records), nil
}

// landed: the batch is not on the wire any more.
func (b *batch) landed() {
	if i := slices.Index(b.part.flying, b); i >= 0 {
		b.part.flying = slices.Delete(b.part.flying, i, i+1)
	}
}

func (r *produce) answered(resp kmsg.Response, err error) {
	for _, b := range r.batches {
		b.landed()
	}
	if err != nil {
		code := wire.NetworkException
		if e := asError(err); e.Name == ErrTimeout {
			code = wire.RequestTimedOut
		}
		for _, b := range r.batches {
			r.p.complete(b, code, nil)
		}
		return
	}
	pr := resp.(*kmsg.ProduceResponse)
	for _, b := range r.batches {
		if q := r.result(pr, b); q == nil {
			r.p.complete(b, wire.UnknownServerError, nil)
		} else {
			r.p.complete(b, wire.Code(q.ErrorCode), q)
		}
	}
	r.p.requests.Put(r)
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

// complete decides a batch by the broker's answer, or puts it back. [Sender.completeBatch]
func (p *Producer) complete(b *batch, code wire.Code, q *kmsg.ProduceResponseTopicPartition) {
	switch {
	case code == wire.None, code == wire.DuplicateSequenceNumber:
		p.acknowledged(b, code, q)
		return
	case code == wire.MessageTooLarge && len(b.records) > 1 && !b.done:
		p.split(b)
		return
	case p.mayRetry(b, code):
		p.retry(b)
	default:
		e := codeError(code)
		e.Retriable = false
		p.giveUp(b, e, b.tries < p.cfg.Retries)
	}
	if staleMetadata(code) {
		if q != nil {
			p.meta.newLeader(b.part.tp(), partitionMeta{q.CurrentLeader.LeaderID, q.CurrentLeader.LeaderEpoch})
		}
		p.meta.want()
	}
}

// acknowledged: a repetition counts as success too, though its offset may not be known (E30). What
// comes for a batch that was given up still says how far the log is.
func (p *Producer) acknowledged(b *batch, code wire.Code, q *kmsg.ProduceResponseTopicPartition) {
	if b.sequence >= 0 {
		b.part.seq.acked = max(b.part.seq.acked, b.lastSequence())
	}
	if b.done {
		return
	}
	base := int64(-1)
	if q != nil {
		base = q.BaseOffset
	}
	p.succeed(b, base)
	p.reuse(b)
}

// staleMetadata says whether code is an InvalidMetadataException of Java: the leader must be looked
// up again.
func staleMetadata(code wire.Code) bool {
	switch code {
	case wire.UnknownTopicOrPartition, wire.NotLeaderOrFollower, wire.FencedLeaderEpoch,
		wire.LeaderNotAvailable, wire.ReplicaNotAvailable, wire.KafkaStorageError,
		wire.NetworkException, wire.UnknownTopicID, wire.InconsistentTopicID:
		return true
	}
	return false
}

// mayRetry says whether a batch is tried again: while its time and its tries last, after errors that
// can pass, and with idempotence after those that a new epoch heals.
func (p *Producer) mayRetry(b *batch, code wire.Code) bool {
	if b.done || b.tries >= p.cfg.Retries || p.now() >= b.created.Add(p.cfg.DeliveryTimeout) {
		return false
	}
	if p.cfg.EnableIdempotence {
		switch code {
		case wire.OutOfOrderSequenceNumber:
			p.outOfOrder(b)
			return true
		case wire.UnknownProducerID:
			p.bumpFor(b.part)
			return true
		}
	}
	return code.Retriable()
}

// retry puts b back, to be sent after a back-off.
func (p *Producer) retry(b *batch) {
	b.retryAt = p.now().Add(p.retryBackoff(b.tries))
	b.tries++
	b.part.again(b, p.cfg.EnableIdempotence)
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
	b.part.seq.forget(b)
	p.release(b)
}

// giveUp ends a batch with an error. adjust says that it is known not to be in the log: then the
// sequences begin anew, since the next would leave a gap. [TransactionManager.handleFailedBatch]
func (p *Producer) giveUp(b *batch, err *Error, adjust bool) {
	if b.done {
		return
	}
	p.env.Trace(trace.Event{
		Kind: trace.ProducerFailed, Name: b.part.topic.ref, Part: b.part.number,
		Y: int64(len(b.records)), Peer: p.env.Ref(err.Name),
	})
	for i := range b.records {
		p.finish(b.cb(i), b.part.number, -1, err)
	}
	b.part.seq.forget(b)
	p.release(b)
	if b.sequence >= 0 && (adjust || err.Code == wire.OutOfOrderSequenceNumber) {
		p.bumpFor(b.part)
		p.again = true
	}
}
