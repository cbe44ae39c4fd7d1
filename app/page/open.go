//go:build js

package page

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"syscall/js"

	"rebalancelab/app/course"
	"rebalancelab/app/link"
	"rebalancelab/app/session"
	"rebalancelab/app/ui"
)

// follow shows what the address says. It is called at the start and whenever the fragment changes.
func (p *page) follow() {
	if p.course == nil {
		return
	}
	fragment := strings.TrimPrefix(text(js.Global().Get("location").Get("hash")), "#")
	if fragment == "main" {
		return
	}
	for _, id := range []string{"link", "act", "locked", "seed"} {
		p.dismiss(id)
	}
	head, err := link.Parse(fragment)
	if err != nil {
		p.notice(ui.Notice{ID: "link", Kind: "warn", Text: ui.Sentence(err.Error())})
	}
	name, story, _ := strings.Cut(head.Lesson, ":")
	lesson, _ := p.course.Lesson(name)
	switch {
	case name == "":
		p.leaveLab(ui.ScreenHome, "Rebalance Lab")
		return
	case name == link.Library:
		p.leaveLab(ui.ScreenLibrary, "Scenario library - Rebalance Lab")
		return
	case lesson == nil && name != link.Sandbox:
		p.notice(ui.Notice{ID: "link", Kind: "warn", Text: "This link is of a lesson that is not in " +
			"this course: " + name + "."})
		p.leaveLab(ui.ScreenHome, "Rebalance Lab")
		return
	}
	p.enter(lesson, story)
	state, changed := p.stateOf(head, lesson)
	p.openLab(state, changed)
}

// stateOf reads the state of a link, and whether it holds one. A link that cannot be read opens the
// lesson fresh and says why.
func (p *page) stateOf(head link.Head, lesson *course.Lesson) (link.State, bool) {
	fresh := link.State{Seed: 1}
	dictionary := ""
	if lesson != nil {
		fresh.Seed, dictionary = lesson.Seed, lesson.Source
	}
	if head.Fresh() {
		return fresh, false
	}
	state, err := head.Open(dictionary)
	if err == nil && lesson != nil && state.Hash != lesson.Hash {
		err = errors.New("the lesson has changed since this link was made; it starts fresh")
	}
	if err != nil {
		p.notice(ui.Notice{ID: "link", Kind: "warn", Text: ui.Sentence(err.Error())})
		return fresh, false
	}
	return state, true
}

// leaveLab shows a screen that is not the lab.
func (p *page) leaveLab(screen, title string) {
	p.opened++
	p.lab.player().Call("close")
	p.screen, p.lesson, p.search, p.row = screen, nil, "", ""
	js.Global().Get("document").Set("title", title)
	p.update()
}

// enter makes the lab's page ready for a lesson, or for the sandbox when it is nil.
func (p *page) enter(lesson *course.Lesson, story string) {
	p.opened++
	p.screen, p.lesson, p.story = ui.ScreenLab, lesson, story
	p.branch, p.all, p.ran, p.playing, p.eager, p.step = nil, nil, false, false, false, 0
	p.answers = map[int]*answer{}
	p.report, p.problem, p.client, p.typed = ui.TrapView{}, "", "", ""
	clearField("filter")
	clearField("typed")
	p.look.reset()
	title := "Sandbox"
	if lesson != nil {
		title = lesson.Title.In(language())
		if p.reached(lesson.ID) == "" {
			p.setReached("started")
		}
	}
	js.Global().Get("document").Set("title", title+" - Rebalance Lab")
	p.closeEditor()
	p.edit = p.draftOf(lesson, story)
}

// openLab runs the lesson's own run and, if the link holds one, the run of the link.
func (p *page) openLab(state link.State, changed bool) {
	base := p.basePlan(state)
	p.seed = state.Seed
	p.startBusy("Running the scenario")
	opened := p.opened
	p.do(func() {
		if p.session != nil {
			p.session.Close()
		}
		p.session = session.New(p.lab, p.progress(opened))
		b, err := p.session.Start("", base)
		if err == nil && changed && len(state.Overrides)+len(state.Commands) > 0 {
			plan := base
			plan.Overrides, plan.Commands = state.Overrides, state.Commands
			b, err = p.session.Start("from the link", plan)
		}
		differs := false
		if err == nil && changed && state.Trace != 0 {
			v, lookErr := p.session.AtIndex(state.Index)
			differs = lookErr != nil || v.Hash != state.Trace
		}
		p.show(func() {
			if opened != p.opened {
				return
			}
			if differs {
				p.notice(ui.Notice{ID: "link", Kind: "warn", Text: "This link was made with engine version " +
					state.Engine + "; here (version " + p.engine + ") the run differs from the one " +
					"that was shared."})
			}
			p.loaded(b, err, p.startOf(state, changed))
			if changed {
				p.step, p.ran = state.Step, true
				p.edit.take(state.Overrides)
			}
		})
	})
}

func (p *page) basePlan(state link.State) session.Plan {
	plan := session.Plan{File: "scenario.star", Seed: state.Seed, Variant: state.Variant}
	switch {
	case p.lesson != nil:
		plan.Source = p.lesson.Source
	case state.Source != "":
		plan.Source = state.Source
		p.edit.draft[wholeFile] = state.Source
	default:
		plan.Source = p.edit.draft[wholeFile]
	}
	return plan
}

func (p *page) startOf(state link.State, changed bool) int64 {
	if changed {
		return state.At
	}
	if p.lesson != nil {
		at, _ := course.Moment(p.lesson.Start)
		return at
	}
	return 0
}

func (p *page) startBusy(text string) {
	p.busy, p.percent = text, 0
	p.update()
}

// progress tells the page how far a run is, not more often than it changes by a percent.
func (p *page) progress(opened int) session.Progress {
	last := -1
	return func(at, horizon int64) {
		percent := int(at * 100 / max(horizon, 1))
		if percent == last {
			return
		}
		last = percent
		p.show(func() {
			if opened == p.opened {
				p.percent = percent
			}
		})
	}
}

// loaded shows a branch that was run, at a moment, or why there is none.
func (p *page) loaded(b *session.Branch, err error, at int64) {
	p.busy = ""
	if err != nil {
		p.failed(err)
		return
	}
	p.edit.problem = ui.Trouble{}
	if b.Failed != nil {
		p.edit.problem = ui.TroubleOf(&b.Failed.Problem)
	}
	p.showEditorProblem()
	if p.branch == nil {
		p.base = p.session.Branches()[0].Verdict
		p.speed = speedFor(b.End())
		p.ran = p.lesson == nil || !p.asksFirst()
	}
	p.showBranch(b, at)
	if p.eager {
		p.eager = false
		p.play()
	}
}

// showBranch makes the player show a branch.
func (p *page) showBranch(b *session.Branch, at int64) {
	p.branch, p.horizon = b, b.End()
	p.all = append([]*session.Branch(nil), p.session.Branches()...)
	if p.client == "" && len(b.Loaded.Programs) > 0 {
		p.client = b.Loaded.Programs[0].Client
	}
	p.lab.player().Call("open", b.Lab, float64(p.horizon), sceneJS(b), float64(at))
	p.lab.timeline().Call("seen", float64(b.Seen))
	p.showBranches()
	p.look.stale = true
	p.checkGoal()
}

func sceneJS(b *session.Branch) js.Value {
	list := func(names []string) []any {
		out := make([]any, len(names))
		for i, n := range names {
			out[i] = n
		}
		return out
	}
	lanes := make([]any, len(b.Scene.Lanes))
	for i, l := range b.Scene.Lanes {
		lanes[i] = map[string]any{"kind": l.Kind, "name": l.Name, "color": l.Color}
	}
	return js.ValueOf(map[string]any{
		"nodes": list(b.Scene.Nodes), "parts": list(b.Scene.Parts), "lanes": lanes,
	})
}

// showBranches marks the branches on the timeline.
func (p *page) showBranches() {
	var list []any
	for _, b := range p.all {
		if b.Parent == 0 || b.From == 0 {
			continue
		}
		list = append(list, map[string]any{
			"id": strconv.Itoa(b.ID), "at": float64(b.From), "to": float64(max(b.Seen, b.From)),
			"name": branchName(b), "shown": b == p.branch,
		})
	}
	p.lab.timeline().Call("branches", js.ValueOf(list))
}

// speedFor lets a run take some twenty seconds.
func speedFor(horizon int64) float64 {
	want := math.Log(float64(max(horizon, 1)) / 20e9)
	best := 1.0
	for _, s := range ui.Speeds {
		if math.Abs(math.Log(s)-want) < math.Abs(math.Log(best)-want) {
			best = s
		}
	}
	return best
}
