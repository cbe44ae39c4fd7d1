package tcp

import (
	"context"
	"net"
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// process is one running broker; it is the [sim.Env] of its node. Its fields belong to the loop.
type process struct {
	server   *Server
	name     string
	ref      trace.Ref
	node     sim.Node
	listener net.Listener
	conns    map[int64]*conn
	dead     bool
}

// Now implements sim.Env.
func (p *process) Now() sim.Time { return p.server.loop.now }

// After implements sim.Env.
func (p *process) After(d time.Duration, fn func()) *sim.Timer {
	t := sim.NewTimer(fn)
	p.server.loop.timers.add(p.Now().Add(max(d, 0)), p, t)
	return t
}

// Rand implements sim.Env. Streams live as long as the server.
func (p *process) Rand(purpose string) *sim.Rand { return p.server.rand(p.name + "/" + purpose) }

// Trace implements sim.Env.
func (p *process) Trace(e trace.Event) {
	if r := p.server.ring; r != nil {
		e.At, e.Node = p.Now().Since(), p.ref
		r.add(e)
	}
}

// Ref implements sim.Env. Without a trace nothing needs a name.
func (p *process) Ref(s string) trace.Ref {
	if r := p.server.ring; r != nil {
		return r.ref(s)
	}
	return 0
}

// Dial implements sim.Env: peer is the name of another broker of this server.
func (p *process) Dial(peer string) sim.Conn {
	c := p.newConn(peer)
	c.dialed = true
	addr := p.server.addresses[peer]
	p.server.spawn(func() {
		var d net.Dialer
		sock, err := d.DialContext(p.server.ctx, "tcp", addr)
		if err != nil || !c.connect(sock) {
			p.server.loop.post(news{what: hasClosed, conn: c})
			return
		}
		c.serve()
	})
	return c
}

// accept takes connections until the listener is closed.
func (p *process) accept(ctx context.Context, l net.Listener) {
	for {
		sock, err := l.Accept()
		if err != nil {
			if ctx.Err() == nil && !isClosed(err) { // out of file descriptors, most likely
				p.server.logf("%s cannot accept a connection: %v", p.name, err)
				if pause(ctx, acceptPause) {
					continue
				}
			}
			return
		}
		p.server.spawn(func() {
			ready := make(chan *conn, 1)
			if !p.server.loop.do(ctx.Done(), func() { ready <- p.accepted(sock) }) {
				sock.Close()
				return
			}
			if c := <-ready; c != nil {
				c.serve()
			}
		})
	}
}

// acceptPause is the wait after a connection could not be accepted.
const acceptPause = 100 * time.Millisecond

// accepted makes a connection of an accepted socket, unless the process has ended meanwhile.
func (p *process) accepted(sock net.Conn) *conn {
	if p.dead {
		sock.Close()
		return nil
	}
	host, _, _ := net.SplitHostPort(sock.RemoteAddr().String())
	c := p.newConn(host)
	c.connect(sock)
	return c
}

func (p *process) newConn(peer string) *conn {
	p.server.lastConn++
	c := newConn(p.server.lastConn, p, peer)
	p.conns[c.id] = c
	return c
}

// end ends the process as kill -9 does: its sockets close, its timers never fire.
func (p *process) end() {
	if p.dead {
		return
	}
	p.dead = true
	p.listener.Close()
	for _, c := range p.conns {
		c.abort()
	}
	p.conns = nil
}

// pause waits; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
