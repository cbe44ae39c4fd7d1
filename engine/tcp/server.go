package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// Options say what a server runs.
type Options struct {
	// Listen is the address of broker 1, HOST:PORT; broker n listens n-1 ports further, or all of them
	// on free ports if the port is 0.
	Listen string
	// Advertise is the host that clients are told to connect to; empty: that of Listen.
	Advertise string
	// Brokers is their number, at least 1.
	Brokers int
	// Settings are applied to all brokers, Topics created before the first client is served.
	Settings []broker.Entry
	Topics   []broker.TopicSpec
	// TraceEvents is the number of newest events to keep; 0: none.
	TraceEvents int
	// Log is told what a person who runs the server wants to know, one line each; nil: nobody.
	// Several goroutines call it.
	Log func(line string)
}

// Server is a cluster of brokers on sockets. Its methods may be called from any goroutine.
type Server struct {
	opt       Options
	loop      *loop
	ring      *ring
	ctx       context.Context // ends when the server closes
	cancel    context.CancelFunc
	work      sync.WaitGroup
	addresses map[string]string // where each broker listens, by name; set once
	told      []string          // where clients are told to connect to, broker by broker; set once
	closing   sync.Once

	// The loop's.
	cluster  *broker.Cluster
	procs    []*process // broker n is procs[n-1]
	lastConn int64
	seed     uint64
	rands    map[string]*sim.Rand
}

// Start opens the sockets and starts the brokers.
func Start(opt Options) (*Server, error) {
	if opt.Brokers < 1 {
		return nil, fmt.Errorf("%d brokers; at least 1 is needed", opt.Brokers)
	}
	s := &Server{
		opt: opt, loop: newLoop(), addresses: map[string]string{}, rands: map[string]*sim.Rand{},
		cluster: broker.NewCluster(opt.Brokers),
	}
	s.seed = uint64(s.loop.begun.UnixNano())
	if opt.TraceEvents > 0 {
		if s.loop.begun.UnixNano() < int64(sim.Start) { // the zero of a trace's times
			return nil, fmt.Errorf("the clock of this machine shows %s: a trace needs a time after 2025",
				s.loop.begun.UTC().Format(time.DateOnly))
		}
		s.ring = newRing(opt.TraceEvents)
	}
	for _, e := range opt.Settings {
		if err := s.cluster.SetConfig("", e.Key, e.Value); err != nil {
			return nil, err
		}
	}
	if err := s.listen(); err != nil {
		return nil, err
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.spawn(s.loop.run)
	var err error
	s.loop.do(nil, func() { err = s.begin() })
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// listen opens one socket a broker and tells the cluster where they are.
func (s *Server) listen() error {
	host, text, err := net.SplitHostPort(s.opt.Listen)
	if err != nil {
		return fmt.Errorf("%q is no address to listen on; HOST:PORT is expected, such as 127.0.0.1:9092",
			s.opt.Listen)
	}
	first, err := strconv.ParseUint(text, 10, 16)
	if err != nil || int(first)+s.opt.Brokers-1 > 65535 {
		return fmt.Errorf("port %q of %q: a number is expected from which on %d ports exist",
			text, s.opt.Listen, s.opt.Brokers)
	}
	for id := 1; id <= s.opt.Brokers; id++ {
		port := 0
		if first != 0 {
			port = int(first) + id - 1
		}
		l, err := listenOn(host, port, id)
		if err != nil {
			for _, p := range s.procs {
				p.listener.Close()
			}
			return err
		}
		s.addBroker(int32(id), l)
	}
	return nil
}

func listenOn(host string, port, id int) (net.Listener, error) {
	addr := net.JoinHostPort(host, strconv.Itoa(port))
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("broker %d cannot listen on %s: another program does; end it, or "+
			"name another address (port 0 takes free ones)", id, addr)
	}
	if err != nil {
		return nil, fmt.Errorf("broker %d cannot listen on %s: %w", id, addr, err)
	}
	return l, nil
}

func (s *Server) addBroker(id int32, l net.Listener) {
	at := l.Addr().(*net.TCPAddr)
	host := s.opt.Advertise
	if host == "" {
		host, _, _ = net.SplitHostPort(s.opt.Listen)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost" // every address is listened on: name one that works on this machine
	}
	name := s.cluster.Advertise(id, host, int32(at.Port))
	s.addresses[name] = at.String()
	s.told = append(s.told, net.JoinHostPort(host, strconv.Itoa(at.Port)))
	s.procs = append(s.procs, &process{server: s, name: name, listener: l, conns: map[int64]*conn{}})
}

// begin starts the brokers, creates the topics and opens the doors; it runs in the loop.
func (s *Server) begin() error {
	for i, p := range s.procs {
		s.start(p, broker.New(s.cluster, int32(i+1)))
	}
	for _, t := range s.opt.Topics {
		if err := s.cluster.CreateTopic(t); err != nil {
			return err
		}
	}
	for _, p := range s.procs {
		s.open(p)
	}
	s.cluster.Open()
	return nil
}

func (s *Server) start(p *process, node sim.Node) {
	p.ref, p.node = p.Ref(p.name), node
	p.Trace(trace.Event{Kind: trace.ProcessStarted, X: 1})
	node.Start(p)
}

func (s *Server) open(p *process) {
	l := p.listener
	s.spawn(func() { p.accept(s.ctx, l) })
}

// Addrs are the addresses that clients connect to, broker by broker.
func (s *Server) Addrs() []string { return slices.Clone(s.told) }

// Do calls fn with the cluster while no node runs. It returns false, without a call, when the
// server is closed.
func (s *Server) Do(fn func(c *broker.Cluster)) bool {
	return s.loop.do(s.ctx.Done(), func() { fn(s.cluster) })
}

// Trace is what the ring holds now; nil without one. Times are those of [sim.Time.Since].
func (s *Server) Trace() *trace.Log {
	var log *trace.Log
	take := func() { log = s.ring.log() }
	if s.ring != nil && !s.loop.do(s.ctx.Done(), take) {
		s.work.Wait() // the loop has ended, so that the ring is ours
		take()
	}
	return log
}

// Close ends the server: connections are closed, and nothing of it runs when Close returns.
func (s *Server) Close() {
	s.closing.Do(func() {
		s.loop.do(nil, func() {
			for _, p := range s.procs {
				p.end()
			}
			s.loop.ended = true
		})
		s.cancel()
	})
	s.work.Wait()
}

// rand is the loop's.
func (s *Server) rand(purpose string) *sim.Rand {
	r := s.rands[purpose]
	if r == nil {
		r = sim.NewRand(s.seed, purpose)
		s.rands[purpose] = r
	}
	return r
}

// spawn starts a goroutine that Close waits for.
func (s *Server) spawn(fn func()) { s.work.Go(fn) }

func (s *Server) logf(format string, args ...any) {
	if s.opt.Log != nil {
		s.opt.Log(fmt.Sprintf(format, args...))
	}
}
