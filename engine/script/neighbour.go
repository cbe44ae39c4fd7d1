package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/trace"
)

// Neighbour finds a channel, a stream or a queue by its name, or gives nil.
func (s *Scenario) Neighbour(name string) *neighbour.Thing {
	for _, n := range s.Neighbours {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// Servers are the processes that have the neighbours, Redis first.
func (s *Scenario) Servers() []string {
	var names []string
	for _, server := range serverNames {
		for _, n := range s.Neighbours {
			if n.Server() == server && !contains(names, server) {
				names = append(names, server)
			}
		}
	}
	return names
}

var serverNames = []string{neighbour.RedisName, neighbour.RabbitName}

// channelStatement is redis_pubsub(name).
func channelStatement(l *loader, a *arguments, _ Place) (starlark.Value, error) {
	n := newNeighbour(a, trace.NeighbourChannel)
	n.HardLimit = a.number("hard_limit", neighbour.DefaultHardLimit, 0, 1<<32)
	n.SoftLimit = a.number("soft_limit", neighbour.DefaultSoftLimit, 0, 1<<32)
	n.SoftTime = a.duration("soft_time", neighbour.DefaultSoftTime)
	n.Socket = a.number("socket_buffer", neighbour.DefaultSocket, 1<<10, 1<<30)
	return l.declare(a, n)
}

func newNeighbour(a *arguments, kind int64) *neighbour.Thing {
	return &neighbour.Thing{Kind: kind, Name: a.mustText("name", "its name")}
}

// streamStatement is redis_stream(name).
func streamStatement(l *loader, a *arguments, _ Place) (starlark.Value, error) {
	return l.holding(a, trace.NeighbourStream)
}

// queueStatement is queue(name).
func queueStatement(l *loader, a *arguments, _ Place) (starlark.Value, error) {
	return l.holding(a, trace.NeighbourQueue)
}

// holding declares what may hold records from the start.
func (l *loader) holding(a *arguments, kind int64) (starlark.Value, error) {
	n := newNeighbour(a, kind)
	n.Records = int(a.number("records", 0, 0, maxRecords))
	if v, ok := a.named("keys"); ok {
		n.Keys = a.asTexts("keys", v)
	}
	return l.declare(a, n)
}

func (l *loader) declare(a *arguments, n *neighbour.Thing) (starlark.Value, error) {
	_, topic := l.sc.Topic(n.Name)
	if topic || l.sc.Neighbour(n.Name) != nil || n.Name == "" {
		a.fail("%q is taken or empty; give a name of its own", n.Name)
	}
	l.sc.Neighbours = append(l.sc.Neighbours, n)
	return starlark.String(n.Name), nil
}

// finishReader checks the neighbour that a consumer reads from, and settles its group.
func (l *loader) finishReader(c *ConsumerSpec) error {
	if err := l.thingOf(c.Place, c.Of, len(c.Settings)); err != nil {
		return err
	}
	n := l.sc.Neighbour(c.Of)
	switch {
	case n.Kind == trace.NeighbourStream && c.Group == "":
		return errorAt(c.Place, "consumer(): group is missing: a consumer of a stream is one of a group")
	case n.Kind != trace.NeighbourStream && c.Group != "":
		return errorAt(c.Place, "consumer(): a %s has no groups; leave group out",
			trace.NeighbourNames[n.Kind])
	case n.Kind == trace.NeighbourChannel:
		c.Group = c.Name
	case n.Kind == trace.NeighbourQueue:
		c.Group = c.Of
	}
	return nil
}

// thingOf checks the neighbour that a process reads from or writes to.
func (l *loader) thingOf(at Place, name string, settings int) error {
	if err := l.find.thing(name); err != nil {
		return errorAt(at, "%v", err)
	}
	if settings > 0 {
		return errorAt(at, "%q is no topic of Kafka: Kafka's settings say nothing there; leave them out", name)
	}
	return nil
}

// things are the names of all neighbours.
func (f *finder) things() []string {
	var names []string
	for _, n := range f.sc.Neighbours {
		names = append(names, n.Name)
	}
	return names
}

// thing checks the name of a neighbour.
func (f *finder) thing(name string) error {
	if contains(f.things(), name) {
		return nil
	}
	return fmt.Errorf("no such channel, stream or queue %q%s", name, suggest(name, f.things()))
}
