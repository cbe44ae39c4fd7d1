//go:build js

package page

import (
	"strconv"

	"rebalancelab/app/course"
	"rebalancelab/app/ui"
	"rebalancelab/app/words"
)

// view is the page as it is to be shown now.
func (p *page) view() ui.PageView {
	v := ui.PageView{
		Screen: p.screen, Embed: p.embed, Boot: p.boot, Dialog: p.dialog, Notices: p.notices,
	}
	switch p.screen {
	case ui.ScreenHome:
		v.Home = ui.HomeOf(p.course, p.search, p.reached)
	case ui.ScreenLibrary:
		v.Library = ui.LibraryOf(p.course, p.search, p.row)
	case ui.ScreenLab:
		v.Lab = p.labView()
	case ui.ScreenGallery:
		v = ui.Gallery()
	}
	v.Lab.Head.Langs = p.languages()
	return v
}

// languages lists those that both the app and the course speak.
func (p *page) languages() []ui.Tab {
	var out []ui.Tab
	for _, n := range words.Names {
		if words.Has(n.Code) && p.course != nil && len(p.course.Lessons) > 0 &&
			p.course.Lessons[0].Title[n.Code] != "" {
			out = append(out, ui.Tab{ID: n.Code, Label: n.Name, On: n.Code == language()})
		}
	}
	return out
}

func (p *page) labView() ui.LabView {
	v := ui.LabView{
		Head: p.headView(), Panel: p.panel, Ready: p.branch != nil, Busy: p.busy, Percent: p.percent,
		Trap: p.report, Steps: p.stepsView(), Code: p.codeView(), Look: p.lookView(),
		Controls: p.controlsView(), Time: p.timeView(), At: ui.Clock(p.frame.At),
		End: ui.Clock(p.horizon),
	}
	if p.branch != nil {
		v.Stage = ui.StageOf(&p.frame, p.client)
	}
	return v
}

func (p *page) headView() ui.HeadView {
	h := ui.HeadView{Title: "Sandbox", Seed: strconv.FormatUint(p.seed, 10)}
	if p.branch != nil {
		h.Seed = strconv.FormatUint(p.branch.Plan.Seed, 10)
	}
	if p.lesson != nil {
		_, i := p.course.Lesson(p.lesson.ID)
		h.Title = p.lesson.Title.In(language())
		h.Place = p.course.ChapterTitle(p.lesson.Chapter, language()) + " \u00b7 " +
			words.T("Lesson") + " " + strconv.Itoa(i+1) + " " + words.T("of") + " " +
			strconv.Itoa(len(p.course.Lessons))
	}
	return h
}

func (p *page) stepsView() ui.StepsView {
	v := ui.StepsView{Index: p.step}
	if p.branch != nil && p.ran {
		v.Checks = ui.ChecksOf(&p.branch.Verdict)
	}
	if p.branch != nil && (p.lesson == nil || p.branch.Seen >= p.horizon || p.answer().revealed) {
		v.Results = ui.ResultsOf(&p.branch.Verdict, p.names)
	}
	s := p.stepNow()
	if s == nil {
		v.Sandbox = true
		if story := p.course.Story(p.story); story != nil {
			v.Title, v.Story = story.Title, story.Sentences
		}
		return v
	}
	lang := language()
	v.Title, v.HTML, v.Goal = s.Title.In(lang), s.HTML.In(lang), s.Goal.In(lang)
	for i := range p.lesson.Steps {
		v.Done = append(v.Done, p.stepDone(i))
	}
	v.Predict = p.predictView(s)
	if s.Predict == "" || v.Predict.Revealed {
		v.Why, v.Truth = s.Why.In(lang), s.Truth.In(lang)
	}
	v.Reached, _ = goals(p.branch)
	if _, i := p.course.Lesson(p.lesson.ID); i+1 < len(p.course.Lessons) {
		next := &p.course.Lessons[i+1]
		v.Next, v.NextAct = next.Title.In(lang), "open:"+next.ID
	}
	return v
}

func (p *page) predictView(s *course.Step) ui.PredictView {
	a := p.answer()
	v := ui.PredictView{
		Key: s.Predict, Locked: a.locked, Revealed: a.revealed, Chosen: a.chosen != "",
		Skipped: a.revealed && a.chosen == "",
	}
	found := p.prediction(s.Predict)
	for _, key := range s.Order {
		o := ui.OptionView{Key: key, Words: s.Options[key].In(language()), Chosen: key == a.chosen}
		if a.revealed && found != nil {
			o.Right = key == found.Right
			for i, k := range found.Options {
				if k == key && i < len(found.Why) {
					o.Measured = found.Why[i]
				}
			}
		}
		v.Right = v.Right || o.Right && o.Chosen
		v.Options = append(v.Options, o)
	}
	return v
}

func (p *page) lookView() ui.InspectorView {
	l := &p.look
	classes := l.classes
	if l.tab == "messages" {
		classes = l.talk
	}
	v := ui.InspectorView{
		Tab: l.tab, Filter: l.find, Only: l.only, Quiet: l.quiet,
		Tabs: ui.TabsOf(l.tab, "events", "Events", "messages", "Messages", "config", "Config",
			"log", "Log as text"),
		Chips: ui.ChipsOf(l.tab, classes),
	}
	if p.client != "" {
		v.OnlyWho = p.names.Who(p.client)
	}
	if p.branch == nil {
		return v
	}
	switch l.tab {
	case "messages":
		v.Talk = ui.TalkOf(l.rows, p.frame.At, l.chosen, p.names)
	case "config":
		v.Config, v.Of = ui.ConfigOf(l.config), l.configOf
	case "log":
		v.Story = ui.EventsOf(l.story, p.frame.Index, p.branch.Seen, p.names)
	default:
		v.Events = p.eventRows()
	}
	if l.loading {
		v.Message = ui.MessageView{ID: ui.Num(l.chosen), Loading: true}
	} else if l.chosen != 0 {
		m := l.message
		m.Held = p.held()
		v.Message = ui.MessageOf(&m, p.frame.At, p.names)
	}
	return v
}

// eventRows are kept while time runs: then they change only when they are asked for anew.
func (p *page) eventRows() []ui.EventRow {
	l := &p.look
	if !p.playing || l.fresh || l.shown == nil {
		l.shown = ui.EventsOf(l.lines, p.frame.Index, p.branch.Seen, p.names)
	}
	return l.shown
}

func (p *page) timeView() ui.TimeView {
	v := ui.TimeView{End: ui.Clock(p.horizon)}
	if !p.playing { // a screen reader should not hear every frame
		v.At, v.AtMs = ui.Clock(p.frame.At), p.frame.At/1e6
	}
	v.EndMs = p.horizon / 1e6
	v.Locked = !p.free()
	if p.branch == nil {
		return v
	}
	v.Lanes = ui.LanesOf(&p.branch.Scene, p.names)
	for _, b := range p.all {
		v.Events = append(v.Events, ui.Chip{
			ID: strconv.Itoa(b.ID), Label: branchName(b), On: b == p.branch,
		})
	}
	return v
}

func (p *page) controlsView() ui.ControlsView {
	v := ui.ControlsView{
		Ready: p.free(), Playing: p.playing, Speed: p.speed, Typed: p.typed, Problem: p.problem,
	}
	if p.branch == nil {
		return v
	}
	for i := range p.frame.Clients {
		c := &p.frame.Clients[i]
		if c.Name == p.client {
			v.Client = p.names.Who(c.Name)
			v.Alive = c.Life == "running" || c.Life == "frozen"
			v.Frozen = c.Life == "frozen"
		}
	}
	v.Menu = ui.MenuOf(&p.frame, p.client, p.programName())
	return v
}

func (p *page) programName() string {
	if program := p.program(); program != nil {
		return program.Function
	}
	return ""
}
