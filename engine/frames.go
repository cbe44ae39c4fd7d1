package engine

import (
	"rebalancelab/engine/fold"
	"rebalancelab/engine/tell"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// keyframeEvery is the number of events between two keyframes.
const keyframeEvery = 2000

// frames turns a trace into views: keyframes made as far as anybody looked, and a cursor that goes
// forward cheaply.
type frames struct {
	log    *trace.Log
	dir    *fold.Directory
	keys   []*fold.State // after 0, 2000, 4000 ... events
	edge   *fold.State   // the furthest state reached
	reader *trace.Reader // at the edge
	cursor *fold.State   // where the last view was
	ahead  *trace.Reader // at the cursor
}

func newFrames(log *trace.Log, dir *fold.Directory) *frames {
	f := &frames{log: log, dir: dir, edge: fold.New(dir), reader: log.Reader(0)}
	f.keys = []*fold.State{f.edge.Clone()}
	return f
}

// extend makes keyframes up to event n.
func (f *frames) extend(n int) {
	for f.edge.Index() < n {
		e, ok := f.reader.Next()
		if !ok {
			return
		}
		f.edge.Apply(e)
		if f.edge.Index()%keyframeEvery == 0 {
			f.keys = append(f.keys, f.edge.Clone())
		}
	}
}

// at gives the state after n events. It belongs to frames: the next call may change it.
func (f *frames) at(n int) *fold.State {
	n = min(max(n, 0), f.log.Len())
	f.extend(n)
	key := min(n/keyframeEvery, len(f.keys)-1)
	if f.cursor == nil || f.cursor.Index() > n || f.cursor.Index() < f.keys[key].Index() {
		f.cursor = f.keys[key].Clone()
		f.ahead = f.log.Reader(f.cursor.Index())
	}
	for f.cursor.Index() < n {
		e, ok := f.ahead.Next()
		if !ok {
			break
		}
		f.cursor.Apply(e)
	}
	return f.cursor
}

// fresh is a copy of the state after n events that the caller may change.
func (f *frames) fresh(n int) *fold.State { return f.at(n).Clone() }

// moment resolves a place in the run: the number of events up to it and its time.
func (l *Lab) moment(a view.At) (n int, now int64) {
	if a.Index >= 0 {
		s := l.frames.at(a.Index)
		return s.Index(), s.At()
	}
	now = min(max(a.Time, 0), l.horizon)
	return l.log.Before(now), now
}

// View is what the page shows at a moment.
func (l *Lab) View(a view.At) view.View {
	n, now := l.moment(a)
	v := l.frames.at(n).View(now)
	v.Hash = l.log.HashAt(n)
	return v
}

// Paint is the paint block of a moment; see view.PaintVersion.
func (l *Lab) Paint(dst []int32, a view.At) []int32 {
	n, now := l.moment(a)
	return l.frames.at(n).Paint(dst, l.scene(), now)
}

// scene numbers what paint blocks are about, as known at the end of what has run.
func (l *Lab) scene() *fold.Scene {
	if l.stage == nil || l.stageAt != l.log.Len() {
		l.stage = fold.NewScene(l.frames.fresh(l.log.Len()))
		l.stageAt = l.log.Len()
	}
	return l.stage
}

// Scene names what paint blocks number.
func (l *Lab) Scene() view.Scene { return l.scene().Names }

// Timeline is the timeline block of a span; see view.TimelineVersion.
func (l *Lab) Timeline(span view.Span) []int32 {
	from := min(max(span.From, 0), l.horizon)
	to := min(max(span.To, from+1), max(l.horizon, 1))
	n := l.log.Before(from - 1)
	t := fold.NewTimeline(l.frames.fresh(n), l.scene(), from, to, span.Columns)
	r := l.log.Reader(n)
	for {
		e, ok := r.Next()
		if !ok || e.At > to {
			break
		}
		t.Apply(e)
	}
	return t.Block(min(l.horizon, l.reached()))
}

// teller is a teller that knows the names that come up before event n.
func (l *Lab) teller() *tell.Teller {
	if l.telling == nil {
		l.telling = tell.New(l.log)
	}
	for {
		e, ok := l.learned.Next()
		if !ok {
			return l.telling
		}
		l.telling.Learn(e)
	}
}
