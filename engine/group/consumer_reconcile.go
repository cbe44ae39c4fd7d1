package group

import (
	"slices"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
)

// reconciliation brings one member nearer to its target assignment: what it must give up first, then
// what is free for it (F10, F11). [CurrentAssignmentBuilder]
type reconciliation struct {
	member *consumerMember
	epoch  int32 // of the target
	target []assign.TopicIDPartition
	// changed says that this very request has changed the subscription.
	changed bool
	// owned is what the member says it holds; told is false if it says nothing.
	owned      []assign.TopicIDPartition
	told       bool
	subscribed []assign.TopicID
	free       func(assign.TopicIDPartition) bool
}

// next is the member's next state; the member itself if it cannot go on.
func (r *reconciliation) next() *consumerMember {
	m := r.member
	switch m.state {
	case trace.MemberStable:
		switch {
		case m.epoch != r.epoch:
			return r.advance()
		case r.changed:
			return r.forgetTopics()
		}
		return m
	case trace.MemberUnrevoked:
		if r.ownsAny(m.revoking) {
			if r.changed {
				return r.forgetTopics()
			}
			return m
		}
	}
	return r.advance()
}

// ownsAny says whether the member still has some of list, as far as it lets know.
func (r *reconciliation) ownsAny(list []holding) bool {
	return !r.told || slices.ContainsFunc(r.owned, func(p assign.TopicIDPartition) bool {
		return holds(list, p)
	})
}

func (r *reconciliation) subscribes(topic assign.TopicID) bool {
	return slices.Contains(r.subscribed, topic)
}

// advance splits the target into what is kept, what must be revoked and what can be given.
func (r *reconciliation) advance() *consumerMember {
	m := r.member
	var kept, revoking []holding
	for _, h := range m.assigned {
		if r.wants(h.partition) {
			kept = append(kept, h)
		} else {
			revoking = append(revoking, h)
		}
	}
	if len(revoking) > 0 && r.ownsAny(revoking) {
		return m.with(func(n *consumerMember) {
			n.state = trace.MemberUnrevoked
			n.move(m.epoch)
			n.assigned, n.revoking = kept, revoking
		})
	}
	state := trace.MemberStable
	for _, p := range r.target {
		switch {
		case !r.subscribes(p.Topic) || holds(kept, p):
		case r.free(p) || holds(m.revoking, p): // its own to be revoked ones are as good as free
			kept = append(kept, holding{p, r.epoch})
		default:
			state = trace.MemberUnreleased
		}
	}
	return m.with(func(n *consumerMember) {
		n.state = state
		n.move(r.epoch)
		n.assigned, n.revoking = sortHoldings(kept), nil
	})
}

func (r *reconciliation) wants(p assign.TopicIDPartition) bool {
	_, in := slices.BinarySearchFunc(r.target, p, assign.TopicIDPartition.Compare)
	return in && r.subscribes(p.Topic)
}

// forgetTopics takes away what the member no longer subscribes to, without waiting for a new target.
func (r *reconciliation) forgetTopics() *consumerMember {
	m := r.member
	var kept []holding
	revoking := slices.Clone(m.revoking)
	for _, h := range m.assigned {
		if r.subscribes(h.partition.Topic) {
			kept = append(kept, h)
		} else {
			revoking = append(revoking, h)
		}
	}
	if len(kept) == len(m.assigned) {
		return m
	}
	sortHoldings(revoking)
	return m.with(func(n *consumerMember) {
		n.move(m.epoch)
		n.assigned = kept
		if r.ownsAny(revoking) {
			n.state, n.revoking = trace.MemberUnrevoked, revoking
		}
	})
}
