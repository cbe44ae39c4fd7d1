//go:build js

package page

import (
	"rebalancelab/app/course"
	"rebalancelab/app/session"
	"rebalancelab/engine/view"
)

// stepNow is the step shown; nil in the sandbox.
func (p *page) stepNow() *course.Step {
	if p.lesson == nil || p.step >= len(p.lesson.Steps) {
		return nil
	}
	return &p.lesson.Steps[p.step]
}

// answer is what the reader did with the step's prediction.
func (p *page) answer() *answer {
	a := p.answers[p.step]
	if a == nil {
		a = &answer{}
		p.answers[p.step] = a
	}
	return a
}

// asksFirst says whether the step wants a prediction that was not made.
func (p *page) asksFirst() bool {
	s := p.stepNow()
	a := p.answer()
	return s != nil && s.Predict != "" && !a.locked && !a.revealed
}

// predict takes a step's prediction (lock), does without one (skip) or shows the answer (reveal).
func (p *page) predict(verb string) {
	a := p.answer()
	switch verb {
	case "lock":
		if a.chosen == "" {
			return
		}
		a.locked = true
	case "skip":
		a.locked, a.chosen = true, ""
	case "reveal":
		a.revealed = true
		p.checkGoal()
		return
	}
	p.ran = true
	if len(p.all) > 0 && p.branch != p.all[0] {
		p.switchToBase()
		return
	}
	p.playFromStart()
}

func (p *page) playFromStart() {
	at, _ := course.Moment(p.lesson.Start)
	p.seek(at)
	p.play()
}

// switchToBase shows the lesson's own run, which predictions are about, from its start.
func (p *page) switchToBase() {
	opened, id := p.opened, p.all[0].ID
	p.do(func() {
		p.session.Show(id)
		err := p.session.Revive()
		b := p.session.Shown()
		p.show(func() {
			if opened == p.opened {
				p.loaded(b, err, 0)
				p.playFromStart()
			}
		})
	})
}

// revealAtEnd shows the answer when the reader has watched the run to its end.
func (p *page) revealAtEnd() {
	if a := p.answer(); a.locked && len(p.all) > 0 && p.branch == p.all[0] {
		a.revealed = true
		p.checkGoal()
	}
}

func (p *page) goStep(n int) {
	if p.lesson == nil || n < 0 || n >= len(p.lesson.Steps) {
		return
	}
	p.step = n
	if !p.asksFirst() {
		p.ran = true
	}
	p.checkGoal()
	p.writeAddress()
}

// prediction finds what was found out for a key on the lesson's own run.
func (p *page) prediction(key string) *view.Prediction {
	for i := range p.base.Predict {
		if p.base.Predict[i].Key == key {
			return &p.base.Predict[i]
		}
	}
	return nil
}

// goals says whether all goals hold on a branch that the reader changed, and whether all pars do.
func goals(b *session.Branch) (reached, par bool) {
	if b == nil || len(b.Plan.Overrides) == 0 || len(b.Plan.Commands) > 0 || b.Failed != nil {
		return false, false
	}
	reached, par = true, true
	found := false
	for _, c := range b.Verdict.Checks {
		switch c.Kind {
		case "goal":
			found = true
			reached = reached && c.OK
		case "par":
			par = par && c.OK
		}
	}
	return found && reached, found && reached && par
}

// checkGoal keeps how far the reader is with the lesson.
func (p *page) checkGoal() {
	if p.lesson == nil {
		return
	}
	state := p.reached(p.lesson.ID)
	reached, par := goals(p.branch)
	switch {
	case par && state != "par":
		p.setReached("par")
	case reached && state != "par", !p.hasGoal() && p.allAnswered() && state != "par":
		p.setReached("done")
	}
}

// reached is how far the reader is with a lesson: "" (new), started, done or par.
func (p *page) reached(lesson string) string {
	state, ok := p.states[lesson]
	if !ok {
		state = p.lab.pref("lesson." + lesson)
		p.states[lesson] = state
	}
	return state
}

func (p *page) setReached(state string) {
	p.states[p.lesson.ID] = state
	p.lab.setPref("lesson."+p.lesson.ID, state)
}

func (p *page) hasGoal() bool {
	for _, s := range p.lesson.Steps {
		if len(s.Goal) > 0 {
			return true
		}
	}
	return false
}

// allAnswered says whether the last step is reached and every prediction is answered.
func (p *page) allAnswered() bool {
	for i, s := range p.lesson.Steps {
		if a := p.answers[i]; s.Predict != "" && (a == nil || !a.revealed) {
			return false
		}
	}
	return p.step == len(p.lesson.Steps)-1
}

// stepDone says whether nothing more is asked of a step.
func (p *page) stepDone(i int) bool {
	s := &p.lesson.Steps[i]
	if len(s.Goal) > 0 {
		state := p.reached(p.lesson.ID)
		return state == "done" || state == "par"
	}
	if s.Predict != "" {
		a := p.answers[i]
		return a != nil && a.revealed
	}
	return i < p.step
}
