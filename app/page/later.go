//go:build js

package page

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// afterRender runs f on the UI goroutine when the present changes are in the document.
func (p *page) afterRender(f func()) {
	p.ctx.Defer(func(app.Context) { f() })
}

// writeLater writes the address when it may be written again.
func (p *page) writeLater() {
	if p.look.pending {
		return
	}
	p.look.pending = true
	p.ctx.After(addressEvery, func(app.Context) {
		p.look.pending = false
		p.writeAddress()
	})
}

// addressEvery is the least time between two changes of the address: browsers allow some three a
// second for long.
const addressEvery = 400 * time.Millisecond

// followLine keeps the line that runs in sight and lights it in the editor. While time runs it does
// so as often as lists are new, since it reads the layout, which then has to be made in the midst of
// changes.
func (p *page) followLine() {
	if p.branch == nil || p.playing && time.Since(p.look.followed) < rowsEvery {
		return
	}
	p.look.followed = time.Now()
	p.scrollRows()
	line := 0
	for i := range p.frame.Clients {
		if c := &p.frame.Clients[i]; c.Name == p.client {
			line = c.Line
		}
	}
	if line == p.edit.lit {
		return
	}
	p.edit.lit = line
	if p.edit.handle.Truthy() {
		p.edit.handle.Call("line", p.litInEditor(line))
		return
	}
	list := element("listing")
	if list.IsNull() || list.Get("scrollHeight").Int() <= list.Get("clientHeight").Int() {
		return
	}
	if lit := list.Call("querySelector", ".lit"); !lit.IsNull() {
		top, height := lit.Get("offsetTop").Int(), list.Get("clientHeight").Int()
		if at := list.Get("scrollTop").Int(); top < at || top+20 > at+height {
			list.Set("scrollTop", max(top-height/2, 0))
		}
	}
}
