package ui

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/app/course"
	"rebalancelab/app/words"
)

// HomeView is the map of the course.
type HomeView struct {
	Search   string
	Chapters []ChapterView
	Stories  []StoryView // that the search finds, at most foundStories
	Library  int         // scenarios of the library
	Langs    []Tab
	Done     int
	Count    int
	Resume   string // address of a lesson that was begun
	Title    string // its title
}

// ChapterView is a chapter with the lessons that the search leaves.
type ChapterView struct {
	Number  int
	Title   string
	Lessons []LessonCard
}

// LessonCard is a lesson on the map.
type LessonCard struct {
	Href, Title, Summary string
	Minutes              int
	Rows                 string
	Picture              string // SVG; empty: a plain one
	State                string // new, started, done, par
}

// foundStories bounds the scenarios among the lessons that a search finds.
const foundStories = 8

// HomeOf makes the map: lessons and stories that hold all words of the search. state tells how far
// the reader is with a lesson.
func HomeOf(c *course.Course, search string, state func(lesson string) string) HomeView {
	h := HomeView{Search: search, Count: len(c.Lessons)}
	lang := words.Language()
	for _, ch := range c.Chapters {
		v := ChapterView{Title: ch.Title.In(lang)}
		for i := range c.Lessons {
			l := &c.Lessons[i]
			if l.Chapter != ch.ID {
				continue
			}
			card := lessonCard(l, lang, state(l.ID))
			if card.State == "done" || card.State == "par" {
				h.Done++
			}
			if card.State == "started" {
				h.Resume, h.Title = card.Href, card.Title
			}
			if matches(search, card.Title, card.Summary, card.Rows, v.Title) {
				v.Lessons = append(v.Lessons, card)
			}
		}
		if len(v.Lessons) > 0 {
			v.Number = len(h.Chapters) + 1
			h.Chapters = append(h.Chapters, v)
		}
	}
	h.Library = len(c.Stories())
	if search != "" {
		h.Stories = stories(c, search, "")
		h.Stories = h.Stories[:min(len(h.Stories), foundStories)]
	}
	return h
}

func lessonCard(l *course.Lesson, lang, state string) LessonCard {
	if state == "" {
		state = "new"
	}
	card := LessonCard{
		Href: "#1/" + l.ID, Title: l.Title.In(lang), Summary: plain(l.Summary.In(lang)),
		Minutes: l.Minutes, Rows: strings.Join(l.Rows, " "), State: state, Picture: l.Picture,
	}
	if !strings.Contains(l.Picture, "<svg") || !strings.Contains(l.Picture, "/>") {
		card.Picture = ""
	}
	return card
}

// plain is a text without the marks of code, for places that show no HTML.
func plain(text string) string { return strings.ReplaceAll(text, "`", "") }

func matches(search string, texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, " "))
	for _, w := range strings.Fields(strings.ToLower(search)) {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

// Home renders the map.
type Home struct {
	app.Compo
	V HomeView
}

// Render implements app.Composer.
func (h *Home) Render() app.UI {
	v := &h.V
	return el("main").Class("home").ID("main").Body(
		div("hero",
			el("h1").Text("Rebalance Lab"),
			el("p").Class("lead").Text(t("A whole Kafka cluster in this page: predict what a consumer "+
				"group will do, run it, and see why.")),
			div("row",
				app.If(v.Resume != "", func() app.UI {
					return el("a").Class("btn primary").Attr("href", v.Resume).
						Text(t("Go on with:") + " " + v.Title)
				}),
				el("a").Class("btn").Attr("href", "#1/sandbox").Text(t("Open the sandbox")),
				input("search").Class("search").Aria("label", t("Search lessons")).
					Attr("placeholder", t("Search lessons")).DataSet("input", "search").Attr("value", v.Search),
				span("dim progress", strconv.Itoa(v.Done)+" "+t("of")+" "+strconv.Itoa(v.Count)+" "+
					t("lessons done")),
			)),
		app.If(len(v.Chapters)+len(v.Stories) == 0, func() app.UI {
			return el("p").Class("hint").Role("status").Text(t("Nothing matches; try fewer words."))
		}),
		app.Range(v.Chapters).Slice(func(i int) app.UI { return chapter(&v.Chapters[i]) }),
		app.If(v.Library > 0, func() app.UI { return h.stories() }),
	)
}

func chapter(c *ChapterView) app.UI {
	return el("section").Class("chapter").Aria("label", c.Title).Body(
		el("h2").Body(span("dim", strconv.Itoa(c.Number)), app.Text(" "+c.Title)),
		el("ul").Class("lessons").Body(app.Range(c.Lessons).Slice(func(i int) app.UI {
			return el("li").Body(lesson(&c.Lessons[i]))
		})))
}

var stateWordsOf = map[string]string{
	"new": "new", "started": "started", "done": "done", "par": "done, par reached",
}

func lesson(l *LessonCard) app.UI {
	picture := l.Picture
	if picture == "" {
		picture = plainPicture
	}
	return el("a").Class("lesson", l.State).Attr("href", l.Href).Body(
		app.Raw(`<div class="still" aria-hidden="true">`+picture+`</div>`),
		div("words",
			el("h3").Text(l.Title),
			el("p").Text(l.Summary),
			div("meta",
				el("span").Class("badge", l.State).Body(
					app.If(l.State == "done" || l.State == "par", func() app.UI { return Icon("tick") }),
					app.Text(t(stateWordsOf[l.State]))),
				span("", strconv.Itoa(l.Minutes)+" min"),
				el("code").Class("dim").Text(l.Rows))))
}

// plainPicture stands for a lesson without one of its own: three lanes, one of them broken off.
const plainPicture = `<svg viewBox="0 0 240 96"><g fill="none" stroke-width="10">` +
	`<path d="M16 26h208" stroke="var(--c0)"/><path d="M16 48h92" stroke="var(--c1)"/>` +
	`<path d="M112 48h112" stroke="var(--bad)" stroke-dasharray="3 5"/>` +
	`<path d="M16 70h208" stroke="var(--c2)"/></g></svg>`

// stories leads to the library, and lists what a search finds there.
func (h *Home) stories() app.UI {
	v := &h.V
	return el("section").Class("chapter stories-of").Aria("label", t("Scenario library")).Body(
		el("h2").Text(t("Scenario library")),
		div("",
			storyList(v.Stories),
			el("p").Class("row").Body(
				el("a").Class("btn").Attr("href", "#1/library").Text(t("Open the library")),
				span("dim", strconv.Itoa(v.Library)+" "+t("stories as scenario files, to run and to change")))))
}
