package neighbour

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// lab is one server and clients that send what a test says and keep what they are sent.
type lab struct {
	t     *testing.T
	log   *trace.Log
	world *sim.World
	peers map[string]*probe
	thing Thing
	corr  int32
}

// probe is a client without a library.
type probe struct {
	server string
	env    sim.Env
	conn   sim.Conn
	got    []string
}

func (p *probe) Start(env sim.Env) { p.env, p.conn = env, env.Dial(p.server) }
func (p *probe) Opened(sim.Conn)   {}
func (p *probe) Closed(sim.Conn)   { p.got = append(p.got, "closed") }

func (p *probe) Received(_ sim.Conn, m sim.Message) {
	in := m.(*Message)
	text := []string{MessageName(int32(in.Op))}
	if in.Err != "" {
		text = append(text, in.Err)
	}
	for _, r := range in.Records {
		s := "#" + num(r.Number)
		if r.Deliveries > 1 {
			s += "x" + num(r.Deliveries)
		}
		if in.Op == OpXPending {
			s += "@" + r.Owner
		}
		text = append(text, s)
	}
	p.got = append(p.got, strings.Join(text, " "))
}

func num(n int64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return num(n/10) + num(n%10)
}

// newLab has one thing and a client for each name.
func newLab(t *testing.T, thing Thing, names ...string) *lab {
	l := &lab{t: t, log: trace.NewLog(), peers: map[string]*probe{}, thing: thing}
	l.world = sim.NewWorld(sim.Options{
		Seed: 1, Log: l.log, Label: func(m sim.Message) sim.Label {
			return sim.Label{API: int32(m.(*Message).Op)}
		},
	})
	l.world.SetLatency(time.Millisecond, 0)
	l.world.Spawn(thing.Server(), NewServer(thing.Server(), []*Thing{&thing}))
	for _, n := range names {
		l.peers[n] = &probe{server: thing.Server()}
		l.world.Spawn(n, l.peers[n])
	}
	l.run(10 * time.Millisecond)
	return l
}

// run lets so much time pass.
func (l *lab) run(d time.Duration) {
	end := l.world.Now().Add(d)
	for next, ok := l.world.Next(); ok && next <= end; next, ok = l.world.Next() {
		require.NoError(l.t, l.world.Turn())
	}
	l.world.Forward(end)
}

// send sends m as a client and waits until everything that follows at once is over.
func (l *lab) send(who string, m Message) {
	l.corr++
	m.Name, m.Who, m.Corr = l.thing.Name, who, l.corr
	l.peers[who].conn.Send(&m)
	l.run(10 * time.Millisecond)
}

// publish sends n messages of that size.
func (l *lab) publish(who string, n, size int) {
	op := OpXAdd
	switch l.thing.Kind {
	case trace.NeighbourChannel:
		op = OpPublish
	case trace.NeighbourQueue:
		op = OpBasicPublish
	}
	for range n {
		l.send(who, Message{Op: op, Records: []*Record{{Value: strings.Repeat("x", size)}}})
	}
}

// got is what a client was sent since it was last asked.
func (l *lab) got(who string) []string {
	got := l.peers[who].got
	l.peers[who].got = nil
	return got
}

// events are the events of a kind so far.
func (l *lab) events(kind trace.Kind) []trace.Event {
	var all []trace.Event
	for r := l.log.Reader(0); ; {
		e, ok := r.Next()
		if !ok {
			return all
		}
		if e.Kind == kind {
			all = append(all, e)
		}
	}
}
