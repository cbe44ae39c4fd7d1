package neighbour

import (
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// Defaults of a channel: redis.conf's for pubsub clients; of its sockets, what Linux gives a receiver
// to begin with.
const (
	DefaultHardLimit = 32 << 20
	DefaultSoftLimit = 8 << 20
	DefaultSoftTime  = time.Minute
	DefaultSocket    = 128 << 10
)

// channel is a channel of Pub/Sub. It keeps no message: each is written to the subscribers of this
// moment, or into their output buffers.
type channel struct {
	notes
	*Thing
	next int64
	subs []*subscriber
}

// subscriber is a connection that has subscribed, with the output buffer that the server keeps for it.
type subscriber struct {
	conn  sim.Conn
	ref   trace.Ref
	room  int64 // what its socket still takes
	out   []*Record
	bytes int64
	said  int64 // bytes as last written to the trace
	soft  *sim.Timer
}

func (c *channel) received(from sim.Conn, m *Message) {
	if m.Op == OpSubscribe {
		s := &subscriber{conn: from, ref: c.env.Ref(from.Peer()), room: c.Socket}
		c.subs = append(c.subs, s)
		c.note(trace.Subscribed, s.ref, c.next, int64(c.env.Ref(m.Group)), 0)
		answer(from, m, nil, "")
		return
	}
	for _, s := range c.subs {
		if s.conn == from {
			s.room += m.N
			c.flush(s)
		}
	}
}

func (c *channel) publish(r *Record) {
	r.Number, r.Deliveries = c.next, 1
	c.next++
	c.note(trace.Published, c.env.Ref(r.Key), r.Number, r.size(c.Name), int64(len(c.subs)))
	for i := len(c.subs) - 1; i >= 0; i-- { // from the end: one may be cut
		s := c.subs[i]
		s.out = append(s.out, r)
		s.bytes += r.size(c.Name)
		c.flush(s)
		if s.bytes >= c.HardLimit && c.HardLimit > 0 {
			c.cut(s, 0)
		}
	}
}

// flush writes what the socket takes, and watches over what is left.
func (c *channel) flush(s *subscriber) {
	for len(s.out) > 0 {
		r := s.out[0]
		n := r.size(c.Name)
		if n > s.room {
			break
		}
		s.out = s.out[1:]
		s.room -= n
		s.bytes -= n
		c.note(trace.Pushed, s.ref, r.Number, 1, 0)
		s.conn.Send(&Message{Op: OpMessage, Name: c.Name, Records: []*Record{r}})
	}
	c.watch(s)
}

// bufferSteps is how finely the growth of a buffer is told: in this part of the limit.
const bufferSteps = 256

// watch runs the clock of the soft limit and tells how full the buffer is. The server looks once a
// second at a clock of whole seconds, so what is asked for is one second more.
func (c *channel) watch(s *subscriber) {
	if c.SoftLimit == 0 || s.bytes < c.SoftLimit {
		s.soft.Stop()
		s.soft = nil
	} else if s.soft == nil {
		s.soft = c.env.After(c.SoftTime+time.Second, func() { c.cut(s, 1) })
	}
	step := max(c.HardLimit/bufferSteps, 1)
	if s.bytes/step != s.said/step || s.bytes == 0 && s.said > 0 {
		s.said = s.bytes
		c.note(trace.Buffered, s.ref, s.bytes, int64(len(s.out)), 0)
	}
}

// cut closes the connection of a subscriber that is too slow. Its output buffer goes with it.
func (c *channel) cut(s *subscriber, soft int32) {
	c.env.Trace(trace.Event{
		Kind: trace.BufferCut, Name: c.ref, Peer: s.ref, Part: soft,
		X: s.bytes, Y: int64(len(s.out)), Z: s.out[0].Number,
	})
	s.out = nil
	s.conn.Close()
	c.gone(s.conn)
}

// gone forgets the subscriber on a connection that is closed, and what waits for it.
func (c *channel) gone(conn sim.Conn) {
	for i, s := range c.subs {
		if s.conn != conn {
			continue
		}
		s.soft.Stop()
		c.subs = remove(c.subs, i)
		if len(s.out) > 0 {
			c.note(trace.Settled, s.ref, s.out[0].Number, int64(len(s.out)), trace.SettledByGone)
		}
		c.note(trace.Unsubscribed, s.ref, 0, 0, 0)
		return
	}
}
