package broker

import (
	"fmt"

	"rebalancelab/engine/trace"
)

// elect makes a running broker, which has the log on its disk, the leader of p in a new epoch.
func (c *Cluster) elect(p *Partition, id int32) {
	p.Leader, p.Epoch = id, p.Epoch+1
	c.inaugurate(p)
}

// inaugurate announces the new leader of p and lets it begin.
func (c *Cluster) inaugurate(p *Partition) {
	n := c.node(p.Leader)
	c.emit(trace.Event{
		Kind: trace.LeaderElected, Name: p.Topic.ref, Part: p.Index, X: int64(n.id),
		Y: int64(p.Epoch), Peer: n.broker.env.Ref(n.name),
	})
	n.broker.lead(p)
}

// offline takes the leader of p away, in a new epoch.
func (c *Cluster) offline(p *Partition) {
	p.Leader, p.Epoch = -1, p.Epoch+1
	c.emit(trace.Event{
		Kind: trace.LeaderElected, Name: p.Topic.ref, Part: p.Index, X: -1, Y: int64(p.Epoch),
	})
}

// BrokerDown tells the cluster that a broker's process has ended. Its partitions have no leader
// until it is back; if it was the controller, another one is.
func (c *Cluster) BrokerDown(name string) {
	n := c.named(name)
	if n.broker == nil {
		return
	}
	n.broker = nil
	c.electController()
	for _, t := range c.topics {
		for _, p := range t.Partitions {
			if p.Leader == n.id {
				c.offline(p)
			}
		}
	}
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
	n.broker = b
	c.electController()
	for _, t := range c.topics {
		for _, p := range t.Partitions {
			if p.Leader < 0 && p.Replicas[0] == b.id {
				c.elect(p, b.id)
			}
		}
	}
}

// MoveCoordinator moves the leadership of the partition that keeps a group to another broker, by a
// reassignment whose copying takes no time; the new coordinator then reads the log. With to = 0 the
// next running broker takes it.
func (c *Cluster) MoveCoordinator(groupID string, to int32) error {
	if err := c.createOffsetsTopic(); err != nil {
		return err
	}
	p := c.byName[OffsetsTopic].Partitions[c.coordinatorPartition(groupID)]
	if to == 0 {
		to = c.nextAlive(p.Replicas[0])
	}
	switch {
	case c.node(to) == nil:
		return fmt.Errorf("no such broker %d", to)
	case !c.alive(to):
		return fmt.Errorf("broker %d does not run", to)
	case p.Leader < 0:
		return fmt.Errorf("group %q has no coordinator", groupID)
	case p.Leader == to:
		return fmt.Errorf("broker %d coordinates group %q already", to, groupID)
	}
	c.move(p, to)
	return nil
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

// move hands p's log over to another running broker, which leads it from then on.
func (c *Cluster) move(p *Partition, to int32) {
	from := c.node(p.Leader)
	log := from.disk[p.tp()]
	delete(from.disk, p.tp())
	c.node(to).disk[p.tp()] = log
	p.Replicas, p.ISR = []int32{to}, []int32{to}
	p.Leader, p.Epoch = to, p.Epoch+1 // what the old leader still answers says so
	from.broker.resign(p)
	c.inaugurate(p)
}
