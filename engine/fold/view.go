package fold

import (
	"strings"

	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
	"rebalancelab/engine/wire"
)

// Api keys that the fold looks at.
const (
	apiFetch     = 1
	apiJoin      = 11
	apiHeartbeat = 12
	apiSync      = 14
)

// View draws the state up as the page shows it, at time now (at or after the last event).
func (s *State) View(now int64) view.View {
	v := view.View{At: now, Index: s.index}
	v.Brokers = s.viewBrokers()
	v.Parts = s.viewParts()
	v.Groups = s.viewGroups()
	v.Clients = s.viewClients()
	v.Neighbours = s.viewNeighbours()
	for _, f := range s.flying {
		v.Flying = append(v.Flying, s.viewFlying(f))
	}
	for i, st := range s.stores {
		o := view.Store{Name: s.name(s.dir.stores.keys[i]), Effects: st.effects}
		for _, r := range st.last {
			if r != 0 {
				o.Last = append(o.Last, s.name(r))
			}
		}
		v.Stores = append(v.Stores, o)
	}
	return v
}

func (s *State) name(r trace.Ref) string { return s.dir.log.String(r) }

func (s *State) viewFlying(f flying) view.Flying {
	_, _, response := trace.UnpackMessageInfo(f.info)
	return view.Flying{
		ID: f.id, From: s.name(f.from), To: s.name(f.to), Name: neighbour.MessageName(f.api),
		Response: response, Error: s.name(f.err), SentAt: f.sent, ArriveAt: f.arrive, Held: f.held,
	}
}

func (s *State) viewBrokers() []view.Broker {
	var out []view.Broker
	for i, r := range s.dir.brokers.keys {
		b := view.Broker{Name: s.name(r)}
		if i < len(s.brokers) {
			b.Up, b.Frozen, b.Controller = s.brokers[i].up, s.brokers[i].frozen, s.brokers[i].controller
		}
		for j, g := range s.groups {
			if g.coordinator == r {
				b.Coordinates = append(b.Coordinates, s.name(s.dir.groups.keys[j]))
			}
		}
		for _, w := range s.waiting {
			if w.broker == r {
				b.Waiting = append(b.Waiting, view.Waiting{
					Client: s.name(w.client), Since: w.since, Deadline: w.to,
				})
			}
		}
		out = append(out, b)
	}
	return out
}

// internalTopic is the topic whose partitions are not drawn as tapes.
const internalTopic = "__consumer_offsets"

func (s *State) viewParts() []view.Partition {
	var out []view.Partition
	for i, p := range s.parts {
		k := s.dir.parts.keys[i]
		if !p.known || s.name(k.topic) == internalTopic {
			continue
		}
		o := view.Partition{
			Topic: s.name(k.topic), Number: k.part, Leader: s.name(p.leader),
			LogStart: p.start, HighWater: p.high, LogEnd: p.end,
			Epoch: p.epoch, Replicas: s.viewReplicas(k, p),
		}
		for j, r := range s.readers {
			if rk := s.dir.readers.keys[j]; r.known && rk.partKey == k {
				o.Readers = append(o.Readers, s.viewReader(rk.group, r))
			}
		}
		out = append(out, o)
	}
	return out
}

// brokerPrefix and its id are a broker's name.
const brokerPrefix = "broker-"

// viewReplicas are the copies of a partition that has several, the preferred leader's first.
func (s *State) viewReplicas(k partKey, p part) []view.Replica {
	if p.replicas == 0 {
		return nil
	}
	var out []view.Replica
	for _, id := range strings.Split(s.name(p.replicas), ",") {
		r := view.Replica{Broker: brokerPrefix + id}
		r.InSync = listed(s.name(p.isr), r.Broker)
		ref, _ := s.dir.log.Lookup(r.Broker)
		if n, ok := s.dir.copies.at[copyKey{k, ref}]; ok && n < len(s.copies) {
			c := s.copies[n]
			r.LogStart, r.HighWater, r.LogEnd = c.start, c.high, c.end
		}
		out = append(out, r)
	}
	return out
}

func (s *State) viewReader(groupRef trace.Ref, r reader) view.Reader {
	return view.Reader{
		Group: s.name(groupRef), Committed: r.committed, Owner: s.name(r.owner), OwnerDead: r.dead,
		Since: r.since, Position: r.position, Fetched: r.fetched,
		Work: r.work, WorkFrom: r.workFrom, WorkTo: r.workTo,
	}
}

var timerNames = []string{"", "initial delay", "rebalance", "pending sync"}

func (s *State) viewGroups() []view.Group {
	var out []view.Group
	for i, g := range s.groups {
		ref := s.dir.groups.keys[i]
		if g.coordinator == 0 {
			continue
		}
		o := view.Group{
			Name: s.name(ref), Coordinator: s.name(g.coordinator), OffsetsPart: g.offsetsPart,
			State: trace.GroupStateNames[g.state], StateSince: g.since, Generation: g.generation,
			Protocol: s.name(g.protocol), Rebalances: g.rebalances, Type: "classic",
		}
		if g.modern {
			o.Type, o.TargetEpoch = "consumer", g.targetEpoch
		}
		if g.timerTo != 0 {
			o.Timer, o.TimerFrom, o.TimerDeadline = timerNames[g.timer], g.timerFrom, g.timerTo
		}
		for j, m := range s.members {
			k := s.dir.members.keys[j]
			if !m.known || k.group != ref {
				continue
			}
			if k.id == g.leader {
				o.Leader = s.name(m.client)
			}
			o.Members = append(o.Members, s.viewMember(g, k, m))
		}
		out = append(out, o)
	}
	return out
}

func (s *State) viewMember(g group, k memberKey, m member) view.Member {
	o := view.Member{
		ID: s.name(k.id), Client: s.name(m.client), Pending: m.pending,
		Heard: m.heard, Session: m.session, Deadline: m.until,
	}
	if m.waits >= 0 {
		o.Waits = wire.KeyName(int16(m.waits))
	}
	if g.modern {
		o.Epoch, o.State = m.epoch, trace.MemberStateNames[m.state]
	}
	for j, r := range s.readers {
		rk := s.dir.readers.keys[j]
		if !r.known || rk.group != k.group {
			continue
		}
		name := s.name(rk.topic) + "-" + itoa(int64(rk.part))
		switch {
		case r.assigned != k.id || !g.modern && r.assignedGen != g.generation:
		case r.revoking:
			o.Revoking = append(o.Revoking, name)
		default:
			o.Assigned = append(o.Assigned, name)
		}
		if g.modern && r.target == k.id {
			o.Target = append(o.Target, name)
		}
	}
	return o
}

func (s *State) viewClients() []view.Client {
	var out []view.Client
	color := 0
	for i, r := range s.dir.clients.keys {
		a := s.dir.roles[r]
		var c client
		if i < len(s.clients) {
			c = s.clients[i]
		}
		o := view.Client{Name: a.Name, Producer: a.Role == RoleProducer, Group: a.Group, Color: color}
		if o.Producer {
			o.Color = -1
		} else {
			color++
		}
		s.fillClient(&o, r, c)
		out = append(out, o)
	}
	return out
}

func (s *State) fillClient(o *view.Client, ref trace.Ref, c client) {
	o.Life, o.LifeAt, o.LifeText, o.Thaws = lifeNames[c.life], c.lifeAt, s.name(c.lifeText), c.thaws
	o.State, o.Generation, o.MemberID = trace.ConsumerStateNames[c.state], c.generation, s.name(c.memberID)
	if o.Of = s.dir.roles[ref].Of; o.Of != "" {
		o.State = "" // only a member of a group of Kafka has one
	}
	o.Call, o.CallFrom, o.CallTo, o.Line = s.name(c.call), c.callFrom, c.callTo, int(c.line)
	o.Callback, o.Buffered, o.Polls, o.Done = s.name(c.callback), c.buffered, c.polls, c.done
	o.PollTo, o.PollLength, o.BeatAt, o.BeatLength = c.pollTo, c.pollTo-c.pollFrom, c.beatAt, c.beatAt-c.beatFrom
	o.Sent, o.Acked = c.sent, c.acked
	for j, r := range s.readers {
		if !r.known || r.owner != ref {
			continue
		}
		k := s.dir.readers.keys[j]
		o.Owned = append(o.Owned, s.name(k.topic)+"-"+itoa(int64(k.part)))
		if r.finished > max(r.committed, 0) {
			o.Undone += r.finished - max(r.committed, 0)
		}
	}
	for j, m := range s.members {
		k := s.dir.members.keys[j]
		if m.known && k.id == c.memberID && c.memberID != 0 {
			o.SessionTo, o.SessionLen = m.until, m.session
		}
	}
}
