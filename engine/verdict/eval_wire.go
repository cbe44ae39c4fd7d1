package verdict

import (
	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/trace"
)

// wire answers questions about messages.
func (a *ask) wire() (Value, error) {
	switch a.q.Name {
	case "requests", "fetches":
		name := a.q.API
		if a.q.Name == "fetches" {
			name = neighbour.MessageName(apiFetch)
		}
		key, ok := neighbour.MessageKey(name)
		if !ok {
			return Value{}, unknownAPI(name)
		}
		node := a.ref(a.q.Node)
		return Number(a.count(func(e trace.Event) bool {
			return isRequest(e) && e.Node == node && e.Part == key
		})), nil
	case "connections":
		node := a.ref(a.q.Node)
		return Number(a.count(func(e trace.Event) bool {
			return e.Kind == trace.ConnOpened && e.Node == node
		})), nil
	case "empty_fetches":
		return a.emptyFetches(), nil
	case "fetched":
		return a.fetched()
	case "errors":
		return a.errors(), nil
	case "request_sequence":
		return a.sequence(), nil
	}
	return Value{}, errElsewhere
}

func isRequest(e trace.Event) bool { return e.Kind == trace.MessageSent && e.Y&1 == 0 }

func (a *ask) errors() Value {
	var names []string
	if p := a.node(); p != nil {
		for _, e := range p.errs {
			if e.at >= 0 && a.within(e.at) {
				names = append(names, a.f.name(e.name))
			}
		}
	}
	return unique(names)
}

// emptyFetches counts Fetch answers that no Fetched event follows before the process handles
// something else.
func (a *ask) emptyFetches() Value {
	node := a.ref(a.q.Node)
	n := int64(0)
	open := false // an answer came and brought nothing so far
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		if e.Node != node {
			return true
		}
		switch e.Kind {
		case trace.Fetched:
			open = open && e.Y == 0
		case trace.MessageArrived:
			if open {
				n++
			}
			open = e.Part == apiFetch && e.Y&1 == 1
		}
		return true
	})
	if open {
		n++
	}
	return Number(n)
}

func (a *ask) fetched() (Value, error) {
	node := a.ref(a.q.Node)
	in, err := a.inTopic()
	n := int64(0)
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		if e.Kind == trace.Fetched && e.Node == node && in(e) {
			n += e.Y
		}
		return true
	})
	return Number(n), err
}

// sequence lists requests; a Fetch with the partitions that were written right before it.
func (a *ask) sequence() Value {
	node := a.ref(a.q.Node)
	want := make([]bool, 256)
	for _, name := range a.q.APIs {
		if key, ok := neighbour.MessageKey(name); ok {
			want[key] = true
		}
	}
	var texts []string
	asked := ""
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		switch {
		case e.Node != node:
		case e.Kind == trace.FetchAsked:
			asked += " " + PartitionName(a.f.name(e.Name), e.Part) + "@" + Number(e.X).String()
		case isRequest(e):
			if len(a.q.APIs) == 0 || want[e.Part] {
				text := neighbour.MessageName(e.Part)
				if e.Part == apiFetch {
					text += asked
				}
				texts = append(texts, text)
			}
			if e.Part == apiFetch {
				asked = ""
			}
		}
		return true
	})
	return Sequence(texts...)
}
