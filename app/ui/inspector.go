package ui

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// InspectorView is the panel on the right.
type InspectorView struct {
	Tabs    []Tab
	Tab     string
	Chips   []Chip // filters of events and messages
	Filter  string
	OnlyWho Who  // the selected client
	Only    bool // only rows that concern it
	Events  []EventRow
	Talk    []TalkRow
	Config  []ConfigRow
	Of      string // whose settings they are
	Story   []EventRow
	Quiet   bool // the text log stands still
	Message MessageView
}

// EventRow is one event as a sentence.
type EventRow struct {
	Act  string
	Time string
	Who  Who
	Text string
	Bad  bool
	OK   bool
	Now  bool // the cursor stands on it
	Next bool // it lies after the cursor
}

// TalkRow is one message of the conversation.
type TalkRow struct {
	Act      string
	Time     string
	From, To Who
	Name     string
	Response bool
	Error    string
	State    string // lost, on its way
	On       bool   // it is the one shown below
}

// ConfigRow is one setting.
type ConfigRow struct {
	Name, Value, Default string
	Changed              bool
}

// MessageView is one message whole.
type MessageView struct {
	ID       string // empty: none is chosen
	Title    string
	From, To Who
	Sent     string
	Arrives  string
	SentAct  string
	Error    string
	ErrorIs  string
	Fields   []FieldRow
	Bytes    string
	Other    string // id of its answer, or of the request it answers
	Answer   bool   // it is an answer
	Flying   bool   // it can be held and dropped now
	Held     bool
	Loading  bool
}

// FieldRow is one field of a message.
type FieldRow struct {
	Depth       int
	Name, Value string
}

// Inspector renders the panel.
type Inspector struct {
	app.Compo
	V InspectorView
}

// Render implements app.Composer.
func (p *Inspector) Render() app.UI {
	v := &p.V
	return el("section").Class("right").ID("panel-inspector").Aria("label", t("Inspector")).Body(
		tabs("", t("Inspector"), "look", v.Tabs),
		el("div").Class("panel").ID("panel-look").Role("tabpanel").
			Aria("labelledby", "tab-look-"+v.Tab).Body(p.panel()...),
		app.If(v.Message.ID != "", func() app.UI { return p.message() }).
			Else(func() app.UI { return el("section").Hidden(true) }),
	)
}

func (p *Inspector) panel() []app.UI {
	v := &p.V
	switch v.Tab {
	case "messages":
		return []app.UI{p.filters(), p.talk()}
	case "config":
		return []app.UI{p.config()}
	case "log":
		return []app.UI{p.log()}
	}
	return []app.UI{p.filters(), p.events()}
}

func (p *Inspector) filters() app.UI {
	v := &p.V
	return el("div").Class("filters").Role("group").Aria("label", t("Filter")).Body(
		app.Range(v.Chips).Slice(func(i int) app.UI {
			c := v.Chips[i]
			return press().Class("chip").DataSet("act", "class:"+c.ID).
				Aria("pressed", c.On).Text(c.Label)
		}),
		app.If(v.OnlyWho.Name != "", func() app.UI {
			return press().Class("chip", colorClass(v.OnlyWho.Color)).
				DataSet("act", "only").Aria("pressed", v.Only).Text(t("only") + " " + v.OnlyWho.Name)
		}),
		input("search").Class("find").Attr("placeholder", t("Filter by text")).
			Aria("label", t("Filter by text")).DataSet("input", "filter").Attr("value", v.Filter),
	)
}

func (p *Inspector) events() app.UI {
	v := &p.V
	if len(v.Events) == 0 {
		return el("p").Class("hint").Text(t("Nothing of this kind up to here. Play on, or choose more " +
			"kinds above."))
	}
	return el("ol").Class("rows").ID("events").Body(app.Range(v.Events).Slice(func(i int) app.UI {
		return &Event{V: v.Events[i]}
	}))
}

// Event renders one row of the list of events.
type Event struct {
	app.Compo
	V EventRow
}

// Render implements app.Composer.
func (r *Event) Render() app.UI {
	e := &r.V
	class := "ev"
	switch {
	case e.Now:
		class += " now"
	case e.Next:
		class += " next"
	}
	text := "text"
	switch {
	case e.Bad:
		text += " bad"
	case e.OK:
		text += " okmark"
	}
	b := press().Class(class).DataSet("act", e.Act)
	if e.Now {
		b = b.Aria("current", "true")
	}
	return el("li").Body(b.Body(
		el("time").Text(e.Time),
		el("span").Class(text).Body(who(e.Who), app.Text(" "+e.Text))))
}

func (p *Inspector) talk() app.UI {
	v := &p.V
	if len(v.Talk) == 0 {
		return el("p").Class("hint").Text(t("No messages of this kind up to here."))
	}
	return el("ol").Class("rows talk").ID("talk").Body(app.Range(v.Talk).Slice(func(i int) app.UI {
		return el("li").Body(talkRow(&v.Talk[i]))
	}))
}

func talkRow(m *TalkRow) app.UI {
	class := "ev"
	if m.On {
		class = "ev now"
	}
	name := m.Name
	if m.Response {
		name += " " + t("answer")
	}
	return press().Class(class).DataSet("act", m.Act).Aria("pressed", m.On).Body(
		el("time").Text(m.Time),
		el("span").Class("text").Body(
			who(m.From), span("arrow", ""), who(m.To), app.Text(" "+name),
			app.If(m.Error != "", func() app.UI { return el("code").Class("warn").Text(" " + m.Error) }),
			app.If(m.State != "", func() app.UI { return span("dim", " "+t(m.State)) }),
		))
}

func (p *Inspector) config() app.UI {
	v := &p.V
	return el("div").Class("scroll fill").TabIndex(0).Role("region").Aria("label", t("Settings")).Body(
		el("p").Class("hint").Body(app.Text(t("Settings of")+" "), el("b").Text(v.Of),
			app.Text(". "+t("Select a client on the stage to see its own; changed ones come first."))),
		el("dl").Class("config").Body(app.Range(v.Config).Slice(func(i int) app.UI {
			c := &v.Config[i]
			class := "row2"
			if c.Changed {
				class = "row2 changed"
			}
			return div(class, el("dt").Body(el("code").Text(c.Name)), el("dd").Body(
				el("code").Text(c.Value),
				app.If(c.Changed, func() app.UI { return span("dim", t("default")+" "+c.Default) })))
		})))
}

func (p *Inspector) log() app.UI {
	v := &p.V
	label, live := t("Pause the log"), "polite"
	if v.Quiet {
		label, live = t("Go on"), "off"
	}
	return div("fill column",
		div("filters",
			button("small", "quiet", label).Aria("pressed", v.Quiet),
			span("dim", t("The picture in words: what happened last."))),
		el("div").Class("telling").Role("log").Aria("live", live).Aria("label", t("Log as text")).
			TabIndex(0).Body(el("ol").Body(app.Range(v.Story).Slice(func(i int) app.UI {
			e := &v.Story[i]
			return el("li").Body(el("time").Text(e.Time), app.Text(" "+e.Who.Name+" "+e.Text+"."))
		}))),
	)
}
