//go:build js

package page

import (
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/app/course"
	"rebalancelab/app/session"
	"rebalancelab/app/ui"
	"rebalancelab/engine/view"
)

// Root is the component that everything stands in.
type Root struct {
	app.Compo
	p *page
}

// New returns the root component.
func New() app.Composer { return &Root{p: &page{}} }

// OnMount starts the page.
func (r *Root) OnMount(ctx app.Context) { r.p.start(ctx) }

// Render implements app.Composer.
func (r *Root) Render() app.UI {
	v := r.p.view()
	return ui.Page(&v)
}

// page is the state. Fields belong to the UI goroutine unless they say otherwise.
type page struct {
	ctx    app.Context
	lab    bridge
	jobs   chan func()
	course *course.Course
	engine string // version of the engine; empty until it answers
	boot   ui.BootView
	screen string
	embed  bool

	search  string
	row     string // of the library
	notices []ui.Notice
	dialog  ui.DialogView
	report  ui.TrapView

	session *session.Session // used by jobs only, and read when no job runs it
	lesson  *course.Lesson   // nil in the sandbox
	story   string           // id of the story that the sandbox began with
	opened  int              // counts openings: what comes for an earlier one is dropped
	busy    string
	percent int
	branch  *session.Branch // shown
	all     []*session.Branch
	base    view.Verdict // of the lesson's own run

	frame   view.View
	framed  *session.Branch // that frame is of
	names   ui.Names
	playing bool
	ran     bool // the reader has let it run
	eager   bool // play as soon as there is a run
	speed   float64
	horizon int64

	seed    uint64
	step    int
	answers map[int]*answer
	states  map[string]string // of lessons, as kept in the preferences
	edit    edit
	look    look
	panel   string
	client  string // selected
	typed   string
	problem string // what is wrong with the last action
}

// answer is what the reader did with the prediction of a step.
type answer struct {
	chosen   string
	locked   bool
	revealed bool
}

func (p *page) start(ctx app.Context) {
	p.ctx, p.lab = ctx, newBridge()
	p.jobs = make(chan func(), 1000)
	p.states = map[string]string{}
	p.screen, p.panel, p.speed = ui.ScreenBoot, "stage", 4
	p.boot.Text = "Loading the course."
	p.look.reset()
	query := js.Global().Get("URLSearchParams").New(js.Global().Get("location").Get("search"))
	p.embed = text(query.Call("get", "embed")) == "1"
	setTheme(p.lab.pref("theme"))
	p.listen()
	if text(query.Call("get", "gallery")) == "1" {
		p.screen = ui.ScreenGallery
		p.update()
		return
	}
	go func() {
		for job := range p.jobs {
			job()
		}
	}()
	p.load()
}

// do puts a job in the queue of those that ask the engine.
func (p *page) do(job func()) { p.jobs <- job }

// show hands over what a job brought: f runs on the UI goroutine, then the page is rendered.
func (p *page) show(f func()) {
	p.ctx.Dispatch(func(ctx app.Context) {
		f()
		ctx.Defer(func(app.Context) { p.rendered() })
	})
}

// keep hands over what a job brought while time runs: f runs on the UI goroutine, and what it changes
// is rendered with the next view, which is never far.
func (p *page) keep(f func()) {
	p.ctx.Dispatch(func(ctx app.Context) {
		f()
		if p.playing {
			ctx.PreventUpdate()
			return
		}
		ctx.Defer(func(app.Context) { p.rendered() })
	})
}

// update renders the page after a change of state.
func (p *page) update() { p.show(func() {}) }

// load gets the course and starts the engine; both take their time.
func (p *page) load() {
	go func() {
		bundle, err := fetchText(app.Getenv("LESSONS_URL"))
		var c *course.Course
		if err == nil {
			c, err = course.Parse(bundle)
		}
		p.show(func() {
			if err != nil {
				p.boot = ui.BootView{Failed: true, Text: "The lessons could not be loaded: " +
					ui.Sentence(err.Error())}
				return
			}
			p.course = c
			p.follow()
		})
	}()
	p.do(p.startEngine)
}

// startEngine runs as a job, so that whatever asks the engine waits for it.
func (p *page) startEngine() {
	_, err := await(p.lab.Value.Call("start"))
	var info view.Info
	if err == nil {
		err = session.Ask(p.lab, view.OpInfo, nil, &info)
	}
	p.show(func() {
		p.engine = info.Engine
		if err != nil {
			p.trapped(err)
		}
	})
}

// rendered does what has to be done with the elements once they are there.
func (p *page) rendered() {
	if p.screen != ui.ScreenLab {
		p.attach(js.Null(), js.Null())
	} else {
		p.attach(element("timeline"), element("stage"))
		p.lab.Get("stage").Call("say")
		p.followLine()
	}
	p.showDialog()
}

// attach gives the painter its places; the same ones again are no news to it.
func (p *page) attach(timeline, stage js.Value) {
	if !p.look.canvas.Equal(timeline) {
		p.look.canvas = timeline
		p.lab.timeline().Call("attach", timeline)
	}
	if !p.look.stage.Equal(stage) {
		p.look.stage = stage
		p.lab.Get("stage").Call("attach", stage)
	}
}

// showDialog opens or closes the dialog element. The browser keeps the focus inside while it is
// open and gives it back afterwards.
func (p *page) showDialog() {
	d := element("dialog")
	if d.IsNull() {
		return
	}
	open := d.Get("open").Bool()
	if p.dialog.Kind != "" && !open {
		d.Call("showModal")
	} else if p.dialog.Kind == "" && open {
		d.Call("close")
	}
}

// notice adds a message at the top, in place of an earlier one of that id.
func (p *page) notice(n ui.Notice) {
	p.dismiss(n.ID)
	p.notices = append(p.notices, n)
}

func (p *page) dismiss(id string) {
	kept := []ui.Notice{}
	for _, n := range p.notices {
		if n.ID != id {
			kept = append(kept, n)
		}
	}
	p.notices = kept
}

// setTheme is light, dark or, for anything else, what the system says.
func setTheme(name string) {
	root := js.Global().Get("document").Get("documentElement")
	if name != "light" && name != "dark" {
		root.Call("removeAttribute", "data-theme")
		return
	}
	root.Call("setAttribute", "data-theme", name)
}
