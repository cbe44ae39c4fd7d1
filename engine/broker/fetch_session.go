package broker

import (
	"math"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// sessionIdle is how long a session must be unused before another may take its slot (E17).
const sessionIdle = 120 * time.Second

// sessionCache holds the fetch sessions of a broker (KIP-227), in order of creation. Kafka cuts it
// into 8 shards, which decide only which session goes first when all slots are taken.
type sessionCache struct {
	list []*fetchSession
	byID map[int32]*fetchSession
}

// fetchSession is what the broker remembers of a client's fetches.
type fetchSession struct {
	id    int32
	epoch int32 // of the next request
	byID  bool
	// parts are in the order in which the next answer takes them. The slice is replaced, never
	// changed, when partitions come or go.
	parts []*fetchPart
	used  sim.Time
}

// openFetch finds the session of a request and the partitions to read (E14, E15).
func (b *Broker) openFetch(req *kmsg.FetchRequest, f *fetching) wire.Code {
	if req.Version < 7 || req.SessionEpoch <= 0 {
		if req.Version >= 7 && req.SessionID != 0 {
			b.sessions.remove(req.SessionID)
		}
		f.parts = b.listed(req)
		f.opens = req.Version >= 7 && req.SessionEpoch == 0
		return wire.None
	}
	s := b.sessions.byID[req.SessionID]
	switch {
	case s == nil:
		return wire.FetchSessionIDNotFound
	case s.epoch != req.SessionEpoch:
		return wire.InvalidFetchSessionEpoch
	case s.byID != f.byID:
		return wire.FetchSessionTopicIDError
	}
	s.update(b, req)
	if len(s.parts) == 0 {
		b.sessions.remove(s.id)
		return wire.None
	}
	s.used = b.env.Now()
	if s.epoch++; s.epoch < 0 { // after the largest int32 comes 1
		s.epoch = 1
	}
	f.session, f.parts = s, s.parts
	return wire.None
}

// listed makes parts of all partitions that a request names.
func (b *Broker) listed(req *kmsg.FetchRequest) []*fetchPart {
	n := 0
	for i := range req.Topics {
		n += len(req.Topics[i].Partitions)
	}
	room := make([]fetchPart, 0, n)
	parts := make([]*fetchPart, 0, n)
	for i := range req.Topics {
		t := &req.Topics[i]
		topic, name, id := b.fetchTopic(t.Topic, t.TopicID, req.Version >= 13)
		for j := range t.Partitions {
			p := fetchPart{
				topic: topic, name: name, id: id, index: t.Partitions[j].Partition, hw: -1, start: -1,
			}
			p.ask(&t.Partitions[j])
			room = append(room, p)
			parts = append(parts, &room[len(room)-1])
		}
	}
	return parts
}

// fetchTopic resolves a topic and fills in its other name.
func (b *Broker) fetchTopic(name string, id [16]byte, byID bool) (*Topic, string, [16]byte) {
	if t, code := b.topicOf(name, id, byID); code == wire.None {
		return t, t.Name, t.ID
	}
	return nil, name, id
}

// ask takes over what a request wants of the partition.
func (p *fetchPart) ask(q *kmsg.FetchRequestTopicPartition) {
	p.epoch, p.offset, p.maxBytes = q.CurrentLeaderEpoch, q.FetchOffset, int64(q.PartitionMaxBytes)
	p.last, p.logStart = q.LastFetchedEpoch, q.LogStartOffset
}

// update lets partitions be added, changed and forgotten.
func (s *fetchSession) update(b *Broker, req *kmsg.FetchRequest) {
	for i := range req.Topics {
		t := &req.Topics[i]
		topic, name, id := b.fetchTopic(t.Topic, t.TopicID, s.byID)
		for j := range t.Partitions {
			q := &t.Partitions[j]
			n := s.find(name, id, q.Partition)
			if n < 0 {
				p := &fetchPart{
					topic: topic, name: name, id: id, index: q.Partition, hw: -1, start: -1,
				}
				n = len(s.parts)
				s.parts = append(slices.Clip(s.parts), p)
			}
			s.parts[n].ask(q)
		}
	}
	for i := range req.ForgottenTopics {
		t := &req.ForgottenTopics[i]
		_, name, id := b.fetchTopic(t.Topic, t.TopicID, s.byID)
		for _, index := range t.Partitions {
			if n := s.find(name, id, index); n >= 0 {
				s.parts = slices.Delete(slices.Clone(s.parts), n, n+1)
			}
		}
	}
}

func (s *fetchSession) find(name string, id [16]byte, index int32) int {
	for i, p := range s.parts {
		if p.index == index && (s.byID && p.id == id || !s.byID && p.name == name) {
			return i
		}
	}
	return -1
}

// news says whether an incremental answer must list the partition (E16).
func (p *fetchPart) news(v *reading) bool {
	return v.code != wire.None || len(v.records) > 0 || v.hw != p.hw || v.start != p.start ||
		v.diverge.epoch >= 0 || v.preferred != 0
}

// told remembers what the client knows now. After an error it is as if it knew nothing, so that the
// next good state is sent (E16).
func (p *fetchPart) told(v *reading) { p.hw, p.start = v.hw, v.start }

// rotate moves the partitions that returned records to the end, so that those which the byte limit
// left empty come first next time (E16). reads belongs to parts, index by index.
func (s *fetchSession) rotate(reads []reading) {
	some := false
	for i := range s.parts {
		some = some || len(reads[i].records) > 0
	}
	if !some || len(s.parts) == 1 {
		return
	}
	var moved [16]*fetchPart // most answers carry few
	last := moved[:0]
	kept := s.parts[:0]
	for i, p := range s.parts {
		if len(reads[i].records) > 0 {
			last = append(last, p)
		} else {
			kept = append(kept, p)
		}
	}
	s.parts = append(kept, last...)
}

// openSession gives the client of a full fetch a session, if there is a slot (E17).
func (b *Broker) openSession(f *fetching) *fetchSession {
	c := &b.sessions
	if len(f.parts) == 0 || len(c.list) >= b.cluster.cfg.sessionSlots && !c.evict(b.env.Now(), f) {
		return nil
	}
	s := &fetchSession{epoch: 1, byID: f.byID, parts: f.parts, used: b.env.Now()}
	for s.id == 0 || c.byID[s.id] != nil {
		s.id = int32(b.env.Rand("fetch-session").Below(math.MaxInt32)) + 1
	}
	if c.byID == nil {
		c.byID = map[int32]*fetchSession{}
	}
	c.byID[s.id] = s
	c.list = append(c.list, s)
	return s
}

// evict frees a slot: that of the session unused for longest, if that is long enough, else that of
// the smallest one, if the new one is larger.
func (c *sessionCache) evict(now sim.Time, f *fetching) bool {
	if len(c.list) == 0 {
		return false
	}
	oldest, smallest := c.list[0], c.list[0]
	for _, s := range c.list {
		if s.used < oldest.used {
			oldest = s
		}
		if len(s.parts) < len(smallest.parts) {
			smallest = s
		}
	}
	switch {
	case now.Sub(oldest.used) >= sessionIdle:
		c.remove(oldest.id)
	case len(smallest.parts) < len(f.parts):
		c.remove(smallest.id)
	default:
		return false
	}
	return true
}

func (c *sessionCache) remove(id int32) {
	s := c.byID[id]
	if s == nil {
		return
	}
	delete(c.byID, id)
	i := slices.Index(c.list, s)
	c.list = slices.Delete(c.list, i, i+1)
}
