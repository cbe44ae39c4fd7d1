package broker

import (
	"fmt"
	"slices"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// election is the choice of a leader for one partition (E25).
type election struct {
	c       *Cluster
	part    *Partition
	state   *State
	without int32 // a broker that may not lead, as it is going; 0: none
	// unclean lets a replica lead that is not in sync, preferred makes the first replica lead.
	unclean, preferred bool
}

// may says whether a broker may lead: it is alive and in sync.
func (e *election) may(id int32) bool {
	return e.live(id) && slices.Contains(e.state.ISR, id)
}

func (e *election) live(id int32) bool { return id != e.without && e.c.committed.live(id) }

// run chooses the leader; clean is false if it was not in sync, so that data may be lost.
func (e *election) run() (leader int32, clean bool) {
	s := e.state
	if e.preferred && e.may(s.Replicas[0]) {
		return s.Replicas[0], true
	}
	if e.may(s.Leader) {
		return s.Leader, true
	}
	for _, id := range s.Replicas {
		if e.may(id) {
			return id, true
		}
	}
	if e.unclean || e.part.Topic.cfg.unclean {
		for _, id := range s.Replicas {
			if e.live(id) {
				return id, false
			}
		}
	}
	return -1, true
}

// change is the record that the election's outcome comes to; false when nothing changes. The last
// replica in sync stays so, even when it is down: it has what was acknowledged.
func (e *election) change() (wire.MetadataRecord, bool) {
	s := e.state
	r := wire.MetadataRecord{
		Type: wire.PartitionChangeRecord, TopicID: e.part.Topic.ID, Partition: e.part.Index,
		Leader: wire.SameLeader,
	}
	leader, clean := e.run()
	if leader != s.Leader {
		r.Leader = leader
	}
	if !clean {
		r.ISR = []int32{leader}
	} else if isr := e.staying(); len(isr) > 0 && len(isr) < len(s.ISR) {
		r.ISR = isr
	}
	return r, r.Leader != wire.SameLeader || r.ISR != nil
}

// staying are the in-sync replicas that are alive.
func (e *election) staying() []int32 {
	var isr []int32
	for _, id := range e.state.ISR {
		if e.live(id) {
			isr = append(isr, id)
		}
	}
	return isr
}

// elect looks at every partition that which accepts and commits what elections change there.
func (c *Cluster) elect(which func(*State) bool, with election) {
	var records []wire.MetadataRecord
	for _, t := range c.topics {
		if !c.committed.knows(t) {
			continue
		}
		for _, p := range t.Partitions {
			s := c.State(p)
			if s == nil || !which(s) {
				continue
			}
			e := with
			e.c, e.part, e.state = c, p, s
			if r, ok := e.change(); ok {
				records = append(records, r)
			}
		}
	}
	if len(records) > 0 {
		c.commit(records...)
	}
}

// hosts says whether a broker has a replica of the partition.
func hosts(s *State, id int32) bool { return slices.Contains(s.Replicas, id) }

// fence counts a broker out: what it leads goes to another replica in sync, and it leaves the
// in-sync replicas of what it follows.
func (c *Cluster) fence(id int32) {
	c.commit(wire.MetadataRecord{
		Type: wire.BrokerChangeRecord, Broker: id, BrokerEpoch: c.committed.broker(id).epoch,
		Fence: wire.RegistrationFence,
	})
	c.tellFenced(id, 1)
	c.elect(func(s *State) bool { return s.Leader == id || slices.Contains(s.ISR, id) }, election{})
}

// unfence counts it in again; it leads at once what has no leader and may be led by it.
func (c *Cluster) unfence(id int32) {
	c.commit(wire.MetadataRecord{
		Type: wire.BrokerChangeRecord, Broker: id, BrokerEpoch: c.committed.broker(id).epoch,
		Fence: wire.RegistrationUnfence,
	})
	c.tellFenced(id, 0)
	c.elect(func(s *State) bool { return s.Leader < 0 && hosts(s, id) }, election{})
}

// tellFenced: an unreplicated cluster fences by what happens to processes, which the trace has.
func (c *Cluster) tellFenced(id int32, fenced int64) {
	if c.replicated {
		c.emit(trace.Event{Kind: trace.BrokerFenced, Peer: c.ref(c.node(id).name), X: fenced})
	}
}

// electUnclean gives leaders to partitions that have none and now may have one that is not in sync.
func (c *Cluster) electUnclean() {
	if c.decides() {
		c.elect(func(s *State) bool { return s.Leader < 0 }, election{})
	}
}

// decides says whether there is a controller that can change something now.
func (c *Cluster) decides() bool {
	n := c.node(c.controller)
	return n != nil && n.broker != nil && n.broker.decides()
}

// BrokerDown tells the cluster that a broker's process has ended. In an unreplicated cluster that
// is known at once: its partitions have no leader until it is back, and if it was the controller,
// another one is. Otherwise the controller has to find out by itself.
func (c *Cluster) BrokerDown(name string) {
	n := c.named(name)
	if n.broker == nil {
		return
	}
	n.broker = nil
	if !c.settles() {
		return
	}
	c.electController()
	c.fence(n.id)
}

// Shutdown ends a running broker's work in good order and calls done when its process may end.
func (c *Cluster) Shutdown(name string, done func()) { c.named(name).broker.Shutdown(done) }

// electController makes the running broker with the lowest id the controller of an unreplicated
// cluster, unless one is.
func (c *Cluster) electController() {
	if c.alive(c.controller) {
		return
	}
	c.controller = 0
	for _, n := range c.nodes {
		if n.broker != nil {
			c.crown(n.broker, c.controllerEpoch+1)
			return
		}
	}
}

// crown makes a broker the active controller.
func (c *Cluster) crown(b *Broker, epoch int32) {
	c.controller, c.controllerEpoch = b.id, epoch
	c.emit(trace.Event{Kind: trace.Controller, X: int64(epoch)})
}

// Revive returns a new broker for a place whose process has ended. It finds the logs on its disk;
// what only memory held, as groups and fetch sessions, is gone.
func (c *Cluster) Revive(name string) *Broker { return New(c, c.named(name).id) }

// up is called by a broker that starts.
func (c *Cluster) up(b *Broker) {
	n := c.node(b.id)
	if n.broker != nil {
		panic("broker: " + n.name + " runs already; was BrokerDown called?")
	}
	n.broker, c.env = b, b.env
	if !c.settles() {
		b.enlist()
		return
	}
	c.electController()
	b.adopt(c.committed.copy())
	c.register(b.id, false)
	c.elect(func(s *State) bool { return s.Leader < 0 && hosts(s, b.id) }, election{})
}

// register notes a broker, with the offset of its record as its epoch.
func (c *Cluster) register(id int32, fenced bool) {
	c.commit(wire.MetadataRecord{
		Type: wire.RegisterBrokerRecord, Broker: id, BrokerEpoch: c.log.LEO(),
		Rack: c.node(id).rack, Fenced: fenced,
	})
}

// MoveCoordinator moves the leadership of the partition that keeps a group to another broker. That
// broker must be in sync, unless the partition has one replica: then the log is copied to it at
// once. The new coordinator reads the log. With to = 0 the next broker that can takes it.
func (c *Cluster) MoveCoordinator(groupID string, to int32) error {
	if err := c.createOffsetsTopic(); err != nil {
		return err
	}
	p := c.byName[OffsetsTopic].Partitions[c.coordinatorPartition(groupID)]
	s := c.State(p)
	alone := len(s.Replicas) == 1
	if to == 0 && alone {
		to = c.nextAlive(s.Replicas[0])
	}
	switch {
	case to != 0 && c.node(to) == nil:
		return fmt.Errorf("no such broker %d", to)
	case to != 0 && !c.alive(to):
		return fmt.Errorf("broker %d does not run", to)
	case s.Leader < 0:
		return fmt.Errorf("group %q has no coordinator", groupID)
	case s.Leader == to:
		return fmt.Errorf("broker %d coordinates group %q already", to, groupID)
	case alone:
		c.move(p, to)
		return nil
	}
	return c.MoveLeader(OffsetsTopic, p.Index, to)
}

// nextAlive is the running broker that follows id, around the circle; id itself if it is alone.
func (c *Cluster) nextAlive(id int32) int32 {
	n := int32(len(c.nodes))
	for k := range n {
		if next := (id+k)%n + 1; c.alive(next) {
			return next
		}
	}
	return id
}

// move hands p's only log over to another running broker, which leads it from then on.
func (c *Cluster) move(p *Partition, to int32) {
	from := c.node(c.State(p).Leader)
	c.node(to).disk[p.place()] = from.disk[p.place()]
	c.commit(wire.MetadataRecord{
		Type: wire.PartitionChangeRecord, TopicID: p.Topic.ID, Partition: p.Index,
		Replicas: []int32{to}, ISR: []int32{to}, Leader: to,
	})
}

// MoveLeader makes an in-sync replica the leader, as a reassignment that puts it first does; with
// to = 0 the next one in sync.
func (c *Cluster) MoveLeader(topic string, part, to int32) error {
	p, err := c.partition(topic, part)
	if err != nil {
		return err
	}
	s := c.State(p)
	if to == 0 {
		i := slices.Index(s.Replicas, s.Leader)
		for k := range s.Replicas {
			if id := s.Replicas[(i+1+k)%len(s.Replicas)]; id != s.Leader && c.canLead(s, id) {
				to = id
				break
			}
		}
	}
	switch {
	case !c.decides():
		return errNoController
	case s.Leader == to:
		return fmt.Errorf("broker %d leads %s-%d already", to, topic, part)
	case !c.canLead(s, to):
		return fmt.Errorf("%s-%d: no broker to lead it; in sync and alive must be one of %v besides %d",
			topic, part, s.Replicas, s.Leader)
	}
	c.commit(wire.MetadataRecord{
		Type: wire.PartitionChangeRecord, TopicID: p.Topic.ID, Partition: p.Index, Leader: to,
	})
	return nil
}

func (c *Cluster) canLead(s *State, id int32) bool {
	return c.committed.live(id) && slices.Contains(s.ISR, id)
}

// Elect runs an election in a partition: for the preferred leader, or for any replica that is alive
// when there is no leader (unclean).
func (c *Cluster) Elect(topic string, part int32, unclean bool) wire.Code {
	p, err := c.partition(topic, part)
	switch {
	case err != nil:
		return wire.UnknownTopicOrPartition
	case !c.decides():
		return wire.NotController
	}
	s := c.State(p)
	e := election{c: c, part: p, state: s, unclean: unclean, preferred: !unclean}
	leader, _ := e.run()
	switch {
	case unclean && s.Leader >= 0, !unclean && s.Leader == s.Replicas[0]:
		return wire.ElectionNotNeeded
	case !unclean && leader != s.Replicas[0]:
		return wire.PreferredLeaderNotAvailable
	case leader < 0:
		return wire.EligibleLeadersNotAvailable
	}
	r, _ := e.change()
	c.commit(r)
	return wire.None
}
