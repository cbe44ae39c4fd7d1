package verdict

import "rebalancelab/engine/trace"

// assigned: within a generation a partition may pass to another member only when its first one was
// removed, as when a static member comes back under a new member id (A42). In a group of the consumer
// protocol it may not until the first one released it, whatever their epochs.
func (v *Invariants) assigned(e *trace.Event) *Broken {
	g := v.partition(e.Name, e.Part).of(trace.Ref(e.Y))
	first, same := g.member, g.gen == e.X || v.isModern(g.group)
	g.member, g.gen = e.Peer, e.X
	if !same || first == e.Peer || first == 0 || v.isGone(first) {
		return nil
	}
	return v.broken("one-owner", e, v.partName(e)+" of group "+v.name(g.group)+
		" is assigned to "+v.name(first)+" and to "+v.name(e.Peer)+" in generation "+text(e.X))
}

func (v *Invariants) isGone(member trace.Ref) bool {
	return int(member) < len(v.gone) && v.gone[member]
}

func (v *Invariants) isModern(group trace.Ref) bool {
	return int(group) < len(v.modern) && v.modern[group]
}

func (v *Invariants) speaksConsumer(group trace.Ref, does bool) {
	if does || v.isModern(group) {
		v.modern = grow(v.modern, int(group))
		v.modern[group] = does
	}
}

// loaded: what a coordinator said was no fact before it was replicated, so the next one, or the same one
// when it is back, may know less. It tells every assignment that it read.
func (v *Invariants) loaded(offsetsPart int32) {
	v.each(func(w *watched) {
		for _, g := range w.groups {
			if v.coords.partOf(g.group) == offsetsPart {
				g.gen, g.member = 0, 0
			}
		}
	})
}

// released: the coordinator knows that the member has given the partition up.
func (v *Invariants) released(e *trace.Event) {
	if g := v.partition(e.Name, e.Part).of(trace.Ref(e.Y)); g.member == e.Peer {
		g.member = 0
	}
}

// epoch: a static member that leaves for a while keeps what it has, but for what it was giving up: the
// coordinator passes that on without waiting, though the process may still be in its handler (F17).
func (v *Invariants) epoch(e *trace.Event) {
	v.away = grow(v.away, int(e.Peer))
	v.away[e.Peer] = e.X == leftForAWhile
}

// leftForAWhile is the member epoch of a static member that left and may come back (KIP-848).
const leftForAWhile = -2

func (v *Invariants) isAway(member trace.Ref) bool {
	return int(member) < len(v.away) && v.away[member]
}

// owned: two processes hold a partition by the same generation. One whose member was removed or left
// for a while does not count: it does not know yet, and what it works on is a zombie's work. So it is with
// what a process takes after that, by an answer that was long on its way: a client of the consumer protocol
// believes any answer while it is in the group or joins it (onHeartbeatSuccess), and what it took counts as
// its own only when it takes it anew.
func (v *Invariants) owned(e *trace.Event) *Broken {
	h := v.holder(e.Node)
	h.managed = true
	w := v.partition(e.Name, e.Part)
	v.unowned(e.Node, w, e.Peer)
	g := w.of(e.Peer)
	var other trace.Ref
	for _, o := range g.holders {
		id := v.holder(o.node).memberIn(e.Peer)
		if (o.gen == e.X || o.gen > 0 && v.isModern(e.Peer)) && !o.late && !v.isGone(id) && !v.isAway(id) {
			other = o.node
		}
	}
	late := v.isModern(e.Peer) && v.isGone(h.memberIn(e.Peer))
	g.holders = append(g.holders, holding{e.Node, e.X, late})
	if other == 0 || late || e.X <= 0 { // no generation: taken by hand
		return nil
	}
	return v.broken("one-owner", e, v.name(e.Node)+" takes "+v.partName(e)+" of group "+
		v.name(e.Peer)+" in generation "+text(e.X)+" while "+v.name(other)+" holds it")
}

func (v *Invariants) unowned(node trace.Ref, w *watched, group trace.Ref) {
	for _, g := range w.groups {
		if group != 0 && g.group != group {
			continue
		}
		for i := range g.holders {
			if g.holders[i].node == node {
				g.holders = append(g.holders[:i], g.holders[i+1:]...)
				break
			}
		}
	}
}

func (v *Invariants) removed(e *trace.Event) {
	if e.X != trace.RemovedByUnload {
		v.gone = grow(v.gone, int(e.Peer))
		v.gone[e.Peer] = true
	}
}

func (v *Invariants) ended(e *trace.Event) {
	h := v.holder(e.Node)
	if h.managed {
		v.each(func(w *watched) { v.unowned(e.Node, w, 0) })
	}
	h.managed, h.ids = false, nil
	if int(e.Node) < len(v.offsetFetches) {
		v.offsetFetches[e.Node] = 0
	}
}

// dead: a group of that name that comes later counts its generations anew.
func (v *Invariants) dead(group trace.Ref) {
	v.each(func(w *watched) {
		for _, g := range w.groups {
			if g.group == group {
				g.gen, g.member = 0, 0
			}
		}
	})
}

func (v *Invariants) delivered(e *trace.Event) *Broken {
	if int(e.Node) >= len(v.procs) || v.procs[e.Node] == nil || !v.procs[e.Node].managed {
		return nil // assigned by hand
	}
	for _, g := range v.partition(e.Name, e.Part).groups {
		for _, o := range g.holders {
			if o.node == e.Node {
				return nil
			}
		}
	}
	return v.broken("delivery", e, "poll of "+v.name(e.Node)+" returns records of "+v.partName(e)+
		" from "+text(e.X)+", which it does not own")
}

func (v *Invariants) committed(e *trace.Event) {
	g := v.partition(e.Name, e.Part).of(trace.Ref(e.Y))
	if n := len(g.offsets); n > 0 {
		g.offsets[n-1].until = e.At
	}
	if len(g.offsets) == maxInForce {
		g.offsets = append(g.offsets[:0], g.offsets[1:]...)
	}
	offset := e.X
	if e.Kind == trace.OffsetRemoved {
		offset = -1
	}
	g.offsets = append(g.offsets, inForce{offset, -1})
}

// toldCommitted: the consumer takes up an offset that it was told is the committed one. It must
// have been in force at some time since the consumer asked.
func (v *Invariants) toldCommitted(e *trace.Event) *Broken {
	asked := int64(0)
	if int(e.Node) < len(v.offsetFetches) {
		asked = v.offsetFetches[e.Node]
	}
	w := v.partition(e.Name, e.Part)
	var known *watchedGroup
	for _, g := range w.groups {
		if len(w.groups) > 1 && !g.heldBy(e.Node) {
			continue
		}
		known = g
		// A coordinator that does not know yet that another has taken over may tell an older one.
		k := v.coords.of(g.group)
		moved := k != nil && k.moved
		for _, o := range g.offsets {
			if o.offset == e.X && (o.until < 0 || o.until >= asked || moved) {
				return nil
			}
		}
	}
	if known == nil || len(known.offsets) == maxInForce {
		return nil // the group is not known, or more commits than are remembered
	}
	stands := "none"
	if n := len(known.offsets); n > 0 && known.offsets[n-1].offset >= 0 {
		stands = text(known.offsets[n-1].offset)
	}
	return v.broken("committed", e, v.name(e.Node)+" was told that "+text(e.X)+
		" is committed for "+v.partName(e)+", but it is "+stands)
}

func (g *watchedGroup) heldBy(node trace.Ref) bool {
	for _, o := range g.holders {
		if o.node == node {
			return true
		}
	}
	return false
}
