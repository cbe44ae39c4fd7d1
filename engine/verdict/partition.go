package verdict

import (
	"cmp"
	"slices"

	"rebalancelab/engine/trace"
)

// partition is what is known of one partition's log, and of every group that reads it.
type partition struct {
	topic    trace.Ref
	part     int32
	created  int64
	leader   trace.Ref // 0: not known, every broker counts
	leaders  []leadership
	copies   []copyMark // where there are several; else leo and hw say it all
	placed   trace.Ref  // the brokers that have one ("1,2,3"); 0: there is one
	isr      trace.Ref  // those of them that are in sync
	leo      int64
	hw       int64
	produced int64
	growth   growth
	readings []*reading
}

// leadership is a leader of a partition from a moment on.
type leadership struct {
	at     int64
	epoch  int64
	broker trace.Ref // 0: none
}

func (p *partition) leads(broker trace.Ref) bool { return p.leader == 0 || p.leader == broker }

// ledBy says whether the broker of an event led the partition then.
func (p *partition) ledBy(e *trace.Event) bool {
	for i := len(p.leaders) - 1; i >= 0; i-- {
		if p.leaders[i].at <= e.At {
			return p.leaders[i].broker == e.Node
		}
	}
	return p.leads(e.Node)
}

func (p *partition) copyOf(broker trace.Ref) *copyMark {
	for i := range p.copies {
		if p.copies[i].node == broker {
			return &p.copies[i]
		}
	}
	p.copies = append(p.copies, copyMark{node: broker})
	return &p.copies[len(p.copies)-1]
}

// observeLog takes in what happens to a log or to the leadership of a partition.
func (p *partition) observeLog(e *trace.Event) {
	switch e.Kind {
	case trace.LeaderElected:
		p.leader = e.Peer
		p.leaders = append(p.leaders, leadership{e.At, e.Y, e.Peer})
		if p.placed != 0 && e.Peer != 0 {
			c := p.copyOf(e.Peer)
			p.leo, p.hw = c.leo, c.hw
		}
		return
	case trace.ReplicasPlaced:
		p.placed, p.isr = e.Peer, e.Peer
		return
	case trace.ISRChanged:
		p.isr = e.Peer
		return
	}
	c := &copyMark{leo: p.leo, hw: p.hw}
	if p.placed != 0 {
		c = p.copyOf(e.Node)
	}
	c.note(e)
	if e.Kind == trace.Appended {
		p.produced += p.growth.by(e, p.leads(e.Node))
	}
	if p.leads(e.Node) {
		p.leo, p.hw = c.leo, c.hw
	}
}

// growth counts what is appended to a partition, whoever leads it.
type growth struct{ end int64 }

// by is how many records the log has more after an append: without those at whose offsets an earlier leader
// had others. A broker that was deposed and does not know it may still append what the next leader copies
// in time; what it appends below the end is cut off again.
func (g *growth) by(e *trace.Event, leads bool) int64 {
	if !leads && e.X < g.end {
		return 0
	}
	n := e.X + e.Y - g.end
	if e.X > g.end { // the log began later, or some of it is not known
		n = e.Y
	}
	g.end = e.X + e.Y
	return n
}

// note takes in what happened to the copy.
func (c *copyMark) note(e *trace.Event) {
	switch e.Kind {
	case trace.Appended, trace.Replicated:
		c.leo = e.X + e.Y
	case trace.HighWatermark, trace.FollowerWatermark:
		c.hw = e.X
	case trace.Truncated:
		c.leo, c.hw = e.X, min(c.hw, e.X)
	}
}

// reading is one group's reading of one partition.
type reading struct {
	group *group
	part  *partition

	// base is where the group first began to read. Records below it are not the group's to lose,
	// unless the partition appeared after the group was stable for the first time (S55).
	base  int64
	begun bool

	commits []commit
	runs    []run
	zombies []run

	owners []own
	stall  stall

	// What the coordinator's latest assignment says.
	assignedTo  trace.Ref // member id
	assignedGen int64

	// The members that had it in a group of the consumer protocol, and those meant to: each until the
	// next, 0 for none.
	members, targets []named
}

// commit is a change of the committed offset; offset -1 means that it was removed.
type commit struct{ at, offset int64 }

// run is a stretch of offsets that one process worked on, none of them twice.
type run struct {
	first, last int64
	who         trace.Ref
}

// own is a process that holds the partition by its own knowledge.
type own struct {
	proc    *process
	gen     int64
	removed bool // its member is no longer in the group
}

// reading finds or makes the reading of partition p by the group called r.
func (f *Facts) reading(p *partition, r trace.Ref) *reading {
	for _, rd := range p.readings {
		if rd.group.ref == r {
			return rd
		}
	}
	rd := &reading{group: f.group(r), part: p}
	p.readings = append(p.readings, rd)
	return rd
}

// begin notes an offset at which the group reads.
func (rd *reading) begin(offset int64) {
	if rd.begun {
		rd.base = min(rd.base, offset)
		return
	}
	rd.begun, rd.base = true, offset
	if first := rd.group.firstStable; first >= 0 && rd.part.created > first {
		rd.base = 0
	}
}

// committed is the latest committed offset, and whether there is one.
func (rd *reading) committed() (int64, bool) {
	if n := len(rd.commits); n > 0 && rd.commits[n-1].offset >= 0 {
		return rd.commits[n-1].offset, true
	}
	return 0, false
}

// committedAt is the committed offset at time t.
func (rd *reading) committedAt(t int64) (int64, bool) {
	for i := len(rd.commits) - 1; i >= 0; i-- {
		if c := rd.commits[i]; c.at <= t {
			return c.offset, c.offset >= 0
		}
	}
	return 0, false
}

// recentRuns is how many stretches are tried before a new one is begun: enough for a few workers
// that finish records out of order.
const recentRuns = 4

func addToRuns(runs []run, who trace.Ref, offset int64) []run {
	for i := len(runs) - 1; i >= max(0, len(runs)-recentRuns); i-- {
		r := &runs[i]
		switch {
		case r.who != who:
		case r.last+1 == offset:
			r.last = offset
			return runs
		case r.first-1 == offset:
			r.first = offset
			return runs
		}
	}
	return append(runs, run{offset, offset, who})
}

func (rd *reading) finished(p *process, offset int64) {
	rd.runs = addToRuns(rd.runs, p.ref, offset)
}

// worked notes work by a process that does not hold the partition in the current generation. A
// reading that no coordinator ever assigned belongs to nobody: the partition was assigned by hand.
func (rd *reading) worked(p *process, offset int64) {
	for i := range rd.owners {
		if o := &rd.owners[i]; o.proc == p && rd.valid(o) {
			return
		}
	}
	if rd.assignedTo == 0 && rd.assignedGen == 0 {
		return
	}
	for i := range rd.zombies {
		if z := rd.zombies[i]; z.who == p.ref && z.first <= offset && offset <= z.last {
			return
		}
	}
	rd.zombies = addToRuns(rd.zombies, p.ref, offset)
}

// valid says whether o holds the partition in the group's current generation: its member was not
// removed, and no later assignment gave the partition to somebody else. A cooperative member keeps
// what the next generation leaves it.
func (rd *reading) valid(o *own) bool {
	if o.removed {
		return false
	}
	return rd.assignedGen <= o.gen || rd.assignedTo == o.proc.memberIn(rd.group.ref)
}

// spansOf is the runs of one process, or of all (who 0), as spans that may overlap.
func spansOf(runs []run, who trace.Ref) []Span {
	var spans []Span
	for _, r := range runs {
		if who == 0 || r.who == who {
			spans = append(spans, Span{r.first, r.last})
		}
	}
	return spans
}

// duplicates are the offsets that lie in more than one run.
func (rd *reading) duplicates() []Span {
	runs := slices.Clone(rd.runs)
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	var twice []Span
	reach := int64(-1)
	for _, r := range runs {
		if r.first <= reach {
			twice = append(twice, Span{r.first, min(r.last, reach)})
		}
		reach = max(reach, r.last)
	}
	return normal(twice)
}

// lost are the offsets from the base up to the committed one that nobody finished and no living
// process has in work.
func (rd *reading) lost(f *Facts) []Span {
	offset, ok := rd.committed()
	if !ok || !rd.begun {
		return nil
	}
	return without(Span{rd.base, offset - 1}, append(spansOf(rd.runs, 0), rd.inWork(f)...))
}

// inWork are the offsets that living processes of the group hold and nobody finished.
func (rd *reading) inWork(f *Facts) []Span {
	var held []Span
	for _, p := range f.procList {
		for _, h := range p.hands {
			if h.rd == rd {
				held = append(held, h.held()...)
			}
		}
	}
	return held
}

// without is what spans leave of whole.
func without(whole Span, spans []Span) []Span {
	var rest []Span
	next := whole.First
	for _, s := range normal(spans) {
		if s.Last < next {
			continue
		}
		if s.First > whole.Last {
			break
		}
		if s.First > next {
			rest = append(rest, Span{next, s.First - 1})
		}
		next = s.Last + 1
	}
	if next <= whole.Last {
		rest = append(rest, Span{next, whole.Last})
	}
	return rest
}
