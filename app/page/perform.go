//go:build js

package page

import (
	"strconv"
	"strings"
	"syscall/js"

	"rebalancelab/app/ui"
	"rebalancelab/app/words"
	"rebalancelab/engine/view"
)

// perform does what a control says: "verb:argument". One switch over all verbs of the page.
func (p *page) perform(act string) {
	verb, arg, _ := strings.Cut(act, ":")
	n, _ := strconv.ParseInt(arg, 10, 64)
	switch verb {
	case "home":
		js.Global().Get("location").Set("hash", "")
	case "skip-to-main":
		element("main").Call("focus")
	case "play":
		p.play()
	case "pause":
		p.pause()
	case "seek":
		p.seek(n)
	case "index":
		p.seekIndex(int(n))
	case "back":
		p.move(view.StepRow, true)
	case "step":
		p.move(view.StepRow, false)
	case "event":
		p.move(view.StepNotable, false)
	case "rebalance":
		p.move(view.StepRebalance, false)
	case "select":
		p.pick(arg)
	case "do":
		p.hideMenu()
		p.act(arg)
	case "typed":
		if p.typed != "" {
			p.act(p.typed)
		}
	case "branch":
		p.switchTo(int(n), p.frame.At)
	default:
		p.performMore(verb, arg, n)
	}
}

// performMore has the verbs that do not touch the run.
func (p *page) performMore(verb, arg string, n int64) {
	switch verb {
	case "look":
		p.look.tab = arg
		p.refresh(true)
	case "class":
		p.look.toggle(arg)
		p.refresh(true)
	case "only":
		p.look.only = !p.look.only
		p.refresh(true)
	case "quiet":
		p.look.quiet = !p.look.quiet
	case "message":
		p.choose(n)
	case "panel":
		p.panel = arg
	case "code":
		p.closeEditor()
		p.edit.tab = arg
	case "edit":
		p.openEditor()
	case "edit-close":
		p.closeEditor()
	case "reset":
		p.reset()
	case "rerun":
		p.rerun()
	case "lock", "skip", "reveal":
		p.predict(verb)
	case "goto":
		p.goStep(int(n))
	case "open":
		js.Global().Get("location").Set("hash", "1/"+arg)
	case "share":
		if p.branch != nil {
			p.dialog = ui.DialogView{Kind: "share", Link: p.address()}
		}
	case "copy":
		p.copy(p.dialog.Link, func(note string) { p.dialog.Note = note })
	case "help":
		p.dialog = ui.DialogView{Kind: "help"}
	case "close":
		p.dialog = ui.DialogView{}
	case "theme":
		p.nextTheme()
	case "dismiss":
		p.dismiss(arg)
	case "update":
		p.lab.Get("updates").Call("activate")
	case "restart":
		p.restart()
	case "report":
		p.copyReport()
	case "reload":
		js.Global().Get("location").Call("reload")
	}
}

func (p *page) hideMenu() {
	if menu := element("action-menu"); menu.Truthy() {
		menu.Set("open", false)
	}
}

// nextTheme changes between light and dark, beginning with the other of what is seen.
func (p *page) nextTheme() {
	dark := js.Global().Call("matchMedia", "(prefers-color-scheme: dark)").Get("matches").Bool()
	if kept := p.lab.pref("theme"); kept != "" {
		dark = kept == "dark"
	}
	next := "dark"
	if dark {
		next = "light"
	}
	p.lab.setPref("theme", next)
	setTheme(next)
}

// speak changes the language of everything.
func (p *page) speak(code string) {
	if words.Use(code) {
		p.lab.setPref("language", code)
		js.Global().Get("document").Get("documentElement").Set("lang", code)
	}
}

func language() string { return words.Language() }
