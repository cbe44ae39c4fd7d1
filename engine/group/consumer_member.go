package group

import (
	"bytes"
	"slices"
	"time"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// consumerMember is a member of a group of the consumer protocol. It never changes: a change makes
// another one that takes its place, so that what is and what shall be can be compared.
type consumerMember struct {
	id, instance, rack string // instance is empty for a dynamic member
	ref                trace.Ref
	client             Client
	rebalanceTimeout   time.Duration
	topics             []string // sorted
	regex              string   // empty for none
	assignor           string   // empty for the group's default
	classic            *wire.ClassicMemberValue

	epoch, previous int32
	state           int64 // a trace.Member value
	// assigned are the partitions it may use, revoking those it was told to give up.
	assigned, revoking []holding
}

// holding is a partition of a member and the epoch in which it was given to it (KIP-1251).
type holding struct {
	partition assign.TopicIDPartition
	since     int32
}

// Member epochs that are not epochs.
const (
	epochJoin        int32 = 0
	epochLeave       int32 = -1
	epochLeaveStatic int32 = -2 // a static member that will be back
)

// with is a copy of m that change has changed.
func (m *consumerMember) with(change func(n *consumerMember)) *consumerMember {
	n := *m
	change(&n)
	return &n
}

// move sets the epoch and remembers the one before: its answer may be lost (F8).
func (m *consumerMember) move(epoch int32) { m.previous, m.epoch = m.epoch, epoch }

func (m *consumerMember) instanceID() *string { return orNull(m.instance) }

func (m *consumerMember) reconciledTo(epoch int32) bool {
	return m.state == trace.MemberStable && m.epoch == epoch
}

// sameDescription says whether two states of a member tell the same of it, so that nothing needs to
// be written.
func (m *consumerMember) sameDescription(o *consumerMember) bool {
	return m.instance == o.instance && m.rack == o.rack && m.client == o.client &&
		m.rebalanceTimeout == o.rebalanceTimeout && slices.Equal(m.topics, o.topics) &&
		m.regex == o.regex && m.assignor == o.assignor && sameClassic(m.classic, o.classic)
}

func sameClassic(a, b *wire.ClassicMemberValue) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.SessionTimeoutMillis == b.SessionTimeoutMillis &&
		slices.EqualFunc(a.Protocols, b.Protocols, func(p, q wire.ClassicProtocol) bool {
			return p.Name == q.Name && bytes.Equal(p.Metadata, q.Metadata)
		})
}

// sameAssignment says whether two states of a member have the same place in the group.
func (m *consumerMember) sameAssignment(o *consumerMember) bool {
	return m.epoch == o.epoch && m.previous == o.previous && m.state == o.state &&
		slices.Equal(m.assigned, o.assigned) && slices.Equal(m.revoking, o.revoking)
}

// description is what is written of it as a subscription.
func (m *consumerMember) description() *wire.ConsumerMemberValue {
	return &wire.ConsumerMemberValue{
		InstanceID: m.instanceID(), RackID: orNull(m.rack),
		ClientID: m.client.ID, ClientHost: m.client.Host,
		Topics: m.topics, Regex: orNull(m.regex), Assignor: orNull(m.assignor),
		RebalanceTimeoutMillis: int32(m.rebalanceTimeout / time.Millisecond), Classic: m.classic,
	}
}

// describe takes over what was written.
func (m *consumerMember) describe(v *wire.ConsumerMemberValue) {
	m.instance, m.rack = deref(v.InstanceID), deref(v.RackID)
	m.client = Client{v.ClientID, v.ClientHost}
	m.topics, m.regex, m.assignor = sortedNames(v.Topics), deref(v.Regex), deref(v.Assignor)
	m.rebalanceTimeout, m.classic = millis(v.RebalanceTimeoutMillis), v.Classic
}

// place is what is written of it as its current assignment.
func (m *consumerMember) place() *wire.CurrentAssignmentValue {
	return &wire.CurrentAssignmentValue{
		Epoch: m.epoch, PreviousEpoch: m.previous, State: int8(m.state),
		Assigned: holdingTopics(m.assigned), Revoking: holdingTopics(m.revoking),
	}
}

func (m *consumerMember) takePlace(v *wire.CurrentAssignmentValue) {
	m.epoch, m.previous, m.state = v.Epoch, v.PreviousEpoch, int64(v.State)
	m.assigned = topicHoldings(v.Assigned, v.Epoch)
	m.revoking = topicHoldings(v.Revoking, v.Epoch)
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// find is the epoch in which a partition was given; ok is false if it is not among the holdings.
func find(list []holding, p assign.TopicIDPartition) (since int32, ok bool) {
	i, ok := slices.BinarySearchFunc(list, p, func(h holding, p assign.TopicIDPartition) int {
		return h.partition.Compare(p)
	})
	if !ok {
		return 0, false
	}
	return list[i].since, true
}

func holds(list []holding, p assign.TopicIDPartition) bool {
	_, ok := find(list, p)
	return ok
}

func sortHoldings(list []holding) []holding {
	slices.SortFunc(list, func(a, b holding) int { return a.partition.Compare(b.partition) })
	return list
}

// holdingTopics puts the partitions of a topic together.
func holdingTopics(list []holding) []wire.TopicPartitions {
	out := []wire.TopicPartitions{}
	for _, h := range list {
		n := len(out)
		if n == 0 || out[n-1].TopicID != h.partition.Topic {
			out = append(out, wire.TopicPartitions{TopicID: h.partition.Topic})
			n++
		}
		out[n-1].Partitions = append(out[n-1].Partitions, h.partition.Partition)
		out[n-1].Epochs = append(out[n-1].Epochs, h.since)
	}
	return out
}

// topicHoldings is the reverse; epoch stands in where none was written (before 4.3).
func topicHoldings(topics []wire.TopicPartitions, epoch int32) []holding {
	var out []holding
	for _, t := range topics {
		for i, p := range t.Partitions {
			h := holding{assign.TopicIDPartition{Topic: t.TopicID, Partition: p}, epoch}
			if t.Epochs != nil {
				h.since = t.Epochs[i]
			}
			out = append(out, h)
		}
	}
	return sortHoldings(out)
}

// targetTopics puts the partitions of a topic together; list is sorted.
func targetTopics(list []assign.TopicIDPartition) []wire.TopicPartitions {
	out := []wire.TopicPartitions{}
	for _, p := range list {
		n := len(out)
		if n == 0 || out[n-1].TopicID != p.Topic {
			out = append(out, wire.TopicPartitions{TopicID: p.Topic})
			n++
		}
		out[n-1].Partitions = append(out[n-1].Partitions, p.Partition)
	}
	return out
}

func targetPartitions(topics []wire.TopicPartitions) []assign.TopicIDPartition {
	var out []assign.TopicIDPartition
	for _, t := range topics {
		for _, p := range t.Partitions {
			out = append(out, assign.TopicIDPartition{Topic: t.TopicID, Partition: p})
		}
	}
	slices.SortFunc(out, assign.TopicIDPartition.Compare)
	return out
}
