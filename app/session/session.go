package session

import (
	"errors"
	"fmt"
	"slices"

	"rebalancelab/engine/view"
)

// slice is the number of events that the engine runs before it lets others speak.
const slice = 20_000

// maxBranches bounds the runs that are kept: each holds its whole trace in the engine's memory.
const maxBranches = 8

// Progress tells how far a run is: the time reached and the time of its end, in ns.
type Progress func(at, horizon int64)

// Session is the branches of one lab.
type Session struct {
	engine   Engine
	branches []*Branch
	shown    int // place in branches
	lastID   int
	tried    Plan
	progress Progress
}

// New returns a session without branches; progress may be nil.
func New(e Engine, progress Progress) *Session {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	return &Session{engine: e, progress: progress}
}

// Branches are all runs that are kept, in order of making.
func (s *Session) Branches() []*Branch { return s.branches }

// Shown is the branch that the page shows; nil before the first run.
func (s *Session) Shown() *Branch {
	if s.shown >= len(s.branches) {
		return nil
	}
	return s.branches[s.shown]
}

// Tried is the plan that was run last, also one that failed or ended the engine: a report names it.
func (s *Session) Tried() Plan { return s.tried }

// Start runs a plan whole and shows it as a new branch.
func (s *Session) Start(name string, plan Plan) (*Branch, error) {
	b := &Branch{Name: name, Plan: plan}
	if err := s.run(b, Moment{}); err != nil {
		return nil, err
	}
	s.add(b)
	return b, nil
}

// Act does something at a moment of the branch shown. If the reader has seen more than that, what
// was seen stays and a new branch is shown; a future that nobody looked at is replaced. The
// commands up to the moment are the same, which the engine checks by the trace's hash.
func (s *Session) Act(m Moment, text string) (*Branch, error) {
	old := s.Shown()
	if old == nil {
		return nil, fmt.Errorf("nothing runs yet")
	}
	b := &Branch{
		Name: text, Plan: old.Plan.with(m.At, text), From: m.At, Parent: old.ID, Seen: m.At,
	}
	if err := s.run(b, m); err != nil {
		return nil, err
	}
	if old.Seen > m.At {
		s.add(b)
		return b, nil
	}
	b.ID, b.From, b.Parent = old.ID, old.From, old.Parent
	if old.Name != "" {
		b.Name = old.Name + ", " + text
	}
	s.branches[s.shown] = b
	s.free(old)
	return b, nil
}

// Show changes the branch shown; false when there is no such one.
func (s *Session) Show(id int) bool {
	i := slices.IndexFunc(s.branches, func(b *Branch) bool { return b.ID == id })
	if i >= 0 {
		s.shown = i
	}
	return i >= 0
}

// Reload runs the branch shown again, after the engine was replaced: its labs are gone. The other
// branches are run when they are shown next.
func (s *Session) Reload() error {
	for _, b := range s.branches {
		b.Lab = 0
	}
	return s.Revive()
}

// Revive runs the branch shown if its lab is gone.
func (s *Session) Revive() error {
	b := s.Shown()
	if b == nil || b.Lab != 0 {
		return nil
	}
	return s.run(b, Moment{})
}

// Close frees all labs.
func (s *Session) Close() {
	for _, b := range s.branches {
		s.free(b)
	}
	s.branches, s.shown = nil, 0
}

func (s *Session) add(b *Branch) {
	s.lastID++
	b.ID = s.lastID
	s.branches = append(s.branches, b)
	if len(s.branches) > maxBranches { // the first one is the lesson's own run: it stays
		s.free(s.branches[1])
		s.branches = slices.Delete(s.branches, 1, 2)
	}
	s.shown = len(s.branches) - 1
}

// free lets a lab go. An error is of no interest: the engine that kept it is gone.
func (s *Session) free(b *Branch) {
	if b.Lab != 0 {
		_ = Ask(s.engine, view.OpFree, &view.LabOf{Lab: b.Lab}, nil)
		b.Lab = 0
	}
}

// run loads b and runs it to its end. m is the moment up to which it must be the run that it left.
// After an error nothing of it is left in the engine.
func (s *Session) run(b *Branch, m Moment) error {
	s.tried = b.Plan
	load := view.Load{
		File: b.Plan.File, Source: b.Plan.Source, Seed: b.Plan.Seed, Variant: b.Plan.Variant,
		Overrides: b.Plan.Overrides, Commands: b.Plan.Commands,
		CheckIndex: m.Index, CheckHash: m.Hash,
	}
	if err := Ask(s.engine, view.OpLoad, &load, &b.Loaded); err != nil {
		return err
	}
	b.Lab = b.Loaded.Lab
	if err := s.advance(b); err != nil {
		s.free(b)
		return err
	}
	err := Ask(s.engine, view.OpScene, &view.LabOf{Lab: b.Lab}, &b.Scene)
	if err == nil {
		err = Ask(s.engine, view.OpVerdict, &view.LabOf{Lab: b.Lab}, &b.Verdict)
	}
	if err != nil {
		s.free(b)
	}
	return err
}

// advance runs b to its end. A program or an act that fails ends the run there: that is a result.
func (s *Session) advance(b *Branch) error {
	b.Failed = nil
	for {
		err := Ask(s.engine, view.OpRun, &view.Run{Lab: b.Lab, Events: slice}, &b.Progress)
		var p *Problem
		if errors.As(err, &p) && b.Failed == nil {
			b.Failed = p
			continue // the next answer says how far it came
		}
		if err != nil {
			return err
		}
		s.progress(b.Progress.At, b.Loaded.Horizon)
		if b.Progress.Done {
			return nil
		}
	}
}
