package script

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"time"

	"go.starlark.net/starlark"
)

// strand is one coroutine of a process: its program, or a worker of a pool. It runs only inside
// resume, which the loop calls, and hands control back at every blocking call.
type strand struct {
	app    *App
	thread *starlark.Thread
	next   func() (func(), bool)
	stop   func()
	yield  func(func()) bool
	main   bool

	depth    int // blocking calls under way: callbacks nest
	running  bool
	over     bool
	killed   bool
	panicked string

	nested []callback // to be run inside the present blocking call
	chores []chore    // to be run at the end of it
	busy   bool       // chores are being run

	waiting   time.Duration // of process and sleep
	beginWait func()
	wake      func() // resume, made once
}

// callback is a function of the program that the client wants run now; done hears of its end.
type callback struct {
	name string
	fn   starlark.Callable
	arg  starlark.Value
	n    int
	done func(error)
}

// chore is a call that waits for the end of a blocking call: the answer of an asynchronous commit,
// or what every() has due.
type chore struct {
	fn   starlark.Callable
	args starlark.Tuple
}

// errKilled unwinds a coroutine that is ended from outside. No program sees it.
var errKilled = errors.New("the process was killed")

const strandKey = "strand"

func strandOf(t *starlark.Thread) *strand {
	s, _ := t.Local(strandKey).(*strand)
	return s
}

// newStrand makes a coroutine that runs body. It starts with the first resume.
func newStrand(app *App, name string, body func(s *strand)) *strand {
	s := &strand{app: app, thread: &starlark.Thread{Name: name}}
	s.thread.SetLocal(strandKey, s)
	s.thread.Print = func(_ *starlark.Thread, text string) { app.logLine(text, 0) }
	s.thread.SetMaxExecutionSteps(maxSteps)
	s.thread.OnMaxSteps = func(t *starlark.Thread) { t.Cancel(stepsReason) }
	s.wake = s.resume
	s.beginWait = func() { app.env.After(max(s.waiting, minCall), s.wake) }
	s.next, s.stop = iter.Pull(func(yield func(func()) bool) {
		s.yield = yield
		defer func() {
			if r := recover(); r != nil {
				stack := make([]byte, 16<<10)
				s.panicked = fmt.Sprintf("%v\n\nin a program of %s:\n%s", r, app.spec.Name,
					stack[:runtime.Stack(stack, false)])
			}
		}()
		body(s)
	})
	app.strands = append(app.strands, s)
	return s
}

// resume lets the coroutine go on until its next blocking call, which it then begins. It must be
// called by the loop.
func (s *strand) resume() {
	if s.over || s.killed {
		return
	}
	if s.running {
		panic("script: a coroutine is resumed from inside")
	}
	s.thread.Steps = 0
	s.running = true
	begin, ok := s.next()
	s.running = false
	if s.panicked != "" {
		panic(s.panicked)
	}
	if !ok {
		s.over = true
		s.app.strandOver(s)
		return
	}
	if begin != nil {
		begin()
	}
}

// kill ends the coroutine where it stands. It must be called by the loop.
func (s *strand) kill() {
	if s.running {
		panic("script: a coroutine is ended from inside")
	}
	s.killed = true
	s.stop()
}

// wait hands control to the loop, which calls begin, and comes back once the loop resumes the
// strand. begin, and whoever it asks, must not resume it at once.
func (s *strand) wait(begin func()) error {
	if s.killed || !s.yield(begin) {
		return errKilled
	}
	return nil
}

// block is a blocking call: it waits like wait, and runs callbacks that come meanwhile. The program
// goes on when the strand is resumed with none to run.
func (s *strand) block(begin func()) error {
	if err := s.wait(begin); err != nil {
		return err
	}
	for len(s.nested) > 0 {
		c := s.nested[0]
		s.nested = s.nested[1:]
		err := s.callback(c)
		if s.killed {
			return errKilled
		}
		done := c.done
		if err := s.wait(func() { done(err) }); err != nil {
			return err
		}
	}
	return nil
}

// callback runs a rebalance callback.
func (s *strand) callback(c callback) error {
	s.app.callbackStarted(c)
	_, err := starlark.Call(s.thread, c.fn, starlark.Tuple{c.arg}, nil)
	if !s.killed {
		s.app.callbackEnded(c)
	}
	return err
}

// doChores runs what has waited for the end of a blocking call. What comes due meanwhile waits for
// the next one, so that the program itself goes on.
func (s *strand) doChores() error {
	s.busy = true
	defer func() { s.busy = false }()
	due := s.chores
	s.chores = nil
	for _, c := range due {
		if _, err := starlark.Call(s.thread, c.fn, c.args, nil); err != nil {
			return err
		}
	}
	return nil
}
