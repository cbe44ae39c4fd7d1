package client

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// session is the client's side of a fetch session (KIP-227): a broker that knows what this consumer
// reads is told only what has changed (E14-E16). [FetchSessionHandler]
type session struct {
	id    int32
	epoch int32         // of the next request; 0 asks for a new session
	parts []sessionPart // in the session's order
	spare []sessionPart
}

// sessionPart is what the broker was last told of a partition.
type sessionPart struct {
	p       *partition
	topicID [16]byte
	offset  int64
	leader  int32 // leader epoch
	wanted  bool  // scratch of request: still to be fetched
	changed bool  // scratch of request: to be sent
}

// finalEpoch closes a session.
const finalEpoch int32 = -1

// fetchBox is a request with room for the usual case: one topic, few partitions. It is used again
// once it has been answered; one whose fate is not known stays with the network.
type fetchBox struct {
	frame wire.Frame
	req   kmsg.FetchRequest
	topic [1]kmsg.FetchRequestTopic
	parts [3]kmsg.FetchRequestTopicPartition
}

// request makes the next fetch of f.next: all of it for a new session, else what has changed since,
// what is new, and what is to be forgotten.
func (f *fetcher) request() *fetchBox {
	if f.box == nil {
		f.box = new(fetchBox)
	}
	box := f.box
	req := &box.req
	*req = f.c.fetch.base
	s := &f.session
	req.SessionID, req.SessionEpoch = s.id, s.epoch
	req.Topics = box.topic[:0]
	if s.epoch == 0 {
		s.parts = s.parts[:0]
	}
	for i := range s.parts {
		s.parts[i].wanted, s.parts[i].changed = false, false
	}
	known := len(s.parts)
	for _, p := range f.next {
		f.want(p, known)
	}
	s.reorder(req)
	for i := range s.parts {
		if s.parts[i].changed {
			f.add(box, &s.parts[i])
			f.asked(&s.parts[i])
		}
	}
	return box
}

// want notes that p is to be fetched; the first known parts are those of the session so far.
func (f *fetcher) want(p *partition, known int) {
	s := &f.session
	id, leader := noID, p.leader
	if t := f.c.meta.topic(p.tp.Topic); t != nil {
		id = t.id
	}
	for i := range s.parts[:known] {
		part := &s.parts[i]
		if part.p.tp != p.tp {
			continue
		}
		part.changed = part.offset != p.position || part.leader != leader.epoch ||
			part.topicID != id
		part.p, part.topicID, part.offset, part.leader = p, id, p.position, leader.epoch
		part.wanted = true
		return
	}
	s.parts = append(s.parts, sessionPart{
		p: p, topicID: id, offset: p.position, leader: leader.epoch, wanted: true, changed: true,
	})
}

// reorder moves what has changed to the end of the session and names what is forgotten.
func (s *session) reorder(req *kmsg.FetchRequest) {
	kept := s.spare[:0]
	for _, changed := range [2]bool{false, true} {
		for i := range s.parts {
			if s.parts[i].wanted && s.parts[i].changed == changed {
				kept = append(kept, s.parts[i])
			}
		}
	}
	for i := range s.parts {
		if !s.parts[i].wanted {
			forget(req, &s.parts[i])
		}
	}
	s.parts, s.spare = kept, s.parts
}

func forget(req *kmsg.FetchRequest, part *sessionPart) {
	i := len(req.ForgottenTopics) - 1
	if i < 0 || req.ForgottenTopics[i].Topic != part.p.tp.Topic {
		t := kmsg.NewFetchRequestForgottenTopic()
		t.Topic, t.TopicID = part.p.tp.Topic, part.topicID
		req.ForgottenTopics = append(req.ForgottenTopics, t)
		i++
	}
	t := &req.ForgottenTopics[i]
	t.Partitions = append(t.Partitions, part.p.tp.Partition)
}

// asked tells the trace what a request lists; what stays in the session unlisted is not told (E16).
func (f *fetcher) asked(part *sessionPart) {
	env := f.c.env
	if f.peer == 0 {
		f.peer = env.Ref(f.link.peer)
	}
	env.Trace(trace.Event{
		Kind: trace.FetchAsked, Peer: f.peer, Name: part.p.ref, Part: part.p.tp.Partition,
		X: part.offset,
	})
}

func (f *fetcher) add(box *fetchBox, part *sessionPart) {
	req := &box.req
	q := f.c.fetch.part
	q.Partition, q.FetchOffset, q.CurrentLeaderEpoch = part.p.tp.Partition, part.offset, part.leader
	for i := range req.Topics {
		if req.Topics[i].Topic == part.p.tp.Topic {
			req.Topics[i].Partitions = append(req.Topics[i].Partitions, q)
			return
		}
	}
	t := kmsg.FetchRequestTopic{Topic: part.p.tp.Topic, TopicID: part.topicID}
	if len(req.Topics) == 0 {
		t.Partitions = box.parts[:0]
	}
	t.Partitions = append(t.Partitions, q)
	req.Topics = append(req.Topics, t)
}

// answered moves the session on and says whether the answer can be used.
func (s *session) answered(r *kmsg.FetchResponse) bool {
	switch code := wire.Code(r.ErrorCode); {
	case code == wire.FetchSessionIDNotFound:
		s.id, s.epoch = 0, 0
		return false
	case code != wire.None:
		s.renew()
		return false
	case r.SessionID == 0:
		s.id, s.epoch = 0, 0
	case s.epoch == 0:
		s.id, s.epoch = r.SessionID, 1
	case s.epoch == 1<<31-1:
		s.epoch = 1
	default:
		s.epoch++
	}
	return true
}

// renew closes the session by the next request, which asks for a new one.
func (s *session) renew() { s.epoch = 0 }

// forgetPreferred: the replica that these partitions were read from cannot be reached.
func (s *session) forgetPreferred() {
	for i := range s.parts {
		s.parts[i].p.preferred = noNode
	}
}

// find is what the broker was asked about a partition of its answer.
func (s *session) find(version int16, t *kmsg.FetchResponseTopic, number int32) *sessionPart {
	for i := range s.parts {
		part := &s.parts[i]
		if part.p.tp.Partition != number {
			continue
		}
		if version >= 13 && part.topicID == t.TopicID ||
			version < 13 && part.p.tp.Topic == t.Topic {
			return part
		}
	}
	return nil
}
