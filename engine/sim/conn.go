package sim

import "rebalancelab/engine/trace"

// end is one end of a connection; it implements [Conn].
type end struct {
	id     int64
	proc   *Process
	peer   string
	self   trace.Ref // name of this end's process, and of the other's
	far    trace.Ref
	rand   *Rand // latency of what is sent from here
	link   *link
	other  *end
	dialed bool // this end opened the connection
	open   bool // Opened was called here, and neither Close nor Closed since
	shut   bool // closed here, or known to be closed
	last   Time // arrival of the last thing sent from here: order is kept
	held   bool // a held message blocks what follows it
	behind []*Delivery
}

// what a Delivery carries.
type cargo uint8

const (
	carryMessage cargo = iota
	carryOpen          // the dialed process learns of the connection
	carryAccept        // the dialing process learns that it stands
	carryClose
)

// Delivery is one thing on its way along a connection: a message, or the news that the connection
// stands or is gone.
type Delivery struct {
	ID   int64 // number of the message, from 1; 0 for other news
	From string
	To   string
	Msg  Message

	kind  cargo
	from  *end
	to    *end
	label Label
	held  bool
	done  bool
}

// Conn is the receiving end.
func (d *Delivery) Conn() Conn { return d.to }

// Dial implements [Env].
func (p *Process) Dial(peer string) Conn {
	w := p.world
	w.net.lastConn++
	l := w.net.link(p.name, peer)
	a := &end{
		id: w.net.lastConn, proc: p, peer: peer, dialed: true, link: l,
		self: p.ref, far: w.Ref(peer), rand: w.Rand("net/" + p.name + ">" + peer),
	}
	p.conns = append(p.conns, a)
	b := &end{
		id: a.id, proc: w.procs[peer], peer: p.name, other: a, link: l,
		self: a.far, far: a.self, rand: w.Rand("net/" + peer + ">" + p.name),
	}
	a.other = b
	w.net.carry(carryOpen, a).depart()
	return a
}

func (e *end) ID() int64    { return e.id }
func (e *end) Peer() string { return e.peer }

// Send implements [Conn].
func (e *end) Send(m Message) {
	if e.shut || e.proc.dead {
		return
	}
	w := e.proc.world
	if w.opt.Hop != nil {
		m = w.opt.Hop(m)
	}
	w.net.lastMsg++
	d := w.net.carry(carryMessage, e)
	d.ID, d.Msg, d.label = w.net.lastMsg, m, w.opt.Label(m)
	w.net.flying = append(w.net.flying, d)
	d.depart()
}

// Close implements [Conn].
func (e *end) Close() {
	if e.shut {
		return
	}
	e.forget()
	e.proc.world.net.carry(carryClose, e).depart()
}

// forget takes the end out of its process's list.
func (e *end) forget() {
	e.shut, e.open = true, false
	for i, c := range e.proc.conns {
		if c == e {
			e.proc.conns = append(e.proc.conns[:i], e.proc.conns[i+1:]...)
			return
		}
	}
}

// depart puts the delivery on the wire: it arrives after the link's latency and never before what
// was sent earlier from the same end.
func (d *Delivery) depart() {
	w := d.world()
	at := w.now.Add(w.net.draw(d.from))
	at = max(at, d.from.last)
	d.from.last = at
	if d.kind == carryMessage {
		e := trace.Event{
			Kind: trace.MessageSent, Node: d.from.self, Peer: d.from.far, Part: d.label.API,
			X: d.ID, Y: d.label.Info, Z: int64(at.Sub(w.now)),
		}
		if d.label.Err != "" {
			e.Name = w.Ref(d.label.Err)
		}
		w.Emit(e)
	}
	d.schedule(at)
}

func (d *Delivery) schedule(at Time) {
	d.world().push(at, task{proc: d.receiver(), del: d})
}

// receiver is the process whose freezing delays the delivery; connections are accepted by the
// operating system, so only the program's share waits.
func (d *Delivery) receiver() *Process { return d.to.proc }

func (d *Delivery) world() *World { return d.from.proc.world }

// arrive is called when the delivery reaches the other host.
func (d *Delivery) arrive() {
	if d.done {
		return
	}
	if l := d.from.link; l.cut {
		l.waiting = append(l.waiting, d)
		return
	}
	if d.held || d.from.held {
		d.from.held = true
		d.from.behind = append(d.from.behind, d)
		return
	}
	d.done = true
	switch d.kind {
	case carryMessage:
		d.message()
	case carryOpen:
		d.accept()
	case carryAccept:
		d.opened()
	case carryClose:
		d.closed()
	}
}

func (d *Delivery) message() {
	w := d.world()
	w.net.landed(d)
	if d.to.shut {
		return
	}
	w.Emit(trace.Event{
		Kind: trace.MessageArrived, Node: d.to.self, Peer: d.to.far, Part: d.label.API,
		X: d.ID, Y: d.label.Info,
	})
	if w.opt.Intercept != nil {
		if reply, ok := w.opt.Intercept(d); ok {
			if reply != nil {
				d.to.Send(reply)
			}
			return
		}
	}
	d.to.proc.node.Received(d.to, d.Msg)
}

// accept: the dialed host has a process that listens, or refuses.
func (d *Delivery) accept() {
	b, a := d.to, d.from
	b.proc = d.world().procs[d.To]
	if b.proc == nil || b.proc.dead {
		d.refuse()
		return
	}
	if a.shut {
		return
	}
	b.open = true
	b.proc.conns = append(b.proc.conns, b)
	b.proc.node.Opened(b)
	if b.shut {
		return
	}
	d.world().net.carry(carryAccept, b).depart()
}

// refuse tells the dialing end that nobody listens.
func (d *Delivery) refuse() {
	w, a := d.world(), d.from
	w.push(w.now.Add(w.net.draw(d.to)), task{proc: a.proc, fn: func() {
		if !a.shut {
			a.forget()
			a.proc.node.Closed(a)
		}
	}})
}

func (d *Delivery) opened() {
	if d.to.shut {
		return
	}
	d.to.open = true
	w := d.world()
	w.Emit(trace.Event{
		Kind: trace.ConnOpened, Node: d.to.self, Peer: d.to.far, X: d.to.id,
	})
	d.to.proc.node.Opened(d.to)
}

func (d *Delivery) closed() {
	if d.to.shut || d.to.proc == nil {
		return
	}
	if !d.to.open && !d.to.dialed { // closed before it was ever accepted
		d.to.shut = true
		return
	}
	d.to.forget()
	w := d.world()
	w.Emit(trace.Event{
		Kind: trace.ConnClosed, Node: d.to.self, Peer: d.to.far, X: d.to.id,
	})
	d.to.proc.node.Closed(d.to)
}

// gone is called when the receiving process has ended.
func (d *Delivery) gone() {
	if d.done {
		return
	}
	d.done = true
	switch d.kind {
	case carryMessage:
		d.lost()
	case carryOpen:
		d.refuse()
	}
}

// lost takes a message off the wire for good.
func (d *Delivery) lost() {
	w := d.world()
	d.done = true
	w.net.landed(d)
	w.Emit(trace.Event{Kind: trace.MessageLost, Node: d.from.self, Peer: d.from.far, X: d.ID})
}
