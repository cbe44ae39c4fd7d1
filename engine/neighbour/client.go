package neighbour

import (
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// minCall is what every blocking call costs at least.
const minCall = 10 * time.Microsecond

// Error ends a call: ConnectionError when there is no connection any more, or the first word of what
// Redis answered.
type Error struct{ Name string }

// Error is that name.
func (e *Error) Error() string { return e.Name }

var errClosed = &Error{Name: "ConnectionError"}

// Client is the library of a process that talks to a neighbour over one connection. A blocking call
// takes a function that is called exactly once, at least 10 us later and never inside the call; there is
// one call at a time.
type Client struct {
	env   sim.Env
	thing *Thing
	group string

	conn   sim.Conn
	open   bool
	corr   int32
	queued []*Message // until the connection stands
	pushed []*Record  // received, and not read by the program yet
	read   int64      // bytes that the program has read since the sender was last told
	call   *call
	wake   error // what the next call ends with
}

// call is the blocking call under way.
type call struct {
	corr  int32 // of the answer that ends it
	next  bool  // a pushed message does
	timer *sim.Timer
	done  func(*Message, error)
}

// NewClient returns the client of a process that reads from, or writes to, thing, as a member of
// group.
func NewClient(env sim.Env, thing *Thing, group string) *Client {
	return &Client{env: env, thing: thing, group: group}
}

// Connected says whether there is a connection, or one is being opened.
func (c *Client) Connected() bool { return c.conn != nil }

// Send sends m without waiting for anything. It opens a connection if there is none.
func (c *Client) Send(m *Message) {
	m.Name, m.Group = c.thing.Name, c.group
	if c.conn == nil {
		c.pushed, c.read = nil, 0
		c.conn = c.env.Dial(c.thing.Server())
	}
	if !c.open {
		c.queued = append(c.queued, m)
		return
	}
	c.conn.Send(m)
}

// Ask sends m and waits for its answer.
func (c *Client) Ask(m *Message, done func(*Message, error)) {
	c.corr++
	m.Corr = c.corr
	c.begin(&call{corr: m.Corr, done: done})
	c.Send(m)
}

// Next waits for a pushed message, for so long at most: then done gets nothing. Messages that arrived
// before the connection broke are still read.
func (c *Client) Next(timeout time.Duration, done func(*Message, error)) {
	k := &call{done: done, next: true}
	c.begin(k)
	switch {
	case len(c.pushed) > 0:
		k.timer = c.env.After(minCall, func() { c.end(c.take(), nil) })
	case c.conn == nil:
		k.timer = c.env.After(minCall, func() { c.end(nil, errClosed) })
	default:
		k.timer = c.env.After(max(timeout, minCall), func() { c.end(nil, nil) })
	}
}

// Close closes the connection.
func (c *Client) Close() {
	if c.conn != nil {
		c.conn.Close()
		c.lost()
	}
}

// Interrupt ends the call under way, or else the next one, with err.
func (c *Client) Interrupt(err error) {
	c.wake = err
	if c.call != nil {
		c.interrupt()
	}
}

func (c *Client) begin(k *call) {
	if c.call != nil {
		panic("neighbour: two calls at once")
	}
	c.call = k
	if c.wake != nil {
		c.interrupt()
	}
}

// interrupt ends the call under way a moment later, since it may just have begun.
func (c *Client) interrupt() {
	k := c.call
	c.env.After(minCall, func() {
		if c.call == k && c.wake != nil {
			err := c.wake
			c.wake = nil
			c.end(nil, err)
		}
	})
}

// end ends the call under way.
func (c *Client) end(m *Message, err error) {
	k := c.call
	c.call = nil
	k.timer.Stop()
	k.done(m, err)
}

// take gives the oldest pushed message to the program, and tells the sender of the room once half of
// the socket has been read.
func (c *Client) take() *Message {
	r := c.pushed[0]
	c.pushed = c.pushed[1:]
	if c.thing.Kind == trace.NeighbourChannel {
		c.read += r.size(c.thing.Name)
		if c.open && 2*c.read >= c.thing.Socket {
			c.Send(&Message{Op: OpWindow, N: c.read})
			c.read = 0
		}
	}
	return &Message{Records: []*Record{r}}
}

// Opened implements [sim.Node].
func (c *Client) Opened(conn sim.Conn) {
	if conn != c.conn {
		return
	}
	c.open = true
	for _, m := range c.queued {
		conn.Send(m)
	}
	c.queued = nil
}

// Received implements [sim.Node].
func (c *Client) Received(conn sim.Conn, m sim.Message) {
	in := m.(*Message)
	switch {
	case conn != c.conn:
	case !in.Response:
		c.pushed = append(c.pushed, in.Records...)
		if c.call != nil && c.call.next && len(c.pushed) == len(in.Records) {
			c.call.timer.Stop()
			c.end(c.take(), nil)
		}
	case c.call != nil && c.call.corr == in.Corr && in.Err != "":
		c.end(nil, &Error{Name: in.Err})
	case c.call != nil && c.call.corr == in.Corr:
		c.end(in, nil)
	}
}

// Closed implements [sim.Node]. What a queue had pushed cannot be acknowledged any more and is
// dropped; what a channel had pushed can be read.
func (c *Client) Closed(conn sim.Conn) {
	if conn != c.conn {
		return
	}
	c.lost()
	if c.thing.Kind == trace.NeighbourQueue {
		c.pushed = nil
	}
	if k := c.call; k != nil && (k.corr != 0 || k.next && len(c.pushed) == 0) {
		c.end(nil, errClosed)
	}
}

func (c *Client) lost() { c.conn, c.open, c.queued = nil, false, nil }
