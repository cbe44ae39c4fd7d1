package fold

import (
	"slices"

	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/trace"
)

// Apply carries the state on by one event. It is one switch over the kinds: the switch is the story.
func (s *State) Apply(e trace.Event) {
	s.index++
	s.at = e.At
	switch {
	case e.Kind < trace.TopicCreated:
		s.applyWorld(e)
	case e.Kind < trace.GroupState:
		s.applyBroker(e)
	case e.Kind < trace.CallStarted:
		s.applyGroup(e)
	case e.Kind >= trace.NeighbourUp:
		s.applyNeighbour(e)
	default:
		s.applyClient(e)
	}
}

func (s *State) applyWorld(e trace.Event) {
	switch e.Kind {
	case trace.MessageSent:
		s.flying = append(s.flying, flying{
			id: e.X, sent: e.At, arrive: e.At + e.Z, info: e.Y,
			from: e.Node, to: e.Peer, err: e.Name, api: e.Part,
		})
		if c := s.client(e.Node); c != nil && neighbour.Op(e.Part).Publishes() {
			c.sent++
		}
	case trace.MessageArrived, trace.MessageLost:
		for i := range s.flying {
			if s.flying[i].id == e.X {
				s.flying = slices.Delete(s.flying, i, i+1)
				break
			}
		}
	case trace.MessageHeld:
		if f := s.flight(e.X); f != nil {
			f.held = true
		}
	case trace.MessageReleased:
		if f := s.flight(e.X); f != nil {
			f.held, f.arrive = false, e.At+e.Z
		}
	case trace.ProcessStarted, trace.ProcessEnded, trace.ProcessFrozen, trace.ProcessThawed:
		s.applyLife(e)
	}
}

func (s *State) applyLife(e trace.Event) {
	if n, ok := s.dir.broker(e.Node); ok {
		b := at(&s.brokers, n)
		b.up = e.Kind != trace.ProcessEnded
		b.frozen = e.Kind == trace.ProcessFrozen
		if !b.up {
			b.controller = false
			s.waiting = slices.DeleteFunc(s.waiting, func(w waiting) bool { return w.broker == e.Node })
		}
		return
	}
	c := s.client(e.Node)
	if c == nil {
		return
	}
	switch e.Kind {
	case trace.ProcessStarted:
		*c = client{group: c.group, done: c.done, polls: c.polls, sent: c.sent, acked: c.acked}
		c.life = lifeRunning
	case trace.ProcessEnded:
		c.life = lifeStopped + e.X
		c.lifeText = e.Name
		c.call, c.callback, c.pollTo, c.beatAt = 0, 0, 0, 0
		s.ownerDied(e)
	case trace.ProcessFrozen:
		c.life, c.thaws = lifeFrozen, e.X
	case trace.ProcessThawed:
		c.life, c.thaws = lifeRunning, 0
	}
	c.lifeAt = e.At
}

// ownerDied marks what the dead process owned: unread from now on, though the coordinator does not
// know it yet.
func (s *State) ownerDied(e trace.Event) {
	for i := range s.readers {
		r := &s.readers[i]
		if r.owner == e.Node && !r.dead {
			r.dead, r.since, r.work = true, e.At, -1
		}
	}
}

func (s *State) applyBroker(e trace.Event) {
	switch e.Kind {
	case trace.TopicCreated:
		for n := range e.Part {
			e.Part = n
			s.part(e)
		}
	case trace.LeaderElected, trace.ReplicasPlaced, trace.ISRChanged, trace.TopicDeleted:
		s.applyPlacement(e)
	case trace.Appended, trace.HighWatermark, trace.LogStart, trace.Replicated,
		trace.FollowerWatermark, trace.Truncated:
		s.applyLog(e)
	case trace.FetchParked:
		s.waiting = append(s.waiting, waiting{e.Node, e.Peer, e.Y, e.At, e.X})
	case trace.FetchAnswered:
		s.waiting = slices.DeleteFunc(s.waiting, func(w waiting) bool {
			return w.broker == e.Node && w.client == e.Peer && w.corr == e.Y
		})
	case trace.Controller:
		for i := range s.brokers {
			s.brokers[i].controller = false
		}
		if n, ok := s.dir.broker(e.Node); ok {
			at(&s.brokers, n).controller = true
		}
	}
}

// applyPlacement is what the controller decides about a partition.
func (s *State) applyPlacement(e trace.Event) {
	switch e.Kind {
	case trace.LeaderElected:
		p := s.part(e)
		p.leader, p.epoch = e.Peer, e.Y
		if p.replicas != 0 && e.Peer != 0 {
			e.Node = e.Peer
			c := *s.copyOf(e)
			p.start, p.high, p.end = c.start, c.high, c.end
		}
	case trace.ReplicasPlaced:
		p := s.part(e)
		p.replicas, p.isr = e.Peer, e.Peer
	case trace.ISRChanged:
		s.part(e).isr = e.Peer
	case trace.TopicDeleted:
		for n := range e.Part {
			e.Part = n
			*s.part(e) = part{}
			for i, k := range s.dir.copies.keys {
				if i < len(s.copies) && k.partKey == (partKey{e.Name, n}) {
					s.copies[i] = replica{}
				}
			}
		}
	}
}

// applyLog is what happens to a log: that of the leader, of a follower, or of a broker that takes
// itself for the leader.
func (s *State) applyLog(e trace.Event) {
	p := s.part(e)
	if p.replicas != 0 {
		c := s.copyOf(e)
		c.note(e)
		if e.Node == p.leader {
			p.start, p.high, p.end = c.start, c.high, c.end
		}
		return
	}
	c := replica{p.start, p.high, p.end}
	c.note(e)
	p.start, p.high, p.end = c.start, c.high, c.end
}

func (c *replica) note(e trace.Event) {
	switch e.Kind {
	case trace.Appended, trace.Replicated:
		c.end = e.X + e.Y
	case trace.HighWatermark, trace.FollowerWatermark:
		c.high = e.X
	case trace.LogStart:
		c.start = e.X
	case trace.Truncated:
		c.end, c.high = e.X, min(c.high, e.X)
	}
}

// loaded is the broker that coordinates a partition of __consumer_offsets.
func (s *State) loaded(part int32) *trace.Ref { return at(&s.loaders, int(part)) }

// outdated says whether a broker speaks of a group that another coordinates by now: it was frozen
// or cut off and does not know.
func (s *State) outdated(e trace.Event) bool {
	group := e.Name
	switch e.Kind {
	case trace.CoordinatorLoaded:
		return false
	case trace.GroupState:
		by := *s.loaded(int32(e.Z))
		return by != 0 && by != e.Node
	case trace.PartitionAssigned, trace.OffsetCommitted, trace.OffsetRemoved:
		group = trace.Ref(e.Y)
	}
	n, ok := s.dir.groups.at[group]
	if !ok || n >= len(s.groups) {
		return false
	}
	by := s.groups[n].coordinator
	return by != 0 && by != e.Node
}

func (s *State) applyGroup(e trace.Event) {
	if s.outdated(e) {
		return
	}
	switch e.Kind {
	case trace.CoordinatorLoaded:
		*s.loaded(e.Part) = e.Node
	case trace.GroupState:
		g := s.group(e.Name)
		if g.coordinator == 0 || g.state != e.X {
			g.since = e.At
			if e.X == trace.GroupPreparingRebalance {
				g.rebalances++
			}
		}
		switch e.X {
		case trace.GroupPreparingRebalance, trace.GroupCompletingRebalance:
			g.modern = false
		case trace.GroupAssigning, trace.GroupReconciling:
			g.modern = true
		}
		if g.modern && e.Y > g.generation {
			g.rebalances++
		}
		g.coordinator, g.state, g.generation, g.offsetsPart = e.Node, e.X, e.Y, int32(e.Z)
	case trace.GroupProtocol:
		s.group(e.Name).protocol, s.group(e.Name).targetEpoch = e.Peer, e.X
	case trace.GroupLeader:
		s.group(e.Name).leader = e.Peer
	case trace.GroupTimer:
		g := s.group(e.Name)
		g.timer, g.timerFrom, g.timerTo = e.X, e.At, e.Y
	case trace.MemberPending:
		s.member(e.Name, e.Peer).pending = true
	case trace.MemberAdded:
		m := s.member(e.Name, e.Peer)
		m.pending, m.session, m.client = false, e.X, trace.Ref(e.Z)
	case trace.MemberTimeouts:
		s.member(e.Name, e.Peer).session = e.X
	case trace.MemberJoining:
		s.member(e.Name, e.Peer).waits = apiJoin
	case trace.MemberSyncing:
		s.member(e.Name, e.Peer).waits = apiSync
	case trace.MemberAnswered:
		s.member(e.Name, e.Peer).waits = -1
	case trace.MemberSession:
		m := s.member(e.Name, e.Peer)
		m.until = e.X
		if e.X != 0 {
			m.heard = e.At
		}
	case trace.MemberRemoved:
		*s.member(e.Name, e.Peer) = member{}
	case trace.PartitionAssigned:
		r := s.reader(trace.Ref(e.Y), e.Name, e.Part)
		r.assigned, r.assignedGen, r.revoking = e.Peer, e.X, false
	case trace.OffsetCommitted:
		s.reader(trace.Ref(e.Y), e.Name, e.Part).committed = e.X
	case trace.OffsetRemoved:
		s.reader(trace.Ref(e.Y), e.Name, e.Part).committed = -1
	default:
		s.applyConsumerGroup(e)
	}
}

// applyConsumerGroup is what only groups of the consumer protocol have (KIP-848).
func (s *State) applyConsumerGroup(e trace.Event) {
	switch e.Kind {
	case trace.MemberEpoch:
		s.group(e.Name).modern = true
		m := s.member(e.Name, e.Peer)
		m.epoch, m.state = e.X, e.Z
	case trace.MemberTarget:
		for i := range s.readers {
			if r := &s.readers[i]; r.target == e.Peer && s.dir.readers.keys[i].group == e.Name {
				r.target = 0
			}
		}
	case trace.TargetPartition:
		s.reader(trace.Ref(e.Y), e.Name, e.Part).target = e.Peer
	case trace.PartitionRevoking:
		s.reader(trace.Ref(e.Y), e.Name, e.Part).revoking = true
	case trace.PartitionReleased:
		if r := s.reader(trace.Ref(e.Y), e.Name, e.Part); r.assigned == e.Peer {
			r.assigned, r.revoking = 0, false
		}
	}
}

func (s *State) applyClient(e trace.Event) {
	c := s.client(e.Node)
	if c == nil {
		return
	}
	switch e.Kind {
	case trace.CallStarted:
		c.call, c.callFrom, c.line, c.depth = e.Name, e.At, e.X, e.Z
		c.callTo = 0
		if e.Y > 0 {
			c.callTo = e.At + e.Y
		}
		if s.dir.log.String(e.Name) == "poll" {
			c.polls++
		}
	case trace.CallEnded:
		c.call, c.callTo = 0, 0
	case trace.ConsumerState:
		c.state, c.generation, c.group = e.X, e.Y, e.Name
	case trace.MemberID:
		c.memberID, c.group = e.Name, e.Peer
	case trace.CallbackStarted:
		c.callback = e.Name
	case trace.CallbackEnded:
		c.callback = 0
	case trace.PollTimer:
		c.pollFrom, c.pollTo = e.At, e.X
	case trace.HeartbeatTimer:
		c.beatFrom, c.beatAt = e.At, e.X
	case trace.ProducerSent:
		c.sent += e.Y
	case trace.ProducerAcked:
		c.acked += e.Y
	case trace.StoreSet:
		st := at(&s.stores, s.dir.stores.of(e.Name))
		st.effects = e.X
		copy(st.last[1:], st.last[:3])
		st.last[0] = e.Peer
	default:
		s.applyReading(c, e)
	}
}

// applyReading is what a consumer does in a partition.
func (s *State) applyReading(c *client, e trace.Event) {
	switch e.Kind {
	case trace.Owned:
		c.group = e.Peer
		r := s.reader(e.Peer, e.Name, e.Part)
		r.owner, r.dead, r.since, r.work = e.Node, false, e.At, -1
		r.position, r.fetched, r.finished = -1, -1, -1
	case trace.Unowned:
		r := s.reader(e.Peer, e.Name, e.Part)
		if r.owner == e.Node {
			c.buffered -= max(r.fetched-r.position, 0)
			r.owner, r.dead, r.since, r.work, r.fetched = 0, false, e.At, -1, -1
		}
	case trace.Positioned:
		r := s.reader(c.group, e.Name, e.Part)
		r.position = e.X
		if r.fetched < e.X || e.Y != 0 {
			r.fetched = e.X
		}
	case trace.Fetched:
		r := s.reader(c.group, e.Name, e.Part)
		r.fetched = e.X
		c.buffered += e.Y
	case trace.Delivered:
		c.buffered = max(c.buffered-e.Y, 0)
	case trace.WorkStarted:
		r := s.reader(c.group, e.Name, e.Part)
		r.work, r.workFrom, r.workTo = e.X, e.At, e.At+e.Y
	case trace.WorkEnded:
		r := s.reader(c.group, e.Name, e.Part)
		r.work, r.finished = -1, e.X+1
		c.done++
	case trace.WorkFailed:
		s.reader(c.group, e.Name, e.Part).work = -1
	}
}
