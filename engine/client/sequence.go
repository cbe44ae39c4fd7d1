package client

import (
	"math"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// producerID is what an idempotent producer is known by: an id given by a broker, and an epoch that
// the producer itself raises whenever it must begin its sequences anew (E33, KIP-360).
type producerID struct {
	id    int64
	epoch int16
}

var noProducerID = producerID{wire.NoProducer, wire.NoProducer}

type idState uint8

const (
	idNone idState = iota
	idAsking
	idKnown
)

// sequences numbers the records of one partition: what lets a broker see that a batch is a
// repetition, or that one is missing (E30, E31). [TransactionManager, TxnPartitionEntry]
type sequences struct {
	id    producerID
	next  int32 // of the next new batch's first record
	acked int32 // of the last record acknowledged, -1 for none
	// out are the batches with a sequence that are not decided, in order.
	out []*batch
	// unresolved is the sequence after batches that were given up without knowing whether they are
	// in the log; -1 for none.
	unresolved int32
}

// wrapped is n records after sequence s: after the highest comes 0 (E31).
func wrapped(s int32, n int) int32 { return int32((int64(s) + int64(n)) & math.MaxInt32) }

func (b *batch) lastSequence() int32 { return wrapped(b.sequence, len(b.records)-1) }

func (s *sequences) keep(b *batch) {
	i := 0
	for i < len(s.out) && s.out[i].sequence < b.sequence {
		i++
	}
	s.out = slices.Insert(s.out, i, b)
}

func (s *sequences) forget(b *batch) {
	if i := slices.Index(s.out, b); i >= 0 {
		s.out = slices.Delete(s.out, i, i+1)
	}
}

// isNext says whether sequence follows what was acknowledged last.
func (s *sequences) isNext(sequence int32) bool { return sequence == wrapped(s.acked, 1) }

// restart begins again at 0, also for the batches that are out.
func (s *sequences) restart(id producerID) {
	s.id, s.next, s.acked, s.unresolved = id, 0, -1, -1
	for _, b := range s.out {
		b.id, b.sequence, b.moved, b.bytes = id, s.next, true, nil
		s.next = wrapped(s.next, len(b.records))
	}
}

// mayGo says whether b, the first that waits, can be sent: one that was sent before only when
// nothing before it is undecided, a new one only when nothing is out under another id and nothing
// is unresolved. [RecordAccumulator.shouldStopDrainBatchesForPartition]
func (s *sequences) mayGo(b *batch, id producerID) bool {
	if b.sequence >= 0 {
		return len(s.out) == 0 || s.out[0].sequence == b.sequence
	}
	return s.unresolved < 0 && (len(s.out) == 0 || s.id == id)
}

// number gives b its sequence, once for all tries.
func (s *sequences) number(b *batch, id producerID) {
	if b.sequence >= 0 {
		return
	}
	if s.id != id {
		s.restart(id)
	}
	b.id, b.sequence = id, s.next
	s.next = wrapped(s.next, len(b.records))
	s.keep(b)
}

// bumpFor asks for a new epoch because of a gap, or what may be one, in a partition.
func (p *Producer) bumpFor(part *producerPart) {
	p.bump = true
	if !slices.Contains(p.rewrite, part) {
		p.rewrite = append(p.rewrite, part)
	}
}

// resolve looks at partitions where batches were given up undecided, once nothing is out any more:
// if later ones were acknowledged nothing is missing. [TransactionManager.maybeResolveSequences]
func (p *Producer) resolve() {
	for _, t := range p.topics {
		for _, part := range t.parts {
			s := &part.seq
			if s.unresolved < 0 || len(s.out) > 0 {
				continue
			}
			s.unresolved = -1
			if !s.isNext(s.next) {
				p.bumpFor(part)
			}
		}
	}
}

// identified says whether batches may be sent: at once, or with idempotence once there is a
// producer id (E33).
func (p *Producer) identified() bool {
	if !p.cfg.EnableIdempotence {
		return true
	}
	if p.bump {
		p.raiseEpoch()
	}
	if p.idState == idKnown {
		return true
	}
	if p.idState == idAsking || p.unacked == 0 {
		return false
	}
	if p.now() < p.idRetry {
		p.wakeAt(p.idRetry)
		return false
	}
	if l := p.leastLoaded(); l != nil {
		p.idState = idAsking
		req := kmsg.NewPtrInitProducerIDRequest()
		req.TransactionTimeoutMillis = math.MaxInt32
		req.ProducerID, req.ProducerEpoch = wire.NoProducer, wire.NoProducer
		l.send(req, p.opt.requestTimeout, p.identity)
	}
	return false
}

// raiseEpoch needs no broker; only when there is no higher epoch a new id is asked for.
// [TransactionManager.bumpIdempotentProducerEpoch]
func (p *Producer) raiseEpoch() {
	p.bump = false
	if p.id.epoch == math.MaxInt16 {
		p.id, p.idState = noProducerID, idNone
	} else {
		p.id.epoch++
	}
	for _, part := range p.rewrite {
		part.seq.restart(p.id)
	}
	p.rewrite = nil
}

func (p *Producer) identity(resp kmsg.Response, err error) {
	p.idState = idNone
	if err == nil {
		r := resp.(*kmsg.InitProducerIDResponse)
		if r.ErrorCode == 0 {
			p.id, p.idState, p.idTries = producerID{r.ProducerID, r.ProducerEpoch}, idKnown, 0
			p.adopt()
			return
		}
	}
	p.idRetry = p.now().Add(p.retryBackoff(p.idTries))
	p.idTries++
}

// adopt gives the new id to batches that have lost theirs on the way.
func (p *Producer) adopt() {
	for _, t := range p.topics {
		for _, part := range t.parts {
			if part.seq.id == noProducerID && len(part.seq.out) > 0 {
				part.seq.restart(p.id)
			}
		}
	}
}

// outOfOrder hears of a batch that a broker found out of order. It will be tried again; where a
// record is missing before it, and not only under way, that is done under a new epoch.
// [TransactionManager.canRetry]
func (p *Producer) outOfOrder(b *batch) {
	s := &b.part.seq
	if s.unresolved < 0 && (b.moved || !s.isNext(b.sequence)) {
		return // one before it is still under way
	}
	if s.unresolved < 0 || b.sequence == s.unresolved {
		p.bumpFor(b.part)
	}
}
