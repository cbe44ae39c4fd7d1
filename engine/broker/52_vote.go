package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// Vote, key 52, versions 0-2 (2 adds the question before the vote, KIP-996).
//
// A voter gives one vote an epoch, to the first who asks, unless the candidate knows less of the
// metadata log. The question before the vote is answered yes by who has not heard of a controller
// for the fetch timeout; it binds nobody.
func (b *Broker) vote(req *kmsg.VoteRequest) *kmsg.VoteResponse {
	r := kmsg.NewPtrVoteResponse()
	if len(req.Topics) != 1 || len(req.Topics[0].Partitions) != 1 {
		r.ErrorCode = int16(wire.InvalidRequest)
		return r
	}
	q := &req.Topics[0].Partitions[0]
	p := kmsg.NewVoteResponseTopicPartition()
	p.VoteGranted = b.grants(q)
	p.LeaderEpoch, p.LeaderID = b.quorum.epoch, b.quorum.leader
	if p.LeaderID == 0 {
		p.LeaderID = -1
	}
	t := kmsg.NewVoteResponseTopic()
	t.Topic, t.Partitions = wire.MetadataTopic, []kmsg.VoteResponseTopicPartition{p}
	r.Topics = append(r.Topics, t)
	return r
}

func (b *Broker) grants(q *kmsg.VoteRequestTopicPartition) bool {
	s := &b.quorum
	behind := q.LastOffset < b.image.offset
	if q.PreVote {
		silent := s.leader != b.id && b.env.Now().Sub(s.heard) >= fetchTimeout
		return silent && !behind && q.CandidateEpoch > s.epoch
	}
	taken := s.leader != 0 || s.voted == s.epoch
	if q.CandidateEpoch < s.epoch || q.CandidateEpoch == s.epoch && taken {
		return false
	}
	if q.CandidateEpoch > s.epoch {
		b.follow(q.CandidateEpoch, 0)
	}
	if behind {
		return false
	}
	s.voted = q.CandidateEpoch
	return true
}
