package group

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// DescribeConsumer answers for one group of a ConsumerGroupDescribe request; a classic or unknown
// group is not found (F20).
func (c *Coordinator) DescribeConsumer(id string) kmsg.ConsumerGroupDescribeResponseGroup {
	r := kmsg.NewConsumerGroupDescribeResponseGroup()
	r.Group = id
	s, code := c.route(id)
	if id == "" {
		code = wire.InvalidGroupID
	}
	if code != wire.None {
		r.ErrorCode = int16(code)
		return r
	}
	g := s.groups[id]
	if g == nil || g.consumer == nil {
		text := "Group " + id + " is not a consumer group."
		r.ErrorCode, r.ErrorMessage = int16(wire.GroupIDNotFound), &text
		return r
	}
	cg := g.consumer
	r.State, r.Epoch, r.AssignmentEpoch = trace.GroupStateNames[g.state], cg.epoch, cg.targetEpoch
	r.AssignorName = cg.preferredAssignor(cg.members())
	for _, m := range cg.members() {
		r.Members = append(r.Members, cg.describeMember(m))
	}
	return r
}

// describeMember: what a member must still give up counts as its own.
func (cg *consumerGroup) describeMember(
	m *consumerMember,
) kmsg.ConsumerGroupDescribeResponseGroupMember {
	d := kmsg.NewConsumerGroupDescribeResponseGroupMember()
	d.MemberID, d.InstanceID, d.RackID = m.id, m.instanceID(), orNull(m.rack)
	d.MemberEpoch, d.ClientID, d.ClientHost = m.epoch, m.client.ID, m.client.Host
	d.SubscribedTopics, d.SubscribedTopicRegex = m.topics, orNull(m.regex)
	d.MemberType = 1
	if m.classic != nil {
		d.MemberType = 0
	}
	var held []holding
	held = append(append(held, m.assigned...), m.revoking...)
	var list []assign.TopicIDPartition
	for _, h := range sortHoldings(held) {
		list = append(list, h.partition)
	}
	d.Assignment = cg.c.described(list)
	d.TargetAssignment = cg.c.described(cg.targets[m.id])
	return d
}

func (c *Coordinator) described(list []assign.TopicIDPartition) kmsg.Assignment {
	a := kmsg.NewAssignment()
	for _, t := range targetTopics(list) {
		topic := c.topics.TopicByID(t.TopicID)
		if topic == nil {
			continue
		}
		o := kmsg.NewAssignmentTopicPartition()
		o.TopicID, o.Topic, o.Partitions = t.TopicID, topic.Name, t.Partitions
		a.TopicPartitions = append(a.TopicPartitions, o)
	}
	return a
}
