package ui

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// CodeView is the code panel.
type CodeView struct {
	Tabs     []Tab
	Name     string // what the text is, for those who do not see it
	Lines    []string
	First    int // number of the first line
	Lit      int // line that runs; 0: none
	Marks    []LineMark
	Wrong    int // line of a problem; 0: none
	Problem  Trouble
	CanEdit  bool
	Editing  bool
	Changed  bool // differs from what was shipped
	Unrun    bool // differs from what runs
	Settings []SettingView
}

// LineMark says who is at a line.
type LineMark struct {
	Line int
	Who  Who
}

// SettingView is a setting that a lesson leaves to the learner.
type SettingView struct {
	Name, Value, Default string
	Changed              bool
}

// CodePanel renders the code panel.
type CodePanel struct {
	app.Compo
	V CodeView
}

// Render implements app.Composer.
func (c *CodePanel) Render() app.UI {
	v := &c.V
	class := "code"
	if v.Editing {
		class = "code editing"
	}
	return el("section").Class(class).ID("panel-code").Aria("label", t("Code")).Body(
		div("codebar", tabs("", t("Programs"), "code", v.Tabs), c.tools()),
		app.If(v.Problem.Text != "", func() app.UI {
			return el("p").Class("problem").Role("alert").Body(Icon("cross"), el("span").Body(
				app.If(v.Problem.Place != "", func() app.UI { return el("code").Text(v.Problem.Place + ": ") }),
				app.Text(v.Problem.Text)))
		}).Else(func() app.UI { return el("p").Class("problem none").Hidden(true) }),
		div("codebody",
			// The editor is put into this element by its own script: it has no children of go-app's.
			el("div").Class("editor").ID("editor").Hidden(!v.Editing),
			c.text(),
			c.settings()),
	)
}

func (c *CodePanel) tools() app.UI {
	v := &c.V
	return div("row tools",
		app.If(v.CanEdit && !v.Editing, func() app.UI {
			return button("small", "edit", t("Edit"))
		}),
		app.If(v.Editing, func() app.UI {
			return button("small quiet", "edit-close", t("Close editor"))
		}),
		app.If(v.Changed, func() app.UI { return button("small quiet", "reset", t("Reset")) }),
		app.If(v.Unrun || v.Editing, func() app.UI {
			return button("small primary", "rerun", t("Run again")).Title("Ctrl+Enter")
		}),
	)
}

func (c *CodePanel) settings() app.UI {
	v := &c.V
	if len(v.Settings) == 0 {
		return div("settings none").Hidden(true)
	}
	title := span("dim", t("settings you may change"))
	return div("settings", title, app.Range(v.Settings).Slice(func(i int) app.UI {
		s := &v.Settings[i]
		class := "setting"
		if s.Changed {
			class = "setting changed"
		}
		return el("label").Class(class).Body(
			el("code").Text(s.Name),
			input("text").Attr("value", s.Value).DataSet("input", "setting:"+s.Name).
				Spellcheck(false).Attr("autocomplete", "off"),
			span("dim", t("default")+" "+s.Default),
		)
	}))
}

func (c *CodePanel) text() app.UI {
	v := &c.V
	return el("div").Class("listing").Hidden(v.Editing).TabIndex(0).Role("region").
		Aria("label", v.Name).ID("listing").Body(
		app.Range(v.Lines).Slice(func(i int) app.UI { return c.line(i) }))
}

func (c *CodePanel) line(i int) app.UI {
	v := &c.V
	n := v.First + i
	line := &Line{Number: n, HTML: v.Lines[i], Lit: n == v.Lit, Wrong: n == v.Wrong}
	for _, m := range v.Marks {
		if m.Line == n {
			line.Marks = append(line.Marks, m.Who)
		}
	}
	return line
}

// Line renders one line of a program: while time runs, two or three of them change.
type Line struct {
	app.Compo
	Number     int
	HTML       string // highlighted
	Lit, Wrong bool
	Marks      []Who
}

// Render implements app.Composer.
func (l *Line) Render() app.UI {
	class := "ln"
	if l.Lit {
		class += " lit"
	}
	if l.Wrong {
		class += " wrong"
	}
	return div(class,
		el("span").Class("no").Aria("hidden", "true").Text(l.Number),
		app.Raw("<code>"+l.HTML+"</code>"),
		el("span").Class("at").Body(app.Range(l.Marks).Slice(func(i int) app.UI { return who(l.Marks[i]) })))
}
