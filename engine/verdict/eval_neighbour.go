package verdict

import (
	"fmt"

	"rebalancelab/engine/trace"
)

// neighbour answers what is asked about a channel, a stream or a queue.
func (a *ask) neighbour() (Value, error) {
	if a.q.Name == "cut_off" {
		return a.cutOff(), nil
	}
	t := a.f.thing(a.ref(PartitionName(a.q.Topic, a.q.Partition)))
	if t == nil {
		return a.noNeighbour()
	}
	switch a.q.Name {
	case "processed", "completions", "produced", "buffer_max":
		return a.thingEvents(t), nil
	}
	in, err := a.audience(t)
	if err != nil {
		return Value{}, err
	}
	switch a.q.Name {
	case "lost", "duplicates", "in_work", "redelivered":
		return Offsets(in.spans(a.q.Name)...), nil
	case "out_of_order":
		return Offsets(in.late...), nil
	case "pending":
		return a.pendingOf(t, in), nil
	}
	return Value{}, fmt.Errorf("%s cannot be asked about a %s", a.q.Name, trace.NeighbourNames[t.kind])
}

// noNeighbour is for what is not about a neighbour, or should be.
func (a *ask) noNeighbour() (Value, error) {
	switch a.q.Name {
	case "pending", "redelivered":
		return Offsets(), nil
	case "buffer_max":
		return Number(0), nil
	}
	return Value{}, errElsewhere
}

// audience is the one that the query is about; there must be only one if it names none.
func (a *ask) audience(t *thing) (*audience, error) {
	switch {
	case a.q.Group != "":
		if in := t.audience(a.ref(a.q.Group)); in != nil {
			return in, nil
		}
	case len(t.audiences) == 1:
		return t.audiences[0], nil
	case len(t.audiences) > 1:
		return nil, fmt.Errorf("groups %q and %q both read %s: say which with group =",
			a.f.name(t.audiences[0].group), a.f.name(t.audiences[1].group), a.f.name(t.ref))
	}
	return &audience{}, nil
}

// thingEvents answers from the events about t in the time asked about.
func (a *ask) thingEvents(t *thing) Value {
	who, node := a.ref(a.q.Who), a.ref(a.q.Node)
	var spans []Span
	count, most := int64(0), int64(0)
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		switch {
		case e.Name != t.ref || a.q.Node != "" && e.Peer != node:
		case e.Kind == trace.WorkEnded && (e.Node == who || e.Peer == who):
			spans = append(spans, Span{e.X, e.X})
		case e.Kind == trace.Published && a.q.Name == "produced":
			count++
		case e.Kind == trace.Buffered, e.Kind == trace.BufferCut:
			most = max(most, e.X)
		}
		return true
	})
	switch a.q.Name {
	case "processed":
		return Offsets(spans...)
	case "completions":
		count = int64(len(spans))
	case "buffer_max":
		count = most
	}
	return Number(count)
}

// cutOff is when the output buffer of the process reached a limit.
func (a *ask) cutOff() Value {
	node := a.ref(a.q.Node)
	var times []int64
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		if e.Kind == trace.BufferCut && e.Peer == node {
			times = append(times, e.At)
		}
		return true
	})
	return a.nth(times)
}

// pendingOf is what was given out and not acknowledged at a moment, by anybody of the audience or by the
// process asked for. A channel knows no acknowledgements: nothing is pending there.
func (a *ask) pendingOf(t *thing, in *audience) Value {
	owner := make([]trace.Ref, len(t.keys))
	a.f.scan(0, a.at, func(e trace.Event) bool {
		switch {
		case e.Name != t.ref || t.of(e.Peer) != in || t.kind == trace.NeighbourChannel:
		case e.Kind == trace.Pushed:
			owner[e.X] = e.Peer
		case e.Kind == trace.Requeued, e.Kind == trace.Settled:
			owner[e.X] = 0
		}
		return true
	})
	var spans []Span
	for n, who := range owner {
		if who != 0 && (a.q.Node == "" || who == a.ref(a.q.Node)) {
			spans = append(spans, Span{int64(n), int64(n)})
		}
	}
	return Offsets(spans...)
}

// outOfOrder is, of partitions of Kafka, what was finished for the first time after a later offset.
func (a *ask) outOfOrder() (Value, error) {
	readings, err := a.readings()
	if err != nil {
		return Value{}, err
	}
	late := make([][]Span, len(readings))
	for i := range readings {
		highest, seen := int64(-1), map[int64]bool{}
		a.f.scan(0, a.to, func(e trace.Event) bool {
			if e.Kind == trace.WorkEnded && !seen[e.X] && a.reads(readings[i:i+1], e) {
				seen[e.X] = true
				if e.X < highest {
					late[i] = append(late[i], Span{e.X, e.X})
				}
				highest = max(highest, e.X)
			}
			return true
		})
	}
	i := -1
	return a.offsets(func(*reading) []Span { i++; return late[i] })
}
