package script

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"rebalancelab/engine/trace"
)

// poolValue is workers(n): threads that work on records beside the program.
type poolValue struct {
	opaque
	app     *App
	size    int
	busy    int
	queue   []job
	failed  error     // the first error of a job that has not been told yet
	waiters []*strand // strands in wait()
}

// job is one piece of work.
type job struct {
	fn   starlark.Callable
	args starlark.Tuple
	then starlark.Callable
}

const (
	maxWorkers = 1000
	maxQueue   = 1_000_000
)

var poolMethods = []string{"pending", "submit", "wait"}

func workersBuiltin(s *strand, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var n int
	if err := starlark.UnpackArgs("workers", args, kw, "n", &n); err != nil {
		return nil, err
	}
	if n < 1 || n > maxWorkers {
		return nil, fmt.Errorf("workers(%d): give 1 to %d", n, maxWorkers)
	}
	return &poolValue{app: s.app, size: n}, nil
}

func (p *poolValue) String() string      { return fmt.Sprintf("workers(%d)", p.size) }
func (p *poolValue) Type() string        { return "workers" }
func (p *poolValue) AttrNames() []string { return poolMethods }

// Attr gives submit(fn, record, then=), wait() and pending().
func (p *poolValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "submit":
		return starlark.NewBuiltin(name, p.submit), nil
	case "wait":
		return starlark.NewBuiltin(name, p.wait), nil
	case "pending":
		return starlark.NewBuiltin(name, func(
			_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple,
		) (starlark.Value, error) {
			return starlark.MakeInt(p.busy + len(p.queue)), starlark.UnpackArgs(name, args, kw)
		}), nil
	}
	return nil, noField("pool of workers", name, poolMethods)
}

// submit hands a piece of work to the pool and returns at once. An error of an earlier one comes
// out here.
func (p *poolValue) submit(
	_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple,
) (starlark.Value, error) {
	if err := p.takeError(); err != nil {
		return nil, err
	}
	var then starlark.Value
	if len(args) < 1 {
		return nil, fmt.Errorf("submit: give a function and its arguments, as pool.submit(handle, record)")
	}
	if err := starlark.UnpackArgs("submit", nil, kw, "then?", &then); err != nil {
		return nil, err
	}
	fn, ok := args[0].(starlark.Callable)
	if !ok {
		return nil, fmt.Errorf("submit: %s is no function; give the function and its arguments apart, "+
			"as pool.submit(handle, record)", brief(args[0]))
	}
	j := job{fn: fn, args: append(starlark.Tuple(nil), args[1:]...)}
	var err error
	if j.then, err = optionalFunction("submit", "then", then); err != nil {
		return nil, err
	}
	if len(p.queue) >= maxQueue {
		return nil, fmt.Errorf("submit: %d records wait for a worker, the most that fit; pause the "+
			"partitions, or wait()", maxQueue)
	}
	p.queue = append(p.queue, j)
	p.dispatch()
	return starlark.None, nil
}

// dispatch gives waiting work to idle workers. A worker begins when the program next hands over
// control.
func (p *poolValue) dispatch() {
	for p.busy < p.size && len(p.queue) > 0 {
		j := p.queue[0]
		p.queue = p.queue[1:]
		p.busy++
		w := newStrand(p.app, "worker", func(s *strand) { p.work(s, j) })
		p.app.env.After(0, w.resume)
	}
}

// work is the body of a worker's coroutine: one job.
func (p *poolValue) work(s *strand, j job) {
	_, err := starlark.Call(s.thread, j.fn, j.args, nil)
	if err == nil && j.then != nil {
		var args starlark.Tuple
		if len(j.args) > 0 {
			args = j.args[:1]
		}
		_, err = starlark.Call(s.thread, j.then, args, nil)
	}
	if s.killed {
		return
	}
	p.busy--
	if err != nil {
		p.failed = firstError(p.failed, err)
		p.jobFailed(err, j)
	}
	p.dispatch()
	if p.busy == 0 {
		for _, w := range p.waiters {
			p.app.env.After(minCall, w.resume)
		}
		p.waiters = nil
	}
}

func (p *poolValue) jobFailed(err error, j job) {
	a := p.app
	a.fails(err)
	var own *programError
	if errors.As(err, &own) && own.traced {
		return
	}
	if len(j.args) > 0 {
		if r, ok := j.args[0].(*recordValue); ok {
			a.trace(trace.Event{
				Kind: trace.WorkFailed, Name: a.ref(r.Topic), Part: r.Partition, X: r.Offset,
			})
		}
	}
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (p *poolValue) takeError() error {
	err := p.failed
	p.failed = nil
	return err
}

// wait blocks until every piece of work is done.
func (p *poolValue) wait(
	t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple,
) (starlark.Value, error) {
	if err := starlark.UnpackArgs("wait", args, kw); err != nil {
		return nil, err
	}
	s := strandOf(t)
	s.begin("wait", 0)
	err := s.block(func() {
		if p.busy == 0 {
			p.app.env.After(minCall, s.resume)
			return
		}
		p.waiters = append(p.waiters, s)
	})
	if err == nil {
		err = p.takeError()
	}
	return starlark.None, s.end("wait", 0, err)
}
