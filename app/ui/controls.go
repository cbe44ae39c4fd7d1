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
	At, End string
	Client  Who  // the selected client; no name: none
	Alive   bool // it runs
	Frozen  bool
	Menu    []MenuItem
	Typed   string // an action as the reader types it
	Problem string // what is wrong with the last one
}

// MenuItem is one action of the menu.
type MenuItem struct{ Label, Act string }

// Controls renders the bar.
type Controls struct {
	app.Compo
	V ControlsView
}

// Render implements app.Composer.
func (c *Controls) Render() app.UI {
	return app.Footer().Class("controls").Body(
		app.Div().Class("row transport").Role("group").Aria("label", t("Time")).Body(c.transport()...),
		app.Div().Class("row actions").Role("group").Aria("label", t("Actions")).Body(c.actions()...),
	)
}

func (c *Controls) transport() []app.UI {
	v := &c.V
	play := iconButton("primary play", "play", "play", t("Play"), t("Play (space)"))
	if v.Playing {
		play = iconButton("primary play", "pause", "pause", t("Pause"), t("Pause (space)"))
	}
	off := !v.Ready
	return []app.UI{
		iconButton("", "seek:0", "start", "", t("To the start (Home)")).Disabled(off),
		iconButton("", "back", "back", "", t("Step back (left arrow)")).Disabled(off),
		play.Disabled(off),
		iconButton("", "step", "step", t("step"), t("Step (right arrow)")).Disabled(off),
		iconButton("wide", "event", "event", t("next event"), t("Next event (shift and right arrow)")).
			Disabled(off),
		iconButton("wide", "rebalance", "rebalance", t("next rebalance"), t("Next rebalance (R)")).
			Disabled(off),
		c.speed(),
		app.Span().Class("clock").Body(
			app.B().Class("num").Text(v.At), app.Span().Class("num dim").Text(" / "+v.End)),
	}
}

func (c *Controls) speed() app.UI {
	v := &c.V
	return app.Select().Class("speed").Aria("label", t("Speed")).DataSet("input", "speed").
		Title("%s", t("Speed ([ slower, ] faster)")).Body(app.Range(Speeds).Slice(func(i int) app.UI {
		return app.Option().Value(strconv.Itoa(i)).Text(Speed(Speeds[i])).
			Selected(Speeds[i] == v.Speed)
	}))
}

func (c *Controls) actions() []app.UI {
	v := &c.V
	name := v.Client.Name
	off := !v.Ready || name == ""
	call := func(verb, rest string) string { return "do:" + verb + `("` + name + `"` + rest + ")" }
	var out []app.UI
	if !v.Alive && name != "" {
		out = append(out, iconButton("", call("start", ""), "play", t("start")+" "+name, t("Start")+" "+name).
			Disabled(off))
	} else {
		out = append(out,
			iconButton("wide", call("stop", ""), "stop", t("stop")+" "+name,
				t("Stop cleanly: close() runs")+" "+name).Disabled(off),
			iconButton("danger", call("kill", ""), "kill", t("kill")+" "+name, t("kill -9")+" "+name).
				Disabled(off))
		if v.Frozen {
			out = append(out, iconButton("wide", call("thaw", ""), "play", t("thaw")+" "+name,
				t("Thaw")+" "+name).Disabled(off))
		} else {
			out = append(out, iconButton("wide", call("freeze", `, "12s"`), "pause",
				t("freeze")+" "+name+" 12 s", t("Freeze (a long GC pause)")+" "+name).Disabled(off))
		}
	}
	return append(out, c.menu())
}

func (c *Controls) menu() app.UI {
	v := &c.V
	return app.Details().Class("menu").ID("action-menu").Body(
		app.Summary().Class("btn").Aria("label", t("More actions")).Body(Icon("more"), app.Span().Text(t("more"))),
		div("sheet",
			app.Ul().Body(app.Range(v.Menu).Slice(func(i int) app.UI {
				m := v.Menu[i]
				return app.Li().Body(app.Button().Type("button").Class("item").
					DataSet("act", "do:"+m.Act).Disabled(!v.Ready).Body(
					app.Span().Text(m.Label), app.Code().Class("dim").Text(m.Act)))
			})),
			app.Label().Class("typed").Body(
				app.Span().Text(t("Any action of the scenario language")),
				app.Input().Type("text").ID("typed").DataSet("input", "typed").Value(v.Typed).
					Placeholder("%s", `restart("A", down_for = "5s")`).Spellcheck(false)),
			button("small primary", "typed", t("Do it now")).Disabled(!v.Ready),
			app.If(v.Problem != "", func() app.UI {
				return app.P().Class("problem").Role("alert").Text(v.Problem)
			}),
		))
}
