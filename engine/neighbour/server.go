package neighbour

import (
	"strconv"
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// RedisName is the process that has all channels and streams of a run, RabbitName that with the queues.
const (
	RedisName  = "redis"
	RabbitName = "rabbitmq"
)

// Thing is a channel, a stream or a queue as a scenario declares it.
type Thing struct {
	Name string
	// Kind is trace.NeighbourChannel and so on.
	Kind int64
	// HardLimit, SoftLimit and SoftTime are client-output-buffer-limit pubsub: bytes at which a
	// subscriber is cut off, and bytes at which it is once it has stayed above them for so long.
	HardLimit, SoftLimit int64
	SoftTime             time.Duration
	// Socket is how many bytes the sockets of both ends hold that the subscriber's program has not
	// read.
	Socket int64
	// Records and Keys are what a stream or a queue holds from the start: the keys are repeated in turn.
	Records int
	Keys    []string
}

// Server is the process that has the thing.
func (t *Thing) Server() string {
	if t.Kind == trace.NeighbourQueue {
		return RabbitName
	}
	return RedisName
}

// Server is a Redis or a RabbitMQ server. It does one thing at a time.
type Server struct {
	name   string
	things []*Thing // of all servers
	places []place  // of this one, and their names
	names  []string
}

// place is a thing at its server.
type place interface {
	// publish takes a message in.
	publish(r *Record)
	// received takes what a client sends about the thing, but for messages.
	received(c sim.Conn, m *Message)
	// gone hears that a connection is closed.
	gone(c sim.Conn)
}

// NewServer returns the server called name, with those of the things that are its own.
func NewServer(name string, things []*Thing) *Server { return &Server{name: name, things: things} }

// Start implements [sim.Node].
func (s *Server) Start(env sim.Env) {
	for _, t := range s.things {
		if t.Server() == s.name {
			n := &notes{env, env.Ref(t.Name)}
			n.note(trace.NeighbourUp, 0, t.Kind, t.HardLimit, 0)
			p := n.place(t)
			s.places, s.names = append(s.places, p), append(s.names, t.Name)
			t.fill(p)
		}
	}
}

// fill publishes what is there from the start.
func (t *Thing) fill(p place) {
	for i := range t.Records {
		r := &Record{Value: "record " + strconv.Itoa(i)}
		if len(t.Keys) > 0 {
			r.Key = t.Keys[i%len(t.Keys)]
		}
		p.publish(r)
	}
}

// place makes what a thing needs at its server.
func (n *notes) place(t *Thing) place {
	switch t.Kind {
	case trace.NeighbourChannel:
		return &channel{notes: *n, Thing: t}
	case trace.NeighbourStream:
		return &stream{notes: *n}
	}
	return &queue{notes: *n}
}

// Opened implements [sim.Node].
func (s *Server) Opened(sim.Conn) {}

// Received implements [sim.Node].
func (s *Server) Received(c sim.Conn, m sim.Message) {
	ask := m.(*Message)
	for i, p := range s.places {
		switch {
		case s.names[i] != ask.Name:
		case ask.Op.Publishes():
			p.publish(ask.Records[0])
		default:
			p.received(c, ask)
		}
	}
}

// Closed implements [sim.Node].
func (s *Server) Closed(c sim.Conn) {
	for _, p := range s.places {
		p.gone(c)
	}
}

// notes writes events about one thing.
type notes struct {
	env sim.Env
	ref trace.Ref
}

func (n *notes) note(kind trace.Kind, peer trace.Ref, x, y, z int64) {
	n.env.Trace(trace.Event{Kind: kind, Name: n.ref, Peer: peer, X: x, Y: y, Z: z})
}

// answer sends an answer to ask.
func answer(c sim.Conn, ask *Message, records []*Record, err string) {
	c.Send(&Message{
		Op: ask.Op, Corr: ask.Corr, Response: true, Name: ask.Name, Records: records, Err: err,
		N: int64(len(records)),
	})
}

// remove takes element i out of a list.
func remove[P any](list []P, i int) []P {
	return append(list[:i], list[i+1:]...)
}
