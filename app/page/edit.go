//go:build js

package page

import (
	"encoding/json"
	"strconv"
	"syscall/js"

	"rebalancelab/app/course"
	"rebalancelab/app/session"
	"rebalancelab/app/ui"
	"rebalancelab/engine/view"
)

// wholeFile is the name under which the draft of a sandbox's scenario is kept, and its tab.
const wholeFile = "scenario.star"

// setting marks names of settings among drafts.
const setting = "="

// edit is what the reader typed and where. Drafts live longer than runs: nothing typed is lost.
type edit struct {
	key     string            // of the preference that keeps the drafts
	draft   map[string]string // by name of function, of setting (after setting), or wholeFile
	tab     string
	open    string // what the editor holds; empty: it is closed
	handle  js.Value
	problem ui.Trouble
	runs    int // edits that were run, for names of branches
	lit     int // line that was scrolled to last
	// lines are those of text, highlighted: the same text is shown frame after frame.
	text  string
	lines []string
}

func (e *edit) highlight(text string, slashes bool) []string {
	if e.text != text || e.lines == nil {
		e.text, e.lines = text, ui.Highlight(text, slashes)
	}
	return e.lines
}

// draftOf is what the reader left of a lesson, or of the sandbox.
func (p *page) draftOf(lesson *course.Lesson, story string) edit {
	e := edit{key: "draft.sandbox", draft: map[string]string{}, tab: wholeFile}
	if lesson != nil {
		e.key, e.tab = "draft."+lesson.ID, "program"
	}
	if kept := p.lab.pref(e.key); kept != "" {
		_ = json.Unmarshal([]byte(kept), &e.draft) // a broken one is none
	}
	if lesson == nil {
		if s := p.course.Story(story); s != nil {
			e.draft[wholeFile] = s.Source
		} else if e.draft[wholeFile] == "" {
			e.draft[wholeFile] = p.firstStory()
		}
	}
	return e
}

func (p *page) firstStory() string {
	if stories := p.course.Stories(); len(stories) > 0 {
		return stories[0].Source
	}
	return ""
}

func (e *edit) take(list []view.Override) {
	for _, o := range list {
		if o.Setting {
			e.draft[setting+o.Name] = o.Text
		} else {
			e.draft[o.Name] = o.Text
		}
	}
}

func (p *page) keepDraft() {
	kept, err := json.Marshal(p.edit.draft)
	if err == nil {
		p.lab.setPref(p.edit.key, string(kept))
	}
}

// shipped lists what the lesson leaves to the learner, as it was shipped.
func (p *page) shipped() []view.Editable {
	if len(p.all) == 0 || p.lesson == nil {
		return nil
	}
	return p.all[0].Loaded.Editable
}

// overrides are the drafts that differ from what was shipped.
func (p *page) overrides() []view.Override {
	var out []view.Override
	for _, e := range p.shipped() {
		name := e.Name
		if e.Setting {
			name = setting + name
		}
		text, ok := p.edit.draft[name]
		if e.Setting {
			text = ui.SettingText(text)
		}
		if ok && text != e.Text && text != ui.SettingText(e.Text) {
			out = append(out, view.Override{Name: e.Name, Setting: e.Setting, Text: text})
		}
	}
	return out
}

// unrun says whether the drafts differ from what runs.
func (p *page) unrun() bool {
	if p.branch == nil {
		return p.edit.problem.Text != ""
	}
	if p.lesson == nil {
		return p.edit.draft[wholeFile] != p.branch.Plan.Source
	}
	now, runs := p.overrides(), p.branch.Plan.Overrides
	if len(now) != len(runs) {
		return true
	}
	for _, o := range now {
		if text, ok := p.branch.Plan.Override(o.Name, o.Setting); !ok || text != o.Text {
			return true
		}
	}
	return false
}

// rerun runs the lab with the drafts, from the start.
func (p *page) rerun() {
	if p.busy != "" {
		return
	}
	if p.branch != nil && !p.unrun() {
		p.ran = true
		p.seek(0)
		p.play()
		return
	}
	var plan session.Plan
	if p.branch != nil {
		plan = p.branch.Plan
	} else {
		plan = session.Plan{File: wholeFile, Seed: 1}
	}
	if p.lesson == nil {
		plan.Source, plan.Commands = p.edit.draft[wholeFile], nil
	}
	plan.Overrides = p.overrides()
	for _, b := range p.all {
		if b.Plan.Equal(plan) {
			p.ran, p.eager = true, true
			p.switchTo(b.ID, 0)
			return
		}
	}
	p.edit.runs++
	p.startRun("edit "+strconv.Itoa(p.edit.runs), plan, true)
}

// startRun runs a plan as a new branch and shows it from its start.
func (p *page) startRun(name string, plan session.Plan, play bool) {
	p.pause()
	p.startBusy("Running again")
	opened := p.opened
	p.do(func() {
		if p.session == nil {
			p.session = session.New(p.lab, p.progress(opened))
		}
		b, err := p.session.Start(name, plan)
		p.show(func() {
			if opened != p.opened {
				return
			}
			p.ran = p.ran || err == nil
			p.loaded(b, err, 0)
			if err == nil && play {
				p.play()
			}
		})
	})
}

// failed shows what the engine said is wrong: beside the program when it is about a line of it.
func (p *page) failed(err error) {
	if p.trapped(err) {
		return
	}
	p.edit.problem = troubleOf(err)
	p.showEditorProblem()
}

func troubleOf(err error) ui.Trouble {
	if problem, ok := err.(*session.Problem); ok {
		return ui.TroubleOf(&problem.Problem)
	}
	return ui.Trouble{Text: ui.Sentence(err.Error())}
}

// editable is the function of the program shown, if the learner may change it.
func (p *page) editable() (view.Editable, bool) {
	program := p.program()
	if p.branch == nil || program == nil {
		return view.Editable{}, false
	}
	for _, e := range p.branch.Loaded.Editable {
		if !e.Setting && e.Name == program.Function {
			return e, true
		}
	}
	return view.Editable{}, false
}

// program is what the selected client runs; nil when nothing is known.
func (p *page) program() *view.Program {
	if p.branch == nil || len(p.branch.Loaded.Programs) == 0 {
		return nil
	}
	for i := range p.branch.Loaded.Programs {
		if p.branch.Loaded.Programs[i].Client == p.client {
			return &p.branch.Loaded.Programs[i]
		}
	}
	return &p.branch.Loaded.Programs[0]
}

// reset gives up the drafts and shows the lesson as it was shipped.
func (p *page) reset() {
	if p.lesson == nil {
		if s := p.course.Story(p.story); s != nil {
			p.edit.draft[wholeFile] = s.Source
		} else {
			p.edit.draft[wholeFile] = p.firstStory()
		}
	} else {
		p.edit.draft = map[string]string{}
	}
	p.keepDraft()
	p.edit.problem = ui.Trouble{}
	if p.edit.handle.Truthy() {
		text := p.edit.draft[wholeFile]
		for _, e := range p.shipped() {
			if e.Name == p.edit.open {
				text = e.Text
			}
		}
		p.edit.handle.Call("setText", text)
	}
	if p.branch != nil && p.unrun() {
		p.rerun()
	}
}
