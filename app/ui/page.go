package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Page renders everything. Its root element stays the same for the life of the page.
func Page(v *PageView) app.UI {
	class := "page on-" + v.Screen
	if v.Embed {
		class += " embed"
	}
	return div(class,
		app.A().Class("skip").Href("#main").DataSet("act", "skip-to-main").Text(t("Skip to the stage")),
		&TopBar{V: v.Lab.Head, Lab: v.Screen == ScreenLab},
		notices(v.Notices),
		screen(v),
		&Dialog{V: v.Dialog},
	)
}

func screen(v *PageView) app.UI {
	switch v.Screen {
	case ScreenHome:
		return &Home{V: v.Home}
	case ScreenLab:
		return lab(&v.Lab)
	}
	return app.Section().Class("booting").Body(
		app.P().Role("status").Text(v.Boot.Text),
		app.If(v.Boot.Failed, func() app.UI { return button("primary", "reload", t("Try again")) }))
}

func notices(list []Notice) app.UI {
	return app.Div().Class("notices").Role("status").Body(app.Range(list).Slice(func(i int) app.UI {
		n := &list[i]
		return div("notice "+n.Kind,
			app.P().Text(n.Text),
			app.If(n.Act != "", func() app.UI { return button("small", n.Act, n.Do) }),
			iconButton("small quiet", "dismiss:"+n.ID, "cross", "", t("Dismiss")))
	}))
}

// lab is the lab's page: see the wireframe in the documents.
func lab(v *LabView) app.UI {
	class := "lab show-" + v.Panel
	return div(class,
		tabs("panels", t("Panels"), "panel", TabsOf(v.Panel, "lesson", "Lesson", "stage", "Stage",
			"code", "Code", "look", "Inspector")),
		&Steps{V: v.Steps},
		app.Main().Class("middle").ID("main").TabIndex(-1).Body(
			busy(v),
			StageSection(&v.Stage, v.Ready),
			&CodePanel{V: v.Code}),
		&Inspector{V: v.Look},
		&Timeline{V: v.Time},
		&Controls{V: v.Controls},
		app.If(v.Trap.Text != "", func() app.UI { return trap(&v.Trap) }),
	)
}

func busy(v *LabView) app.UI {
	if v.Busy == "" {
		return div("busy none").Hidden(true)
	}
	return app.Div().Class("busy").Role("status").Body(
		app.Span().Text(v.Busy),
		app.Progress().Max("100").Value(strconv.Itoa(v.Percent)).Aria("label", v.Busy))
}

func trap(v *TrapView) app.UI {
	return app.Section().Class("trap").Role("alertdialog").Aria("label", t("The engine has ended")).Body(
		app.H2().Text(t("The engine has ended")),
		app.P().Text(t("This is a fault of the lab, not yours. What you typed is kept.")),
		app.Pre().TabIndex(0).Text(v.Text),
		div("row",
			button("primary", "restart", t("Restart the lab")),
			button("", "report", t("Copy report"))),
		app.If(v.Details != "", func() app.UI {
			return app.Details().Body(app.Summary().Text(t("Details")),
				app.Pre().Class("details").TabIndex(0).Text(v.Details))
		}))
}

// TopBar renders the bar at the top.
type TopBar struct {
	app.Compo
	V   HeadView
	Lab bool
}

// Render implements app.Composer.
func (b *TopBar) Render() app.UI {
	v := &b.V
	return app.Header().Class("top").Body(
		app.A().Class("brand").Href("#").DataSet("act", "home").Aria("label", "Rebalance Lab: "+t("home")).
			Body(Logo(), app.B().Text("Rebalance Lab")),
		app.If(b.Lab, func() app.UI {
			return div("title", span("dim place", v.Place), app.H1().Text(v.Title))
		}).Else(func() app.UI { return div("title") }),
		div("row",
			app.If(b.Lab, func() app.UI {
				return app.Label().Class("seed").Body(app.Text(t("seed")),
					app.Input().Type("text").Value(v.Seed).DataSet("input", "seed").
						Attr("inputmode", "numeric").Spellcheck(false))
			}),
			app.If(b.Lab, func() app.UI {
				return iconButton("", "share", "link", t("Share"), t("Share"))
			}),
			app.If(len(v.Langs) > 1, func() app.UI { return languages(v.Langs) }),
			iconButton("", "theme", "theme", "", t("Light or dark")),
			app.Button().Type("button").Class("btn").DataSet("act", "help").Aria("label", t("Help")).
				Title("%s", t("Help (?)")).Text("?"),
		))
}

func languages(list []Tab) app.UI {
	return app.Select().Class("langs").Aria("label", t("Language")).DataSet("input", "lang").Body(
		app.Range(list).Slice(func(i int) app.UI {
			return app.Option().Value(list[i].ID).Text(list[i].Label).Selected(list[i].On)
		}))
}
