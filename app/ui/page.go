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
		el("a").Class("skip").Attr("href", "#main").DataSet("act", "skip-to-main").
			Text(t("Skip to the stage")),
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
	case ScreenLibrary:
		return &Library{V: v.Library}
	case ScreenLab:
		return lab(&v.Lab)
	case ScreenGallery:
		return gallery()
	}
	return el("section").Class("booting").Body(
		el("p").Role("status").Text(v.Boot.Text),
		app.If(v.Boot.Failed, func() app.UI { return button("primary", "reload", t("Try again")) }))
}

func notices(list []Notice) app.UI {
	return el("div").Class("notices").Role("status").Body(app.Range(list).Slice(func(i int) app.UI {
		n := &list[i]
		return div("notice "+n.Kind,
			el("p").Text(n.Text),
			app.If(n.Act != "", func() app.UI { return button("small", n.Act, n.Do) }),
			iconButton("small quiet", "dismiss:"+n.ID, "cross", "", t("Dismiss")))
	}))
}

// lab is the lab's page: see the wireframe in the documents.
func lab(v *LabView) app.UI {
	class := "lab show-" + v.Panel
	return el("main").Class(class).ID("main").TabIndex(-1).Body(
		tabs("panels", t("Panels"), "panel", TabsOf(v.Panel, "lesson", "Lesson", "stage", "Stage",
			"code", "Code", "look", "Inspector")),
		&Steps{V: v.Steps},
		div("middle",
			busy(v),
			StageSection(&v.Stage, v.Ready),
			&CodePanel{V: v.Code}),
		&Inspector{V: v.Look},
		&Timeline{V: v.Time},
		controls(&v.Controls, v.At, v.End),
		app.If(v.Trap.Text != "", func() app.UI { return trap(&v.Trap) }),
	)
}

func busy(v *LabView) app.UI {
	if v.Busy == "" {
		return div("busy none").Hidden(true)
	}
	return el("div").Class("busy").Role("status").Body(
		el("span").Text(v.Busy),
		el("progress").Attr("max", "100").Attr("value", strconv.Itoa(v.Percent)).Aria("label", v.Busy))
}

func trap(v *TrapView) app.UI {
	title, note := t("The engine has ended"),
		t("This is a fault of the lab, not yours. What you typed is kept.")
	if v.Unstarted {
		title, note = t("The engine could not start"), t("What you typed is kept. Try again when the "+
			"cause is gone.")
	}
	return el("section").Class("trap").Role("alertdialog").Aria("label", title).Body(
		el("h2").Text(title),
		el("p").Text(note),
		el("pre").TabIndex(0).Text(v.Text),
		div("row",
			button("primary", "restart", t("Restart the lab")),
			button("", "report", t("Copy report"))),
		app.If(v.Details != "", func() app.UI {
			return el("details").Body(el("summary").Text(t("Details")),
				el("pre").Class("details").TabIndex(0).Text(v.Details))
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
	return el("header").Class("top").Body(
		el("a").Class("brand").Attr("href", "#").DataSet("act", "home").
			Aria("label", "Rebalance Lab: "+t("home")).Body(Logo(), el("b").Text("Rebalance Lab")),
		app.If(b.Lab, func() app.UI {
			return div("title", span("dim place", v.Place), el("h1").Text(v.Title))
		}).Else(func() app.UI { return div("title") }),
		div("row",
			app.If(b.Lab, func() app.UI {
				return el("label").Class("seed").Body(app.Text(t("seed")),
					input("text").Attr("value", v.Seed).DataSet("input", "seed").
						Attr("inputmode", "numeric").Spellcheck(false))
			}),
			app.If(b.Lab, func() app.UI {
				return iconButton("", "share", "link", t("Share"), t("Share"))
			}),
			app.If(len(v.Langs) > 1, func() app.UI { return languages(v.Langs) }),
			iconButton("", "theme", "theme", "", t("Light or dark")),
			press().Class("btn").DataSet("act", "help").Aria("label", t("Help")).
				Title("%s", t("Help (?)")).Text("?"),
		))
}

func languages(list []Tab) app.UI {
	return el("select").Class("langs").Aria("label", t("Language")).DataSet("input", "lang").Body(
		app.Range(list).Slice(func(i int) app.UI {
			return el("option").Attr("value", list[i].ID).Text(list[i].Label).Attr("selected", list[i].On)
		}))
}
