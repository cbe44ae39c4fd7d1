package client

import (
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// Producer is a KafkaProducer: an accumulator of batches by partition and a sender. Left out:
// compression, transactions.
type Producer struct {
	base
	cfg    ProducerConfig
	topics []*producerTopic
	names  []string

	id       producerID
	idState  idState
	idRetry  sim.Time
	idTries  int
	bump     bool            // the epoch must grow before anything more is sent
	rewrite  []*producerPart // whose outstanding batches start at sequence 0 then
	memory   int             // bytes of all batches
	blocked  []blocked       // records that no memory is left for, in order
	unacked  int             // records that the application has sent and that are not decided
	flushing []flush
	forced   bool // linger does not count: somebody flushes
	closed   bool
	busy     bool
	again    bool
	finished []completion
	ready    []int32 // scratch of drain
	batches  sim.Pool[batch]
	requests sim.Pool[produce]
}

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
	queued []queued // for the topic's metadata, or for their partition to appear in it
	round  int
	sticky int32 // -1: to be chosen
	bytes  int   // that the sticky partition got
}

// queued is a record on its way into a batch.
type queued struct {
	key, value []byte
	partition  int32
	at         sim.Time
	cb         func(int32, int64, error)
}

// blocked is a record that waits for memory; in Java its send() blocks.
type blocked struct {
	t *producerTopic
	q queued
}

// NewProducer makes a producer in a process that has started.
func NewProducer(p *Process, cfg ProducerConfig) *Producer {
	if cfg.ClientID == "" {
		cfg.ClientID = "producer-1"
	}
	pr := &Producer{cfg: cfg, id: noProducerID}
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
	switch {
	case len(t.queued) > 0 || len(t.parts) == 0:
		t.queued = append(t.queued, q)
		p.wakeAt(p.now())
	case len(p.blocked) > 0:
		p.blocked = append(p.blocked, blocked{t, q})
	default:
		p.place(t, &q)
	}
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
		p.resolve()
		if p.identified() {
			p.drain()
		} else {
			p.expireAll()
		}
		p.unblock()
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

// route gives partitions to records that came before the metadata of their topic or partition.
// [KafkaProducer.waitOnMetadata]
func (p *Producer) route() {
	for _, t := range p.topics {
		m := p.meta.topic(t.name)
		if m != nil {
			for n := len(t.parts); n < len(m.parts); n++ {
				t.parts = append(t.parts, newProducerPart(t, int32(n)))
			}
		}
		for len(t.queued) > 0 && len(t.parts) > 0 && int(t.queued[0].partition) < len(t.parts) {
			q := t.queued[0]
			p.nextQueued(t)
			p.place(t, &q)
		}
		p.expireQueued(t)
	}
}

// expireQueued gives up records whose topic or partition does not appear within max.block.ms.
func (p *Producer) expireQueued(t *producerTopic) {
	for len(t.queued) > 0 {
		q := &t.queued[0]
		what := "topic " + t.name
		if q.partition >= 0 && len(t.parts) > 0 {
			what = "partition " + itoa(int64(q.partition)) + " of topic " + t.name +
				" with partition count " + itoa(int64(len(t.parts)))
		}
		if err := p.meta.refusal(t.name); err != nil {
			p.finish(q.cb, q.partition, -1, err)
		} else if due := q.at.Add(p.cfg.MaxBlock); p.now() < due {
			p.wakeAt(due)
			if len(t.parts) > 0 {
				p.meta.want()
			}
			return
		} else {
			p.finish(q.cb, q.partition, -1, timeoutError("%s is not present in metadata after %v",
				what, p.cfg.MaxBlock))
		}
		p.nextQueued(t)
	}
}

// nextQueued takes the first record out of the queue. The next one begins to wait: in Java its
// send() would be called only now.
func (p *Producer) nextQueued(t *producerTopic) {
	t.queued = t.queued[1:]
	if len(t.queued) > 0 {
		t.queued[0].at = p.now()
	}
}

// unblock places records that have waited for memory, in order; the first one that waits for longer
// than max.block.ms is given up. [BufferPool.allocate]
func (p *Producer) unblock() {
	for len(p.blocked) > 0 {
		w := p.blocked[0]
		if due := w.q.at.Add(p.cfg.MaxBlock); p.now() >= due {
			p.finish(w.q.cb, w.q.partition, -1, &Error{Name: "BufferExhaustedException", Text: "failed " +
				"to allocate memory within max.block.ms; records come faster than they are sent"})
			p.blocked = p.blocked[1:]
			if len(p.blocked) > 0 { // whose send() is called only now
				p.blocked[0].q.at = p.now()
			}
			continue
		} else if !p.hasMemory(w.t, &w.q) {
			p.wakeAt(due)
			return
		}
		p.blocked = p.blocked[1:]
		if len(p.blocked) > 0 {
			p.blocked[0].q.at = p.now()
		}
		p.place(w.t, &w.q)
		p.again = true
	}
}
