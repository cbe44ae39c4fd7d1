package sim

import (
	"time"

	"rebalancelab/engine/trace"
)

// Process is one running program: a node with a name, its timers and its connections. It is the
// [Env] of its node. A process that ended never runs again; a restart is a new Process of the same
// name.
type Process struct {
	world   *World
	name    string
	ref     trace.Ref
	node    Node
	dead    bool
	frozen  bool
	backlog []task
	conns   []*end
	number  int64 // which incarnation of the name, from 1
}

// Spawn starts node as a process called name.
func (w *World) Spawn(name string, node Node) *Process {
	old := w.procs[name]
	if old != nil && !old.dead {
		panic("sim: process " + name + " runs already")
	}
	p := &Process{world: w, name: name, ref: w.Ref(name), node: node, number: 1}
	if old != nil {
		p.number = old.number + 1
	}
	w.procs[name] = p
	p.Trace(trace.Event{Kind: trace.ProcessStarted, X: p.number})
	node.Start(p)
	return p
}

// Process finds the latest process called name; nil if there never was one.
func (w *World) Process(name string) *Process { return w.procs[name] }

// Name is the process's name.
func (p *Process) Name() string { return p.name }

// Running says whether it has not ended; a frozen process runs.
func (p *Process) Running() bool { return p != nil && !p.dead }

// Frozen says whether it stands still.
func (p *Process) Frozen() bool { return p.frozen }

// Node is the program of the process.
func (p *Process) Node() Node { return p.node }

// End ends the process: its timers never fire and its connections close as an operating system
// closes them. by is a trace.EndedBy value, reason a text for the trace or empty.
func (p *Process) End(by int64, reason string) {
	if p.dead {
		return
	}
	p.Trace(trace.Event{Kind: trace.ProcessEnded, X: by, Name: p.Ref(reason)})
	p.dead, p.frozen = true, false
	backlog := p.backlog
	p.backlog = nil
	for i := range backlog {
		backlog[i].gone()
	}
	for _, e := range append([]*end(nil), p.conns...) {
		e.Close()
	}
}

// Freeze stops the process for d, as a long garbage collection does; d <= 0 means until Thaw.
func (p *Process) Freeze(d time.Duration) {
	if p.dead || p.frozen {
		return
	}
	p.frozen = true
	e := trace.Event{Kind: trace.ProcessFrozen}
	if d > 0 {
		e.X = p.world.now.Add(d).Since()
		p.world.At(p.world.now.Add(d), p.Thaw)
	}
	p.Trace(e)
}

// Thaw lets a frozen process go on; what piled up is handled now, in its order.
func (p *Process) Thaw() {
	if p.dead || !p.frozen {
		return
	}
	p.frozen = false
	p.Trace(trace.Event{Kind: trace.ProcessThawed})
	backlog := p.backlog
	p.backlog = nil
	for _, t := range backlog {
		p.world.push(p.world.now, t)
	}
}

// Now implements [Env].
func (p *Process) Now() Time { return p.world.now }

// After implements [Env].
func (p *Process) After(d time.Duration, fn func()) *Timer {
	w := p.world
	t := w.timer.Get()
	t.fn, t.stale = fn, &w.queue.stale
	w.push(w.now.Add(max(d, 0)), task{proc: p, tm: t})
	return t
}

// Rand implements [Env]. A restarted process goes on with the stream of its predecessor.
func (p *Process) Rand(purpose string) *Rand { return p.world.Rand(p.name + "/" + purpose) }

// Trace implements [Env].
func (p *Process) Trace(e trace.Event) {
	w := p.world
	w.event = e
	w.event.Node = p.ref
	w.write()
}

// Ref implements [Env].
func (p *Process) Ref(s string) trace.Ref { return p.world.Ref(s) }
