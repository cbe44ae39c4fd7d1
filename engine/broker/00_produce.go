package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

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
// Left out: transactions, and the wait for followers (E18-E21).

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

func (b *Broker) produce(l *line, req *kmsg.ProduceRequest) {
	a := b.produceAnswer(len(req.Topics))
	failed := false
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
				b.produceOne(l, req, topic.partition(p.Partition), t.Partitions[j].Records, p)
			}
			failed = failed || p.ErrorCode != 0
		}
	}
	switch {
	case req.Acks != 0:
		l.answer(&a.frame, &a.resp)
	case failed:
		l.hangUp()
	default:
		a.TakeBack()
		l.done()
	}
}

// produceOne appends to one partition and fills in its answer.
func (b *Broker) produceOne(
	l *line, req *kmsg.ProduceRequest, part *Partition, batch []byte,
	out *kmsg.ProduceResponseTopicPartition,
) {
	fail := func(code wire.Code) { out.ErrorCode = int16(code) }
	if req.Acks < -1 || req.Acks > 1 {
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
			out.CurrentLeader.LeaderID, out.CurrentLeader.LeaderEpoch = part.Leader, part.Epoch
		}
		return
	}
	cfg := &part.Topic.cfg
	if req.Acks == -1 && len(part.ISR) < min(cfg.minISR, len(part.Replicas)) {
		fail(wire.NotEnoughReplicas)
		return
	}
	h, code := b.validate(cfg, req.Version, batch)
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
	p, code := r.log.Produce(batch, part.Epoch, now)
	if code != wire.None {
		fail(code)
		return
	}
	out.BaseOffset, out.LogStartOffset = p.Base, r.log.LogStart()
	if !p.Duplicate { // a duplicate is told its first offset, without an error (E30)
		r.appended(p.Base, int64(h.LastOffsetDelta)+1, h.Size(), l.peer)
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
