package broker

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// Fetch, key 1, versions 4-18 (7 adds sessions, 13 names topics by id).
//
// A fetch is answered at once or parked until its min bytes are there or its max wait is over
// (E1-E4); sizes as in E5 and E6, checks of a partition as in E7 and E8.
//
// Left out: followers, reading from them (E9), transactions (E10), diverging epochs of consumers.

// fetching is a fetch, from its arrival to its answer.
type fetching struct {
	line     *line
	byID     bool
	minBytes int64
	maxBytes int64
	parts    []*fetchPart
	session  *fetchSession // nil without one; set by an incremental request
	opens    bool          // the answer opens a session
}

// fetchPart is a partition of a fetch or of a session.
type fetchPart struct {
	topic    *Topic // nil while it is not known
	name     string
	id       [16]byte
	index    int32
	epoch    int32 // the leader epoch that the client knows, -1: none
	offset   int64
	maxBytes int64
	// hw and start are what a session's client was last told; -1: nothing.
	hw, start int64
}

// reading is what reading one partition gave.
type reading struct {
	code    wire.Code
	hw      int64
	start   int64
	records []byte
}

func (b *Broker) fetch(l *line, req *kmsg.FetchRequest) {
	f := fetching{
		line: l, minBytes: int64(req.MinBytes), maxBytes: int64(req.MaxBytes),
		byID: req.Version >= 13,
	}
	if code := b.openFetch(req, &f); code != wire.None {
		r := kmsg.NewPtrFetchResponse()
		r.ErrorCode = int16(code)
		l.reply(r)
		return
	}
	bytes, final := b.read(&f)
	if req.MaxWaitMillis <= 0 || bytes >= f.minBytes || final {
		b.answerFetch(&f)
		return
	}
	b.park(f, time.Duration(req.MaxWaitMillis)*time.Millisecond)
}

// read reads every partition of f into b.reads. final says that the answer cannot wait: a partition
// failed in a way that waiting does not mend, or there is none to wait for (E1, E2).
func (b *Broker) read(f *fetching) (bytes int64, final bool) {
	b.reads = b.reads[:0]
	budget := min(f.maxBytes, b.cluster.cfg.fetchMaxBytes)
	readable := false
	for _, p := range f.parts {
		part, code := b.locate(p, f.byID)
		if code != wire.None {
			b.reads = append(b.reads, reading{code: code, hw: -1, start: -1})
			continue
		}
		readable = true
		v := b.readOne(p, part, max(min(budget, p.maxBytes), 0), bytes == 0)
		final = final || v.code != wire.None
		n := int64(len(v.records))
		bytes += n
		budget -= n
		b.reads = append(b.reads, v)
	}
	return bytes, final || !readable
}

// locate finds a fetched partition's metadata; it may have come into being after the session began,
// or be gone.
func (b *Broker) locate(p *fetchPart, byID bool) (*Partition, wire.Code) {
	if p.topic == nil || p.topic.deleted {
		var code wire.Code
		if p.topic, code = b.topicOf(p.name, p.id, byID); code != wire.None {
			return nil, code
		}
	}
	if part := p.topic.partition(p.index); part != nil {
		return part, wire.None
	}
	return nil, wire.UnknownTopicOrPartition
}

func (b *Broker) readOne(p *fetchPart, part *Partition, limit int64, first bool) reading {
	r, code := b.check(part, p.epoch)
	if code != wire.None {
		return reading{code: code, hw: -1, start: -1}
	}
	log := r.log
	if p.offset < log.LogStart() || p.offset > log.LEO() {
		return reading{code: wire.OffsetOutOfRange, hw: -1, start: -1}
	}
	return reading{
		hw: log.HW(), start: log.LogStart(), records: log.Read(p.offset, limit, log.HW(), first),
	}
}

// fetchAnswer is an answer with its frame; it comes back from the client.
type fetchAnswer struct {
	broker *Broker
	frame  wire.Frame
	resp   kmsg.FetchResponse
}

// TakeBack implements [wire.Home].
func (a *fetchAnswer) TakeBack() { a.broker.fetches.Put(a) }

// answerFetch answers with what read found.
func (b *Broker) answerFetch(f *fetching) {
	a := b.fetches.Get()
	topics := a.resp.Topics[:0]
	a.broker, a.frame.Home, a.resp = b, a, kmsg.NewFetchResponse()
	a.resp.Topics = topics
	b.fetched(f, &a.resp)
	f.line.answer(&a.frame, &a.resp)
}

// fetched fills in an answer from what read found, and keeps the session in step (E6, E16).
func (b *Broker) fetched(f *fetching, r *kmsg.FetchResponse) {
	if f.opens {
		f.session = b.openSession(f)
	} else if f.session != nil {
		r.SessionID = f.session.id
	}
	incremental := f.session != nil && !f.opens
	for i, p := range f.parts {
		v := &b.reads[i]
		if incremental && !p.news(v) {
			continue
		}
		p.told(v)
		r.Topics = appendFetched(r.Topics, p, v, f.byID)
	}
	if f.session != nil {
		r.SessionID = f.session.id
		if incremental {
			f.session.rotate(b.reads)
		}
	}
}

// appendFetched adds a partition to the answer; neighbours of one topic share its entry.
func appendFetched(
	topics []kmsg.FetchResponseTopic, p *fetchPart, v *reading, byID bool,
) []kmsg.FetchResponseTopic {
	n := len(topics)
	if n == 0 || byID && topics[n-1].TopicID != p.id || !byID && topics[n-1].Topic != p.name {
		topics = slices.Grow(topics, 1)[:n+1] // room that was used before still has its partitions
		t := kmsg.FetchResponseTopic{Partitions: topics[n].Partitions[:0]}
		if byID {
			t.TopicID = p.id
		} else {
			t.Topic = p.name
		}
		topics[n] = t
		n++
	}
	o := kmsg.NewFetchResponseTopicPartition()
	o.Partition, o.ErrorCode, o.RecordBatches = p.index, int16(v.code), v.records
	o.HighWatermark, o.LastStableOffset, o.LogStartOffset = v.hw, v.hw, v.start
	if v.code == wire.NotLeaderOrFollower || v.code == wire.FencedLeaderEpoch {
		part := p.topic.Partitions[p.index] // the client may go there at once (KIP-951, E13)
		o.CurrentLeader.LeaderID, o.CurrentLeader.LeaderEpoch = part.Leader, part.Epoch
	}
	topics[n-1].Partitions = append(topics[n-1].Partitions, o)
	return topics
}
