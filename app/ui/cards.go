package ui

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// StageSection is the stage: the painter draws messages over it and tapes into it.
func StageSection(v *StageView, ready bool) app.UI {
	class := "stage"
	if v.Dense {
		class = "stage dense"
	}
	if !ready {
		return el("section").Class(class, "empty").ID("stage").Aria("label", t("Stage")).Body(
			el("p").Class("dim").Text(t("The cluster appears here as soon as the scenario runs.")))
	}
	return el("section").Class(class).ID("stage").Aria("label", t("Stage")).TabIndex(0).Body(
		div("groups", app.Range(v.Groups).Slice(func(i int) app.UI { return &Group{V: v.Groups[i]} })),
		div("field",
			div("brokers", app.Range(v.Brokers).Slice(func(i int) app.UI {
				return &Broker{V: v.Brokers[i]}
			}),
				app.Range(v.Servers).Slice(func(i int) app.UI { return serverCard(&v.Servers[i]) })),
			div("clients",
				app.Range(v.Clients).Slice(func(i int) app.UI { return &Client{V: v.Clients[i]} }),
				app.Range(v.Stores).Slice(func(i int) app.UI { return storeCard(&v.Stores[i]) })),
		),
	)
}

// Group renders what a group coordinator knows.
type Group struct {
	app.Compo
	V GroupCard
}

// Render implements app.Composer.
func (g *Group) Render() app.UI {
	v := &g.V
	return el("article").Class("card group").Aria("label", t("Group")+" "+v.Name).Body(
		div("of",
			div("dim", app.Text(t("Group coordinator")+" \u00b7 "+v.Coordinator)),
			el("code").Class("name").Text(v.Name),
			el("code").Class("dim").Text(v.Offsets)),
		div("state",
			div("flow", app.Range(v.States).Slice(func(i int) app.UI { return statePill(&v.States[i]) })),
			el("span").Class("facts").Body(
				fact("generation", v.Generation), fact("assignor", v.Protocol),
				app.If(v.Leader.Name != "", func() app.UI {
					return el("span").Body(span("dim", t("leader")), who(v.Leader))
				}))),
		div("members",
			app.Range(v.Members).Slice(func(i int) app.UI { return memberRow(&v.Members[i]) }),
			app.If(len(v.Members) == 0, func() app.UI { return span("dim", t("no members")) }),
			app.If(v.Timer.Span != "", func() app.UI { return div("grouptimer", bar(v.Timer)) })),
	)
}

func statePill(p *StatePill) app.UI {
	class := "pill"
	if p.On {
		class = "pill on " + p.Kind
	}
	pill := el("span").Class(class).Title("%s", p.Name).Text(p.Name)
	if p.On {
		pill = pill.Aria("current", "true")
	}
	return pill
}

func fact(name, value string) app.UI {
	if value == "" {
		value = "\u2013"
	}
	return el("span").Body(span("dim", t(name)), el("b").Text(value))
}

func memberRow(m *MemberChip) app.UI {
	class := "member"
	switch {
	case m.Ghost:
		class = "member ghost"
	case m.Wait:
		class = "member waits"
	}
	return el("span").Class(class).Body(
		who(m.Who), span("dim", t(m.Text)),
		app.If(m.Bar.Span != "", func() app.UI { return bar(m.Bar) }),
	)
}

// Broker renders a broker with its partitions.
type Broker struct {
	app.Compo
	V BrokerCard
}

// Render implements app.Composer.
func (b *Broker) Render() app.UI {
	v := &b.V
	class := "card broker"
	state := ""
	switch {
	case v.Down:
		class, state = "card broker gone", t("down")
	case v.Frozen:
		class, state = "card broker frozen", t("frozen")
	}
	card := el("article").Class(class).Aria("label", v.Name).DataSet("node", v.Name)
	return card.Body(
		div("cardhead",
			el("b").Text(v.Name),
			app.Range(v.Tags).Slice(func(i int) app.UI { return span("tag", t(v.Tags[i])) }),
			app.If(state != "", func() app.UI { return span("bad", state) }),
			span("dim waits", v.Waits),
			app.If(len(v.Parts) > 0, func() app.UI {
				return div("cols", span("", t("committed")), span("", t("position")), span("", t("HW")))
			})),
		app.If(len(v.Parts) == 0, func() app.UI {
			return div("dim none", app.Text(t("leads no partition here")))
		}),
		app.Range(v.Parts).Slice(func(i int) app.UI { return partOf(v.Parts[i]) }),
	)
}

// Part renders one partition. Its numbers are those of the first moment: the painter, which has them
// with every tape, keeps them up to date, so that a partition is rendered again only when it has
// another owner. go-app compares exported fields only.
type Part struct {
	app.Compo
	V                         PartRow // without numbers
	committed, position, high string
}

func partOf(row PartRow) *Part {
	p := &Part{committed: row.Committed, position: row.Position, high: row.HighWM}
	row.Committed, row.Position, row.HighWM = "", "", ""
	p.V = row
	return p
}

// Render implements app.Composer.
func (r *Part) Render() app.UI {
	p := &r.V
	class := "part " + colorClass(p.Owner.Color)
	if p.Dead {
		class += " dead"
	}
	committed := "num"
	if p.Behind {
		committed = "num bad"
	}
	number := func(class, field, text string) app.UI {
		return span(class, text).DataSet("number", field) // a field of the painter's tape
	}
	return div(class,
		el("b").Class("who", colorClass(p.Owner.Color)).Title("%s", p.label()).Body(
			el("i").Class("shape").Aria("hidden", "true"), app.Text(p.Label)),
		el("canvas").DataSet("part", p.Part).Aria("hidden", "true"),
		number(committed, "committed", r.committed), number("num own", "position", r.position),
		number("num dim", "high", r.high),
	)
}

// label says in words what a partition's row shows by colour and pins.
func (p *PartRow) label() string {
	label := p.Part
	if p.Owner.Name != "" {
		label += ", " + t("owned by") + " " + p.Owner.Name
	}
	for _, o := range p.Others {
		label += "\n" + o.Name + ": " + t("committed") + " " + o.Committed + ", " + t("position") + " " + o.Position
	}
	for _, c := range p.Copies {
		label += "\n" + c
	}
	return label
}

// Client renders a client process.
type Client struct {
	app.Compo
	V ClientCard
}

// Render implements app.Composer.
func (c *Client) Render() app.UI {
	v := &c.V
	class := "card client " + colorClass(v.Who.Color) + " " + v.Life
	if v.Producer {
		class += " producer"
	}
	if v.Selected {
		class += " selected"
	}
	head := "head"
	if v.Bad {
		head = "head bad"
	}
	return el("article").Class(class).Aria("label", v.Who.Name).DataSet("node", v.Who.Name).Body(
		div("cardhead",
			press().Class("pick").DataSet("act", "select:"+v.Who.Name).
				Aria("pressed", v.Selected).Title("%s", t("Select")+" "+v.Who.Name).Body(who(v.Who)),
			span(head, v.Head)),
		app.If(v.State != "", func() app.UI { return el("code").Class("dim cstate").Text(v.State) }),
		app.Range(v.Bars).Slice(func(i int) app.UI { return bar(v.Bars[i]) }),
		app.If(!v.Producer, func() app.UI { return owns(v) }),
		notes(v.Notes),
	)
}

func owns(v *ClientCard) app.UI {
	if v.Reads != "" {
		return div("owns", span("label", t("reads")), el("code").Text(v.Reads))
	}
	label := t("owns")
	if v.Life == "gone" {
		label = t("owned")
	}
	if len(v.Owns) == 0 {
		return div("owns", span("label", label), span("dim", t("nothing")))
	}
	return div("owns", span("label", label),
		el("span").Class("parts").Body(app.Range(v.Owns).Slice(func(i int) app.UI {
			return el("code").Text(v.Owns[i])
		})))
}

func notes(list []string) app.UI {
	return div("notes", app.Range(list).Slice(func(i int) app.UI { return span("dim", list[i]) }))
}

func storeCard(s *StoreCard) app.UI {
	return el("article").Class("card store").Aria("label", t("Store")+" "+s.Name).Body(
		div("cardhead", el("b").Text(t("store")+" "+s.Name),
			span("head", s.Effects+" "+t("effects"))),
		el("code").Class("dim last").Text(s.Last),
	)
}
