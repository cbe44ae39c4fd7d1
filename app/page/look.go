//go:build js

package page

import (
	"slices"
	"syscall/js"
	"time"

	"rebalancelab/app/session"
	"rebalancelab/app/ui"
	"rebalancelab/engine/view"
)

// rowsEvery is how often lists are asked for while time runs.
const rowsEvery = 300 * time.Millisecond

// playedRows is how many rows of events are asked for while time runs.
const playedRows = 20

// look is the inspector's state and what it was told last.
type look struct {
	tab     string
	classes int
	talk    int // classes of the conversation
	find    string
	only    bool
	quiet   bool

	lines    []view.Line
	linesOf  linesOf
	rows     []view.MessageRow
	story    []view.Line
	config   []view.Setting
	configOf string

	shown   []ui.EventRow
	fresh   bool  // rows are new: their end is to be seen
	chosen  int64 // message shown; 0: none
	message view.Message
	loading bool

	asking bool
	stale  bool // the lists are of another moment
	asked  time.Time

	followed time.Time // when rows and lines were last brought in sight

	written time.Time
	pending bool // the address is to be written a little later
	canvas  js.Value
	stage   js.Value
}

// linesOf says what a list of events is of.
type linesOf struct {
	branch *session.Branch
	filter view.Filter
}

// follow takes rows that end at the present moment. While they go on from those shown, the first row
// stays the same one for a while: then only new rows are new to the page, and not each of them.
func (l *look) follow(rows []view.Line, of linesOf) {
	same := l.linesOf == of && len(rows) > 0
	had := l.lines
	l.lines, l.linesOf = rows, of
	if !same {
		return
	}
	i := slices.IndexFunc(had, func(h view.Line) bool { return h.Index == rows[0].Index })
	if i > 0 && i <= playedRows {
		l.lines = append(had[:i:i], rows...)
	}
}

func (l *look) reset() {
	canvas, stage := l.canvas, l.stage
	*l = look{
		tab: "events", classes: view.ClassNotable, canvas: canvas, stage: stage,
		talk: view.ClassMessage | view.ClassBeat,
	}
}

// filter is that of the list shown.
func (l *look) filter(client string) view.Filter {
	f := view.Filter{Classes: l.classes, Text: l.find}
	if l.tab == "messages" {
		f.Classes = l.talk
	}
	if l.only {
		f.Node = client
	}
	return f
}

// toggle adds a class to the filter of the list shown, or takes it away.
func (l *look) toggle(id string) {
	for _, c := range ui.Classes {
		if c.ID != id {
			continue
		}
		if l.tab == "messages" {
			l.talk ^= c.Bit
		} else {
			l.classes ^= c.Bit
		}
	}
	l.stale = true
}

// refresh asks for the list that is shown: at once when time stands still.
func (p *page) refresh(now bool) {
	l := &p.look
	l.stale = true
	if l.asking || p.branch == nil || !now && time.Since(l.asked) < rowsEvery {
		return
	}
	l.asking, l.stale, l.asked = true, false, time.Now()
	before, after := 60, 20
	if p.playing {
		before, after = playedRows, 0
	}
	index, at, client, tab := p.frame.Index, p.frame.At, p.client, l.tab
	filter, opened := l.filter(client), p.opened
	p.do(func() {
		store, err := p.askList(tab, index, at, client, before, after, filter)
		p.keep(func() {
			l.asking = false
			if opened != p.opened {
				return
			}
			if err != nil {
				p.trapped(err)
				return
			}
			store()
			if l.stale && !p.playing {
				p.refresh(true)
			}
		})
	})
}

// askList asks for one list and gives back how it is put where it is shown.
func (p *page) askList(tab string, index int, at int64, client string, before, after int,
	filter view.Filter) (store func(), err error) {
	l := &p.look
	switch tab {
	case "messages":
		m, err := p.session.Messages(index, before*2, 0, filter)
		return func() { l.rows, l.fresh = m.Rows, true }, err
	case "config":
		c, err := p.session.Config(client)
		return func() { l.config, l.configOf = c.Rows, client }, err
	case "log":
		s, err := p.session.Story(at)
		return func() {
			if !l.quiet {
				l.story = s.Rows
			}
		}, err
	}
	rows, err := p.session.Events(index, before, after, filter)
	whose := linesOf{p.session.Shown(), filter}
	return func() {
		l.fresh = true
		if p.playing {
			l.follow(rows.Rows, whose)
		} else {
			l.lines, l.linesOf = rows.Rows, linesOf{}
		}
	}, err
}

// choose shows a message whole; 0 closes it. Making it again may take as long as the run did.
func (p *page) choose(id int64) {
	l := &p.look
	l.chosen, l.message, l.loading = id, view.Message{}, id != 0
	if id == 0 {
		return
	}
	opened := p.opened
	p.do(func() {
		m, err := p.session.Message(id)
		p.show(func() {
			if opened != p.opened || l.chosen != id {
				return
			}
			l.loading = false
			if err != nil {
				l.chosen = 0
				p.actFailed(err)
				return
			}
			l.message = m
		})
	})
}

// goToMessage shows a message and the moment it was sent.
func (p *page) goToMessage(id int64) {
	if l := &p.look; l.tab != "messages" {
		l.tab = "messages"
	}
	p.choose(id)
	p.refresh(true)
}

// held says whether the message shown is held at this moment.
func (p *page) held() bool {
	for _, f := range p.frame.Flying {
		if f.ID == p.look.chosen {
			return f.Held
		}
	}
	return false
}

// scrollRows keeps the row of the cursor in sight. It reads the layout, so only when rows are new.
func (p *page) scrollRows() {
	if !p.look.fresh {
		return
	}
	p.look.fresh = false
	panel := element("panel-look")
	if !element("talk").IsNull() {
		panel.Set("scrollTop", panel.Get("scrollHeight"))
		return
	}
	list := element("events")
	if list.IsNull() {
		return
	}
	row := list.Call("querySelector", ".now")
	if row.IsNull() {
		return
	}
	top := row.Get("offsetTop").Int()
	height, scrolled := panel.Get("clientHeight").Int(), panel.Get("scrollTop").Int()
	if end := top + row.Get("offsetHeight").Int(); top < scrolled+120 || end > scrolled+height {
		panel.Set("scrollTop", max(end-height*2/3, 0))
	}
}
