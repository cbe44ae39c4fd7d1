package neighbour

import (
	"strconv"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// stream is a Redis stream: entries in the order in which they were added. Nothing trims it.
type stream struct {
	notes
	entries []*Record
	ms, seq int64 // id of the last entry
	groups  []*group
	blocked []*blocked // the one that has waited longest first
}

// blocked is an XREADGROUP that waits for an entry.
type blocked struct {
	conn  sim.Conn
	ask   *Message
	timer *sim.Timer
}

// publish is XADD. An entry's id is the server's time in milliseconds and a sequence number within it.
func (s *stream) publish(r *Record) {
	s.seq++
	if ms := s.env.Now().Millis(); ms > s.ms {
		s.ms, s.seq = ms, 0
	}
	r.Number = int64(len(s.entries))
	r.ID = strconv.FormatInt(s.ms, 10) + "-" + strconv.FormatInt(s.seq, 10)
	s.entries = append(s.entries, r)
	s.note(trace.Published, s.env.Ref(r.Key), r.Number, int64(len(r.Value)), int64(len(s.groups)))
	waiting := s.blocked
	s.blocked = nil
	for _, b := range waiting {
		if s.group(b.ask.Group).next < int64(len(s.entries)) {
			b.timer.Stop()
			s.received(b.conn, b.ask)
		} else {
			s.blocked = append(s.blocked, b)
		}
	}
}

func (s *stream) group(name string) *group {
	for _, g := range s.groups {
		if g.name == name {
			return g
		}
	}
	return nil
}

// received carries out a command. It is one switch over the commands: the switch is the story.
func (s *stream) received(c sim.Conn, ask *Message) {
	g := s.group(ask.Group)
	switch {
	case ask.Op == OpXGroupCreate && g != nil:
		answer(c, ask, nil, "BUSYGROUP")
		return
	case ask.Op == OpXGroupCreate:
		s.create(ask)
		answer(c, ask, nil, "")
		return
	case g == nil:
		answer(c, ask, nil, "NOGROUP")
		return
	}
	g.meet(ask.Who)
	switch ask.Op {
	case OpXReadGroup:
		switch {
		case ask.Flag:
			answer(c, ask, g.again(ask, func(p *pending) bool { return p.owner == ask.Who }), "")
		case g.next == int64(len(s.entries)) && ask.Wait >= 0:
			s.block(c, ask)
		default:
			answer(c, ask, g.read(ask), "")
		}
	case OpXAck:
		answer(c, ask, g.ack(ask.Numbers), "")
	default: // XPENDING, XCLAIM, XAUTOCLAIM
		answer(c, ask, g.again(ask, func(p *pending) bool {
			return s.env.Now().Sub(p.since) >= ask.Wait && (ask.Op != OpXClaim || ask.names(p.number))
		}), "")
	}
}

// create makes a group that reads from the first entry on, or only what is added from now on.
func (s *stream) create(ask *Message) {
	g := &group{name: ask.Group, stream: s, next: int64(len(s.entries))}
	if ask.Flag {
		g.next = 0
	}
	s.groups = append(s.groups, g)
	s.note(trace.Subscribed, 0, g.next, int64(s.env.Ref(g.name)), 1)
}

// block lets an XREADGROUP wait for an entry: for good if its time is 0.
func (s *stream) block(c sim.Conn, ask *Message) {
	b := &blocked{conn: c, ask: ask}
	s.blocked = append(s.blocked, b)
	if ask.Wait > 0 {
		b.timer = s.env.After(ask.Wait, func() {
			s.gone(c)
			answer(c, ask, nil, "")
		})
	}
}

// gone ends the waiting on a connection. What is pending for its client stays pending.
func (s *stream) gone(c sim.Conn) {
	for i, b := range s.blocked {
		if b.conn == c {
			b.timer.Stop()
			s.blocked = remove(s.blocked, i)
			return
		}
	}
}
