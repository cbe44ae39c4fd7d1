package verdict

import (
	"strings"

	"rebalancelab/engine/trace"
)

// endedByNames are words for the ways a process ends, by trace.EndedBy value.
var endedByNames = []string{"stop", "kill", "crash", "exit"}

// process answers when processes ran, and the two queries that are only about time.
func (a *ask) process() (Value, error) {
	switch a.q.Name {
	case "started", "starts", "ended", "ended_by", "running":
		return a.life(), nil
	case "elapsed":
		return Duration(a.to - a.from), nil
	case "moment":
		return Time(a.at), nil
	case "stored", "effects":
		return a.store(), nil
	}
	return Value{}, errElsewhere
}

func (a *ask) life() Value {
	var starts, ends []int64
	var how []string
	running := false
	if p := a.node(); p != nil {
		for _, s := range p.stints {
			running = running || s.start <= a.at && (s.end < 0 || s.end > a.at)
			if a.within(s.start) {
				starts = append(starts, s.start)
			}
			if s.end >= 0 && a.within(s.end) {
				ends = append(ends, s.end)
				how = append(how, endedByNames[min(max(s.by, 0), 3)])
			}
		}
	}
	switch a.q.Name {
	case "started":
		return a.nth(starts)
	case "starts":
		return Number(int64(len(starts)))
	case "ended":
		return a.nth(ends)
	case "running":
		return Bool(running)
	}
	if v := a.nth(ends); v.Kind == KindNone {
		return v
	}
	n := a.q.Nth
	if n == 0 {
		n = len(how)
	}
	return Text(how[n-1])
}

func (a *ask) store() Value {
	store := a.ref(a.q.Text)
	if a.q.Name == "effects" {
		if int(store) < len(a.f.effects) {
			return Number(a.f.effects[store])
		}
		return Number(0)
	}
	v := None("none")
	a.f.scan(0, a.at, func(e trace.Event) bool {
		if e.Kind == trace.StoreSet && e.Name == store {
			if key, value, ok := strings.Cut(a.f.name(e.Peer), "="); ok && key == a.q.Key {
				v = Text(value)
			}
		}
		return true
	})
	return v
}

// calls answers questions about a program's calls, callbacks and log.
func (a *ask) calls() (Value, error) {
	node := a.ref(a.q.Node)
	named := func(kind trace.Kind, name string) Value {
		r := a.ref(name)
		return Number(a.count(func(e trace.Event) bool {
			return e.Kind == kind && e.Node == node && (name == "" || e.Name == r)
		}))
	}
	switch a.q.Name {
	case "polls":
		return named(trace.CallStarted, "poll"), nil
	case "calls":
		return named(trace.CallStarted, a.q.Text), nil
	case "callbacks":
		return named(trace.CallbackStarted, a.q.Text), nil
	case "time_in":
		return a.timeIn(node), nil
	case "call_errors":
		return unique(a.texts(node, trace.CallEnded)), nil
	case "log_lines":
		return Sequence(a.texts(node, trace.LogLine)...), nil
	}
	return Value{}, errElsewhere
}

// texts are the log lines of a node, or the errors its calls ended with, in order; those without
// the text asked for are left out.
func (a *ask) texts(node trace.Ref, kind trace.Kind) []string {
	var texts []string
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		if e.Kind != kind || e.Node != node {
			return true
		}
		text := e.Name
		if kind == trace.CallEnded {
			text = e.Peer
		}
		if s := a.f.name(text); s != "" && strings.Contains(s, a.q.Text) {
			texts = append(texts, s)
		}
		return true
	})
	return texts
}

// timeIn sums what of each call with the name asked for lies in the time asked about.
func (a *ask) timeIn(node trace.Ref) Value {
	name := a.ref(a.q.Text)
	sum, began := int64(0), int64(-1)
	ends := func(at int64) {
		if began >= 0 {
			sum += max(0, min(at, a.to)-max(began, a.from))
		}
		began = -1
	}
	a.f.scan(0, a.to, func(e trace.Event) bool {
		switch {
		case e.Node != node:
		case e.Kind == trace.CallStarted && e.Name == name && began < 0:
			began = e.At
		case e.Kind == trace.CallEnded && e.Name == name, e.Kind == trace.ProcessEnded:
			ends(e.At)
		}
		return true
	})
	ends(a.to)
	return Duration(sum)
}
