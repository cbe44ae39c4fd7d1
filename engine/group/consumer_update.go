package group

import (
	"slices"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// subscriptionUpdate is what a member's request does to its group: the description, the group epoch
// if something has changed that an assignment depends on, and a new target (F7).
type subscriptionUpdate struct {
	ch     *change
	cg     *consumerGroup
	old    *consumerMember // as the group knows it
	member *consumerMember // as the request describes it

	// changed says that the subscription is another one, by names or expression.
	changed     bool
	bump        bool // the group epoch must grow
	epoch       int32
	targetEpoch int32
	target      []assign.TopicIDPartition
	refresh     regexRefresh
}

// run writes the description, the epoch and the target. Only a bad regular expression refuses it.
func (u *subscriptionUpdate) run() wire.Code {
	code := u.describe()
	if code == wire.None {
		u.updateTarget()
	}
	return code
}

func (u *subscriptionUpdate) describe() wire.Code {
	if !u.member.sameDescription(u.old) {
		u.ch.describe(u.member)
	}
	if !slices.Equal(u.member.topics, u.old.topics) {
		u.changed, u.bump = true, true
	}
	if code := u.updateRegex(); code != wire.None {
		return code
	}
	u.epoch = u.cg.epoch
	version, _ := u.cg.c.topics.Versions()
	if u.bump || u.cg.seen != version {
		u.updateEpoch(version)
	}
	return wire.None
}

// updateEpoch counts the group epoch up if the subscription has changed, or the topics themselves:
// new ones, new partitions. The first member that heartbeats after such a change finds it (F14).
func (u *subscriptionUpdate) updateEpoch(version int64) {
	members := u.cg.withMember(u.member)
	hash := metadataHash(u.cg.c.topics, u.cg.subscribedTopics(members, u.cg.regexes))
	if u.bump || hash != u.cg.hash {
		u.epoch++
		u.ch.epoch(u.epoch, hash)
	}
	u.ch.do(func() { u.ch.shard.groups[u.ch.id].consumer.seen = version })
}

// updateTarget computes a target assignment for the present epoch, unless there is one, or the last
// one is younger than group.consumer.assignment.interval.ms: then a later heartbeat of any member
// does it (F6, KIP-1263).
func (u *subscriptionUpdate) updateTarget() {
	u.targetEpoch, u.target = u.cg.targetEpoch, u.cg.targetOf(u.member)
	now := u.cg.c.env.Now().Millis()
	interval := u.cg.c.cfg.assignmentInterval(u.cg.id).Milliseconds()
	if u.targetEpoch >= u.epoch ||
		u.cg.targetAt != 0 && interval != 0 && now < u.cg.targetAt+interval {
		return
	}
	members := u.cg.withMember(u.member)
	name := u.cg.preferredAssignor(members)
	for _, t := range u.cg.assign(name, members) {
		old, known := u.cg.targets[t.ID]
		if !known || !slices.Equal(old, t.Partitions) {
			u.ch.target(t.ID, t.Partitions)
		}
		if t.ID == u.member.id {
			u.target = t.Partitions
		}
	}
	u.targetEpoch = u.epoch
	u.ch.targetEpoch(u.epoch, now)
	u.ch.do(func() {
		u.ch.shard.groups[u.ch.id].emit(trace.Event{
			Kind: trace.GroupProtocol, Peer: u.cg.c.env.Ref(name), X: int64(u.epoch),
		})
	})
}

// reconcile brings the member nearer to its target and writes its new place.
func (u *subscriptionUpdate) reconcile(owned []assign.TopicIDPartition, told bool) *consumerMember {
	if !u.changed && u.member.reconciledTo(u.targetEpoch) {
		return u.member
	}
	r := &reconciliation{
		member: u.member, epoch: u.targetEpoch, target: u.target, changed: u.changed,
		owned: owned, told: told, subscribed: u.cg.topicIDs(u.member), free: u.cg.free,
	}
	next := r.next()
	if !next.sameAssignment(u.member) {
		u.ch.place(next)
	}
	return next
}

// preferredAssignor is the one that most members ask for; the first of group.consumer.assignors if
// none does. A tie falls to the order of a Java map.
func (cg *consumerGroup) preferredAssignor(members []*consumerMember) string {
	var names []string
	votes := map[string]int{}
	for _, m := range members {
		if m.assignor == "" {
			continue
		}
		if votes[m.assignor]++; votes[m.assignor] == 1 {
			names = append(names, m.assignor)
		}
	}
	best := ""
	for _, name := range javaOrder(names, 16, func(s string) string { return s }) {
		if best == "" || votes[name] > votes[best] {
			best = name
		}
	}
	if best == "" {
		return cg.c.cfg.Consumer.Assignors[0]
	}
	return best
}

// assign lets an assignor compute the target assignments of all members.
func (cg *consumerGroup) assign(name string, members []*consumerMember) []assign.TargetAssignment {
	a, ok := assign.LookupServer(name)
	if !ok {
		panic("group: no assignor is named " + name)
	}
	spec := assign.GroupSpec{Heterogeneous: cg.heterogeneous(members)}
	var last []assign.TopicID
	for i, m := range members {
		if i == 0 || !slices.Equal(m.topics, members[i-1].topics) || m.regex != members[i-1].regex {
			last = cg.topicIDs(m)
		}
		spec.Members = append(spec.Members, assign.GroupMember{
			ID: m.id, InstanceID: m.instance, Rack: m.rack, Topics: last, Target: cg.targetOf(m),
		})
	}
	for _, topic := range cg.subscribedTopics(members, cg.regexes) {
		if t := cg.c.topics.Topic(topic); t != nil {
			spec.Topics = append(spec.Topics, assign.GroupTopic{
				ID: t.ID, Partitions: t.Partitions, Racks: t.Racks,
			})
		}
	}
	return a.AssignGroup(spec)
}
