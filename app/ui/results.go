package ui

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/engine/view"
)

// ResultsOf is what a whole run did, partition by partition.
func ResultsOf(v *view.Verdict, names Names) []ResultRow {
	var out []ResultRow
	for _, g := range v.Groups {
		for _, p := range g.Parts {
			out = append(out, ResultRow{
				Part: names.Part(p.Part), Processed: Num(p.Processed), Duplicates: dash(p.Duplicates),
				Lost: dash(p.Lost), Committed: Offset(p.Committed), Stalled: Millis(p.StalledMs),
				Bad: dash(p.Lost) != "\u2013",
			})
		}
	}
	return out
}

// dash stands for a list that is empty.
func dash(text string) string {
	if text == "" || text == "[]" || text == "none" {
		return "\u2013"
	}
	return text
}

// ChecksOf are the checks of a verdict.
func ChecksOf(v *view.Verdict) []CheckView {
	var out []CheckView
	for _, c := range v.Checks {
		out = append(out, CheckView{Kind: c.Kind, Text: c.Text, Got: c.Got, Want: c.Want, OK: c.OK})
	}
	return out
}

// results is the table of the whole run and the scenario's own expectations; nothing before the run
// is over for the reader.
func (s *Steps) results() app.UI {
	v := &s.V
	if len(v.Results) == 0 {
		return div("")
	}
	columns := []string{"", "done", "twice", "lost", "stalled"}
	return el("details").Class("results").Attr("open", v.Sandbox).Body(
		el("summary").Text(t("What the whole run did")),
		el("div").Class("scroll").TabIndex(0).Role("region").Aria("label", t("Results")).Body(
			el("table").Body(
				el("thead").Body(el("tr").Body(app.Range(columns).Slice(func(i int) app.UI {
					if columns[i] == "" {
						return el("td")
					}
					return el("th").Attr("scope", "col").Text(t(columns[i]))
				}))),
				el("tbody").Body(app.Range(v.Results).Slice(func(i int) app.UI {
					return resultRow(&v.Results[i])
				})),
			)),
		checks(v.Checks, "expect"),
	)
}

func resultRow(r *ResultRow) app.UI {
	lost := ""
	if r.Bad {
		lost = "bad"
	}
	return el("tr").Body(
		el("th").Attr("scope", "row").Text(r.Part), el("td").Text(r.Processed),
		el("td").Text(r.Duplicates), el("td").Class(lost).Text(r.Lost), el("td").Text(r.Stalled),
	)
}

func (s *Steps) sandbox() app.UI {
	v := &s.V
	title := t("Sandbox")
	if v.Title != "" {
		title = v.Title
	}
	return el("section").Class("left").ID("panel-lesson").Aria("label", t("Sandbox")).TabIndex(0).Body(
		el("h2").Text(title),
		app.If(v.Story != "", func() app.UI { return el("p").Text(v.Story) }),
		el("p").Class("dim").Text(t("Change the scenario in the code panel and run it with Ctrl+Enter, "+
			"or begin with another one.")),
		el("p").Body(el("a").Class("btn").Attr("href", "#1/library").Text(t("Scenario library"))),
		s.results(),
	)
}
