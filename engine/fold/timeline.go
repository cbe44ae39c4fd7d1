package fold

import (
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// Timeline gathers segments, marks and lag samples of one span of a run. Feed it with the state
// before the span, then each event of it.
type Timeline struct {
	sc       *Scene
	s        *State
	from, to int64
	column   int64 // ns a column

	rows    []row
	byRef   map[trace.Ref]int // consumer lanes by process
	segs    []int32
	marks   []int32
	samples [][]int32 // per partition lane
	next    int64     // time of the next sample
	every   int64
	parts   []int // lanes of partitions
}

// row is the segment under way on one lane.
type row struct {
	kind  int32
	value int32
	from  int64
	// Segments shorter than a column are summed up: the kind that took most of a column stands for it.
	col  int64
	sums [view.SegSleep + 1]int64
	thin int64 // time summed in col
	last int   // index in segs of the last one written, -1: none
}

// maxSamples bounds the points of a lag curve.
const maxSamples = 600

// NewTimeline begins at state s, whose time is at or before from.
func NewTimeline(s *State, sc *Scene, from, to int64, columns int) *Timeline {
	t := &Timeline{
		sc: sc, s: s, from: from, to: max(to, from+1), byRef: map[trace.Ref]int{}, next: from,
	}
	columns = max(columns, 1)
	t.column = max((t.to-t.from)/int64(columns), 1)
	t.every = max((t.to-t.from)/int64(min(columns, maxSamples)), 1)
	t.rows = make([]row, len(sc.lanes))
	for i, l := range sc.lanes {
		t.rows[i] = row{from: from, last: -1}
		switch l.kind {
		case view.LaneConsumer:
			t.byRef[s.dir.clients.keys[l.n]] = i
		case view.LanePartition:
			t.parts = append(t.parts, i)
			t.samples = append(t.samples, nil)
		}
		t.rows[i].kind, t.rows[i].value = t.present(i)
	}
	return t
}

// Apply takes the next event of the span: the state moves on and changes of lanes are noted.
func (t *Timeline) Apply(e trace.Event) {
	t.sample(e.At)
	t.s.Apply(e)
	t.mark(e)
	switch {
	case e.Kind < trace.MessageSent || e.Kind == trace.GroupState || e.Kind == trace.Owned || e.Kind == trace.Unowned:
		for i := range t.sc.lanes {
			if t.concerns(i, e) {
				t.change(i, e.At)
			}
		}
	case e.Kind >= trace.CallStarted:
		// Most events: they are not asked of every lane, for there may be hundreds.
		if i, ok := t.byRef[e.Node]; ok {
			t.change(i, e.At)
		}
	}
}

// concerns says whether lane i may change by an event that is not only a process's own: cheap, and true
// too often rather than too seldom.
func (t *Timeline) concerns(i int, e trace.Event) bool {
	switch t.sc.lanes[i].kind {
	case view.LaneConsumer:
		n, ok := t.byRef[e.Node]
		return ok && n == i
	case view.LaneGroup:
		return e.Kind == trace.GroupState
	default:
		return e.Kind != trace.GroupState
	}
}

// present is the kind and value of lane i in the present state; kind 0 draws nothing.
func (t *Timeline) present(i int) (kind, value int32) {
	l := t.sc.lanes[i]
	switch l.kind {
	case view.LaneGroup:
		if l.n < len(t.s.groups) {
			return presentGroup(&t.s.groups[l.n])
		}
	case view.LaneConsumer:
		if l.n < len(t.s.clients) {
			return t.presentClient(&t.s.clients[l.n])
		}
	case view.LanePartition:
		return t.presentPart(l.n)
	}
	return 0, 0
}

func presentGroup(g *group) (kind, value int32) {
	if g.coordinator == 0 {
		return 0, 0
	}
	value = int32(g.generation)
	switch g.state {
	case trace.GroupPreparingRebalance, trace.GroupAssigning:
		return view.SegPreparing, value
	case trace.GroupCompletingRebalance, trace.GroupReconciling:
		return view.SegCompleting, value
	case trace.GroupStable:
		return view.SegStable, value
	}
	return view.SegEmpty, value
}

func (t *Timeline) presentClient(c *client) (kind, value int32) {
	switch c.life {
	case lifeWaiting, lifeStopped, lifeExited:
		return 0, 0
	case lifeFrozen:
		return view.SegFrozen, 0
	case lifeKilled, lifeCrashed:
		return view.SegDead, 0
	}
	if c.callback != 0 {
		return view.SegCallback, 0
	}
	call := t.s.name(c.call)
	switch {
	case call == "process":
		return view.SegWork, 0
	case c.rebalancing():
		return view.SegRebalancing, 0
	}
	return callKind(call), 0
}

// callKind is what a blocking call of a consumer counts as; those of neighbours as what they are like.
func callKind(call string) int32 {
	switch call {
	case "poll", "get_message", "xreadgroup":
		return view.SegPoll
	case "commit_sync", "xack", "basic_ack", "basic_nack":
		return view.SegCommit
	case "sleep":
		return view.SegSleep
	}
	return view.SegIdle
}

func (t *Timeline) presentPart(n int) (kind, value int32) {
	key := t.s.dir.parts.keys[n]
	for j, k := range t.s.dir.readers.keys {
		if j >= len(t.s.readers) || !t.s.readers[j].known || k.partKey != key {
			continue
		}
		r := &t.s.readers[j]
		color := t.sc.color(r.owner)
		if r.owner == 0 {
			return view.SegUnread, -1
		}
		if c := t.s.client(r.owner); r.dead || c != nil && c.life == lifeFrozen {
			return view.SegUnread, color
		}
		return view.SegOwned, color
	}
	return 0, 0
}

// change ends the segment of lane i at time now when its kind or value is another one.
func (t *Timeline) change(i int, now int64) {
	kind, value := t.present(i)
	r := &t.rows[i]
	if kind == r.kind && value == r.value {
		return
	}
	t.end(i, now)
	r.kind, r.value, r.from = kind, value, now
}

// dense says that a kind alternates so fast that only its share of a column matters.
func dense(kind int32) bool {
	switch kind {
	case view.SegPoll, view.SegWork, view.SegCommit, view.SegIdle, view.SegSleep:
		return true
	}
	return false
}

func (t *Timeline) end(i int, now int64) {
	r := &t.rows[i]
	if r.kind == 0 || now <= r.from {
		return
	}
	if !dense(r.kind) || now-r.from >= 2*t.column {
		t.flush(i)
		t.write(i, r.kind, r.value, r.from, now)
		return
	}
	col := (r.from - t.from) / t.column
	if col != r.col || r.thin > t.column {
		t.flush(i)
		r.col = col
	}
	r.sums[r.kind] += now - r.from
	r.thin += now - r.from
}

// flush writes the summed-up column as a segment of the kind that took most of it.
func (t *Timeline) flush(i int) {
	r := &t.rows[i]
	if r.thin == 0 {
		return
	}
	best := int32(0)
	for k, v := range r.sums {
		if v > r.sums[best] {
			best = int32(k)
		}
	}
	from := t.from + r.col*t.column
	r.thin, r.sums = 0, [view.SegSleep + 1]int64{}
	t.write(i, best, 0, from, from+t.column)
}

// write appends a segment, or makes the last one of the lane longer when it joins on.
func (t *Timeline) write(i int, kind, value int32, from, to int64) {
	r := &t.rows[i]
	if r.last >= 0 {
		s := t.segs[r.last : r.last+view.SegSize]
		if s[1] == kind && s[4] == value && ticks(from)-s[3] <= ticks(t.column) {
			s[3] = max(s[3], ticks(to))
			return
		}
	}
	r.last = len(t.segs)
	t.segs = append(t.segs, int32(i), kind, ticks(from), ticks(to), value)
}

// sample notes the lag of every partition for each sample time before at.
func (t *Timeline) sample(at int64) {
	for t.next < at && t.next <= t.to {
		for k, i := range t.parts {
			t.samples[k] = append(t.samples[k], t.lag(t.sc.lanes[i].n))
		}
		t.next += t.every
	}
}

// lag is the high watermark less the committed offset, as Kafka's tools show it; before the first
// commit the position stands in for it.
func (t *Timeline) lag(n int) int32 {
	if n >= len(t.s.parts) {
		return 0
	}
	p := t.s.parts[n]
	from := p.start
	key := t.s.dir.parts.keys[n]
	for j, k := range t.s.dir.readers.keys {
		if j < len(t.s.readers) && t.s.readers[j].known && k.partKey == key {
			r := t.s.readers[j]
			if r.committed >= 0 {
				from = r.committed
			} else if r.position >= 0 {
				from = r.position
			}
			break
		}
	}
	return int32(max(p.high-from, 0))
}

func (t *Timeline) mark(e trace.Event) {
	lane, kind := -1, 0
	if n, ok := t.byRef[e.Node]; ok {
		lane = n
	}
	switch e.Kind {
	case trace.MessageSent:
		if e.Part == apiHeartbeat && e.Y&1 == 0 {
			kind = view.MarkBeat
		}
	case trace.CommitDone:
		kind = view.MarkCommit
		if e.Name != 0 {
			kind = view.MarkError
		}
	case trace.CommitRefused, trace.PollExpired, trace.WorkFailed:
		kind = view.MarkError
	case trace.BufferCut:
		if n, ok := t.byRef[e.Peer]; ok {
			lane, kind = n, view.MarkError
		}
	case trace.ProcessEnded:
		if e.X == trace.EndedByKill || e.X == trace.EndedByCrash {
			kind = view.MarkKill
		}
	case trace.ProcessStarted:
		if e.At > 0 {
			kind = view.MarkStart
		}
	case trace.ProcessFrozen:
		kind = view.MarkFreeze
	case trace.Commanded:
		lane, kind = -1, view.MarkCommand
	}
	if kind == 0 {
		return
	}
	n := len(t.marks)
	if n >= view.MarkSize && t.marks[n-3] == int32(lane) && t.marks[n-2] == int32(kind) &&
		int64(ticks(e.At)-t.marks[n-1]) < t.column/view.Tick {
		return // one mark a column is enough
	}
	t.marks = append(t.marks, int32(lane), int32(kind), ticks(e.At))
}

// Block closes every lane at time end and gives the timeline block; see view.TimelineVersion.
func (t *Timeline) Block(end int64) []int32 {
	end = min(end, t.to)
	t.sample(end + 1)
	for i := range t.rows {
		t.end(i, end)
		t.flush(i)
	}
	n := 0
	if len(t.samples) > 0 {
		n = len(t.samples[0])
	}
	out := []int32{
		view.TimelineVersion, ticks(t.from), ticks(t.to), int32(len(t.sc.lanes)),
		int32(len(t.segs) / view.SegSize), int32(len(t.marks) / view.MarkSize), int32(n),
	}
	out = append(out, t.segs...)
	out = append(out, t.marks...)
	for _, s := range t.samples {
		out = append(out, s...)
	}
	return out
}

// rebalancing says whether the client sees itself on the way to another assignment.
func (c *client) rebalancing() bool {
	switch c.state {
	case trace.ConsumerPreparing, trace.ConsumerCompleting, trace.ConsumerJoining,
		trace.ConsumerReconciling, trace.ConsumerAcknowledging, trace.ConsumerFenced,
		trace.ConsumerStale:
		return true
	}
	return false
}
