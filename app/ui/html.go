package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/app/words"
)

// t is a text of the app in the present language.
func t(text string) string { return words.T(text) }

func div(class string, body ...app.UI) app.HTMLDiv {
	return app.Div().Class(class).Body(body...)
}

func span(class, text string) app.HTMLSpan { return app.Span().Class(class).Text(text) }

// button does act ("verb:argument") when pressed.
func button(class, act, label string) app.HTMLButton {
	return app.Button().Type("button").Class("btn", class).DataSet("act", act).Text(label)
}

// iconButton is a button with a picture and, where there is room, a label. name is what it is called
// by those who do not see it.
func iconButton(class, act, icon, label, name string) app.HTMLButton {
	b := app.Button().Type("button").Class("btn", class).DataSet("act", act).Title("%s", name)
	if label != name {
		b = b.Aria("label", name)
	}
	if label == "" {
		return b.Body(Icon(icon))
	}
	return b.Body(Icon(icon), app.Span().Text(label))
}

// colorClass is the class of a client's colour and shape; none has the dim one.
func colorClass(color int) string {
	if color < 0 {
		return "cx"
	}
	return "c" + strconv.Itoa(color%8)
}

// who is a client's name in its colour, after its shape.
func who(w Who) app.UI {
	if w.Color < 0 {
		return app.B().Class("who").Text(w.Name)
	}
	return app.B().Class("who", colorClass(w.Color)).Body(
		app.I().Class("shape").Aria("hidden", "true"), app.Text(w.Name),
	)
}

// bar is a time that runs down, with its length in words beside it.
func bar(b Bar) app.UI {
	class := "bar"
	if b.Low {
		class = "bar low"
	}
	return div("timer",
		span("label", t(b.Label)),
		app.Span().Class(class).Body(app.I().DataSet("bar", b.Span)),
		span("num", b.Left),
	)
}

// html is text of a lesson, sanitised when the bundle was made.
func html(class, text string) app.UI {
	return app.Raw(`<div class="` + class + `">` + text + `</div>`)
}

// tabs is a list of tabs; act is the verb that chooses one.
func tabs(class, label, act string, list []Tab) app.HTMLDiv {
	body := make([]app.UI, len(list))
	for i, tab := range list {
		index := -1
		if tab.On {
			index = 0
		}
		body[i] = app.Button().Type("button").Role("tab").Class("tab").ID("%s", "tab-"+act+"-"+tab.ID).
			DataSet("act", act+":"+tab.ID).Aria("selected", tab.On).TabIndex(index).Text(tab.Label)
	}
	return app.Div().Class("tabs", class).Role("tablist").Aria("label", label).Body(body...)
}

// Tab is one of several panels to choose from.
type Tab struct {
	ID, Label string
	On        bool
}

// TabsOf makes tabs of pairs of id and label.
func TabsOf(on string, pairs ...string) []Tab {
	var out []Tab
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, Tab{ID: pairs[i], Label: t(pairs[i+1]), On: pairs[i] == on})
	}
	return out
}
