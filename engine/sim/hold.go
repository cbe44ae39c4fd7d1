package sim

import (
	"slices"

	"rebalancelab/engine/trace"
)

// Flying finds a message that is on its way or held, by its number.
func (w *World) Flying(id int64) (*Delivery, bool) {
	for _, d := range w.net.flying {
		if d.ID == id {
			return d, true
		}
	}
	return nil, false
}

// Hold stops message id on the wire; what follows it on its connection waits behind it. False when
// it is no longer on its way.
func (w *World) Hold(id int64) bool {
	d, ok := w.Flying(id)
	if !ok || d.held {
		return false
	}
	d.held = true
	w.Emit(trace.Event{Kind: trace.MessageHeld, Node: d.from.self, Peer: d.from.far, X: id})
	return true
}

// Release lets a held message go on, and what waited behind it.
func (w *World) Release(id int64) bool {
	d, ok := w.Flying(id)
	if !ok || !d.held {
		return false
	}
	d.held = false
	e := d.from
	behind := e.behind
	e.held, e.behind = false, nil
	at := max(w.now.Add(w.net.draw(d.from)), e.last)
	w.Emit(trace.Event{
		Kind: trace.MessageReleased, Node: d.from.self, Peer: d.from.far, X: id,
		Z: int64(at.Sub(w.now)),
	})
	for _, b := range behind {
		b.schedule(at)
	}
	e.last = at
	return true
}

// Drop breaks the connection that carries message id, as a lost TCP connection does: the message
// and everything else under way on it is lost, and both ends learn that it is closed.
func (w *World) Drop(id int64) bool {
	d, ok := w.Flying(id)
	if !ok {
		return false
	}
	a, b := d.from, d.to
	for _, f := range slices.Clone(w.net.flying) {
		if f.from == a || f.from == b {
			f.lost()
		}
	}
	for _, e := range []*end{a, b} {
		e.held, e.behind = false, nil
		if e.proc == nil || e.shut {
			continue
		}
		w.push(w.now, task{proc: e.proc, fn: e.broken})
	}
	return true
}

// broken tells the node at this end that its connection is gone.
func (e *end) broken() {
	if e.shut {
		return
	}
	e.forget()
	w := e.proc.world
	w.Emit(trace.Event{Kind: trace.ConnClosed, Node: e.proc.ref, Peer: e.far, X: e.id})
	e.proc.node.Closed(e)
}
