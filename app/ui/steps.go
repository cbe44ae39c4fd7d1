package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// StepsView is the panel that leads through a lesson, or the sandbox's.
type StepsView struct {
	Sandbox bool
	Done    []bool // one a step
	Index   int
	Title   string
	HTML    string
	Predict PredictView
	Why     string
	Truth   string
	Goal    string
	Reached bool // the goal is
	Checks  []CheckView
	Results []ResultRow
	Next    string // title of the next lesson; empty: none
	NextAct string
	Story   string // sentences of the scenario that a sandbox began with
}

// PredictView is the question of a step.
type PredictView struct {
	Key      string // empty: the step has none
	Options  []OptionView
	Locked   bool
	Revealed bool
	Skipped  bool // revealed without a prediction
	Right    bool
	Chosen   bool // an option is
}

// OptionView is one answer.
type OptionView struct {
	Key, Words string
	Chosen     bool
	Right      bool // known when revealed
	Measured   string
}

// CheckView is an expectation, goal or par with what was found.
type CheckView struct {
	Kind, Text, Got, Want string
	OK                    bool
}

// ResultRow sums up a partition.
type ResultRow struct {
	Part, Processed, Duplicates, Lost, Committed, Stalled string
	Bad                                                   bool
}

// Steps renders the panel.
type Steps struct {
	app.Compo
	V StepsView
}

// Render implements app.Composer.
func (s *Steps) Render() app.UI {
	v := &s.V
	if v.Sandbox {
		return s.sandbox()
	}
	return el("section").Class("left").ID("panel-lesson").Aria("label", t("Lesson")).TabIndex(0).Body(
		s.bars(),
		el("h2").Text(v.Title),
		prose("prose", v.HTML),
		app.If(v.Predict.Key != "", func() app.UI { return s.predict() }),
		app.If(v.Why != "", func() app.UI { return prose("prose why", v.Why) }),
		app.If(v.Truth != "", func() app.UI {
			return el("section").Class("truth").Body(
				el("h3").Text(t("The textbook says / the broker does")), prose("prose", v.Truth))
		}),
		app.If(v.Goal != "", func() app.UI { return s.goal() }),
		s.results(),
		s.foot(),
	)
}

func (s *Steps) bars() app.UI {
	v := &s.V
	body := make([]app.UI, len(v.Done))
	for i, done := range v.Done {
		name := t("Step") + " " + strconv.Itoa(i+1)
		class := "bead"
		if done {
			class, name = "bead done", name+", "+t("done")
		}
		b := press().Class(class).DataSet("act", "goto:"+strconv.Itoa(i)).
			Aria("label", name).Title("%s", name)
		if i == v.Index {
			b = b.Aria("current", "step")
		}
		body[i] = el("li").Body(b)
	}
	return el("ol").Class("beads").Aria("label", t("Steps")).Body(body...)
}

func (s *Steps) predict() app.UI {
	p := &s.V.Predict
	note := ""
	if p.Locked {
		note = t("locked in")
	}
	return el("section").Class("predict").Aria("label", t("Prediction")).Body(
		el("fieldset").Attr("disabled", p.Locked || p.Revealed).Body(
			el("legend").Body(el("b").Text(t("Predict")), span("dim", note)),
			app.Range(p.Options).Slice(func(i int) app.UI { return s.option(&p.Options[i]) }),
		),
		app.If(!p.Locked && !p.Revealed, func() app.UI {
			return div("row",
				button("primary", "lock", t("Lock in & run")).Attr("disabled", !p.Chosen),
				button("quiet", "skip", t("Run without predicting")))
		}).ElseIf(p.Locked && !p.Revealed, func() app.UI {
			return div("row", span("dim", t("Watch the run; the answer comes at its end.")),
				button("", "reveal", t("Show the answer")))
		}),
		app.If(p.Revealed, func() app.UI { return s.answer() }),
	)
}

func (s *Steps) option(o *OptionView) app.UI {
	p := &s.V.Predict
	class := "option"
	mark := app.UI(nil)
	if p.Revealed && o.Right {
		class, mark = "option happened", span("mark ok", t("what happened"))
	}
	return el("label").Class(class).Body(
		input("radio").Attr("name", "predict").Attr("value", o.Key).DataSet("input", "predict").
			Attr("checked", o.Chosen),
		el("span").Body(
			el("span").Text(o.Words), mark,
			app.If(p.Revealed && o.Measured != "", func() app.UI { return span("measured", o.Measured) }),
		),
	)
}

func (s *Steps) answer() app.UI {
	p := &s.V.Predict
	switch {
	case p.Skipped:
		return el("p").Class("answer").Role("status").Text(t("This is what happened."))
	case p.Right:
		return el("p").Class("answer ok").Role("status").Body(Icon("tick"), el("b").Text(t("Right.")))
	}
	return el("p").Class("answer bad").Role("status").Body(
		Icon("cross"), el("b").Text(t("Not this time.")))
}

func (s *Steps) goal() app.UI {
	v := &s.V
	class, state := "goal", t("not yet")
	if v.Reached {
		class, state = "goal reached", t("reached")
	}
	return el("section").Class(class).Aria("label", t("Goal")).Body(
		el("h3").Body(app.Text(t("Goal")), span("state", state)),
		prose("prose", v.Goal),
		checks(v.Checks, "goal", "par"),
	)
}

// checks lists the checks of some kinds.
func checks(list []CheckView, kinds ...string) app.UI {
	var body []app.UI
	for _, c := range list {
		for _, k := range kinds {
			if c.Kind == k {
				body = append(body, checkRow(c))
			}
		}
	}
	return el("ul").Class("checks").Body(body...)
}

func checkRow(c CheckView) app.UI {
	icon, class, name := "cross", "fails", t("does not hold")
	if c.OK {
		icon, class, name = "tick", "holds", t("holds")
	}
	return el("li").Class(class).Body(
		Icon(icon), el("span").Class("sr").Text(name),
		div("", el("code").Text(c.Text),
			app.If(!c.OK, func() app.UI {
				return div("found", span("dim", t("now")), el("code").Text(c.Got),
					span("dim", t("wanted")), el("code").Text(c.Want))
			}).Else(func() app.UI { return div("found", span("dim", t("now")), el("code").Text(c.Got)) }),
		),
	)
}

func (s *Steps) foot() app.UI {
	v := &s.V
	return el("nav").Class("row foot").Aria("label", t("Steps")).Body(
		button("", "goto:"+strconv.Itoa(v.Index-1), t("Back")).Attr("disabled", v.Index == 0),
		app.If(v.Index+1 < len(v.Done), func() app.UI {
			class := ""
			if v.Done[v.Index] {
				class = "primary"
			}
			return button(class, "goto:"+strconv.Itoa(v.Index+1), t("Next step"))
		}).ElseIf(v.Next != "", func() app.UI {
			return button("", v.NextAct, t("Next:")+" "+v.Next)
		}),
	)
}
