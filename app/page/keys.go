//go:build js

package page

import (
	"syscall/js"

	"rebalancelab/app/ui"
	"rebalancelab/engine/view"
)

// pressed is the keyboard. Keys that a field or a button needs are left to it.
func (p *page) pressed(e js.Value) {
	key := e.Get("key").String()
	target := e.Get("target")
	if e.Get("isComposing").Truthy() || target.Get("closest").Type() != js.TypeFunction {
		return
	}
	command := e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool()
	var act func()
	switch {
	case command && key == "Enter":
		act = p.rerun
	case key == "Enter" && text(target.Get("id")) == "typed":
		act = func() { p.perform("typed") }
	case key == "Escape":
		act = p.escapeKey(target)
	case command || e.Get("altKey").Bool() || !target.Call("closest", typingPlaces).IsNull():
		return
	case text(target.Get("role")) == "tab" && (key == "ArrowLeft" || key == "ArrowRight"):
		nextTab(target, key == "ArrowLeft")
		e.Call("preventDefault")
		return
	default:
		act = p.keyAct(key, e.Get("shiftKey").Bool(), target)
	}
	if act == nil || p.screen != ui.ScreenLab && key != "Escape" && key != "?" {
		return
	}
	e.Call("preventDefault")
	p.show(act)
}

// typingPlaces need the keys for themselves.
const typingPlaces = "input,textarea,select,[contenteditable=true],dialog[open]"

// keyAct is what a key without Ctrl does.
func (p *page) keyAct(key string, shift bool, target js.Value) func() {
	switch key {
	case " ":
		if !target.Call("closest", "button,summary,a").IsNull() {
			return nil
		}
		return p.toggle
	case "ArrowLeft", "ArrowRight":
		kind := view.StepRow
		if shift {
			kind = view.StepNotable
		}
		return func() { p.move(kind, key == "ArrowLeft") }
	case "Home":
		return func() { p.seek(0) }
	case "End":
		return func() { p.seek(p.horizon) }
	case "r", "R":
		return func() { p.move(view.StepRebalance, shift) }
	case "[":
		return func() { p.changeSpeed(-1) }
	case "]":
		return func() { p.changeSpeed(1) }
	case "?":
		return func() { p.dialog = ui.DialogView{Kind: "help"} }
	case "+", "=", "-", "0":
		return func() { p.zoom(key) }
	case "1", "2", "3", "4", "5", "6", "7", "8", "9":
		return func() { p.pickNumber(int(key[0] - '1')) }
	}
	return nil
}

func (p *page) toggle() {
	if p.playing {
		p.pause()
	} else {
		p.play()
	}
}

// escapeKey closes what is on top; nil when nothing is, or when the browser does it.
func (p *page) escapeKey(target js.Value) func() {
	menu := element("action-menu")
	switch {
	case p.dialog.Kind != "":
		return func() { p.dialog = ui.DialogView{} }
	case menu.Truthy() && menu.Get("open").Bool():
		return func() {
			menu.Set("open", false)
			menu.Call("querySelector", "summary").Call("focus")
		}
	case p.look.chosen != 0 && target.Call("closest", ".cm-editor").IsNull():
		return func() { p.choose(0) }
	}
	return nil
}

// zoom changes what the timeline shows.
func (p *page) zoom(key string) {
	shown := p.lab.timeline().Get("shown")
	from, to := shown.Get("from").Float(), shown.Get("to").Float()
	at := min(max(float64(p.frame.At), from), to)
	factor := 1.5
	switch key {
	case "0":
		p.lab.timeline().Call("range", 0, float64(p.horizon))
		return
	case "+", "=":
		factor = 1 / factor
	}
	p.lab.timeline().Call("range", at-(at-from)*factor, at+(to-at)*factor)
}

// pick selects a client.
func (p *page) pick(name string) {
	p.client = name
	p.refresh(true)
}

func (p *page) pickNumber(i int) {
	if i < len(p.frame.Clients) {
		p.pick(p.frame.Clients[i].Name)
	}
}

func nextTab(tab js.Value, back bool) {
	way := "nextElementSibling"
	if back {
		way = "previousElementSibling"
	}
	if next := tab.Get(way); next.Truthy() && text(next.Get("role")) == "tab" {
		next.Call("focus")
		next.Call("click")
	}
}
