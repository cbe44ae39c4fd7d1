package script

import (
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"rebalancelab/engine/sim"
)

// Defaults of a scenario that does not say.
const (
	defaultBrokers = 3
	defaultTail    = 60 * time.Second // after the last timed action
)

// loader runs a file and collects what it says.
type loader struct {
	sc   *Scenario
	opt  LoadOptions
	code *code
	find *finder
	over bool // the file has run

	clustered bool
	runFor    time.Duration
	lastTimed time.Duration
	committed []*committedValue
	actions   []*pendingAction
	checks    []*pendingCheck // expectations, goals and pars
	predicts  []*pendingPrediction
	preloads  []pendingPreload
	editables []editableFunction
	editSets  []editableSetting
}

type pendingAction struct {
	trigger *triggerValue
	values  []starlark.Value
	text    string
	place   Place
}

// Load runs a scenario's file for one variant. Every error is an [*Error].
func Load(src Source, opt LoadOptions) (*Scenario, error) {
	sc, err := load(src, opt)
	if err != nil {
		return nil, toError(err, src.File)
	}
	return sc, nil
}

func load(src Source, opt LoadOptions) (*Scenario, error) {
	f, c, err := parse(src)
	if err != nil {
		return nil, err
	}
	for i := range opt.Overrides {
		o := &opt.Overrides[i]
		if o.Setting {
			c.settings[o.Name] = o
		} else if err := c.splice(f, o); err != nil {
			return nil, err
		}
	}
	sc := &Scenario{
		File: src.File, Brokers: defaultBrokers, code: c,
		Latency: Latency{OneWay: sim.DefaultLatency, Spread: sim.DefaultJitter},
	}
	c.finder = &finder{sc: sc}
	l := &loader{sc: sc, opt: opt, code: c, find: c.finder}
	if err := l.run(f); err != nil {
		return nil, err
	}
	l.over = true
	if extra := l.notEditable(); extra != "" && len(sc.Variants) > 0 {
		opt.Overrides = without(opt.Overrides, extra)
		return load(src, opt)
	}
	return sc, l.finish()
}

// run compiles and runs the file.
func (l *loader) run(f *syntax.File) error {
	rewriteStmts(f.Stmts)
	names := l.predeclared()
	prog, err := starlark.FileProgram(f, names.Has)
	if err != nil {
		return err
	}
	t := &starlark.Thread{Name: "scenario", Print: func(*starlark.Thread, string) {}}
	t.SetMaxExecutionSteps(maxSteps)
	t.OnMaxSteps = func(t *starlark.Thread) { t.Cancel(loadReason) }
	globals, err := prog.Init(t, names)
	if err != nil {
		return err
	}
	globals.Freeze()
	l.code.globals = globals
	return nil
}

// predeclared are all names that a file may use beyond the language's own.
func (l *loader) predeclared() starlark.StringDict {
	d := limited()
	for name, fn := range statements {
		d[name] = l.builtin(name, fn)
	}
	for name, fn := range acts {
		d[name] = l.builtin(name, fn)
	}
	for name, fn := range triggers {
		d[name] = l.builtin(name, fn)
	}
	l.addQueries(d)
	for name, fn := range programBuiltins {
		d[name] = l.forPrograms(name, fn, d[name])
	}
	return d
}

// allNames are the names that an unknown one may have meant.
func allNames() []string {
	d := (&loader{}).predeclared()
	for _, name := range starlark.Universe.Keys() {
		d[name] = starlark.None
	}
	var names []string
	for _, name := range d.Keys() {
		if name[0] >= 'a' {
			names = append(names, name)
		}
	}
	return names
}

// statement is a built-in of the top level.
type statement func(l *loader, a *arguments, at Place) (starlark.Value, error)

// builtin makes a statement callable. Its errors carry the place of the call.
func (l *loader) builtin(name string, fn statement) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(
		t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
	) (starlark.Value, error) {
		at := callPlace(t)
		if l.over {
			return nil, errorAt(at, "%s() belongs to the top level of the file, not into a program", name)
		}
		a := newArguments(name, args, kwargs)
		v, err := fn(l, a, at)
		if err == nil {
			err = a.end()
		}
		if err != nil {
			return nil, &Error{Place: at, Msg: err.Error()}
		}
		return v, nil
	})
}

// callPlace is where the built-in that is running was called from.
func callPlace(t *starlark.Thread) Place {
	for depth := 1; depth < t.CallStackDepth(); depth++ {
		if pos := t.CallFrame(depth).Pos; pos.Filename() != builtinFile {
			return placeOf(pos)
		}
	}
	return Place{}
}

// forPrograms makes a built-in of programs callable; at the top level it is other, if there is one.
func (l *loader) forPrograms(
	name string, fn programBuiltin, other starlark.Value,
) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(
		t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
	) (starlark.Value, error) {
		if s := strandOf(t); s != nil {
			return fn(s, args, kwargs)
		}
		if other != nil {
			return other.(*starlark.Builtin).CallInternal(t, args, kwargs)
		}
		return nil, errorAt(callPlace(t), "%s() works only in a program: a function given to "+
			"consumer() as run =", name)
	})
}

func without(all []Override, name string) []Override {
	var rest []Override
	for _, o := range all {
		if o.Setting || o.Name != name {
			rest = append(rest, o)
		}
	}
	return rest
}
