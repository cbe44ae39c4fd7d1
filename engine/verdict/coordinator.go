package verdict

import "rebalancelab/engine/trace"

// coordinators knows which broker coordinates which group. A broker that was frozen or cut off may
// still take itself for a coordinator when another has taken over: what it then says of a group is
// no fact about the group.
type coordinators struct {
	brokers []coordinator // by partition of __consumer_offsets
	parts   []int32       // by group Ref: its partition + 1; 0: not known
}

// coordinator is the broker that last loaded a partition of __consumer_offsets.
type coordinator struct {
	at     int64
	broker trace.Ref
	moved  bool // another broker was it before
}

// observe takes in an event about a group and says whether it comes from the group's coordinator.
func (c *coordinators) observe(e *trace.Event) bool {
	group := e.Name
	switch e.Kind {
	case trace.CoordinatorLoaded:
		c.brokers = grow(c.brokers, int(e.Part))
		k := &c.brokers[e.Part]
		*k = coordinator{e.At, e.Node, k.moved || k.broker != 0 && k.broker != e.Node}
		return true
	case trace.GroupState:
		c.parts = grow(c.parts, int(group))
		c.parts[group] = int32(e.Z) + 1
	case trace.PartitionAssigned, trace.TargetPartition, trace.PartitionRevoking,
		trace.PartitionReleased, trace.OffsetCommitted, trace.OffsetRemoved:
		group = trace.Ref(e.Y)
	}
	k := c.of(group)
	return k == nil || k.broker == e.Node
}

// partOf is the partition of __consumer_offsets that holds a group; -1: not known.
func (c *coordinators) partOf(group trace.Ref) int32 {
	if int(group) >= len(c.parts) {
		return -1
	}
	return c.parts[group] - 1
}

// of is the coordinator of a group; nil if none has loaded its partition.
func (c *coordinators) of(group trace.Ref) *coordinator {
	if int(group) >= len(c.parts) || c.parts[group] == 0 || int(c.parts[group]) > len(c.brokers) {
		return nil
	}
	if k := &c.brokers[c.parts[group]-1]; k.broker != 0 {
		return k
	}
	return nil
}
