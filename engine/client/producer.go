package client

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// Producer is a KafkaProducer: an accumulator of batches by partition and a sender. Left out:
// memory limits, compression, transactions, splitting of batches that are too large.
type Producer struct {
	base
	cfg    ProducerConfig
	topics []*producerTopic
	names  []string

	pid       int64
	pidEpoch  int16
	pidState  pidState
	pidRetry  sim.Time
	pidTries  int
	inFlight  int // requests
	unacked   int // records that have been sent by the application and are not decided
	flushing  []flush
	forced    bool // linger does not count: somebody flushes
	closed    bool
	busy      bool
	again     bool
	finished  []completion
	nodeReady []int32 // scratch of drain
	batches   sim.Pool[batch]
	requests  sim.Pool[produce]
}

type pidState uint8

const (
	pidNone pidState = iota
	pidAsking
	pidKnown
)

// flush waits for all records sent before it.
type flush struct {
	started sim.Time
	close   bool
	done    func(error)
}

// completion is the end of a record, told to the application as the last act of a wake.
type completion struct {
	cb        func(int32, int64, error)
	partition int32
	offset    int64
	err       error
}

// producerTopic is what the producer knows of a topic that it writes to.
type producerTopic struct {
	name   string
	ref    trace.Ref
	parts  []*producerPart
	queued []queued // before the first metadata
	round  int32
	sticky int32
	bytes  int // that the sticky partition got
}

// queued is a record without partition yet.
type queued struct {
	key, value []byte
	partition  int32
	at         sim.Time
	cb         func(int32, int64, error)
}

// NewProducer makes a producer in a process that has started.
func NewProducer(p *Process, cfg ProducerConfig) *Producer {
	if cfg.ClientID == "" {
		cfg.ClientID = "producer-1"
	}
	pr := &Producer{cfg: cfg, pid: wire.NoProducer, pidEpoch: wire.NoProducer}
	pr.init(p, cfg.ClientID, netOptions{
		bootstrap:    cfg.Bootstrap,
		retryBackoff: cfg.RetryBackoff, retryBackoffMax: cfg.RetryBackoffMax,
		reconnect: cfg.ReconnectBackoff, reconnectMax: cfg.ReconnectBackoffMax,
		requestTimeout: cfg.RequestTimeout, metadataMaxAge: cfg.MetadataMaxAge,
		allowAutoCreateTopics: true, rebootstrap: true,
	})
	pr.base.wake = pr.wake
	pr.base.dropped = func(*link) { pr.meta.want() }
	pr.meta.topics, pr.meta.all = func() []string { return pr.names }, func() bool { return false }
	return pr
}

// Send hands a record over; it never waits. partition is -1 where the partitioner shall choose.
// cb, which may be nil, gets partition and offset, or the error, once the record is acknowledged
// or given up; with acks=0 the offset is -1.
func (p *Producer) Send(
	topic string, key, value []byte, partition int32, cb func(int32, int64, error),
) {
	p.unacked++
	if p.closed {
		p.finish(cb, partition, -1, &Error{Name: ErrProducerClosed, Text: "the producer is closed"})
		p.env.After(minCall, p.tell)
		return
	}
	t := p.topic(topic)
	q := queued{key: key, value: value, partition: partition, at: p.now(), cb: cb}
	if t.parts == nil {
		t.queued = append(t.queued, q)
		p.wakeAt(p.now())
		return
	}
	p.place(t, &q)
}

func (p *Producer) topic(name string) *producerTopic {
	for _, t := range p.topics {
		if t.name == name {
			return t
		}
	}
	t := &producerTopic{name: name, ref: p.env.Ref(name), sticky: -1}
	p.topics = append(p.topics, t)
	p.names = append(p.names, name)
	p.meta.want()
	return t
}

// Flush waits until every record sent so far is acknowledged or given up.
func (p *Producer) Flush(done func(error)) {
	p.flushing = append(p.flushing, flush{started: p.now(), done: done})
	p.forced = true
	p.wakeAt(p.now())
}

// Close flushes and ends the producer.
func (p *Producer) Close(done func(error)) {
	p.closed, p.forced = true, true
	p.flushing = append(p.flushing, flush{started: p.now(), close: true, done: done})
	if p.gone {
		p.env.After(minCall, p.flushed)
		return
	}
	p.wakeAt(p.now())
}

func (p *Producer) finish(cb func(int32, int64, error), partition int32, offset int64, err error) {
	p.unacked--
	if cb != nil {
		p.finished = append(p.finished, completion{cb, partition, offset, err})
	}
}

// wake is the sender's turn.
func (p *Producer) wake() {
	if p.busy {
		p.again = true
		return
	}
	if p.gone {
		return
	}
	p.busy = true
	for {
		p.again = false
		p.meta.update()
		p.route()
		if p.identified() {
			p.drain()
		}
		if !p.again {
			break
		}
	}
	p.busy = false
	p.tell()
	p.flushed()
}

// tell calls back for what has ended.
func (p *Producer) tell() {
	for len(p.finished) > 0 {
		ended := p.finished
		p.finished = nil
		for _, e := range ended {
			e.cb(e.partition, e.offset, e.err)
		}
	}
}

// flushed ends the flushes and the close that wait for nothing more.
func (p *Producer) flushed() {
	for len(p.flushing) > 0 && p.unacked == 0 {
		f := p.flushing[0]
		if due := f.started.Add(minCall); p.now() < due {
			if !p.gone {
				p.wakeAt(due)
			}
			return
		}
		p.flushing = p.flushing[1:]
		p.forced = len(p.flushing) > 0
		if f.close && !p.gone {
			p.shut()
		}
		f.done(nil)
	}
}

// route gives partitions to records that came before the topic's metadata.
func (p *Producer) route() {
	for _, t := range p.topics {
		m := p.meta.topic(t.name)
		if m == nil || len(m.parts) == 0 {
			p.expireQueued(t)
			continue
		}
		for n := len(t.parts); n < len(m.parts); n++ {
			t.parts = append(t.parts, &producerPart{topic: t, number: int32(n)})
		}
		waiting := t.queued
		t.queued = nil
		for i := range waiting {
			p.place(t, &waiting[i])
		}
	}
}

// expireQueued gives up records whose topic does not appear within max.block.ms.
func (p *Producer) expireQueued(t *producerTopic) {
	for len(t.queued) > 0 {
		q := &t.queued[0]
		if due := q.at.Add(p.cfg.MaxBlock); p.now() < due {
			p.wakeAt(due)
			return
		}
		p.finish(q.cb, q.partition, -1, timeoutError("topic %s is not in the metadata after %v",
			t.name, p.cfg.MaxBlock))
		t.queued = t.queued[1:]
	}
}

// identified says whether batches may be sent: at once, or with idempotence once there is a
// producer id (E33).
func (p *Producer) identified() bool {
	if !p.cfg.EnableIdempotence || p.pidState == pidKnown {
		return true
	}
	if p.pidState == pidAsking || p.unacked == 0 || p.inFlight > 0 {
		return false
	}
	if p.now() < p.pidRetry {
		p.wakeAt(p.pidRetry)
		return false
	}
	l := p.leastLoaded()
	if l == nil {
		return false
	}
	p.pidState = pidAsking
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionTimeoutMillis = int32(time.Minute / time.Millisecond)
	req.ProducerID, req.ProducerEpoch = wire.NoProducer, wire.NoProducer
	l.send(req, p.opt.requestTimeout, p.identity)
	return false
}

func (p *Producer) identity(resp kmsg.Response, err error) {
	p.pidState = pidNone
	if err == nil {
		r := resp.(*kmsg.InitProducerIDResponse)
		if r.ErrorCode == 0 {
			p.pid, p.pidEpoch, p.pidState, p.pidTries = r.ProducerID, r.ProducerEpoch, pidKnown, 0
			return
		}
	}
	p.pidRetry = p.now().Add(p.retryBackoff(p.pidTries))
	p.pidTries++
}

// forgetIdentity starts a new sequence under a new producer id: after a batch was given up the old
// one has a gap.
func (p *Producer) forgetIdentity() {
	if !p.cfg.EnableIdempotence {
		return
	}
	p.pidState = pidNone
	for _, t := range p.topics {
		for _, part := range t.parts {
			part.sequence = 0
			for _, b := range part.queue {
				b.sequence, b.bytes = -1, nil
			}
		}
	}
}

// choose is the partitioner.
func (p *Producer) choose(t *producerTopic, q *queued) int32 {
	n := int32(len(t.parts))
	switch {
	case q.partition >= 0:
		return q.partition
	case p.cfg.Partitioner == "round_robin":
		t.round++
		return (t.round - 1) % n
	case p.cfg.Partitioner == "key" && q.key != nil:
		return wire.PartitionForKey(q.key, n)
	}
	// Sticky: another partition once batch.size bytes have gone to this one (KIP-794).
	if t.sticky < 0 || t.bytes >= p.cfg.BatchSize {
		t.sticky = int32(p.env.Rand("partitioner").Below(int64(n)))
		t.bytes = 0
	}
	t.bytes += len(q.key) + len(q.value) + recordOverhead
	return t.sticky
}

// inOrder puts b back among the batches that wait, by sequence.
func (part *producerPart) inOrder(b *batch) {
	i := slices.IndexFunc(part.queue, func(o *batch) bool {
		return o.sequence < 0 || b.sequence >= 0 && o.sequence > b.sequence
	})
	if i < 0 {
		i = len(part.queue)
	}
	part.queue = slices.Insert(part.queue, i, b)
}
