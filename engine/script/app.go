package script

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/client"
	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// minCall is what every blocking call costs at least.
const minCall = 10 * time.Microsecond

// Pace stretches the work of a process. Its zero value is normal speed; it may change while the
// process runs.
type Pace struct {
	// Percent is what is left of the process's speed; 0 means all.
	Percent int64
	// Factor times as long, and Extra longer, does a handler take; 0 means once.
	Factor int64
	Extra  time.Duration
}

// stretch is how long work of length d takes.
func (p *Pace) stretch(d time.Duration) time.Duration {
	if p == nil {
		return d
	}
	if p.Factor > 1 {
		d = min(d, maxDuration/time.Duration(p.Factor)) * time.Duration(p.Factor)
	}
	d += p.Extra
	if p.Percent > 0 && p.Percent < 100 {
		d = min(d, maxDuration) * 100 / time.Duration(p.Percent)
	}
	return d
}

// Ending says how a program ended by itself.
type Ending struct {
	// By is a trace.EndedBy value: stop, crash or exit.
	By int64
	// Text is the error, with its file and line.
	Text string
	// RestartAfter is the time until the process shall start again; negative: it shall not.
	RestartAfter time.Duration
}

// AppOptions are what a process gets from its host.
type AppOptions struct {
	Scenario *Scenario
	// Settings were changed since the start; later ones win.
	Settings []Setting
	Stores   *Stores
	// Pace may be nil.
	Pace *Pace
	// Ended is called once, on the loop's turn, when the program has ended by itself. The host then
	// ends the process and calls Kill.
	Ended func(Ending)
}

// App is the process of one consumer: its client library and its program.
type App struct {
	client.Process
	spec    *ConsumerSpec
	opt     AppOptions
	cfg     client.ConsumerConfig
	program Program

	env      sim.Env
	consumer *client.Consumer
	near     *neighbour.Client // in the place of a consumer: the process reads from a neighbour
	producer *client.Producer
	self     *consumerValue
	group    trace.Ref
	marks    []*markValue

	pollText, workText lastRead // durations as poll and process were given them
	names              [4]named // what ref was asked for last, in turn
	nextName           int

	pollTimeout time.Duration
	beginPoll   func()
	polled      []client.Record
	pollErr     error

	strands  []*strand
	main     *strand
	dead     bool
	stash    []client.Offset // of kafka-go's commit interval
	counted  client.Metrics  // at the last stats()
	stopping bool
	closing  bool // close() was called,
	closed   bool // and is done
	ending   Ending
	faulty   error // what the next blocking call to end fails with
}

// NewApp makes the process of spec, ready to be started. It fails when the settings contradict each
// other.
func NewApp(spec *ConsumerSpec, opt AppOptions) (*App, error) {
	own := *spec
	own.Settings = append(append([]Setting(nil), spec.Settings...), opt.Settings...)
	cfg, err := own.Config()
	if err != nil {
		return nil, errorAt(spec.Place, "%s: %v", spec.Name, err)
	}
	cfg.Assignors = slices.DeleteFunc(cfg.Assignors, func(a assign.Assignor) bool {
		_, placeholder := a.(*scripted) // a library's own stay
		return placeholder
	})
	a := &App{
		spec: spec, opt: opt, cfg: cfg, program: opt.Scenario.Program(spec),
		ending: Ending{RestartAfter: -1},
	}
	for _, own := range opt.Scenario.Assignors {
		a.cfg.Assignors = append(a.cfg.Assignors, &scripted{a, own})
	}
	a.cfg.Bootstrap = opt.Scenario.code.finder.brokers()
	a.main = newStrand(a, spec.Name, (*strand).program)
	a.main.main = true
	return a, nil
}

// Start implements [sim.Node].
func (a *App) Start(env sim.Env) {
	a.Process.Start(env)
	a.env = env
	a.group = env.Ref(a.spec.Group)
	if n := a.opt.Scenario.Neighbour(a.spec.Of); n != nil {
		a.near = neighbour.NewClient(env, n, a.spec.Group)
		a.self = newNeighbourValue(a, n.Kind)
		env.After(0, a.main.resume)
		return
	}
	a.consumer = client.NewConsumer(&a.Process, a.cfg)
	a.self = newConsumerValue(a)
	a.preparePoll()
	if a.spec.Profile.Reader.CommitInterval > 0 {
		a.commitLoop()
	}
	env.After(0, a.main.resume)
}

// Opened, Received and Closed implement [sim.Node].
func (a *App) Opened(c sim.Conn) {
	if a.near != nil {
		a.near.Opened(c)
	}
	a.Process.Opened(c)
}

// Received implements [sim.Node].
func (a *App) Received(c sim.Conn, m sim.Message) {
	if _, ok := m.(*neighbour.Message); ok {
		a.near.Received(c, m)
		return
	}
	a.Process.Received(c, m)
}

// Closed implements [sim.Node].
func (a *App) Closed(c sim.Conn) {
	if a.near != nil {
		a.near.Closed(c)
	}
	a.Process.Closed(c)
}

// Kill ends the program where it stands, without a word to anybody. The host calls it between two
// turns, after it has ended the process, and when it is done with a run.
func (a *App) Kill() {
	a.dead = true
	for _, s := range a.strands {
		s.kill()
	}
	a.strands = nil
}

// Stop is SIGTERM: the next blocking call of the consumer ends with an error, and unless the
// program catches that, the consumer is closed and the process ends.
func (a *App) Stop() {
	if a.stopping || a.dead || a.self == nil {
		return
	}
	a.stopping = true
	if a.near != nil {
		a.near.Interrupt(&client.WakeupError{})
		return
	}
	a.consumer.Wakeup()
}

// Line is the source line that the program stands at; 0 before its first call and after its end.
func (a *App) Line() int {
	if a.main.over || a.main.killed || a.env == nil {
		return 0
	}
	return a.main.line()
}

// program is the body of the main strand: the scenario's function, then what follows its end.
func (s *strand) program() {
	a := s.app
	err := s.runProgram()
	if s.killed {
		return
	}
	var wake *client.WakeupError
	stopped := a.stopping && (err == nil || errors.As(err, &wake))
	if stopped {
		err = nil
	}
	if err != nil {
		a.fails(err)
	}
	if !a.closing && (stopped || err != nil && a.spec.OnError.Kind == OnErrorClose) {
		s.thread.Uncancel()
		s.thread.Steps = 0
		if failed := s.close(); failed != nil && err == nil && !s.killed {
			err = failed
			a.fails(err)
		}
	}
	if s.killed {
		return
	}
	switch {
	case err != nil:
		a.ending.By, a.ending.Text = trace.EndedByCrash, toError(err, a.program.File).Error()
		if a.spec.OnError.Kind == OnErrorRestart {
			a.ending.RestartAfter = a.spec.OnError.After
		}
	case stopped:
		a.ending.By = trace.EndedByStop
	default:
		a.ending.By = trace.EndedByExit
	}
}

// fails logs an error that nobody caught.
func (a *App) fails(err error) { a.logLine(toError(err, a.program.File).Error(), 2) }

// strandOver hears that a coroutine has come to its end.
func (a *App) strandOver(s *strand) {
	for i := range a.strands {
		if a.strands[i] == s {
			a.strands = append(a.strands[:i], a.strands[i+1:]...)
			break
		}
	}
	if !s.main || a.dead {
		return
	}
	a.trace(trace.Event{Kind: trace.ProgramEnded, Name: a.ref(a.ending.Text)})
	if a.opt.Ended != nil {
		a.opt.Ended(a.ending)
	}
}

// trace writes an event, unless the process is no more.
func (a *App) trace(e trace.Event) {
	if !a.dead {
		a.env.Trace(e)
	}
}

// ref interns a text of the trace. A program writes few different ones, each many times.
func (a *App) ref(s string) trace.Ref {
	for i := range a.names {
		if n := &a.names[i]; n.text == s {
			return n.ref
		}
	}
	n := &a.names[a.nextName]
	a.nextName = (a.nextName + 1) % len(a.names)
	*n = named{s, a.env.Ref(s)}
	return n.ref
}

// named is a text with its place in the trace; the zero value is that of the empty text.
type named struct {
	text string
	ref  trace.Ref
}

// maxLogLine bounds the text of one line that a program logs.
const maxLogLine = 1000

func (a *App) logLine(text string, level int64) {
	if len(text) > maxLogLine {
		text = text[:maxLogLine] + "..."
	}
	a.trace(trace.Event{Kind: trace.LogLine, Name: a.ref(text), X: level})
}

// lengthOf is a length of time, drawn from the process's own stream if it varies.
func (a *App) lengthOf(s spread) time.Duration {
	if s.kind == spreadFixed {
		return s.a
	}
	return s.draw(a.env.Rand("work"))
}

func (a *App) callbackStarted(c callback) {
	a.trace(trace.Event{Kind: trace.CallbackStarted, Name: a.ref(c.name), X: int64(c.n)})
}

func (a *App) callbackEnded(c callback) {
	a.trace(trace.Event{Kind: trace.CallbackEnded, Name: a.ref(c.name), X: int64(c.n)})
}

// line is the line of the program's own text that the strand stands at: that of the innermost frame
// inside it, so that what is lit is always text that is shown.
func (s *strand) line() int {
	p := &s.app.program
	for depth := 0; depth < s.thread.CallStackDepth(); depth++ {
		pos := s.thread.DebugFrame(depth).Position()
		if l := int(pos.Line); l >= p.FirstLine && l <= p.LastLine && pos.Filename() == p.File {
			return l
		}
	}
	return 0
}

// String names the process in a panic.
func (a *App) String() string { return fmt.Sprintf("app %s", a.spec.Name) }
