package group

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// Load makes this broker the coordinator of a partition of __consumer_offsets: it reads records,
// the whole log in order, and until that is done answers COORDINATOR_LOAD_IN_PROGRESS. The latest
// record of a key wins; types that are not known are passed over (B28). An empty log takes no time.
func (c *Coordinator) Load(partition int32, records []wire.Record) {
	for len(c.shards) <= int(partition) {
		c.shards = append(c.shards, nil)
	}
	s := &shard{partition: partition, groups: map[string]*group{}}
	c.shards[partition] = s
	if len(records) == 0 {
		c.loaded(s, 0)
		return
	}
	s.loading = true
	took := c.cfg.LoadBase + time.Duration(len(records))*c.cfg.LoadPerRecord
	s.loadTimer = c.env.After(took, func() {
		s.loading, s.replaying = false, true
		for i := range records {
			c.replay(s, &records[i])
		}
		s.replaying = false
		c.loaded(s, len(records))
	})
}

// replay takes in one record.
func (c *Coordinator) replay(s *shard, r *wire.Record) {
	e, err := wire.DecodeGroupEntry(r.Key, r.Value)
	if err != nil {
		panic("group: " + err.Error())
	}
	if !e.Known() {
		return
	}
	if e.Consumer != nil {
		c.applyConsumer(s, e.Consumer)
		c.dropIfBare(s, s.groups[e.Group])
		return
	}
	g := s.groups[e.Group]
	if e.Type == wire.OffsetRecord {
		switch {
		case e.Offset != nil:
			if g == nil {
				g = c.newGroup(s, e.Group)
			}
			g.offsets.set(committed{
				tp: e.TP, topic: c.env.Ref(e.TP.Topic), topicID: e.Offset.TopicID, offset: e.Offset.Offset,
				epoch: e.Offset.LeaderEpoch, metadata: e.Offset.Metadata,
				at: e.Offset.CommitTimestamp, expireAt: e.Offset.ExpireTimestamp,
			})
		case g != nil:
			g.offsets.remove(e.TP)
		}
		return
	}
	if e.Metadata == nil {
		if g != nil && g.consumer == nil {
			g.restore(&kmsg.GroupMetadataValue{CurrentStateTimestamp: -1})
			c.dropIfBare(s, g)
		}
		return
	}
	if g == nil {
		g = c.newGroup(s, e.Group)
	}
	g.restore(e.Metadata)
}

// dropIfBare forgets a group of which a tombstone has left nothing: with offsets it goes on as one
// that only commits, since a change of protocol deletes a group, too.
func (c *Coordinator) dropIfBare(s *shard, g *group) {
	if g != nil && g.consumer == nil && g.members.len() == 0 && len(g.offsets.list) == 0 {
		s.drop(g)
	}
}

// restore takes over a group's record: with members it is Stable, else Empty (A65). Only the chosen
// protocol's metadata was kept, so a member that offers several compares as changed (A66).
func (g *group) restore(v *kmsg.GroupMetadataValue) {
	g.members = newRoster()
	g.state, g.generation, g.protocolType = trace.GroupEmpty, v.Generation, v.ProtocolType
	g.protocol, g.leader = deref(v.Protocol), deref(v.Leader)
	if v.CurrentStateTimestamp >= 0 {
		g.stateAt = sim.Time(v.CurrentStateTimestamp * 1e6)
	}
	for i := range v.Members {
		o := &v.Members[i]
		p := kmsg.NewJoinGroupRequestProtocol()
		p.Name, p.Metadata = g.protocol, o.Subscription
		g.members.put(&member{
			id: o.MemberID, instance: deref(o.InstanceID), ref: g.c.env.Ref(o.MemberID),
			client:           Client{o.ClientID, o.ClientHost},
			rebalanceTimeout: millis(o.RebalanceTimeoutMillis),
			sessionTimeout:   millis(o.SessionTimeoutMillis),
			protocols:        []kmsg.JoinGroupRequestProtocol{p}, assignment: o.Assignment,
		})
		g.state = trace.GroupStable
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// loaded opens the shard: every member's session starts full; too large a group rebalances (A65).
func (c *Coordinator) loaded(s *shard, records int) {
	c.env.Trace(trace.Event{
		Kind: trace.CoordinatorLoaded, Part: s.partition, X: int64(records),
	})
	for _, g := range slices.Clone(s.order) {
		if g.consumer != nil {
			g.openConsumer()
			continue
		}
		g.emitState()
		g.offsets.tellLoaded(g)
		if g.members.len() == 0 {
			continue
		}
		g.emit(trace.Event{
			Kind: trace.GroupProtocol, Peer: c.env.Ref(g.protocol), X: int64(g.generation),
		})
		g.emit(trace.Event{Kind: trace.GroupLeader, Peer: c.env.Ref(g.leader)})
		for _, m := range g.members.all() {
			g.emit(trace.Event{
				Kind: trace.MemberAdded, Peer: m.ref, X: int64(m.sessionTimeout),
				Y: int64(m.rebalanceTimeout), Z: int64(c.env.Ref(m.client.ID)),
			})
			g.arm(m, m.sessionTimeout, 0)
			g.traceAssignment(m)
		}
		g.emit(trace.Event{Kind: trace.GenerationStable, X: int64(g.generation)})
		if g.members.len() > c.cfg.MaxSize {
			g.prepareRebalance()
		}
	}
}

// Unload ends this broker's part in a partition whose leadership it lost: its groups are Dead here
// and whoever waits is answered NOT_COORDINATOR (A64).
func (c *Coordinator) Unload(partition int32) {
	if int(partition) >= len(c.shards) || c.shards[partition] == nil {
		return
	}
	s := c.shards[partition]
	c.shards[partition] = nil
	s.gone = true
	s.loadTimer.Stop()
	for _, g := range s.order {
		g.unload()
	}
}

func (g *group) unload() {
	g.forgetPending(trace.RemovedByUnload)
	g.stopTimer()
	if g.consumer != nil {
		g.closeConsumer()
	}
	for _, m := range g.members.all() {
		m.timer.Stop()
		g.answerJoin(m, failedJoin(m.id, wire.NotCoordinator))
		g.answerSync(m, failedSync(wire.NotCoordinator))
		g.emit(trace.Event{
			Kind: trace.MemberRemoved, Peer: m.ref, X: trace.RemovedByUnload, Y: m.heard.Since(),
		})
	}
	g.enter(trace.GroupDead)
}
