package engine

import (
	"strings"

	"rebalancelab/engine/fold"
	"rebalancelab/engine/tell"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// rowWindow is how far back rows are looked for at once when walking backward through the trace.
const rowWindow = 4096

// passes says whether event e is a row under filter f. node is the filter's process as a Ref, 0 when
// it names none.
func (l *Lab) passes(t *tell.Teller, e trace.Event, f view.Filter, node trace.Ref) bool {
	if t.Class(e)&f.Classes == 0 || f.Node != "" && e.Node != node && e.Peer != node {
		return false
	}
	return f.Text == "" ||
		strings.Contains(strings.ToLower(l.log.String(e.Node)+" "+t.Line(e).Text), strings.ToLower(f.Text))
}

func (l *Lab) filterNode(f view.Filter) trace.Ref {
	r, _ := l.log.Lookup(f.Node)
	return r
}

// Events lists rows around a moment.
func (l *Lab) Events(q view.Events) view.Lines {
	t, node := l.teller(), l.filterNode(q.Filter)
	var out view.Lines
	q.From = min(max(q.From, 0), l.log.Len())
	var before []view.Line
	for hi := q.From; hi > 0 && len(before) < q.Before; hi -= rowWindow {
		lo := max(hi-rowWindow, 0)
		var part []view.Line
		r := l.log.Reader(lo)
		for i := lo; i < hi; i++ {
			e, _ := r.Next()
			if l.passes(t, e, q.Filter, node) {
				part = append(part, line(t, e, i+1))
			}
		}
		before = append(part, before...)
	}
	out.Rows = before[max(len(before)-q.Before, 0):]
	r := l.log.Reader(q.From)
	for n := 0; ; {
		e, ok := r.Next()
		if !ok {
			return out
		}
		if !l.passes(t, e, q.Filter, node) {
			continue
		}
		if n == q.After {
			out.More = true
			return out
		}
		out.Rows = append(out.Rows, line(t, e, r.Index()))
		n++
	}
}

func line(t *tell.Teller, e trace.Event, index int) view.Line {
	row := t.Line(e)
	row.Index = index
	return row
}

// storyClasses are the classes that the text twin tells.
const storyClasses = view.ClassNotable | view.ClassMessage

// Story tells the last things that happened up to a moment.
func (l *Lab) Story(a view.At) view.Lines {
	n, _ := l.moment(a)
	return l.Events(view.Events{From: n, Before: 12, Filter: view.Filter{Classes: storyClasses}})
}

// Step finds where a step leads.
func (l *Lab) Step(q view.Step) view.Moment {
	node := l.filterNode(q.Filter)
	t := l.teller()
	call := q.Kind == view.StepRow && q.Filter.Node != ""
	fits := func(e trace.Event) bool {
		switch {
		case q.Kind == view.StepNotable:
			return t.Notable(e)
		case q.Kind == view.StepRebalance:
			return e.Kind == trace.GroupState && e.X == trace.GroupPreparingRebalance
		case call:
			return e.Kind == trace.CallStarted && e.Node == node
		}
		return l.passes(t, e, q.Filter, node)
	}
	if q.Back {
		return l.stepBack(q.Index, fits)
	}
	r := l.log.Reader(q.Index)
	for {
		e, ok := r.Next()
		if !ok {
			return view.Moment{}
		}
		if fits(e) {
			return view.Moment{Found: true, At: e.At, Index: r.Index()}
		}
	}
}

// stepBack finds the last fitting event before the one that moment index stands on.
func (l *Lab) stepBack(index int, fits func(trace.Event) bool) view.Moment {
	for hi := index - 1; hi > 0; hi -= rowWindow {
		lo := max(hi-rowWindow, 0)
		r := l.log.Reader(lo)
		var found view.Moment
		for i := lo; i < hi; i++ {
			if e, _ := r.Next(); fits(e) {
				found = view.Moment{Found: true, At: e.At, Index: i + 1}
			}
		}
		if found.Found {
			return found
		}
	}
	return view.Moment{Found: index > 0}
}

// Messages lists the conversation around a moment: each message once, with when it arrived.
func (l *Lab) Messages(q view.Events) view.Messages {
	q.Filter.Classes &= view.ClassMessage | view.ClassBeat | view.ClassFetch | view.ClassError
	rows := l.Events(q)
	var out view.Messages
	seen := map[int64]bool{}
	for _, row := range rows.Rows {
		if row.Message == 0 || seen[row.Message] {
			continue
		}
		seen[row.Message] = true
		if m, found := l.findMessage(row.Message, row.Index); found {
			out.Rows = append(out.Rows, m)
		}
	}
	return out
}

// findMessage looks for message id in the events around index near, which it was sent before.
func (l *Lab) findMessage(id int64, near int) (view.MessageRow, bool) {
	for lo := max(near-rowWindow, 0); ; lo = max(lo-rowWindow, 0) {
		if row, found := l.follow(id, lo); found || lo == 0 {
			return row, found
		}
	}
}

// follow reads on from event lo until message id has been sent and has arrived, or gives up: numbers
// count up, so a later message sent first means that id lies before lo.
func (l *Lab) follow(id int64, lo int) (row view.MessageRow, found bool) {
	r := l.log.Reader(lo)
	for {
		e, ok := r.Next()
		if !ok {
			return row, row.ID != 0
		}
		if row.ID == 0 && e.Kind == trace.MessageSent && e.X > id {
			return row, false
		}
		if isMessage(e.Kind) && e.X == id && fold.MessageEvent(e, &row, l.log, r.Index()) {
			return row, row.ID != 0
		}
	}
}

func isMessage(k trace.Kind) bool {
	return k == trace.MessageSent || k == trace.MessageArrived || k == trace.MessageLost
}
