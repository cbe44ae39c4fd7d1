package broker

import (
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// channel is a connection to another broker for one purpose, opened when it is first needed and
// again after it was lost.
type channel struct {
	broker  *Broker
	peer    int32
	purpose string
	client  string // the client id in its requests
	conn    sim.Conn
	open    bool
	corr    int32
	calls   []*outcall // unanswered, in order; the first unsent ones wait for the connection
}

// outcall is a request to another broker that waits for its answer.
type outcall struct {
	frame *wire.Frame
	timer *sim.Timer
	done  func(kmsg.Response)
}

// channel finds the broker's channel to a peer for a purpose.
func (b *Broker) channel(peer int32, purpose string) *channel {
	for _, ch := range b.channels {
		if ch.peer == peer && ch.purpose == purpose {
			return ch
		}
	}
	ch := &channel{
		broker: b, peer: peer, purpose: purpose, client: fmt.Sprintf("broker-%d-%s", b.id, purpose),
	}
	b.channels = append(b.channels, ch)
	return ch
}

// channelOf finds the channel that a connection belongs to; nil for one that was accepted.
func (b *Broker) channelOf(c sim.Conn) *channel {
	for _, ch := range b.channels {
		if ch.conn != nil && ch.conn.ID() == c.ID() {
			return ch
		}
	}
	return nil
}

// send sends a request. done is called once: with the answer, or with nil when the connection was
// lost or refused or timeout passed.
func (ch *channel) send(req kmsg.Request, timeout time.Duration, done func(kmsg.Response)) {
	b := ch.broker
	ch.corr++
	o := &outcall{frame: wire.NewRequest(ch.corr, ch.client, req), done: done}
	o.timer = b.env.After(timeout, func() { ch.hangUp() })
	ch.calls = append(ch.calls, o)
	switch {
	case ch.conn == nil:
		ch.conn, ch.open = b.env.Dial(b.cluster.node(ch.peer).name), false
	case ch.open:
		ch.conn.Send(o.frame)
	}
}

// opened sends what has waited for the connection.
func (ch *channel) opened() {
	ch.open = true
	for _, o := range ch.calls {
		ch.conn.Send(o.frame)
	}
}

func (ch *channel) received(f *wire.Frame) {
	if len(ch.calls) == 0 || ch.calls[0].frame.Corr != f.Corr {
		return
	}
	o := ch.calls[0]
	ch.calls = ch.calls[1:]
	o.timer.Stop()
	o.done(f.Resp)
}

// hangUp gives the connection up: an answer did not come in time.
func (ch *channel) hangUp() {
	ch.conn.Close()
	ch.lost()
}

// lost ends every call that is under way.
func (ch *channel) lost() {
	ch.conn, ch.open = nil, false
	calls := ch.calls
	ch.calls = nil
	for _, o := range calls {
		o.timer.Stop()
	}
	for _, o := range calls {
		o.done(nil)
	}
}
