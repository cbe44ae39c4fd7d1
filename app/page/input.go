//go:build js

package page

import (
	"strconv"
	"strings"
	"syscall/js"

	"rebalancelab/app/ui"
	"rebalancelab/engine/view"
)

// listen hears what the reader and the other scripts do. One listener a kind of event is enough:
// what a control does stands in its attributes.
func (p *page) listen() {
	document := js.Global().Get("document")
	on := func(target js.Value, event string, f func(e js.Value)) {
		target.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(args[0])
			return nil
		}))
	}
	on(document, "click", p.clicked)
	on(document, "keydown", p.pressed)
	on(document, "input", func(e js.Value) { p.entered(e, false) })
	on(document, "change", func(e js.Value) { p.entered(e, true) })
	document.Call("addEventListener", "scroll", js.FuncOf(p.scrolled), true)
	on(js.Global(), "hashchange", func(js.Value) { p.show(p.follow) })
	p.lab.player().Set("onframe", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.onFrame(toGo(args[0]), args[2].Bool())
		return nil
	}))
	told := func(f func(v js.Value)) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any {
			p.show(func() { f(args[0]) })
			return nil
		})
	}
	p.lab.player().Set("onerror", told(func(v js.Value) { p.trapped(errorOf([]js.Value{v})) }))
	p.lab.Get("stage").Set("onmessage", told(func(v js.Value) { p.goToMessage(int64(v.Int())) }))
	p.lab.timeline().Set("onpick", told(p.picked))
	p.lab.timeline().Set("onseek", js.FuncOf(func(js.Value, []js.Value) any {
		p.playing = p.lab.player().Get("playing").Bool()
		return nil
	}))
	p.lab.Get("updates").Set("onwaiting", js.FuncOf(func(js.Value, []js.Value) any {
		p.show(func() {
			p.notice(ui.Notice{ID: "update", Kind: "info", Act: "update", Do: "Update now",
				Text: "A newer build of the lab is ready. Updating reloads the page; the address " +
					"keeps your place."})
		})
		return nil
	}))
}

// scrolled moves the painted lanes with their labels when there are more than fit.
func (p *page) scrolled(_ js.Value, args []js.Value) any {
	if list := args[0].Get("target"); text(list.Get("className")) == "lanelist" {
		p.lab.timeline().Call("scroll", list.Get("scrollTop"))
	}
	return nil
}

// picked takes a press on the timeline: a branch, or the lane of a client.
func (p *page) picked(what js.Value) {
	if id := text(what.Get("branch")); id != "" {
		n, _ := strconv.Atoi(id)
		p.switchTo(n, p.frame.At)
		return
	}
	if what.Get("kind").Truthy() && what.Get("kind").Int() == view.LaneConsumer {
		p.pick(text(what.Get("lane")))
	}
}

// clicked does what the control under the pointer says.
func (p *page) clicked(e js.Value) {
	target := e.Get("target")
	if target.Get("closest").Type() != js.TypeFunction {
		return
	}
	control := target.Call("closest", "[data-act],[data-t],[data-event],a[href]")
	if control.IsNull() {
		p.closeMenu(target)
		return
	}
	data := control.Get("dataset")
	if moment, event := text(data.Get("t")), text(data.Get("event")); moment != "" || event != "" {
		e.Call("preventDefault")
		e.Call("stopPropagation")
		p.show(func() { p.goTo(moment, event) })
		return
	}
	if act := text(data.Get("act")); act != "" {
		e.Call("preventDefault")
		e.Call("stopPropagation")
		p.show(func() { p.perform(act) })
		return
	}
	// A link into the page moves through the address; go-app must not take it for one of its own.
	if address := text(control.Call("getAttribute", "href")); strings.HasPrefix(address, "#") {
		e.Call("preventDefault")
		e.Call("stopPropagation")
		js.Global().Get("location").Set("hash", address)
	}
}

// closeMenu closes the menu of actions after a click elsewhere.
func (p *page) closeMenu(target js.Value) {
	menu := element("action-menu")
	if menu.Truthy() && menu.Get("open").Bool() && !menu.Call("contains", target).Bool() {
		menu.Set("open", false)
	}
}

// entered takes the value of a field: while it is typed, or (settled) when it is left or chosen.
func (p *page) entered(e js.Value, settled bool) {
	target := e.Get("target")
	name := text(target.Get("dataset").Get("input"))
	if name == "" {
		return
	}
	value := text(target.Get("value"))
	p.show(func() { p.enterValue(name, value, settled) })
}

func (p *page) enterValue(name, value string, settled bool) {
	name, of, _ := strings.Cut(name, ":")
	switch name {
	case "search":
		p.search = value
	case "filter":
		p.look.find = value
		p.refresh(true)
	case "typed":
		p.typed, p.problem = value, ""
	case "setting":
		p.edit.draft[setting+of] = value
		p.keepDraft()
	}
	if !settled {
		return
	}
	switch name {
	case "predict":
		p.answer().chosen = value
	case "speed":
		n, _ := strconv.Atoi(value)
		p.setSpeed(n)
	case "seed":
		p.reseed(value)
	case "row":
		p.row = value
	case "lang":
		p.speak(value)
	}
}

// reseed runs the same plan with another seed.
func (p *page) reseed(value string) {
	seed, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
	if err != nil {
		p.notice(ui.Notice{ID: "seed", Kind: "warn", Text: "A seed is a whole number, such as 7."})
		return
	}
	if p.branch == nil || seed == p.branch.Plan.Seed || p.busy != "" {
		return
	}
	plan := p.branch.Plan
	plan.Seed = seed
	p.startRun("seed "+strconv.FormatUint(seed, 10), plan, false)
}
