//go:build js

package page

import (
	"rebalancelab/app/ui"
	"rebalancelab/app/words"
	"rebalancelab/engine/view"
)

// codeView is the code panel.
func (p *page) codeView() ui.CodeView {
	e := &p.edit
	v := ui.CodeView{Problem: e.problem, Editing: e.open != "", Unrun: p.unrun()}
	if v.Editing {
		v.Wrong = e.problem.Line // of the draft; the text that runs has other lines
	}
	if e.problem.Text == "" && p.framed == p.branch && p.branch != nil {
		v.Problem = ui.CrashOf(&p.frame, p.client)
	}
	program := p.program()
	v.Tabs = p.codeTabs(program)
	slashes := false
	source := ""
	v.First = 1
	switch {
	case e.tab == "program" && program != nil:
		source, v.First = program.Text, program.FirstLine
		v.Name = words.T("Program of") + " " + p.client
		_, v.CanEdit = p.editable()
	case e.tab == wholeFile && p.lesson == nil:
		source, v.CanEdit = p.sandboxSource(), true
		v.Name, v.Wrong = words.T("Scenario"), e.problem.Line
	case e.tab == wholeFile:
		source, v.Name = p.lesson.Source, words.T("Scenario")
	default:
		source, v.Name, slashes = p.panelText(e.tab)
		v.Lines = p.edit.highlight(source, slashes)
		return v
	}
	v.Lines = p.edit.highlight(source, slashes)
	v.Changed = len(p.overrides()) > 0
	p.mark(&v)
	v.Settings = p.settings()
	return v
}

// sandboxSource is what runs, or the draft while nothing does.
func (p *page) sandboxSource() string {
	if p.branch != nil {
		return p.branch.Plan.Source
	}
	return p.edit.draft[wholeFile]
}

func (p *page) panelText(id string) (text, name string, slashes bool) {
	if p.lesson != nil {
		for _, panel := range p.lesson.Panels {
			if panel.ID == id {
				return panel.Text, panel.Title, true
			}
		}
	}
	return "", "", false
}

func (p *page) codeTabs(program *view.Program) []ui.Tab {
	pairs := []string{}
	if program != nil {
		label := program.Function + " \u00b7 " + program.Client
		if len(p.branch.Plan.Overrides) > 0 {
			label += " (" + words.T("edited") + ")"
		}
		pairs = append(pairs, "program", label)
	}
	pairs = append(pairs, wholeFile, words.T("whole scenario"))
	if p.lesson != nil {
		for _, panel := range p.lesson.Panels {
			pairs = append(pairs, panel.ID, panel.Title)
		}
	}
	return ui.TabsOf(p.edit.tab, pairs...)
}

// mark says who is at which line; the selected client's line is lit.
func (p *page) mark(v *ui.CodeView) {
	for i := range p.frame.Clients {
		c := &p.frame.Clients[i]
		if c.Line == 0 || c.Life != "running" && c.Life != "frozen" || !p.inText(c.Name) {
			continue
		}
		if c.Name == p.client {
			v.Lit = c.Line
		}
		v.Marks = append(v.Marks, ui.LineMark{Line: c.Line, Who: p.names.Who(c.Name)})
	}
}

// inText says whether the lines of a client are those of the text shown.
func (p *page) inText(client string) bool {
	shown := p.program()
	if p.branch == nil || shown == nil {
		return false
	}
	for i := range p.branch.Loaded.Programs {
		program := &p.branch.Loaded.Programs[i]
		if program.Client != client {
			continue
		}
		_, changed := p.branch.Plan.Override(program.Function, false)
		if p.edit.tab == wholeFile {
			return !changed
		}
		return program.Function == shown.Function
	}
	return true // a client that was added later runs what the others run
}

func (p *page) settings() []ui.SettingView {
	var out []ui.SettingView
	for _, e := range p.shipped() {
		if !e.Setting {
			continue
		}
		s := ui.SettingView{Name: e.Name, Value: e.Text, Default: e.Default}
		if draft, ok := p.edit.draft[setting+e.Name]; ok {
			s.Value, s.Changed = draft, ui.SettingText(draft) != ui.SettingText(e.Text)
		}
		out = append(out, s)
	}
	return out
}
