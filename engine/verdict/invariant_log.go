package verdict

import "rebalancelab/engine/trace"

func (v *Invariants) appended(e *trace.Event) *Broken {
	w := v.partition(e.Name, e.Part)
	if w.leader != 0 && w.leader != e.Node { // a follower copies
		return nil
	}
	w.leo = e.X + e.Y
	if e.X < w.acked {
		return v.broken("acknowledged", e, v.name(e.Node)+" writes "+v.partName(e)+" at "+text(e.X)+
			" though everything below "+text(w.acked)+" was acknowledged with acks=all")
	}
	return nil
}

func (v *Invariants) highWatermark(e *trace.Event) *Broken {
	w := v.partition(e.Name, e.Part)
	if w.leader != 0 && w.leader != e.Node {
		return nil
	}
	before := w.hw
	w.hw, w.highest = e.X, max(w.highest, e.X)
	switch {
	case e.X < before:
		return v.broken("watermark", e, "the high watermark of "+v.partName(e)+" falls from "+
			text(before)+" to "+text(e.X)+" in leader epoch "+text(w.epoch))
	case e.X > w.leo:
		return v.broken("watermark", e, "the high watermark of "+v.partName(e)+" is "+text(e.X)+
			", past the log's end "+text(w.leo))
	}
	return nil
}

// elected: a new leader may start with a lower high watermark and, after an unclean election, with
// a shorter log; the log it has is known from what it appends.
func (v *Invariants) elected(e *trace.Event) *Broken {
	w := v.partition(e.Name, e.Part)
	switch {
	case e.Y < w.epoch:
		return v.broken("watermark", e, "the leader epoch of "+v.partName(e)+" falls from "+
			text(w.epoch)+" to "+text(e.Y))
	case e.Y > w.epoch:
		w.hw = 0
	}
	w.leader, w.epoch = e.Peer, e.Y
	return nil
}

func (v *Invariants) acknowledged(e *trace.Event) *Broken {
	if e.Z != -1 || e.Y <= 0 {
		return nil
	}
	w := v.partition(e.Name, e.Part)
	end := e.X + e.Y
	w.acked = max(w.acked, end)
	if end > w.highest {
		return v.broken("acknowledged", e, "offsets up to "+text(end-1)+" of "+v.partName(e)+
			" were acknowledged with acks=all, but the high watermark never passed "+text(w.highest))
	}
	return nil
}
