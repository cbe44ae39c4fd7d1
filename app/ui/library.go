package ui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/app/course"
)

// LibraryView is the list of all scenarios of the library that a search and a row leave.
type LibraryView struct {
	Search  string
	Rows    []Tab // rows of the course material that scenarios cover, one of them chosen
	Stories []StoryView
	Count   int // of all
}

// StoryView is a scenario of the library.
type StoryView struct {
	Href, Title, Sentences string
	Rows                   string
}

// LibraryOf lists the scenarios that hold all words of the search and cover the row (empty: any),
// in the order of their rows.
func LibraryOf(c *course.Course, search, row string) LibraryView {
	v := LibraryView{Search: search, Count: len(c.Stories())}
	v.Rows = []Tab{{Label: t("all rows"), On: row == ""}}
	for _, r := range rowsOf(c.Stories()) {
		v.Rows = append(v.Rows, Tab{ID: r, Label: r, On: r == row})
	}
	v.Stories = stories(c, search, row)
	return v
}

func stories(c *course.Course, search, row string) []StoryView {
	sorted := slices.Clone(c.Stories())
	slices.SortStableFunc(sorted, func(a, b course.Story) int { return firstRow(&a) - firstRow(&b) })
	var out []StoryView
	for i := range sorted {
		s := &sorted[i]
		rows := strings.Join(s.Rows, " ")
		if (row == "" || slices.Contains(s.Rows, row)) && matches(search, s.Title, s.Sentences, rows) {
			out = append(out, StoryView{
				Href: "#1/sandbox:" + s.ID, Title: s.Title, Sentences: s.Sentences, Rows: rows,
			})
		}
	}
	return out
}

// rowsOf are all rows of some stories, in order and each once.
func rowsOf(list []course.Story) []string {
	var rows []string
	for _, s := range list {
		rows = append(rows, s.Rows...)
	}
	slices.SortFunc(rows, func(a, b string) int { return rowNumber(a) - rowNumber(b) })
	return slices.Compact(rows)
}

// firstRow is the number of a story's first row; a story without one comes last.
func firstRow(s *course.Story) int {
	if len(s.Rows) == 0 {
		return noRow
	}
	return rowNumber(s.Rows[0])
}

const noRow = 1 << 20

func rowNumber(row string) int {
	n, err := strconv.Atoi(strings.TrimLeft(row, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if err != nil {
		return noRow
	}
	if !strings.HasPrefix(row, "S") {
		n += noRow / 2 // reports from the field come after the stories of the course
	}
	return n
}

// Library renders the list.
type Library struct {
	app.Compo
	V LibraryView
}

// Render implements app.Composer.
func (l *Library) Render() app.UI {
	v := &l.V
	return el("main").Class("home library").ID("main").Body(
		div("hero",
			el("h1").Text(t("Scenario library")),
			el("p").Class("lead").Text(t("Stories of the course as scenario files: every claim in them "+
				"is checked by running it. Open one, change it, run it again.")),
			div("row",
				input("search").Class("search").Aria("label", t("Search scenarios")).
					Attr("placeholder", t("Search scenarios")).DataSet("input", "search").Attr("value", v.Search),
				el("label").Class("rowpick").Body(app.Text(t("Row")), l.rows()),
				el("span").Class("dim progress").Role("status").
					Text(strconv.Itoa(len(v.Stories))+" "+t("of")+" "+strconv.Itoa(v.Count)))),
		app.If(len(v.Stories) == 0, func() app.UI {
			return el("p").Class("hint").Text(t("Nothing matches; try fewer words or all rows."))
		}),
		storyList(v.Stories),
	)
}

func (l *Library) rows() app.UI {
	return el("select").DataSet("input", "row").Body(app.Range(l.V.Rows).Slice(func(i int) app.UI {
		r := &l.V.Rows[i]
		return el("option").Attr("value", r.ID).Attr("selected", r.On).Text(r.Label)
	}))
}

func storyList(list []StoryView) app.UI {
	return el("ul").Class("storylist").Body(app.Range(list).Slice(func(i int) app.UI {
		s := &list[i]
		return el("li").Body(el("a").Class("storyrow").Attr("href", s.Href).Body(
			el("b").Text(s.Title), el("p").Text(s.Sentences), el("code").Class("dim").Text(s.Rows)))
	}))
}
