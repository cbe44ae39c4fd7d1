package ui

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Dialog renders the dialog that is open, if any. The element is always there: the page opens and
// closes it.
type Dialog struct {
	app.Compo
	V DialogView
}

// Keys are the keys of the lab, as the help lists them.
var Keys = []struct{ Key, Does string }{
	{"Space", "play, pause"},
	{"\u2190 \u2192", "step back, step: the next row of the event list, or, with only one client " +
		"listed, its next call"},
	{"Shift \u2190 \u2192", "previous, next event: state change, error, commit or kill"},
	{"R", "next rebalance"},
	{"Home End", "to the start, to the end"},
	{"[ ]", "slower, faster"},
	{"+ \u2212 0", "timeline: zoom in, zoom out, show all"},
	{"1 \u2026 9", "select a client"},
	{"Ctrl Enter", "run again with the changed loop and settings"},
	{"Esc", "close a dialog, a menu or a message"},
	{"?", "this help"},
}

// Render implements app.Composer.
func (d *Dialog) Render() app.UI {
	v := &d.V
	dialog := el("dialog").ID("dialog").Class("dialog").Aria("labelledby", "dialog-title")
	switch v.Kind {
	case "help":
		return dialog.Body(d.head(t("Help")), help())
	case "share":
		return dialog.Body(d.head(t("Share")), d.share())
	}
	return dialog.Body(el("h2").ID("dialog-title").Text(""))
}

func (d *Dialog) head(title string) app.UI {
	return div("cardhead", el("h2").ID("dialog-title").Text(title),
		iconButton("small quiet", "close", "cross", "", t("Close")))
}

func help() app.UI {
	return div("help",
		el("p").Text(t("Everything here is computed in this page by a deterministic model of "+
			"Kafka: the same seed gives the same run, event by event. Nothing is sent anywhere.")),
		el("p").Text(t("Filled cells of a tape are committed, lighter ones are processed but not "+
			"committed, outlined ones are buffered, empty ones are in the log. The bar is the "+
			"committed offset, the triangle the position.")),
		el("table").Class("keys").Body(el("tbody").Body(app.Range(Keys).Slice(func(i int) app.UI {
			return el("tr").Body(el("th").Attr("scope", "row").Body(el("kbd").Text(Keys[i].Key)),
				el("td").Text(t(Keys[i].Does)))
		}))))
}

func (d *Dialog) share() app.UI {
	v := &d.V
	return div("share",
		el("p").Text(t("This link holds the lesson, the seed, your edits and actions of this "+
			"branch, and the moment. Whoever opens it sees the same run.")),
		el("label").Body(el("span").Text(t("Link")),
			input("text").ID("share-link").Attr("value", v.Link).Attr("readonly", true)),
		div("row", button("primary", "copy", t("Copy link")),
			el("span").Class("dim").Role("status").Text(v.Note)))
}
