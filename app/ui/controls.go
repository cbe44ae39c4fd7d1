package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// ControlsView is the bar at the bottom.
type ControlsView struct {
	Ready   bool // there is a run, and the reader may run it
	Playing bool
	Speed   float64
	Client  Who  // the selected client; no name: none
	Alive   bool // it runs
	Frozen  bool
	Menu    []MenuItem
	Typed   string // an action as the reader types it
	Problem string // what is wrong with the last one
}

// MenuItem is one action of the menu.
type MenuItem struct{ Label, Act string }

// ClockText renders the moment. It is a component of its own because it alone changes with every
// frame.
type ClockText struct {
	app.Compo
	At, End string
}

// Render implements app.Composer.
func (c *ClockText) Render() app.UI {
	return el("span").Class("clock").Body(
		el("b").Class("num").Text(c.At), el("span").Class("num dim").Text(" / "+c.End))
}

// controls is the bar: parts that change seldom, and the clock between them.
func controls(v *ControlsView, at, end string) app.UI {
	return el("footer").Class("controls").Body(
		&Transport{V: *v}, &ClockText{At: at, End: end}, &Actions{V: *v})
}

// Transport renders what moves time.
type Transport struct {
	app.Compo
	V ControlsView
}

// Render implements app.Composer.
func (c *Transport) Render() app.UI {
	return el("div").Class("row transport").Role("group").Aria("label", t("Time")).Body(c.buttons()...)
}

// Actions renders what changes the run.
type Actions struct {
	app.Compo
	V ControlsView
}

// Render implements app.Composer.
func (c *Actions) Render() app.UI {
	return el("div").Class("row actions").Role("group").Aria("label", t("Actions")).
		Body(c.buttons()...)
}

func (c *Transport) buttons() []app.UI {
	v := &c.V
	play := iconButton("primary play", "play", "play", t("Play"), t("Play (space)"))
	if v.Playing {
		play = iconButton("primary play", "pause", "pause", t("Pause"), t("Pause (space)"))
	}
	off := !v.Ready
	return []app.UI{
		iconButton("", "seek:0", "start", "", t("To the start (Home)")).Attr("disabled", off),
		iconButton("", "back", "back", "", t("Step back (left arrow)")).Attr("disabled", off),
		play.Attr("disabled", off),
		iconButton("", "step", "step", t("step"), t("Step (right arrow)")).Attr("disabled", off),
		iconButton("wide", "event", "event", t("next event"), t("Next event (shift and right arrow)")).
			Attr("disabled", off),
		iconButton("wide", "rebalance", "rebalance", t("next rebalance"), t("Next rebalance (R)")).
			Attr("disabled", off),
		c.speed(),
	}
}

func (c *Transport) speed() app.UI {
	v := &c.V
	return el("select").Class("speed").Aria("label", t("Speed")).DataSet("input", "speed").
		Title("%s", t("Speed ([ slower, ] faster)")).Body(app.Range(Speeds).Slice(func(i int) app.UI {
		return el("option").Attr("value", strconv.Itoa(i)).Text(Speed(Speeds[i])).
			Attr("selected", Speeds[i] == v.Speed)
	}))
}

func (c *Actions) buttons() []app.UI {
	v := &c.V
	name := v.Client.Name
	off := !v.Ready || name == ""
	call := func(verb, rest string) string { return "do:" + verb + `("` + name + `"` + rest + ")" }
	var out []app.UI
	if !v.Alive && name != "" {
		start := iconButton("", call("start", ""), "play", t("start")+" "+name, t("Start")+" "+name)
		out = append(out, start.Attr("disabled", off))
	} else {
		out = append(out,
			iconButton("wide", call("stop", ""), "stop", t("stop")+" "+name,
				t("Stop cleanly: close() runs")+" "+name).Attr("disabled", off),
			iconButton("danger", call("kill", ""), "kill", t("kill")+" "+name, t("kill -9")+" "+name).
				Attr("disabled", off))
		if v.Frozen {
			out = append(out, iconButton("wide", call("thaw", ""), "play", t("thaw")+" "+name,
				t("Thaw")+" "+name).Attr("disabled", off))
		} else {
			out = append(out, iconButton("wide", call("freeze", `, "12s"`), "pause",
				t("freeze")+" "+name+" 12 s", t("Freeze (a long GC pause)")+" "+name).Attr("disabled", off))
		}
	}
	return append(out, c.menu())
}

func (c *Actions) menu() app.UI {
	v := &c.V
	return el("details").Class("menu").ID("action-menu").Body(
		el("summary").Class("btn").Aria("label", t("More actions")).
			Body(Icon("more"), el("span").Text(t("more"))),
		div("sheet",
			el("ul").Body(app.Range(v.Menu).Slice(func(i int) app.UI {
				m := v.Menu[i]
				return el("li").Body(press().Class("item").
					DataSet("act", "do:"+m.Act).Attr("disabled", !v.Ready).Body(
					el("span").Text(m.Label), el("code").Class("dim").Text(m.Act)))
			})),
			el("label").Class("typed").Body(
				el("span").Text(t("Any action of the scenario language")),
				input("text").ID("typed").DataSet("input", "typed").Attr("value", v.Typed).
					Attr("placeholder", `restart("A", down_for = "5s")`).Spellcheck(false)),
			button("small primary", "typed", t("Do it now")).Attr("disabled", !v.Ready),
			app.If(v.Problem != "", func() app.UI {
				return el("p").Class("problem").Role("alert").Text(v.Problem)
			}),
		))
}
