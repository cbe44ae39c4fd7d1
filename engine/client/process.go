package client

import "rebalancelab/engine/sim"

// Process is the program of a client process: it owns the environment and hands what arrives on a
// connection to the client that dialed it. Owners embed it and start their work after Start.
type Process struct {
	env  sim.Env
	ends []*link
	corr int32
}

// Start implements [sim.Node].
func (p *Process) Start(env sim.Env) { p.env = env }

// Opened implements [sim.Node].
func (p *Process) Opened(c sim.Conn) {
	if l := p.find(c); l != nil {
		l.opened()
	}
}

// Received implements [sim.Node].
func (p *Process) Received(c sim.Conn, m sim.Message) {
	if l := p.find(c); l != nil {
		l.received(m)
	}
}

// Closed implements [sim.Node].
func (p *Process) Closed(c sim.Conn) {
	if l := p.find(c); l != nil {
		l.closed()
	}
}

// find is a scan: a process has few connections.
func (p *Process) find(c sim.Conn) *link {
	for _, l := range p.ends {
		if l.conn == c {
			return l
		}
	}
	return nil
}

// nextCorr numbers requests over all connections of the process, as one Java client does, so that a
// request and its answer can be found by number.
func (p *Process) nextCorr() int32 {
	p.corr++
	return p.corr
}
