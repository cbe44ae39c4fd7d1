package fold

import (
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// near is a channel, a stream or a queue of a neighbour, or a process that reads it: the key of the
// former has no process.
type near struct {
	known bool
	// Of a thing.
	read                            bool // somebody does
	kind, limit, published, settled int64
	server                          trace.Ref
	// Of a process.
	live, cut                   bool
	buffered, messages, pending int64
}

func (s *State) near(thing, node trace.Ref) *near {
	return at(&s.nears, s.dir.nears.of(memberKey{thing, node}))
}

func (s *State) applyNeighbour(e trace.Event) {
	t := s.near(e.Name, 0)
	switch e.Kind {
	case trace.NeighbourUp:
		t.known, t.kind, t.limit, t.server = true, e.X, e.Y, e.Node
		return
	case trace.Published:
		t.published++
		return
	case trace.Pushed:
		if t.kind == trace.NeighbourStream {
			s.near(e.Name, trace.Ref(e.Z)).pending--
		}
	case trace.Settled:
		s.near(e.Name, 0).settled += e.Y
	}
	l := s.near(e.Name, e.Peer)
	switch e.Kind {
	case trace.Subscribed:
		l.known, l.live, l.cut = true, true, false
		s.near(e.Name, 0).read = e.Peer != 0
	case trace.Unsubscribed:
		l.live, l.buffered, l.messages = false, 0, 0
	case trace.Buffered:
		l.buffered, l.messages = e.X, e.Y
	case trace.BufferCut:
		l.cut = true
	case trace.Pushed:
		l.pending++
	case trace.Requeued, trace.Settled:
		l.pending--
	}
}

// viewNeighbours has an entry for each process that reads a thing, and for a thing that nobody reads.
func (s *State) viewNeighbours() []view.Neighbour {
	var out []view.Neighbour
	for i := range s.nears {
		k := s.dir.nears.keys[i]
		t := s.near(k.group, 0)
		l := &s.nears[i]
		if !l.known || k.id == 0 && t.read {
			continue
		}
		o := view.Neighbour{
			Name: s.name(k.group), Kind: trace.NeighbourNames[t.kind], Server: s.name(t.server),
			Published: t.published, Settled: t.settled, Limit: t.limit,
			Client: s.name(k.id), Live: l.live, Cut: l.cut, Buffered: l.buffered, Messages: l.messages,
		}
		if t.kind != trace.NeighbourChannel {
			o.Pending = l.pending
		}
		out = append(out, o)
	}
	return out
}
