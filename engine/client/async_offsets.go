package client

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// Commits and look-ups of offsets in the consumer protocol carry the member epoch, and topics by id
// where metadata knows them all. [CommitRequestManager]

// commitByID is the first version that names topics by id.
const commitByID = 10

func (m *asyncMembership) nameCommitByID(req *kmsg.OffsetCommitRequest) {
	for i := range req.Topics {
		t := m.c.meta.topic(req.Topics[i].Topic)
		if t == nil || t.id == noID {
			return
		}
		req.Topics[i].TopicID = t.id
	}
	req.SetVersion(commitByID)
}

func (m *asyncMembership) nameFetchByID(
	req *kmsg.OffsetFetchRequest, g *kmsg.OffsetFetchRequestGroup,
) {
	if epoch := m.epoch(); epoch > 0 {
		id := m.c.grp.memberID
		g.MemberID, g.MemberEpoch = &id, epoch
	}
	for i := range g.Topics {
		t := m.c.meta.topic(g.Topics[i].Topic)
		if t == nil || t.id == noID {
			return
		}
		g.Topics[i].TopicID = t.id
	}
	req.SetVersion(commitByID)
}

// commitError is what an answer to a commit means. A stale epoch fails the commit that the
// application made; the one before a rebalance is tried again by [asyncMembership.commitToReconcile].
func (m *asyncMembership) commitError(code wire.Code) error {
	c := m.c
	switch code {
	case wire.None:
		return nil
	case wire.CoordinatorNotAvailable, wire.NotCoordinator, wire.RequestTimedOut:
		c.coordinatorLost("error response " + code.Name())
		e := codeError(code)
		e.Retriable = true
		return e
	case wire.CoordinatorLoadInProgress, wire.UnknownTopicOrPartition, wire.UnknownTopicID:
		e := codeError(code)
		e.Retriable = true
		return e
	case wire.UnknownMemberID, wire.StaleMemberEpoch:
		c.log(logError, "OffsetCommit failed with "+code.Name())
		e := commitFailed()
		e.Code, e.Text = code, code.Name()+": "+e.Text
		return e
	case wire.GroupAuthorizationFailed, wire.TopicAuthorizationFailed, wire.OffsetMetadataTooLarge,
		wire.InvalidCommitOffsetSize:
		return codeError(code)
	}
	return &Error{Name: ErrKafka, Code: code, Text: "unexpected error in commit: " + code.Name()}
}

// metadataIDs are the topics that metadata is asked for by id: with a pattern that the coordinator
// matches the consumer knows its topics from the assignment alone (F24).
func (m *asyncMembership) metadataIDs() [][16]byte {
	if m.c.sub.serverPattern == nil {
		return nil
	}
	return m.assignedIDs()
}

// SubscribeServerPattern makes the consumer a reader of every topic whose name matches an expression
// in RE2's syntax, as a member of its group. The coordinator matches it, so a new topic is noticed
// by the broker; an expression that it cannot read is fatal (F16, KIP-848). It is an error with the
// classic protocol, or while the consumer is subscribed or assigned in another way.
func (c *Consumer) SubscribeServerPattern(text string, l Listener) error {
	if c.cfg.GroupID != "" && c.async == nil {
		return &Error{Name: "UnsupportedOperationException", Text: "a pattern that the broker " +
			"matches goes only with group.protocol = consumer"}
	}
	if c.sub.kind != subscribedNone && c.sub.serverPattern == nil {
		return illegalState("subscription to topics, partitions and pattern are mutually exclusive; " +
			"call unsubscribe() first")
	}
	c.sub.kind, c.sub.serverPattern, c.sub.listener = subscribedTopics, &text, l
	c.subscribe([]string{})
	return nil
}
