//go:build js

package page

import (
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"rebalancelab/app/course"
	"rebalancelab/app/link"
	"rebalancelab/app/session"
	"rebalancelab/app/ui"
	"rebalancelab/engine/view"
)

// onFrame takes a view of the player: at most ten a second, and one at every stop.
func (p *page) onFrame(answer []byte, playing bool) {
	if p.branch == nil || p.screen != ui.ScreenLab {
		return
	}
	var v view.View
	if len(answer) == 0 || answer[0] != view.AnswerOK || !view.Decode(answer[1:], &v) {
		return // the lab was freed while it was drawn; another is on its way
	}
	opened := p.opened
	p.show(func() {
		if opened != p.opened || p.branch == nil {
			return
		}
		p.frame, p.framed, p.names = v, p.branch, ui.NamesOf(&v)
		stopped := p.playing && !playing
		p.playing = playing
		p.branch.Seen = max(p.branch.Seen, v.At)
		if stopped && v.At >= p.horizon {
			p.revealAtEnd()
		}
		if !playing {
			p.showBranches()
			p.writeAddress()
		}
		p.refresh(!playing)
	})
}

// free says whether the reader may move through the run: not before a first prediction.
func (p *page) free() bool { return p.branch != nil && p.ran && p.busy == "" }

// play lets time run; while a run is being made, as soon as it is there.
func (p *page) play() {
	if p.ran && !p.free() {
		p.eager = true
		return
	}
	if p.free() {
		p.playing = true
		p.lab.player().Call("play", p.speed)
	}
}

func (p *page) pause() {
	p.playing = false
	p.lab.player().Call("pause")
}

func (p *page) seek(ns int64) {
	if p.free() {
		p.pause()
		p.lab.player().Call("seek", float64(min(max(ns, 0), p.horizon)))
	}
}

func (p *page) seekIndex(index int) {
	if p.free() {
		p.playing = false
		p.lab.player().Call("seekIndex", index)
	}
}

func (p *page) setSpeed(i int) {
	p.speed = ui.Speeds[min(max(i, 0), len(ui.Speeds)-1)]
	p.lab.player().Call("speed", p.speed)
}

func (p *page) changeSpeed(by int) {
	for i, s := range ui.Speeds {
		if s == p.speed {
			p.setSpeed(i + by)
			return
		}
	}
}

// move makes a step of a kind.
func (p *page) move(kind int, back bool) {
	if !p.free() {
		return
	}
	p.pause()
	filter := p.look.filter(p.client)
	if kind == view.StepRow && p.look.only {
		filter = view.Filter{Node: p.client} // the next blocking call of the client
	}
	index, opened := p.frame.Index, p.opened
	p.do(func() {
		m, err := p.session.Step(index, back, kind, filter)
		p.show(func() {
			switch {
			case opened != p.opened:
			case err != nil:
				p.failed(err)
			case m.Found:
				p.lab.player().Call("seekIndex", m.Index)
			case !back:
				p.seek(p.horizon)
			default:
				p.seek(0)
			}
		})
	})
}

// act does something at the present moment.
func (p *page) act(command string) {
	if !p.free() {
		return
	}
	p.pause()
	p.problem = ""
	m := session.Moment{At: p.frame.At, Index: p.frame.Index, Hash: p.frame.Hash}
	opened := p.opened
	p.startBusy("Running on from here")
	p.do(func() {
		b, err := p.session.Act(m, command)
		p.show(func() {
			if opened != p.opened {
				return
			}
			if err != nil {
				p.busy = ""
				p.actFailed(err)
				return
			}
			p.typed = ""
			clearField("typed")
			p.loaded(b, nil, m.At)
		})
	})
}

func (p *page) actFailed(err error) {
	if p.trapped(err) {
		return
	}
	p.problem = troubleOf(err).Text
	p.notice(ui.Notice{ID: "act", Kind: "warn", Text: p.problem})
}

// switchTo shows another branch at a moment.
func (p *page) switchTo(id int, at int64) {
	opened := p.opened
	p.pause()
	p.do(func() {
		ok := p.session.Show(id)
		err := p.session.Revive()
		b := p.session.Shown()
		p.show(func() {
			if opened == p.opened && ok {
				p.loaded(b, err, at)
			}
		})
	})
}

func branchName(b *session.Branch) string {
	switch {
	case b.Name == "" && b.Shipped():
		return "as shipped"
	case b.From > 0 && b.Parent > 0:
		return b.Name + " at " + ui.Clock(b.From)
	case b.Name == "":
		return "run " + strconv.Itoa(b.ID)
	}
	return b.Name
}

// goTo follows a link of a lesson's text: a time, or the first event whose sentence holds a text.
func (p *page) goTo(moment, event string) {
	if !p.free() {
		p.notice(ui.Notice{ID: "locked", Kind: "info",
			Text: "Lock in a prediction first, or run without one."})
		p.update()
		return
	}
	if moment != "" {
		if at, ok := course.Moment(moment); ok {
			p.seek(at)
		}
		return
	}
	_, words, _ := strings.Cut(event, ":")
	opened := p.opened
	p.do(func() {
		lines, err := p.session.Events(0, 0, 1, view.Filter{Classes: -1, Text: words})
		p.show(func() {
			if opened == p.opened && err == nil && len(lines.Rows) > 0 {
				p.seekIndex(lines.Rows[0].Index)
			}
		})
	})
}

// state is the shown branch and moment as a link holds them.
func (p *page) state() link.State {
	s := p.stateWith(p.branch.Plan)
	s.At, s.Index, s.Trace = p.frame.At, p.frame.Index, p.frame.Hash
	return s
}

// stateWith is a plan as a link holds it, at no moment of its run.
func (p *page) stateWith(plan session.Plan) link.State {
	s := link.State{
		Engine: p.engine, Seed: plan.Seed, Variant: plan.Variant, Overrides: plan.Overrides,
		Commands: plan.Commands, Step: p.step,
	}
	if p.lesson != nil {
		s.Hash = p.lesson.Hash
	} else {
		s.Source = plan.Source
	}
	return s
}

// fragment is the address of the present state.
func (p *page) fragment() string {
	if p.lesson != nil && p.branch.Shipped() && !p.ran && p.branch.Plan.Seed == p.lesson.Seed {
		return link.Plain(p.lesson.ID)
	}
	return p.fragmentOf(p.state())
}

func (p *page) fragmentOf(s link.State) string {
	if p.lesson == nil {
		return link.Encode(link.Sandbox, s, "")
	}
	return link.Encode(p.lesson.ID, s, p.lesson.Source)
}

// writeAddress keeps the address up to date without making history.
func (p *page) writeAddress() {
	if p.embed || p.branch == nil || p.screen != ui.ScreenLab {
		return
	}
	if time.Since(p.look.written) < addressEvery {
		p.writeLater()
		return
	}
	p.look.written = time.Now()
	js.Global().Get("history").Call("replaceState", js.Null(), "", "#"+p.fragment())
}
