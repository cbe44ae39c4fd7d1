package sim

import (
	"time"

	"rebalancelab/engine/trace"
)

// Time is a moment in nanoseconds since the Unix epoch.
type Time int64

// Start is the moment at which every simulated run begins: 2026-01-01T00:00:00Z.
const Start Time = 1767225600 * 1e9

// Add returns t + d.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns t - u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Millis is t in milliseconds since the Unix epoch, the unit of Kafka's timestamps.
func (t Time) Millis() int64 { return int64(t) / 1e6 }

// Since is t in nanoseconds since the start of a simulated run, the unit of the trace.
func (t Time) Since() int64 { return int64(t - Start) }

// Message is what travels on a connection. Whoever sent it must not change it afterwards, unless the
// receiver has said in its own way that it is done with it.
type Message any

// Env is all that a node sees of the world. Every method may be called only while the node is being
// fed (from a method of [Node] or a timer).
type Env interface {
	// Now is the present moment; it does not move while the node works.
	Now() Time
	// After calls fn once d has passed, unless the timer is stopped or the process ends first.
	// A frozen process's timers fire when it thaws.
	After(d time.Duration, fn func()) *Timer
	// Dial opens a connection to the process named peer. Opened or Closed follows.
	Dial(peer string) Conn
	// Rand is the stream of chance for one purpose; the same purpose gives the same stream.
	Rand(purpose string) *Rand
	// Trace writes an event; At and Node are filled in.
	Trace(e trace.Event)
	// Ref interns a text of the trace.
	Ref(s string) trace.Ref
}

// Conn is one end of an ordered, reliable connection.
type Conn interface {
	// ID is the same at both ends and unique in a run.
	ID() int64
	// Peer is the name of the process at the other end.
	Peer() string
	// Send hands m to the network. On a closed connection it is lost.
	Send(m Message)
	// Close ends the connection; the other end learns it by Closed, this end gets no call.
	Close()
}

// Node is a process's program: a broker or a client. Calls never overlap.
type Node interface {
	// Start is the first call.
	Start(env Env)
	// Opened says that a connection stands, dialed or accepted by this node.
	Opened(c Conn)
	// Received hands over one message.
	Received(c Conn, m Message)
	// Closed says that a connection is gone, or could not be opened (refused).
	Closed(c Conn)
}

// Timer is a pending call made with After.
type Timer struct {
	fn    func()
	stale *int // the queue's count of stopped timers
}

// Stop keeps the timer from firing. It may be called on a nil, fired or stopped timer.
func (t *Timer) Stop() {
	if t == nil || t.fn == nil {
		return
	}
	t.fn = nil
	if t.stale != nil {
		*t.stale++
	}
}

// Pending says whether the timer may still fire.
func (t *Timer) Pending() bool { return t != nil && t.fn != nil }

// NewTimer wraps fn for hosts that keep their own clock.
func NewTimer(fn func()) *Timer { return &Timer{fn: fn} }

// Fire calls the timer's function, once, unless it was stopped.
func (t *Timer) Fire() {
	if fn := t.fn; fn != nil {
		t.fn = nil
		fn()
	}
}
