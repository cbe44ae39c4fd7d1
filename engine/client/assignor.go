package client

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/wire"
)

// offers are the assignors that a JoinGroup offers, in order of preference, each with its own user
// data (D14). [ConsumerCoordinator.metadata]
func (c *Consumer) offers() []kmsg.JoinGroupRequestProtocol {
	var offers []kmsg.JoinGroupRequestProtocol
	for _, name := range c.cfg.PartitionAssignmentStrategy {
		p := kmsg.NewJoinGroupRequestProtocol()
		p.Name = name
		s := wire.Subscription{
			Version: wire.SubscriptionVersion, Topics: c.sub.topics, UserData: c.userData(name),
			Owned: c.sub.assignment(), Generation: c.grp.generation, Rack: c.cfg.ClientRack,
		}
		if c.cfg.Library.Generations { // kafka-go tells no more than its topics
			s = wire.Subscription{Topics: s.Topics, UserData: s.UserData}
		}
		p.Metadata = wire.EncodeSubscription(s)
		offers = append(offers, p)
	}
	return offers
}

// userData is what the assignor of that name adds to the subscription.
func (c *Consumer) userData(name string) []byte {
	if a, ok := c.cfg.assignor(name).(assign.Annotator); ok {
		return a.UserData(c.cfg.ClientRack, c.grp.memories[name])
	}
	return nil
}

// remember tells the assignor that the group has chosen of the assignment; the others learn nothing
// of it. [ConsumerPartitionAssignor.onAssignment]
func (c *Consumer) remember(assigned []TopicPartition) {
	if c.grp.memories == nil {
		c.grp.memories = map[string]*assign.Memory{}
	}
	c.grp.memories[c.grp.protocol] = &assign.Memory{
		Partitions: assigned, Generation: c.grp.generation,
	}
}

// computeAssignment asks the chosen assignor who gets what.
// [ConsumerCoordinator.onLeaderElected]
func (c *Consumer) computeAssignment(
	r *kmsg.JoinGroupResponse,
) ([]kmsg.SyncGroupRequestGroupAssignment, *Error) {
	protocol := c.grp.protocol
	if !slices.Contains(c.cfg.PartitionAssignmentStrategy, protocol) {
		return nil, illegalState("Coordinator selected invalid assignment protocol: %s", protocol)
	}
	group := members(r)
	assignments := c.cfg.assignor(protocol).Assign(group, c.assignTopics())
	if assignments == nil {
		return nil, illegalState("assignor %s has failed", protocol)
	}
	if c.cfg.cooperative() && protocol != (assign.CooperativeSticky{}).Name() {
		if err := checkCooperative(group, assignments); err != nil {
			return nil, err
		}
	}
	var out []kmsg.SyncGroupRequestGroupAssignment
	for _, m := range assignments {
		s := kmsg.NewSyncGroupRequestGroupAssignment()
		s.MemberID = m.ID
		s.MemberAssignment = wire.EncodeAssignment(wire.Assignment{
			Version: wire.SubscriptionVersion, Partitions: m.Partitions,
		})
		out = append(out, s)
	}
	return out, nil
}

// checkCooperative refuses an assignment that gives a member what another still owns: under the
// cooperative protocol a partition must be without owner for a round first. The built-in
// cooperative-sticky sees to that itself. [validateCooperativeAssignment]
func checkCooperative(group []assign.Member, assignments []assign.MemberAssignment) *Error {
	given := map[TopicPartition]int{}
	for i, m := range assignments {
		for _, tp := range m.Partitions {
			given[tp] = i
		}
	}
	for i := range group {
		for _, tp := range group[i].Owned {
			to, ok := given[tp]
			if ok && to != i && !slices.Contains(group[to].Owned, tp) {
				return illegalState("Assignor supporting the COOPERATIVE protocol violates its "+
					"requirements: %v goes to %s while %s still owns it; leave it out for one round",
					tp, group[to].ID, group[i].ID)
			}
		}
	}
	return nil
}

// members are the group's members as their subscriptions tell, in the order of the answer.
func members(r *kmsg.JoinGroupResponse) []assign.Member {
	list := make([]assign.Member, 0, len(r.Members))
	for i := range r.Members {
		m := assign.Member{ID: r.Members[i].MemberID, Generation: noGeneration}
		if id := r.Members[i].InstanceID; id != nil {
			m.InstanceID = *id
		}
		if s, err := wire.DecodeSubscription(r.Members[i].ProtocolMetadata); err == nil {
			m.Topics, m.Owned, m.Generation, m.Rack = s.Topics, s.Owned, s.Generation, s.Rack
			m.UserData = s.UserData
		}
		list = append(list, m)
	}
	return list
}

// assignTopics are the group's topics as the leader's metadata has them; those that it does not know
// are left out (D6).
func (c *Consumer) assignTopics() []assign.Topic {
	var topics []assign.Topic
	for _, name := range c.sub.group {
		if t := c.meta.topic(name); t != nil {
			topics = append(topics, assign.Topic{
				Name: name, Partitions: int32(len(t.parts)),
				Racks: c.meta.replicaRacks(t), LeaderRacks: c.meta.leaderRacks(t),
			})
		}
	}
	return topics
}
