package verdict

import "rebalancelab/engine/trace"

// process is what is known of one process name over all its incarnations.
type process struct {
	ref       trace.Ref
	running   bool
	frozen    bool
	callbacks int // rebalance callbacks that are running, nested
	stints    []stint
	freezes   []freeze

	group trace.Ref   // the group it was last seen in
	ids   []identity  // its member id in each group, of this incarnation
	owned []*reading  // partitions it holds by its own knowledge
	hands []*hand     // records in its memory
	last  *hand       // the hand used last
	errs  []errAnswer // errors it was answered, in order of sending
	// pending counts answers in errs that are still on their way.
	pending int
}

// stint is one incarnation; end is -1 while it runs.
type stint struct {
	start, end int64
	by         int64
}

// freeze is a time of standing still; to is -1 while it lasts.
type freeze struct{ from, to int64 }

type identity struct{ group, id trace.Ref }

// errAnswer is a Kafka error in an answer; at is -1 until it arrives.
type errAnswer struct {
	message int64
	name    trace.Ref
	at      int64
}

func (p *process) memberIn(group trace.Ref) trace.Ref {
	for _, i := range p.ids {
		if i.group == group {
			return i.id
		}
	}
	return 0
}

// hand finds or makes the process's hand for a partition read by group.
func (p *process) hand(f *Facts, topic trace.Ref, part int32, group trace.Ref) *hand {
	if h := p.last; h != nil && h.is(topic, part, group) {
		return h
	}
	for _, h := range p.hands {
		if h.is(topic, part, group) {
			p.last = h
			return h
		}
	}
	p.last = &hand{rd: f.reading(f.partition(topic, part), group)}
	p.hands = append(p.hands, p.last)
	return p.last
}

func (h *hand) is(topic trace.Ref, part int32, group trace.Ref) bool {
	return h.rd.part.part == part && h.rd.part.topic == topic && h.rd.group.ref == group
}

func (p *process) answering(e *trace.Event) {
	p.errs = append(p.errs, errAnswer{message: e.X, name: e.Name, at: -1})
	p.pending++
}

func (p *process) answered(e *trace.Event) {
	for i := len(p.errs) - 1; i >= 0; i-- {
		if a := &p.errs[i]; a.message == e.X && a.at < 0 {
			a.at = e.At
			p.pending--
			return
		}
	}
}

func (p *process) unanswered(e *trace.Event) {
	for i := len(p.errs) - 1; i >= 0; i-- {
		if a := p.errs[i]; a.message == e.X && a.at < 0 {
			p.errs = append(p.errs[:i], p.errs[i+1:]...)
			p.pending--
			return
		}
	}
}

func (f *Facts) observeProcess(e *trace.Event) {
	p := f.process(e.Node)
	switch e.Kind {
	case trace.ProcessStarted:
		p.running, p.frozen, p.callbacks = true, false, 0
		p.stints = append(p.stints, stint{start: e.At, end: -1})
	case trace.ProcessEnded:
		p.ended(e)
		f.emptyHands(e.Node)
	case trace.ProcessFrozen:
		p.frozen = true
		p.freezes = append(p.freezes, freeze{e.At, -1})
		p.reconsider(e.At)
	case trace.ProcessThawed:
		p.thawed(e.At)
		p.reconsider(e.At)
	case trace.CallbackStarted:
		p.callbacks++
		p.reconsider(e.At)
	case trace.CallbackEnded:
		p.callbacks = max(0, p.callbacks-1)
		p.reconsider(e.At)
	case trace.ConsumerState:
		if e.Name != 0 {
			p.group = e.Name
		}
	case trace.MemberID:
		p.identify(f, e)
	case trace.Owned:
		p.own(f, e)
	case trace.Unowned:
		p.disown(f, e)
	}
}

func (p *process) thawed(at int64) {
	if n := len(p.freezes); n > 0 && p.freezes[n-1].to < 0 {
		p.freezes[n-1].to = at
	}
	p.frozen = false
}

// ended takes from the process all that lived in its memory.
func (p *process) ended(e *trace.Event) {
	if n := len(p.stints); n > 0 && p.stints[n-1].end < 0 {
		p.stints[n-1].end, p.stints[n-1].by = e.At, e.X
	}
	p.thawed(e.At)
	p.running = false
	owned := p.owned
	p.owned, p.hands, p.last, p.ids, p.callbacks = nil, nil, nil, nil, 0
	for _, rd := range owned {
		rd.drop(p)
		rd.reconsider(e.At)
	}
}

// reconsider looks again at every partition the process holds, after a change of the process.
func (p *process) reconsider(at int64) {
	for _, rd := range p.owned {
		rd.reconsider(at)
	}
}

func (p *process) identify(f *Facts, e *trace.Event) {
	group := e.Peer
	if group == 0 {
		group = p.group
	}
	p.group = group
	if e.Name != 0 {
		f.memberOf(e.Name, group).node = e.Node
	}
	for i := range p.ids {
		if p.ids[i].group == group {
			p.ids[i].id = e.Name
			return
		}
	}
	p.ids = append(p.ids, identity{group, e.Name})
}

func (p *process) own(f *Facts, e *trace.Event) {
	if e.Peer != 0 {
		p.group = e.Peer
	}
	rd := f.reading(f.partition(e.Name, e.Part), p.group)
	rd.drop(p)
	rd.owners = append(rd.owners, own{proc: p, gen: e.X})
	if !p.holds(rd) {
		p.owned = append(p.owned, rd)
	}
	rd.stall.begin(e.At, e.X)
	rd.reconsider(e.At)
}

func (p *process) disown(f *Facts, e *trace.Event) {
	group := e.Peer
	if group == 0 {
		group = p.group
	}
	rd := f.reading(f.partition(e.Name, e.Part), group)
	rd.drop(p)
	for i := range p.owned {
		if p.owned[i] == rd {
			p.owned = append(p.owned[:i], p.owned[i+1:]...)
			break
		}
	}
	rd.reconsider(e.At)
}

func (p *process) holds(rd *reading) bool {
	for _, o := range p.owned {
		if o == rd {
			return true
		}
	}
	return false
}

// drop takes p from the holders.
func (rd *reading) drop(p *process) {
	for i := range rd.owners {
		if rd.owners[i].proc == p {
			rd.owners = append(rd.owners[:i], rd.owners[i+1:]...)
			return
		}
	}
}
