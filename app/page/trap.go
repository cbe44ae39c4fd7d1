//go:build js

package page

import (
	"errors"
	"strconv"
	"syscall/js"

	"rebalancelab/app/ui"
)

// trapped shows that the engine ended, if that is what err says; also what keeps it from starting.
func (p *page) trapped(err error) bool {
	if err == nil {
		return false
	}
	var trap *trapError
	if !errors.As(err, &trap) && p.engine != "" {
		return false
	}
	p.busy, p.playing = "", false
	p.report = ui.TrapView{Text: ui.Sentence(err.Error()), Unstarted: trap == nil}
	if trap != nil {
		p.report.Details = trap.details
	}
	return true
}

// restart runs the branch shown again in the fresh engine.
func (p *page) restart() {
	p.report = ui.TrapView{}
	opened, at := p.opened, p.frame.At
	if p.engine == "" {
		p.do(p.startEngine)
	}
	if p.branch == nil {
		p.follow()
		return
	}
	p.startBusy("Running again")
	p.do(func() {
		err := p.session.Reload()
		b := p.session.Shown()
		p.show(func() {
			if opened == p.opened {
				p.loaded(b, err, at)
			}
		})
	})
}

// copyReport puts all that is needed to see the fault again on the clipboard.
func (p *page) copyReport() {
	text := "Rebalance Lab: the engine has ended\nengine version " + p.engine + "\n"
	if p.session != nil {
		plan := p.session.Tried()
		text += "seed " + strconv.FormatUint(plan.Seed, 10) + "\n"
		text += p.addressOf(p.fragmentOf(p.stateWith(plan))) + "\n"
	}
	text += js.Global().Get("navigator").Get("userAgent").String() + "\n\n"
	p.copy(text+p.report.Text+"\n\n"+p.report.Details, func(note string) {
		p.notice(ui.Notice{ID: "copied", Kind: "info", Text: note})
	})
}

// address is the whole link of the present state.
func (p *page) address() string { return p.addressOf(p.fragment()) }

func (p *page) addressOf(fragment string) string {
	l := js.Global().Get("location")
	return l.Get("origin").String() + l.Get("pathname").String() + "#" + fragment
}

// copy puts text on the clipboard and says how it went.
func (p *page) copy(text string, say func(note string)) {
	clipboard := js.Global().Get("navigator").Get("clipboard")
	if !clipboard.Truthy() {
		say("This page may not use the clipboard; select the text and copy it.")
		return
	}
	go func() {
		_, err := await(clipboard.Call("writeText", text))
		p.show(func() {
			if err != nil {
				say("The browser did not allow copying; select the text and copy it.")
				return
			}
			say("Copied.")
		})
	}()
}
