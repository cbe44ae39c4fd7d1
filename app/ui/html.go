package ui

import (
	"strings"

	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/app/words"
)

// t is a text of the app in the present language.
func t(text string) string { return words.T(text) }

// el is an element. One Go type for all of them keeps the program small: each of go-app's own has
// some seventy methods.
func el(tag string) app.HTMLElem { return app.Elem(tag) }

func press() app.HTMLElem { return el("button").Attr("type", "button") }

func input(kind string) app.HTMLElemSelfClosing {
	return app.ElemSelfClosing("input").Attr("type", kind)
}

func div(class string, body ...app.UI) app.HTMLElem {
	return el("div").Class(class).Body(body...)
}

func span(class, text string) app.HTMLElem { return el("span").Class(class).Text(text) }

// button does act ("verb:argument") when pressed.
func button(class, act, label string) app.HTMLElem {
	return press().Class("btn", class).DataSet("act", act).Text(label)
}

// iconButton is a button with a picture and, where there is room, a label. name is what it is
// called by those who do not see it; the label is a part of that, for who speaks what he reads.
func iconButton(class, act, icon, label, name string) app.HTMLElem {
	if label != "" && !strings.Contains(name, label) {
		name = label + ": " + name
	}
	b := press().Class("btn", class).DataSet("act", act).Title("%s", name)
	if label != name {
		b = b.Aria("label", name)
	}
	if label == "" {
		return b.Body(Icon(icon))
	}
	return b.Body(Icon(icon), el("span").Text(label))
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
		return el("b").Class("who").Text(w.Name)
	}
	return el("b").Class("who", colorClass(w.Color)).Body(
		el("i").Class("shape").Aria("hidden", "true"), app.Text(w.Name),
	)
}

// bar is a time that runs down.
func bar(b Bar) app.UI { return &Timer{V: b} }

// Timer renders a time that runs down, with its length in words beside it.
type Timer struct {
	app.Compo
	V Bar
}

// Render implements app.Composer.
func (r *Timer) Render() app.UI {
	b := &r.V
	class := "bar"
	if b.Calm {
		class = "bar calm"
	}
	return div("timer",
		span("label", t(b.Label)),
		el("span").Class(class).Body(el("i").DataSet("bar", b.Span)),
		span("num", ""),
	)
}

// prose is text of a lesson, sanitised when the bundle was made.
func prose(class, text string) app.UI {
	return app.Raw(`<div class="` + class + `">` + text + `</div>`)
}

// tabs is a list of tabs; act is the verb that chooses one.
func tabs(class, label, act string, list []Tab) app.HTMLElem {
	body := make([]app.UI, len(list))
	for i, tab := range list {
		index := -1
		if tab.On {
			index = 0
		}
		body[i] = press().Role("tab").Class("tab").ID("%s", "tab-"+act+"-"+tab.ID).
			DataSet("act", act+":"+tab.ID).Aria("selected", tab.On).TabIndex(index).Text(tab.Label)
	}
	return el("div").Class("tabs", class).Role("tablist").Aria("label", label).Body(body...)
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
