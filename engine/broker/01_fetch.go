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
// (E1-E4); sizes as in E5 and E6, checks of a partition as in E7 and E8. A follower fetches as a
// consumer does, but to the log's end, and its fetch tells the leader how far it has come (E20-E23).
// A fetch of the metadata log goes to the controller (see 01_fetch_metadata.go).
//
// From version 11 on a consumer may read from a follower, which gives it what it has below the high
// watermark that it knows; a leader tells it of a replica in its rack (E9, see preferred.go).
//
// Left out: transactions (E10).

// fetching is a fetch, from its arrival to its answer.
type fetching struct {
	line    *line
	byID    bool
	replica int32 // the broker that fetches as a follower, -1: a consumer
	// anyReplica says that a follower may answer, rack where the consumer stands.
	anyReplica bool
	rack       string
	minBytes   int64
	maxBytes   int64
	parts      []*fetchPart
	session    *fetchSession // nil without one; set by an incremental request
	opens      bool          // the answer opens a session
}

// fetchPart is a partition of a fetch or of a session.
type fetchPart struct {
	topic    *Topic // nil while it is not known
	name     string
	id       [16]byte
	index    int32
	epoch    int32 // the leader epoch that the client knows, -1: none
	last     int32 // the epoch of the record before offset, -1: not told
	offset   int64
	logStart int64 // a follower's
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
	end     int64 // the log's end, for a follower
	diverge epochEnd
	// preferred is the broker that the consumer should rather read from; 0: this one.
	preferred int32
}

// epochEnd says where the log of a reader parts from the leader's: at or before the end of that
// epoch. An epoch of -1 says that it does not.
type epochEnd struct {
	epoch int32
	end   int64
}

func (b *Broker) fetch(l *line, req *kmsg.FetchRequest) {
	f := fetching{
		line: l, minBytes: int64(req.MinBytes), maxBytes: int64(req.MaxBytes),
		byID: req.Version >= 13, replica: fetcherOf(req),
		anyReplica: req.Version >= 11 && fetcherOf(req) < 0, rack: req.Rack,
	}
	if asksMetadata(req) {
		b.fetchMetadata(l, req)
		return
	}
	if code := b.openFetch(req, &f); code != wire.None {
		r := kmsg.NewPtrFetchResponse()
		r.ErrorCode = int16(code)
		l.reply(r)
		return
	}
	bytes, final := b.read(&f)
	come := b.progressOf(&f)
	if req.MaxWaitMillis <= 0 || bytes >= f.minBytes || final {
		b.answerFetch(&f, come)
		return
	}
	b.park(f, time.Duration(req.MaxWaitMillis)*time.Millisecond)
	come.note()
}

// fetcherOf is the broker that sends a fetch as a follower, -1 for a consumer.
func fetcherOf(req *kmsg.FetchRequest) int32 {
	if req.Version >= 15 {
		return req.ReplicaState.ID
	}
	return req.ReplicaID
}

// come is how far a follower has come by one fetch. It is noted when the fetch has been read, since
// it may let other fetches go on.
type come []arrival

type arrival struct {
	replica            *replica
	follower           int32
	offset, start, end int64
}

func (b *Broker) progressOf(f *fetching) come {
	if f.replica < 0 {
		return nil
	}
	c := make(come, 0, len(f.parts))
	for i, p := range f.parts {
		if v := &b.reads[i]; v.code == wire.None && v.diverge.epoch < 0 {
			c = append(c, arrival{b.replica(b.image.partition(p.topic, p.index)), f.replica, p.offset, p.logStart, v.end})
		}
	}
	return c
}

func (c come) note() {
	for _, m := range c {
		m.replica.fetchedBy(m.follower, m.offset, m.start, m.end)
	}
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
			b.reads = append(b.reads, unread(code))
			continue
		}
		readable = true
		v := b.readOne(f, p, part, max(min(budget, p.maxBytes), 0), bytes == 0)
		final = final || v.code != wire.None || v.diverge.epoch >= 0 || v.preferred != 0
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
	if !b.image.knows(p.topic) {
		var code wire.Code
		if p.topic, code = b.topicOf(p.name, p.id, byID); code != wire.None {
			return nil, code
		}
	}
	if part := b.image.partition(p.topic, p.index); part != nil {
		return part, wire.None
	}
	return nil, wire.UnknownTopicOrPartition
}

func unread(code wire.Code) reading {
	return reading{code: code, hw: -1, start: -1, diverge: epochEnd{-1, -1}}
}

func (b *Broker) readOne(
	f *fetching, p *fetchPart, part *Partition, limit int64, first bool,
) reading {
	r, code := b.readable(f, part, p.epoch)
	if code != wire.None {
		return unread(code)
	}
	log := r.log
	v := reading{
		hw: log.HW(), start: log.LogStart(), end: log.LEO(), diverge: r.divergence(p),
	}
	if v.diverge.epoch >= 0 {
		return v
	}
	if p.offset < log.LogStart() || p.offset > log.LEO() {
		return unread(wire.OffsetOutOfRange)
	}
	if v.preferred = r.preferredFor(f, p.offset); v.preferred != 0 {
		return v
	}
	upTo := log.HW()
	if f.replica >= 0 {
		upTo = log.LEO()
	}
	v.records = log.Read(p.offset, limit, upTo, first)
	return v
}

// divergence: the reader's last record was written in an epoch that this log does not have, or that
// ended earlier here (E23, KIP-595).
func (r *replica) divergence(p *fetchPart) epochEnd {
	if p.last >= 0 {
		if epoch, end := r.log.EndOffsetFor(p.last); epoch >= 0 && (epoch < p.last || end < p.offset) {
			return epochEnd{epoch, end}
		}
	}
	return epochEnd{-1, -1}
}

// fetchAnswer is an answer with its frame; it comes back from the client.
type fetchAnswer struct {
	broker *Broker
	frame  wire.Frame
	resp   kmsg.FetchResponse
}

// TakeBack implements [wire.Home].
func (a *fetchAnswer) TakeBack() { a.broker.fetches.Put(a) }

// answerFetch answers with what read found, and notes how far a follower has come.
func (b *Broker) answerFetch(f *fetching, come come) {
	a := b.fetches.Get()
	topics := a.resp.Topics[:0]
	a.broker, a.frame.Home, a.resp = b, a, kmsg.NewFetchResponse()
	a.resp.Topics = topics
	b.fetched(f, &a.resp)
	come.note()
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
		r.Topics = b.appendFetched(r.Topics, p, v, f.byID)
	}
	if f.session != nil {
		r.SessionID = f.session.id
		if incremental {
			f.session.rotate(b.reads)
		}
	}
}

// noRecords is what a partition without news has: a broker sends an empty run, never null, and some
// clients cannot read null [FetchResponse partitionResponse, MemoryRecords.EMPTY].
var noRecords = []byte{}

// appendFetched adds a partition to the answer; neighbours of one topic share its entry.
func (b *Broker) appendFetched(
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
	if o.RecordBatches == nil {
		o.RecordBatches = noRecords
	}
	o.HighWatermark, o.LastStableOffset, o.LogStartOffset = v.hw, v.hw, v.start
	o.DivergingEpoch.Epoch, o.DivergingEpoch.EndOffset = v.diverge.epoch, v.diverge.end
	if v.preferred != 0 {
		o.PreferredReadReplica = v.preferred
	}
	if s := b.image.state(b.image.partition(p.topic, p.index)); s != nil &&
		(v.code == wire.NotLeaderOrFollower || v.code == wire.FencedLeaderEpoch) {
		// The client may go there at once (KIP-951, E13).
		o.CurrentLeader.LeaderID, o.CurrentLeader.LeaderEpoch = s.Leader, s.Epoch
	}
	topics[n-1].Partitions = append(topics[n-1].Partitions, o)
	return topics
}
