package group

import (
	"slices"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// scheduleExpiry looks every offsets.retention.check.interval.ms for what may go (B19).
func (c *Coordinator) scheduleExpiry() {
	c.env.After(c.cfg.OffsetsRetentionCheck, func() {
		for _, s := range c.shards {
			if s == nil || s.loading {
				continue
			}
			for _, g := range slices.Clone(s.order) {
				g.expireOffsets()
			}
		}
		c.scheduleExpiry()
	})
}

// expireOffsets drops the offsets whose time is over, and the group with them if it is Empty and
// none is left (B20-B22).
func (g *group) expireOffsets() {
	now := g.c.env.Now()
	var old []wire.TopicPartition
	for i := range g.offsets.list {
		if v := &g.offsets.list[i]; g.expired(v, now) {
			old = append(old, v.tp)
		}
	}
	last := g.state == trace.GroupEmpty && len(old) == len(g.offsets.list)
	if len(old) == 0 && !last {
		return
	}
	g.bury(old, last)
}

func (g *group) expired(v *committed, now sim.Time) bool {
	if v.expireAt >= 0 {
		return now.Millis() >= v.expireAt
	}
	base := v.at
	switch {
	case g.protocolType == "":
	case g.consumer != nil: // by the time of the commit, unless a member subscribes (F19)
		if g.consumer.subscribes(v.tp.Topic) {
			return false
		}
	case g.state == trace.GroupEmpty:
		base = g.stateAt.Millis()
	case g.state == trace.GroupStable && g.protocolType == consumerProtocol:
		if g.subscribes(v.tp.Topic) {
			return false
		}
	default:
		return false
	}
	return now.Millis()-base >= g.c.cfg.OffsetsRetention.Milliseconds()
}

// subscribes reads the members' subscriptions (D3). Metadata that is no subscription may mean any
// topic.
func (g *group) subscribes(topic string) bool {
	for _, m := range g.members.all() {
		topics, err := wire.SubscribedTopics(m.metadata(g.protocol))
		if err != nil || slices.Contains(topics, topic) {
			return true
		}
	}
	return false
}

// bury writes tombstones for offsets, and for the group itself if whole is set.
func (g *group) bury(tps []wire.TopicPartition, whole bool) {
	var records []wire.Record
	for _, tp := range tps {
		records = append(records, g.c.stamp(wire.OffsetKey(g.id, tp), nil))
	}
	switch {
	case whole && g.consumer != nil:
		ch := &change{c: g.c, shard: g.shard, id: g.id}
		ch.tombstones(g.consumer, nil)
		records = append(records, ch.records...)
	case whole:
		records = append(records, g.c.stamp(wire.GroupKey(g.id), nil))
	}
	g.c.write(g.shard, records, func(code wire.Code) {
		if code != wire.None {
			return
		}
		for _, tp := range tps {
			g.offsets.remove(tp)
			g.c.env.Trace(trace.Event{
				Kind: trace.OffsetRemoved, Name: g.c.env.Ref(tp.Topic), Part: tp.Partition,
				Y: int64(g.ref),
			})
		}
		if whole {
			g.die()
		}
	})
}

// die ends an Empty group.
func (g *group) die() {
	g.forgetPending(trace.RemovedByEnd)
	g.stopTimer()
	g.enter(trace.GroupDead)
	g.shard.drop(g)
}
