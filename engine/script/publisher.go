package script

import (
	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// publisher sends to a neighbour and waits for no answer.
type publisher struct {
	env  sim.Env
	near *neighbour.Client
	op   neighbour.Op
}

func newPublisher(env sim.Env, thing *neighbour.Thing) *publisher {
	p := &publisher{env: env, near: neighbour.NewClient(env, thing, "")}
	switch thing.Kind {
	case trace.NeighbourChannel:
		p.op = neighbour.OpPublish
	case trace.NeighbourStream:
		p.op = neighbour.OpXAdd
	default:
		p.op = neighbour.OpBasicPublish
	}
	return p
}

// Send implements sender; done is not called, since nobody says that a message has come in.
func (p *publisher) Send(_ string, key, value []byte, _ int32, _ func(int32, int64, error)) {
	p.near.Send(&neighbour.Message{
		Op: p.op, Records: []*neighbour.Record{{Key: string(key), Value: string(value)}},
	})
}

// Close implements sender.
func (p *publisher) Close(done func(error)) {
	p.near.Close()
	p.env.After(minCall, func() { done(nil) })
}

// Opened implements [sim.Node].
func (f *Feed) Opened(c sim.Conn) {
	if f.near != nil {
		f.near.near.Opened(c)
	}
	f.Process.Opened(c)
}

// Received implements [sim.Node]. A neighbour has nothing to say to a publisher.
func (f *Feed) Received(c sim.Conn, m sim.Message) {
	if f.near == nil {
		f.Process.Received(c, m)
	}
}

// Closed implements [sim.Node].
func (f *Feed) Closed(c sim.Conn) {
	if f.near != nil {
		f.near.near.Closed(c)
	}
	f.Process.Closed(c)
}
