package group

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/wire"
)

// validateConsumerCommit says whether a commit may be made at all. It leaves commits of an older
// epoch to [group.checkStaleEpoch]. A commit does not keep a member's session alive here (F19).
func (g *group) validateConsumerCommit(req *kmsg.OffsetCommitRequest) wire.Code {
	cg := g.consumer
	if req.Generation < 0 && len(cg.byID) == 0 {
		return wire.None
	}
	m := cg.byID[req.MemberID]
	switch {
	case m == nil:
		return wire.UnknownMemberID
	case m.classic == nil && req.Version < 9:
		return wire.UnsupportedVersion
	case req.Generation > m.epoch:
		return m.staleEpoch()
	}
	return wire.None
}

// staleEpoch is how a member is told that its epoch is not the present one.
func (m *consumerMember) staleEpoch() wire.Code {
	if m.classic != nil {
		return wire.IllegalGeneration
	}
	return wire.StaleMemberEpoch
}

// checkStaleEpoch refuses the partitions of a commit by an older epoch that the member has not, or
// has only since later: what it has held all the time it may commit (KIP-1251, F19).
func (g *group) checkStaleEpoch(req *kmsg.OffsetCommitRequest, codes []wire.Code) {
	m := g.consumer.byID[req.MemberID]
	if m == nil || req.Generation == m.epoch {
		return
	}
	n := 0
	for i := range req.Topics {
		t := g.c.topics.Topic(req.Topics[i].Topic)
		for j := range req.Topics[i].Partitions {
			var p assign.TopicIDPartition
			if t != nil {
				p = assign.TopicIDPartition{
					Topic: t.ID, Partition: req.Topics[i].Partitions[j].Partition,
				}
			}
			since, held := find(m.assigned, p)
			if !held {
				since, held = find(m.revoking, p)
			}
			if !held || req.Generation < since {
				codes[n] = m.staleEpoch()
			}
			n++
		}
	}
}

// validateFetch checks who asks for committed offsets: a member must be in its present epoch, since
// what it reads with an old one may be out of date (B15).
func (cg *consumerGroup) validateFetch(who Asker) wire.Code {
	if who.MemberID == nil && who.Epoch < 0 {
		return wire.None
	}
	m := cg.byID[deref(who.MemberID)]
	switch {
	case m == nil:
		return wire.UnknownMemberID
	case who.Epoch != m.epoch:
		return m.staleEpoch()
	}
	return wire.None
}

// subscribes says whether some member reads the topic.
func (cg *consumerGroup) subscribes(topic string) bool {
	return slices.Contains(cg.subscribedTopics(cg.members(), cg.regexes), topic)
}
