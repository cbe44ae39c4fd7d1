package broker

import (
	"slices"
	"strconv"

	"rebalancelab/engine/storage"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// commit writes records to the metadata log, as one batch, and lets the brokers know. Each record
// is taken in on its own, so that what it brings about comes in the order of the log.
func (c *Cluster) commit(records ...wire.MetadataRecord) {
	batch := make([]wire.Record, len(records))
	for i := range records {
		batch[i].Value = records[i].Encode()
	}
	c.log.Append(wire.EncodeBatch(wire.PlainHeader(), batch), c.controllerEpoch)
	c.log.SetHW(c.log.LEO(), c.controllerEpoch)
	for i := range records {
		c.take(&records[i])
	}
	if !c.settles() {
		c.node(c.controller).broker.publish()
	}
}

// settles says that the brokers learn of a change at once, without a message: before the story
// begins, and while no partition has more than one replica.
func (c *Cluster) settles() bool { return !c.replicated || !c.open }

// take adds a record to what is committed, tells the trace, and lets those know who know at once.
func (c *Cluster) take(r *wire.MetadataRecord) {
	changes := c.committed.apply(c, r)
	for _, d := range changes {
		c.announce(d)
	}
	for _, n := range c.nodes {
		if n.broker != nil && (c.settles() || n.id == c.controller) && n.broker.image.offset < c.committed.offset {
			n.broker.learn(r)
		}
	}
}

// announce writes what changed of a partition.
func (c *Cluster) announce(d delta) {
	p, s := d.part, d.after
	e := trace.Event{Name: p.Topic.ref, Part: p.Index}
	switch {
	case s == nil:
		return
	case d.before == nil && len(s.Replicas) > 1:
		e.Kind, e.Peer, e.X = trace.ReplicasPlaced, c.ref(ids(s.Replicas)), int64(len(s.Replicas))
		c.emit(e)
	}
	if d.before == nil && s.Leader >= 0 || d.before != nil && d.before.Epoch != s.Epoch {
		e.Kind, e.Peer, e.X, e.Y = trace.LeaderElected, 0, int64(s.Leader), int64(s.Epoch)
		if n := c.node(s.Leader); n != nil {
			e.Peer = c.ref(n.name)
		}
		c.emit(e)
	}
	known := s.Replicas // a new partition is taken to be in sync everywhere
	if d.before != nil {
		known = d.before.ISR
	}
	if len(s.Replicas) > 1 && !slices.Equal(known, s.ISR) {
		e.Kind, e.Peer, e.X = trace.ISRChanged, c.ref(ids(s.ISR)), int64(len(s.ISR))
		e.Y, e.Z = int64(s.PartitionEpoch), int64(s.Epoch)
		c.emit(e)
	}
}

// ids is a list of brokers as the trace has it: "1,3".
func ids(list []int32) string {
	b := make([]byte, 0, 8)
	for i, id := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return string(b)
}

// emit writes an event of the controller; without one there is nobody to write it.
func (c *Cluster) emit(e trace.Event) {
	if n := c.node(c.controller); n != nil && n.broker != nil {
		n.broker.env.Trace(e)
	}
}

// ref interns a text.
func (c *Cluster) ref(s string) trace.Ref { return c.env.Ref(s) }

// disk finds a broker's log of a partition, or begins an empty one.
func (n *node) log(p *Partition) *storage.Log {
	log := n.disk[p.place()]
	if log == nil {
		log = storage.New(p.Topic.cfg.log)
		n.disk[p.place()] = log
	}
	return log
}
