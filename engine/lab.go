package engine

import (
	"errors"
	"fmt"
	"time"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/fold"
	"rebalancelab/engine/script"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/tell"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/verdict"
	"rebalancelab/engine/view"
)

// Version names this engine in links and reports. It changes when equal inputs may give another
// trace.
const Version = "1"

// Bounds of one run. They are far above every lesson and keep a page from eating its memory.
const (
	maxEvents    = 6_000_000
	maxTraceSize = 200 << 20
	maxVirtual   = 24 * time.Hour
)

// Options say what to run. Equal options give equal traces, on every host.
type Options struct {
	File      string
	Source    string
	Seed      uint64
	Variant   string
	Overrides []view.Override
	// Commands are a person's acts, each after every event up to its time.
	Commands []view.Command
	// CheckIndex and CheckHash, if CheckIndex > 0, are what the trace of the run that this one is
	// forked from says: another hash after that many events is an error.
	CheckIndex int
	CheckHash  uint64
	// Hops encodes and decodes every message on its way.
	Hops bool
}

// Lab is one run.
type Lab struct {
	opt      Options
	scenario *script.Scenario
	horizon  int64

	world   *sim.World
	log     *trace.Log
	cluster *broker.Cluster
	cast    *cast
	agenda  agenda
	done    bool
	failed  error

	facts      *verdict.Facts
	invariants *verdict.Invariants
	broken     error

	frames  *frames
	stage   *fold.Scene
	stageAt int
	telling *tell.Teller
	learned *trace.Reader
}

// Load reads a scenario and sets its world up at time 0. An error is a *script.Error, or says which
// option is wrong.
func Load(o Options) (*Lab, error) {
	sc, err := loadScenario(o)
	if err != nil {
		return nil, err
	}
	if sc.Horizon > maxVirtual {
		return nil, fmt.Errorf("%s: the run would last %v; %v is the most", o.File, sc.Horizon, maxVirtual)
	}
	l := &Lab{opt: o, scenario: sc, horizon: int64(sc.Horizon), log: trace.NewLog()}
	l.learned = l.log.Reader(0)
	l.facts = verdict.NewFacts(l.log)
	l.invariants = verdict.NewInvariants(l.log)
	l.world = sim.NewWorld(sim.Options{
		Seed: o.Seed, Log: l.log, Label: label, Hop: l.hop(), Intercept: l.intercept,
		Observe: l.observe,
	})
	if err := l.populate(); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func loadScenario(o Options) (*script.Scenario, error) {
	opt := script.LoadOptions{Variant: o.Variant}
	for _, v := range o.Overrides {
		opt.Overrides = append(opt.Overrides, script.Override{
			Name: v.Name, Setting: v.Setting, Text: v.Text,
		})
	}
	return script.Load(script.Source{File: o.File, Text: o.Source}, opt)
}

// Rows are the rows that a scenario says it covers.
func Rows(o Options) ([]string, error) {
	sc, err := loadScenario(o)
	if err != nil {
		return nil, err
	}
	return sc.Rows, nil
}

// Variants are the names of the scenario's variants; nil when it has none.
func (l *Lab) Variants() []string { return l.scenario.Variants }

// Horizon is the length of the run.
func (l *Lab) Horizon() time.Duration { return time.Duration(l.horizon) }

// Hash is the hash of the trace so far.
func (l *Lab) Hash() uint64 { return l.log.Hash() }

// Len is the number of events so far.
func (l *Lab) Len() int { return l.log.Len() }

// HashAt is the hash of the first n events.
func (l *Lab) HashAt(n int) uint64 { return l.log.HashAt(n) }

// Trace is the history so far, to be read only.
func (l *Lab) Trace() *trace.Log { return l.log }

// Advance goes on until at least so many more events have happened or the horizon is reached, which
// it reports. An error ends the run early: what happened until then can still be looked at.
// A broken invariant panics.
func (l *Lab) Advance(events int) (done bool, err error) {
	until := l.log.Len() + events
	for !l.done && l.log.Len() < until {
		if err := l.turn(); err != nil {
			l.failed, l.done = err, true
			return true, err
		}
		if l.broken != nil {
			panic(l.report(l.broken.Error()))
		}
	}
	return l.done, nil
}

// turn does the next thing: an act whose time has come, else the world's next event.
func (l *Lab) turn() error {
	end := sim.Start.Add(time.Duration(l.horizon))
	next, some := l.world.Next()
	if at, ok := l.agenda.next(); ok && at <= end && (!some || next > at) {
		l.world.Forward(at)
		l.agenda.run()
		return l.settle()
	}
	if !some || next > end {
		l.world.Forward(end)
		l.done = true
		return nil
	}
	if err := l.world.Turn(); err != nil {
		return fmt.Errorf("%w%s", err, l.cast.whereabouts())
	}
	return l.settle()
}

// settle carries out what the last turn asked for, and checks the bounds.
func (l *Lab) settle() error {
	for l.agenda.settle() {
	}
	if err := l.cast.problem(); err != nil {
		return err
	}
	switch {
	case l.log.Len() > maxEvents:
		return fmt.Errorf("%s: more than %d events; shorten run_for or lower the rates",
			l.opt.File, maxEvents)
	case l.log.Bytes() > maxTraceSize:
		return fmt.Errorf("%s: the trace takes more than %d MiB", l.opt.File, maxTraceSize>>20)
	case l.opt.CheckIndex > 0 && l.log.Len() >= l.opt.CheckIndex:
		want := l.opt.CheckHash
		n := l.opt.CheckIndex
		l.opt.CheckIndex = 0
		if l.log.HashAt(n) != want {
			return errors.New("the run up to this moment differs from the one it was forked from")
		}
	}
	return nil
}

// reached is the time up to which the run is known.
func (l *Lab) reached() int64 {
	if l.done && l.failed == nil {
		return l.horizon
	}
	return l.world.Now().Since()
}

// observe sees every event as it is written.
func (l *Lab) observe(e *trace.Event) {
	l.facts.Observe(e)
	if broken := l.invariants.Observe(e); broken != nil && l.broken == nil {
		l.broken = broken
	}
	l.agenda.observe(e)
}

// report is the text of a broken invariant: what, when, and how to see it again.
func (l *Lab) report(what string) string {
	return fmt.Sprintf("broken invariant at %v (seed %d, event %d): %s\nreplay: go run ./app run %s --seed %d",
		time.Duration(l.world.Now().Since()), l.opt.Seed, l.log.Len(), what, l.opt.File, l.opt.Seed)
}

// Close ends every program. The trace can still be looked at.
func (l *Lab) Close() {
	if l.cast != nil {
		l.cast.close()
	}
}

// Variants are the names of a scenario's variants; one empty name when it has none.
func Variants(o Options) ([]string, error) {
	sc, err := loadScenario(o)
	if err != nil {
		return nil, err
	}
	if len(sc.Variants) == 0 {
		return []string{""}, nil
	}
	return sc.Variants, nil
}

// ParseOverrides takes a solution's text apart: functions, and settings as NAME = VALUE.
func ParseOverrides(file, text string) ([]view.Override, error) {
	list, err := script.ParseOverrides(script.Source{File: file, Text: text})
	if err != nil {
		return nil, err
	}
	var out []view.Override
	for _, v := range list {
		out = append(out, view.Override{Name: v.Name, Setting: v.Setting, Text: v.Text})
	}
	return out, nil
}
