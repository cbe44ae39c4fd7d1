package neighbour

import (
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// queue is a classic queue of RabbitMQ: messages in the order of publication, handed out one by one to
// whichever consumer has room.
type queue struct {
	notes
	next      int64
	ready     []*Record // by number: what is requeued goes back to its own place
	consumers []*consumer
	turn      int // who is asked first next time
}

// consumer is one consumer of a queue, on a channel of its own.
type consumer struct {
	conn sim.Conn
	ref  trace.Ref
	// consuming is false until basic.consume.
	consuming bool
	prefetch  int64 // bounds the deliveries that are not acknowledged; 0: no bound
	autoAck   bool  // a delivery counts as acknowledged once it is sent
	tags      int64
	unacked   []*Record // by delivery tag
}

func (q *queue) publish(r *Record) {
	r.Number = q.next
	q.next++
	q.ready = append(q.ready, r)
	q.note(trace.Published, q.env.Ref(r.Key), r.Number, int64(len(r.Value)), int64(len(q.consumers)))
	q.deliver()
}

func (q *queue) received(from sim.Conn, m *Message) {
	c := q.consumer(from)
	switch m.Op {
	case OpBasicQos:
		c.prefetch = m.N
		answer(from, m, nil, "")
	case OpBasicConsume:
		c.consuming, c.autoAck = true, m.Flag
		q.note(trace.Subscribed, c.ref, 0, int64(q.ref), 0)
		answer(from, m, nil, "")
	default:
		q.acknowledged(c, m)
	}
	q.deliver()
}

// consumer finds or makes the consumer on a connection.
func (q *queue) consumer(conn sim.Conn) *consumer {
	for _, c := range q.consumers {
		if c.conn == conn {
			return c
		}
	}
	c := &consumer{conn: conn, ref: q.env.Ref(conn.Peer())}
	q.consumers = append(q.consumers, c)
	return c
}

// acknowledged takes a consumer's word, basic.ack or basic.nack, about a delivery, or with multiple about
// all up to it. For an unknown tag the channel is closed (PRECONDITION_FAILED), here with its
// connection.
func (q *queue) acknowledged(c *consumer, m *Message) {
	i := 0
	for i < len(c.unacked) && c.unacked[i].Tag != m.N {
		i++
	}
	if i == len(c.unacked) {
		c.conn.Close()
		q.gone(c.conn)
		return
	}
	first := i
	if m.Flag {
		first = 0
	}
	done := append([]*Record(nil), c.unacked[first:i+1]...)
	c.unacked = append(c.unacked[:first], c.unacked[i+1:]...)
	for _, r := range done {
		switch {
		case m.Op == OpBasicAck:
			q.note(trace.Settled, c.ref, r.Number, 1, trace.SettledByAck)
		case m.Requeue:
			q.requeue(c, r, 0)
		default:
			q.note(trace.Settled, c.ref, r.Number, 1, trace.SettledByReject)
		}
	}
}

// requeue puts a message back before the first one that was published after it.
func (q *queue) requeue(c *consumer, r *Record, gone int64) {
	i := 0
	for i < len(q.ready) && q.ready[i].Number < r.Number {
		i++
	}
	q.ready = append(q.ready, nil)
	copy(q.ready[i+1:], q.ready[i:])
	q.ready[i] = r
	q.note(trace.Requeued, c.ref, r.Number, 0, gone)
}

// deliver hands out messages while there are any and somebody has room. Consumers with room take turns.
func (q *queue) deliver() {
	for idle := 0; len(q.ready) > 0 && idle < len(q.consumers); {
		q.turn %= len(q.consumers)
		c := q.consumers[q.turn]
		q.turn++
		idle++
		if c.consuming && (c.prefetch == 0 || int64(len(c.unacked)) < c.prefetch) {
			q.send(c, q.ready[0])
			idle = 0
		}
	}
}

// send is basic.deliver. What travels is a copy: the message itself may be given out again.
func (q *queue) send(c *consumer, r *Record) {
	q.ready = q.ready[1:]
	r.Deliveries++
	c.tags++
	r.Tag = c.tags
	sent := *r
	q.note(trace.Pushed, c.ref, r.Number, r.Deliveries, r.Tag)
	c.conn.Send(&Message{Op: OpBasicDeliver, Records: []*Record{&sent}})
	if c.autoAck {
		q.note(trace.Settled, c.ref, r.Number, 1, trace.SettledByAutoAck)
	} else {
		c.unacked = append(c.unacked, r)
	}
}

// gone ends the consumer on a connection that is closed: whatever it had not acknowledged goes back
// into the queue.
func (q *queue) gone(conn sim.Conn) {
	for i, c := range q.consumers {
		if c.conn != conn {
			continue
		}
		q.consumers = remove(q.consumers, i)
		if q.turn > i {
			q.turn--
		}
		for _, r := range c.unacked {
			q.requeue(c, r, 1)
		}
		q.note(trace.Unsubscribed, c.ref, 0, 0, 0)
		q.deliver()
		return
	}
}
