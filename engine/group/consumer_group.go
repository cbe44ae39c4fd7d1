package group

import (
	"slices"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// consumerGroup is what a group of the consumer protocol is beyond its id, state and offsets
// (KIP-848). Its three epochs tell how far it is: the group epoch counts what must lead to another
// assignment, the target epoch is that of the assignment computed last, and every member's own says
// which one it has taken up (F7).
//
// Records are its state: a request never changes it, but writes records whose replay does, now as
// after a fail-over ([Coordinator.applyConsumer]).
type consumerGroup struct {
	c     *Coordinator
	id    string
	epoch int32
	// hash stands for the subscribed topics as they were when the epoch was set (KIP-1101).
	hash        int64
	targetEpoch int32
	targetAt    int64 // when it was computed, in milliseconds; 0 for not known

	byID    map[string]*consumerMember
	order   []string          // member ids in order of joining
	statics map[string]string // member ids by instance id
	targets map[string][]assign.TopicIDPartition
	// owners are the epochs of the members that hold the partitions, to be revoked ones included
	// (F11). A partition without one is free.
	owners  map[assign.TopicIDPartition]int32
	regexes []resolvedRegex // sorted by expression

	seen      int64 // version of the metadata that hash was compared with last; -1: none
	resolving bool  // topics of regular expressions are being looked up
	timers    map[string]*consumerTimers
}

// newConsumerGroup: the group epoch begins at 1, so the first member that subscribes to something is
// in epoch 2 (4.3; 1 before).
func newConsumerGroup(c *Coordinator, id string) *consumerGroup {
	return &consumerGroup{
		c: c, id: id, epoch: 1, seen: -1, byID: map[string]*consumerMember{}, statics: map[string]string{},
		targets: map[string][]assign.TopicIDPartition{},
		owners:  map[assign.TopicIDPartition]int32{}, timers: map[string]*consumerTimers{},
	}
}

// members lists the members in order of joining.
func (cg *consumerGroup) members() []*consumerMember {
	list := make([]*consumerMember, len(cg.order))
	for i, id := range cg.order {
		list[i] = cg.byID[id]
	}
	return list
}

// static finds a static member by its instance id; nil if there is none.
func (cg *consumerGroup) static(instance string) *consumerMember {
	if instance == "" {
		return nil
	}
	return cg.byID[cg.statics[instance]]
}

// targetOf is the target assignment of a member; a static one that is new has that of the member
// whose place it takes.
func (cg *consumerGroup) targetOf(m *consumerMember) []assign.TopicIDPartition {
	if m.instance == "" {
		return cg.targets[m.id]
	}
	return cg.targets[cg.statics[m.instance]]
}

// withMember is the list of members with m in its place, or added; another member of the same
// instance goes.
func (cg *consumerGroup) withMember(m *consumerMember) []*consumerMember {
	list := cg.members()
	i := slices.IndexFunc(list, func(o *consumerMember) bool {
		return o.id == m.id || m.instance != "" && o.instance == m.instance
	})
	if i < 0 {
		return append(list, m)
	}
	list[i] = m
	return list
}

// put takes m in and keeps owners and instances in step.
func (cg *consumerGroup) put(m *consumerMember) {
	old := cg.byID[m.id]
	if old == nil {
		cg.order = append(cg.order, m.id)
	} else {
		cg.release(old)
	}
	cg.byID[m.id] = m
	cg.claim(m)
	if m.instance != "" {
		cg.statics[m.instance] = m.id
	}
}

func (cg *consumerGroup) drop(m *consumerMember) {
	cg.release(m)
	delete(cg.byID, m.id)
	cg.order = slices.DeleteFunc(cg.order, func(id string) bool { return id == m.id })
	if cg.statics[m.instance] == m.id {
		delete(cg.statics, m.instance)
	}
}

// claim notes what m holds. That a partition has one owner is the protocol's promise: breaking it is
// a fault of this program.
func (cg *consumerGroup) claim(m *consumerMember) {
	for _, list := range [][]holding{m.assigned, m.revoking} {
		for _, h := range list {
			if epoch, taken := cg.owners[h.partition]; taken && epoch >= m.epoch {
				panic("group: a partition of " + cg.id + " goes to " + m.id + " while it is held")
			}
			cg.owners[h.partition] = m.epoch
		}
	}
}

func (cg *consumerGroup) release(m *consumerMember) {
	for _, list := range [][]holding{m.assigned, m.revoking} {
		for _, h := range list {
			if cg.owners[h.partition] == m.epoch {
				delete(cg.owners, h.partition)
			}
		}
	}
}

func (cg *consumerGroup) free(p assign.TopicIDPartition) bool {
	_, taken := cg.owners[p]
	return !taken
}

// state follows from epochs and members (F13).
func (cg *consumerGroup) state() int64 {
	switch {
	case len(cg.byID) == 0:
		return trace.GroupEmpty
	case cg.epoch > cg.targetEpoch:
		return trace.GroupAssigning
	}
	for _, id := range cg.order {
		if !cg.byID[id].reconciledTo(cg.targetEpoch) {
			return trace.GroupReconciling
		}
	}
	return trace.GroupStable
}

// subscribedTopics are the topics that members name or that their expressions match, each once.
func (cg *consumerGroup) subscribedTopics(
	members []*consumerMember, regexes []resolvedRegex,
) []string {
	var topics []string
	var last *consumerMember
	for _, m := range members {
		if last != nil && slices.Equal(m.topics, last.topics) && m.regex == last.regex {
			continue
		}
		last = m
		topics = append(topics, m.topics...)
		topics = append(topics, matches(regexes, m.regex)...)
	}
	slices.SortFunc(topics, wire.CompareUTF16)
	return slices.Compact(topics)
}

// topicIDs are the ids of the topics that a member subscribes to and that exist.
func (cg *consumerGroup) topicIDs(m *consumerMember) []assign.TopicID {
	names := m.topics
	if m.regex != "" {
		names = cg.subscribedTopics([]*consumerMember{m}, cg.regexes)
	}
	var ids []assign.TopicID
	for _, name := range names {
		if t := cg.c.topics.Topic(name); t != nil {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// heterogeneous says whether members subscribe differently, which costs the assignor more.
// [ConsumerGroup.subscriptionType]
func (cg *consumerGroup) heterogeneous(members []*consumerMember) bool {
	for _, m := range members {
		if m.regex != members[0].regex || !slices.Equal(m.topics, members[0].topics) ||
			m.regex != "" && len(m.topics) > 0 {
			return true
		}
	}
	return false
}

// classicMembers counts the members that speak the classic protocol.
func (cg *consumerGroup) classicMembers() int {
	n := 0
	for _, m := range cg.byID {
		if m.classic != nil {
			n++
		}
	}
	return n
}
