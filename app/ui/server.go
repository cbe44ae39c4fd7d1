package ui

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/engine/view"
)

// ServerCard is the server of a neighbour: a system that is no Kafka, of which the lab has a model.
type ServerCard struct {
	Name   string
	Things []ThingRow
}

// ThingRow is a channel, a stream or a queue of it.
type ThingRow struct {
	Name, Kind string
	Facts      string
	Readers    []ReaderRow
}

// ReaderRow is a process that reads it, as the server sees it. Full is how much of its output buffer is
// in use, in percent; -1: it has none.
type ReaderRow struct {
	Who  Who
	Text string
	Bad  bool
	Full int64
}

// serverCards groups what a view says of neighbours by server and thing.
func serverCards(v *view.View, names Names) []ServerCard {
	var out []ServerCard
	for i := range v.Neighbours {
		n := &v.Neighbours[i]
		if len(out) == 0 || out[len(out)-1].Name != n.Server {
			out = append(out, ServerCard{Name: n.Server})
		}
		card := &out[len(out)-1]
		row := card.thing(n)
		if n.Client != "" {
			row.Readers = append(row.Readers, readerRow(n, names))
		}
	}
	return out
}

// thing finds or makes the row of a thing.
func (c *ServerCard) thing(n *view.Neighbour) *ThingRow {
	for i := range c.Things {
		if c.Things[i].Name == n.Name {
			return &c.Things[i]
		}
	}
	row := ThingRow{Name: n.Name, Kind: n.Kind, Facts: Num(n.Published) + " came in"}
	if n.Limit == 0 {
		row.Facts += ", " + Num(n.Settled) + " done with"
	}
	c.Things = append(c.Things, row)
	return &c.Things[len(c.Things)-1]
}

func readerRow(n *view.Neighbour, names Names) ReaderRow {
	r := ReaderRow{Who: names.Who(n.Client), Full: -1}
	switch {
	case n.Cut && !n.Live:
		r.Text, r.Bad = "cut off: its output buffer was full", true
	case n.Limit > 0:
		r.Text = Num(n.Messages) + " wait, " + Num(n.Buffered>>10) + " KiB"
		r.Full = n.Buffered * 100 / n.Limit
	default:
		r.Text = Num(n.Pending) + " not acknowledged"
	}
	if !n.Live && !r.Bad {
		r.Text = "not connected, " + r.Text
	}
	return r
}

func serverCard(s *ServerCard) app.UI {
	return el("article").Class("card broker server").Aria("label", s.Name).DataSet("node", s.Name).Body(
		div("cardhead", el("b").Text(s.Name), span("tag", t("a model"))),
		app.Range(s.Things).Slice(func(i int) app.UI { return thingRow(&s.Things[i]) }),
	)
}

func thingRow(r *ThingRow) app.UI {
	return div("thing",
		div("", el("code").Class("name").Text(r.Name), span("dim", r.Kind), span("dim", r.Facts)),
		app.Range(r.Readers).Slice(func(i int) app.UI { return readerLine(&r.Readers[i]) }),
	)
}

func readerLine(r *ReaderRow) app.UI {
	class := "dim"
	if r.Bad {
		class = "bad"
	}
	return div("reader", who(r.Who), span(class, r.Text),
		app.If(r.Full >= 0, func() app.UI {
			return app.Meter().Min(0).Max(100).Value(r.Full).
				Aria("label", t("output buffer")+" "+Num(r.Full)+" %")
		}))
}
