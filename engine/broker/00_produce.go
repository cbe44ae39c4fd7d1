package broker

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// Produce, key 0, versions 3-13 (13 names topics by id).
//
// Each partition's one batch is checked, appended to the leader's log and answered: at once for
// acks = 1, when the high watermark has passed it for acks = all, which with one replica is also at
// once; never for acks = 0, where an error closes the connection instead (E26-E31).
//
// Compressed batches are stored as they come: only their headers are read, so that a record without
// key passes unseen into a compacted topic.
//
// Left out: transactions.

// futureLimitMs is message.timestamp.after.max.ms: how far ahead of the broker a record may be.
const futureLimitMs = 3600 * 1000

// produceAnswer is an answer with its frame; it comes back from the client.
type produceAnswer struct {
	broker *Broker
	frame  wire.Frame
	resp   kmsg.ProduceResponse
}

// TakeBack implements [wire.Home].
func (a *produceAnswer) TakeBack() { a.broker.produces.Put(a) }

// produceAnswer returns an empty answer that has room for n topics.
func (b *Broker) produceAnswer(n int) *produceAnswer {
	a := b.produces.Get()
	topics := a.resp.Topics
	a.broker, a.frame.Home, a.resp = b, a, kmsg.NewProduceResponse()
	a.resp.Topics = sized(topics, n)
	return a
}

// sized is s with n elements, which may be old ones.
func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// producing is a Produce request, from its arrival to its answer.
type producing struct {
	line    *line
	req     *kmsg.ProduceRequest
	out     *produceAnswer
	waits   int  // partitions that wait for their followers
	started bool // every partition was tried
	parked  bool
}

func (b *Broker) produce(l *line, req *kmsg.ProduceRequest) {
	a := b.produceAnswer(len(req.Topics))
	w := &producing{line: l, req: req, out: a}
	for i := range req.Topics {
		t := &req.Topics[i]
		out := &a.resp.Topics[i]
		*out = kmsg.ProduceResponseTopic{Partitions: sized(out.Partitions, len(t.Partitions))}
		topic, code := b.topicOf(t.Topic, t.TopicID, req.Version >= 13)
		if req.Version >= 13 {
			out.TopicID = t.TopicID
		} else {
			out.Topic = t.Topic
		}
		for j := range t.Partitions {
			p := &out.Partitions[j]
			*p = kmsg.NewProduceResponseTopicPartition()
			p.Partition, p.BaseOffset = t.Partitions[j].Partition, -1
			p.ErrorCode = int16(code)
			if code == wire.None {
				b.produceOne(w, b.image.partition(topic, p.Partition), t.Partitions[j].Records, p)
			}
		}
	}
	w.started = true
	w.proceed()
}

// proceed answers when no partition waits any more.
func (w *producing) proceed() {
	b, l := w.line.broker, w.line
	switch {
	case !w.started:
	case w.waits > 0 && !w.parked:
		w.parked = true
		b.env.Trace(trace.Event{
			Kind: trace.ProduceParked, Peer: l.peer, Y: int64(l.now.Corr),
			X: b.env.Now().Add(w.timeout()).Since(),
		})
	case w.waits > 0:
	default:
		if w.parked {
			b.env.Trace(trace.Event{Kind: trace.ProduceAnswered, Peer: l.peer, Y: int64(l.now.Corr)})
		}
		w.answer()
	}
}

func (w *producing) answer() {
	switch {
	case w.req.Acks != 0:
		w.line.answer(&w.out.frame, &w.out.resp)
	case w.failed():
		w.line.hangUp()
	default:
		w.out.TakeBack()
		w.line.done()
	}
}

func (w *producing) failed() bool {
	for i := range w.out.resp.Topics {
		for j := range w.out.resp.Topics[i].Partitions {
			if w.out.resp.Topics[i].Partitions[j].ErrorCode != 0 {
				return true
			}
		}
	}
	return false
}

func (w *producing) timeout() time.Duration { return ms(int64(w.req.TimeoutMillis)) }

// produceOne appends to one partition and fills in its answer, now or when its followers have it.
func (b *Broker) produceOne(
	w *producing, part *Partition, batch []byte, out *kmsg.ProduceResponseTopicPartition,
) {
	fail := func(code wire.Code) { out.ErrorCode = int16(code) }
	acks := w.req.Acks
	if acks < -1 || acks > 1 {
		fail(wire.InvalidRequiredAcks)
		return
	}
	if part != nil && part.Topic.Internal { // clients never write what the coordinator reads
		fail(wire.InvalidTopicException)
		return
	}
	r, code := b.check(part, -1)
	if code != wire.None {
		fail(code)
		if code == wire.NotLeaderOrFollower { // the client may go there at once (KIP-951, E13)
			s := b.image.state(part)
			out.CurrentLeader.LeaderID, out.CurrentLeader.LeaderEpoch = s.Leader, s.Epoch
		}
		return
	}
	cfg := &part.Topic.cfg
	if acks == -1 && len(r.state.ISR) < r.minISR() {
		fail(wire.NotEnoughReplicas)
		return
	}
	h, code := b.validate(cfg, w.req.Version, batch)
	if code != wire.None {
		fail(code)
		return
	}
	now := b.env.Now().Millis()
	out.LogAppendTime = -1
	if cfg.appendTime {
		batch = append([]byte(nil), batch...) // the sender's bytes are its own
		wire.SetLogAppendTime(batch, now)
		out.LogAppendTime = now
	}
	p, code := r.log.Produce(batch, r.state.Epoch, now)
	if code != wire.None {
		fail(code)
		return
	}
	out.BaseOffset, out.LogStartOffset = p.Base, r.log.LogStart()
	records := int64(h.LastOffsetDelta) + 1
	if !p.Duplicate { // a duplicate is told its first offset, without an error (E30)
		r.appended(p.Base, records, h.Size(), w.line.peer)
	}
	if acks == -1 {
		w.waits++
		r.await(p.Base+records, w.timeout(), func(code wire.Code) {
			w.waits--
			if code != wire.None {
				out.ErrorCode, out.BaseOffset = int16(code), -1
			}
			w.proceed()
		})
	}
}

// validate checks a producer's batch (E28, E29).
func (b *Broker) validate(
	cfg *topicConfig, version int16, batch []byte,
) (wire.BatchHeader, wire.Code) {
	h, err := wire.ReadHeader(batch)
	switch {
	case err != nil:
		return h, wire.CorruptMessage
	case h.Size() != len(batch):
		return h, wire.InvalidRecord // a second batch follows
	case !wire.CheckCRC(batch):
		return h, wire.CorruptMessage
	case int64(len(batch)) > cfg.maxMessage:
		return h, wire.MessageTooLarge
	case h.Codec() > wire.Zstd:
		return h, wire.UnknownServerError
	case h.Codec() == wire.Zstd && version < 7:
		return h, wire.UnsupportedCompressionType
	case h.Attributes&wire.AttrTransactional != 0:
		return h, wire.InvalidTxnState
	case h.Attributes&wire.AttrControl != 0 || h.Count < 1 || h.LastOffsetDelta != h.Count-1:
		return h, wire.InvalidRecord
	case !cfg.appendTime && h.MaxTimestamp > b.env.Now().Millis()+futureLimitMs:
		return h, wire.InvalidTimestamp
	}
	if cfg.log.Compact && h.Codec() == wire.NoCodec && missesKey(batch) {
		return h, wire.InvalidRecord
	}
	return h, wire.None
}

// missesKey says whether a record of the batch has no key, which a compacted topic refuses.
func missesKey(batch []byte) bool {
	_, records, err := wire.DecodeBatch(batch)
	for i := range records {
		if records[i].Key == nil {
			return true
		}
	}
	return err != nil
}
