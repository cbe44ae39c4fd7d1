package verdict

import "rebalancelab/engine/trace"

// thing is a channel, a stream or a queue of a neighbour.
type thing struct {
	ref       trace.Ref
	kind      int64
	keys      []trace.Ref // of each message, by number
	audiences []*audience
	readers   []reader
}

// reader is a process that reads a thing, and the audience it belongs to.
type reader struct {
	node trace.Ref
	in   *audience
}

// audience is who must get every message once: one subscriber of a channel, a consumer group of a
// stream, all consumers of a queue.
type audience struct {
	group trace.Ref
	from  int64 // the first message that it could get
	live  bool  // of a channel: it is subscribed now
	// letters are the messages from there on.
	letters []letter
	// highest is the last message finished of each key; late are those finished after a later one.
	highest map[trace.Ref]int64
	late    []Span
}

// letter is where one message stands with one audience. It is lost when the server has forgotten it,
// nobody alive has it, and nobody has finished it.
type letter struct {
	kept   bool      // the server will still give it out, or give it out again
	holder trace.Ref // process that was given it and has not ended since
	given  int32     // how often it was given out
	done   int32     // how often it was finished
}

// thing finds the facts about a neighbour's channel, stream or queue, or nil.
func (f *Facts) thing(ref trace.Ref) *thing {
	for _, t := range f.things {
		if t.ref == ref {
			return t
		}
	}
	return nil
}

// audience finds the audience of a group, or nil.
func (t *thing) audience(group trace.Ref) *audience {
	for _, a := range t.audiences {
		if a.group == group {
			return a
		}
	}
	return nil
}

// of is the audience that a process belongs to, or nil.
func (t *thing) of(node trace.Ref) *audience {
	for _, r := range t.readers {
		if r.node == node {
			return r.in
		}
	}
	return nil
}

// letter finds message number of an audience, or nil.
func (a *audience) letter(number int64) *letter {
	if a == nil || number < a.from || number-a.from >= int64(len(a.letters)) {
		return nil
	}
	return &a.letters[number-a.from]
}

func (f *Facts) observeNeighbour(e *trace.Event) {
	t := f.thing(e.Name)
	switch e.Kind {
	case trace.NeighbourUp:
		t = &thing{ref: e.Name, kind: e.X}
		f.things = append(f.things, t)
		if e.X == trace.NeighbourQueue {
			t.join(0, e.Name, 0)
		}
	case trace.Published:
		t.keys = append(t.keys, e.Peer)
		for _, a := range t.audiences {
			a.letters = append(a.letters, letter{kept: a.live || t.kind != trace.NeighbourChannel})
		}
	case trace.Subscribed:
		t.join(e.Peer, trace.Ref(e.Y), e.X)
	case trace.Unsubscribed:
		if a := t.of(e.Peer); a != nil {
			a.live = false
		}
	default:
		t.handle(e)
	}
}

// join notes a process (0: none yet) that reads as one of group, from a message on.
func (t *thing) join(node, group trace.Ref, from int64) {
	a := t.audience(group)
	if a == nil {
		a = &audience{group: group, from: from, highest: map[trace.Ref]int64{}}
		for range int64(len(t.keys)) - from {
			a.letters = append(a.letters, letter{kept: true})
		}
		t.audiences = append(t.audiences, a)
	}
	if t.kind == trace.NeighbourChannel {
		a.live = true
		a.drop(node) // a new connection: what was unread on the old one is gone
	}
	if node != 0 && t.of(node) == nil {
		t.readers = append(t.readers, reader{node, a})
	}
}

// drop takes everything out of a process's hands.
func (a *audience) drop(node trace.Ref) {
	for i := range a.letters {
		if a.letters[i].holder == node {
			a.letters[i].holder = 0
		}
	}
}

// handle is what becomes of messages at the server.
func (t *thing) handle(e *trace.Event) {
	a := t.of(e.Peer)
	first, n := e.X, int64(1)
	switch e.Kind {
	case trace.Settled:
		n = e.Y
	case trace.BufferCut:
		first, n = e.Z, e.Y
	}
	for i := first; i < first+n; i++ {
		l := a.letter(i)
		if l == nil {
			continue
		}
		switch e.Kind {
		case trace.Pushed:
			l.holder = e.Peer
			l.given++
			l.kept = t.kind != trace.NeighbourChannel
		case trace.Requeued:
			l.holder = 0
		default:
			l.kept = false
		}
	}
}

// observeThingWork is what programs do with messages: WorkEnded, or WorkFailed.
func (f *Facts) observeThingWork(e *trace.Event) {
	t := f.thing(e.Name)
	if t == nil || e.Kind == trace.WorkStarted {
		return
	}
	a := t.of(e.Node)
	l := a.letter(e.X)
	if l == nil {
		return
	}
	if l.holder == e.Node {
		l.holder = 0
	}
	if e.Kind == trace.WorkEnded {
		if l.done++; l.done == 1 {
			a.finished(t.keys[e.X], e.X)
		}
	}
}

// finished notes the order in which messages of one key are finished for the first time.
func (a *audience) finished(key trace.Ref, number int64) {
	if last, ok := a.highest[key]; ok && number < last {
		a.late = append(a.late, Span{number, number})
		return
	}
	a.highest[key] = number
}

// emptyHands is the end of a process.
func (f *Facts) emptyHands(node trace.Ref) {
	for _, t := range f.things {
		if a := t.of(node); a != nil {
			a.drop(node)
		}
	}
}

// spans are the numbers of the messages of which the query called name asks.
func (a *audience) spans(name string) []Span {
	var out []Span
	for i, l := range a.letters {
		fits := l.done > 1
		switch name {
		case "lost":
			fits = !l.kept && l.holder == 0 && l.done == 0
		case "in_work":
			fits = l.holder != 0 && l.done == 0
		case "redelivered":
			fits = l.given > 1
		}
		if n := a.from + int64(i); fits {
			out = append(out, Span{n, n})
		}
	}
	return out
}
