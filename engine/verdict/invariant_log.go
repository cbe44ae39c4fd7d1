package verdict

import (
	"strconv"
	"strings"

	"rebalancelab/engine/trace"
)

// copyMark is what the rules know of one copy of a partition's log.
type copyMark struct {
	node    trace.Ref
	hw, leo int64
}

// mark is the copy at a broker. A partition with one replica has one copy, wherever it lies.
func (w *watched) mark(node trace.Ref) *copyMark {
	if w.isr == 0 {
		node = 0
	}
	for i := range w.copies {
		if w.copies[i].node == node {
			return &w.copies[i]
		}
	}
	w.copies = append(w.copies, copyMark{node: node})
	return &w.copies[len(w.copies)-1]
}

// appended: a broker that was deposed and does not know it may append, too; what it writes is not
// the partition's.
func (v *Invariants) appended(e *trace.Event) *Broken {
	w := v.partition(e.Name, e.Part)
	m := w.mark(e.Node)
	m.leo = e.X + e.Y
	if w.leader != 0 && w.leader != e.Node {
		return nil
	}
	if e.X < w.acked {
		return v.broken("acknowledged", e, v.name(e.Node)+" writes "+v.partName(e)+" at "+text(e.X)+
			" though everything below "+text(w.acked)+" was acknowledged with acks=all")
	}
	return nil
}

// copied is what happens to a copy by its leader's word.
func (v *Invariants) copied(e *trace.Event) *Broken {
	m := v.partition(e.Name, e.Part).mark(e.Node)
	switch e.Kind {
	case trace.Replicated:
		m.leo = e.X + e.Y
	case trace.Truncated:
		m.leo, m.hw = e.X, min(m.hw, e.X)
	case trace.FollowerWatermark:
		m.hw = e.X
		return v.pastEnd(m, e)
	}
	return nil
}

func (v *Invariants) pastEnd(m *copyMark, e *trace.Event) *Broken {
	if e.X <= m.leo {
		return nil
	}
	return v.broken("watermark", e, "the high watermark of "+v.partName(e)+" is "+text(e.X)+
		", past the log's end "+text(m.leo))
}

func (v *Invariants) highWatermark(e *trace.Event) *Broken {
	w := v.partition(e.Name, e.Part)
	m := w.mark(e.Node)
	before := m.hw
	m.hw = e.X
	if w.leader == 0 || w.leader == e.Node {
		w.highest = max(w.highest, e.X)
	}
	if e.X < before {
		return v.broken("watermark", e, "the high watermark of "+v.partName(e)+" falls from "+
			text(before)+" to "+text(e.X)+" in leader epoch "+text(w.epoch))
	}
	return v.pastEnd(m, e)
}

// elected: a new leader may start with a lower high watermark. One that was in sync has everything
// that was acknowledged with acks=all; after an unclean election that may be gone.
func (v *Invariants) elected(e *trace.Event) *Broken {
	w := v.partition(e.Name, e.Part)
	if e.Y < w.epoch {
		return v.broken("watermark", e, "the leader epoch of "+v.partName(e)+" falls from "+
			text(w.epoch)+" to "+text(e.Y))
	}
	if e.Y > w.epoch {
		w.mark(e.Peer).hw = 0
	}
	w.leader, w.epoch = e.Peer, e.Y
	if w.isr == 0 || e.X < 0 {
		return nil
	}
	leo := w.mark(e.Peer).leo
	if leo < w.acked && v.inSync(w, e.X) {
		return v.broken("acknowledged", e, v.name(e.Peer)+" was in sync and leads "+v.partName(e)+
			", but its log ends at "+text(leo)+", and everything below "+text(w.acked)+
			" was acknowledged with acks=all")
	}
	w.acked = min(w.acked, leo)
	return nil
}

func (v *Invariants) inSync(w *watched, broker int64) bool {
	for _, id := range strings.Split(v.name(w.isr), ",") {
		if id == strconv.FormatInt(broker, 10) {
			return true
		}
	}
	return false
}

// everywhere says whether all replicas in sync have a partition's log up to an end.
func (v *Invariants) everywhere(w *watched, end int64) bool {
	if w.isr == 0 {
		return false
	}
	for _, id := range strings.Split(v.name(w.isr), ",") {
		if node, known := v.log.Lookup("broker-" + id); !known || w.mark(node).leo < end {
			return false
		}
	}
	return true
}

// isrChanged: who is in sync has everything that was acknowledged with acks=all.
func (v *Invariants) isrChanged(e *trace.Event) *Broken {
	w := v.partition(e.Name, e.Part)
	w.isr = e.Peer
	for _, id := range strings.Split(v.name(e.Peer), ",") {
		node, known := v.log.Lookup("broker-" + id)
		if !known {
			continue
		}
		if leo := w.mark(node).leo; leo < w.acked {
			return v.broken("acknowledged", e, "broker-"+id+" counts as in sync for "+v.partName(e)+
				", but its log ends at "+text(leo)+", and everything below "+text(w.acked)+
				" was acknowledged with acks=all")
		}
	}
	return nil
}

// restarted: a broker that comes back has the high watermark that was last written to its disk.
func (v *Invariants) restarted(node trace.Ref) {
	v.each(func(w *watched) {
		for i := range w.copies {
			if w.copies[i].node == node && node != 0 {
				w.copies[i].hw = 0
			}
		}
	})
}

// topicDeleted: a topic of that name that comes later begins anew.
func (v *Invariants) topicDeleted(e *trace.Event) {
	for part := range e.Part {
		groups := v.partition(e.Name, part).groups
		*v.partition(e.Name, part) = watched{groups: groups}
	}
}

// acknowledged: a leader that was deposed and does not know it may acknowledge, too, provided that every
// replica in sync has the records: they are the next leader's.
func (v *Invariants) acknowledged(e *trace.Event) *Broken {
	if e.Z != -1 || e.Y <= 0 {
		return nil
	}
	w := v.partition(e.Name, e.Part)
	end := e.X + e.Y
	w.acked = max(w.acked, end)
	if end > w.highest && !v.everywhere(w, end) {
		return v.broken("acknowledged", e, "offsets up to "+text(end-1)+" of "+v.partName(e)+
			" were acknowledged with acks=all, but the high watermark never passed "+text(w.highest))
	}
	return nil
}
