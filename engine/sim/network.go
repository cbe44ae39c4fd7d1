package sim

import (
	"cmp"
	"slices"
	"time"

	"rebalancelab/engine/trace"
)

// Default latency of a link, one way: 250 us, 50 us more or less.
const (
	DefaultLatency = 250 * time.Microsecond
	DefaultJitter  = 50 * time.Microsecond
)

// network holds the links and what travels on them.
type network struct {
	world    *World
	latency  time.Duration
	jitter   time.Duration
	links    map[pair]*link
	lastConn int64
	lastMsg  int64
	flying   []*Delivery // messages on their way or held, by number: a handful
	pool     Pool[Delivery]
}

// carry makes a delivery of that kind from one end of a connection to the other.
func (n *network) carry(kind cargo, from *end) *Delivery {
	d := n.pool.Get()
	d.kind, d.from, d.to, d.From, d.To = kind, from, from.other, from.proc.name, from.peer
	return d
}

// settle is called when a delivery has come up in the queue. One that is over is not referred to
// any more; one that waits on the wire is.
func (n *network) settle(d *Delivery) {
	if d.done {
		*d = Delivery{}
		n.pool.Put(d)
	}
}

// landed takes a message off the wire.
func (n *network) landed(d *Delivery) {
	if i := slices.Index(n.flying, d); i >= 0 {
		n.flying = slices.Delete(n.flying, i, i+1)
	}
}

// pair names a link; a < b.
type pair struct{ a, b string }

func pairOf(x, y string) pair {
	if x > y {
		x, y = y, x
	}
	return pair{x, y}
}

// link is the wire between two processes' hosts.
type link struct {
	cut     bool
	latency time.Duration // negative: the network's default
	jitter  time.Duration
	waiting []*Delivery // in order of arrival while the link is cut
}

func (n *network) init(w *World) {
	n.world, n.latency, n.jitter = w, DefaultLatency, DefaultJitter
	n.links = map[pair]*link{}
}

func (n *network) link(a, b string) *link {
	k := pairOf(a, b)
	l := n.links[k]
	if l == nil {
		l = &link{latency: -1}
		n.links[k] = l
	}
	return l
}

// SetLatency sets the one-way latency of every link that has none of its own.
func (w *World) SetLatency(latency, jitter time.Duration) {
	w.net.latency, w.net.jitter = latency, jitter
}

// SetLinkLatency sets the one-way latency between two processes.
func (w *World) SetLinkLatency(a, b string, latency, jitter time.Duration) {
	l := w.net.link(a, b)
	l.latency, l.jitter = latency, jitter
}

// draw gives the latency of the next thing sent from e. Each direction of a pair of processes has its
// own stream of chance.
func (n *network) draw(e *end) time.Duration {
	latency, jitter := n.latency, n.jitter
	if e.link.latency >= 0 {
		latency, jitter = e.link.latency, e.link.jitter
	}
	return time.Duration(max(e.rand.Around(int64(latency), int64(jitter)), 1))
}

// Cut stops everything between a and b. Connections stay: what is sent waits, as TCP would send it
// again, until Heal.
func (w *World) Cut(a, b string) {
	l := w.net.link(a, b)
	if l.cut {
		return
	}
	l.cut = true
	w.Emit(trace.Event{Kind: trace.LinkCut, Node: w.Ref(a), Peer: w.Ref(b)})
}

// Heal ends a Cut; what waited goes on, in its order, with a new latency.
func (w *World) Heal(a, b string) {
	l := w.net.link(a, b)
	if !l.cut {
		return
	}
	l.cut = false
	w.Emit(trace.Event{Kind: trace.LinkHealed, Node: w.Ref(a), Peer: w.Ref(b)})
	waiting := l.waiting
	l.waiting = nil
	for _, d := range waiting {
		d.depart()
	}
}

// HealAll ends every Cut, in the order of the links' names.
func (w *World) HealAll() {
	var cut []pair
	for k, l := range w.net.links {
		if l.cut {
			cut = append(cut, k)
		}
	}
	slices.SortFunc(cut, func(x, y pair) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	for _, k := range cut {
		w.Heal(k.a, k.b)
	}
}
