package session

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
	"rebalancelab/engine/view"
	"rebalancelab/lessons"
)

// desk is the engine without a Worker between. While dead it ends like one whose instance trapped.
type desk struct {
	*engine.Desk
	dead bool
}

var errTrap = errors.New("unreachable")

func (d *desk) Call(q []byte) ([]byte, error) {
	if d.dead {
		return nil, errTrap
	}
	return d.Answer(q), nil
}

func lesson(t *testing.T, id string) Plan {
	t.Helper()
	c, err := lessons.Load()
	require.NoError(t, err)
	for _, l := range c.Lessons {
		if l.ID == id {
			return Plan{File: "scenario.star", Source: l.Source, Seed: l.Seed}
		}
	}
	require.Fail(t, "no lesson "+id)
	return Plan{}
}

func started(t *testing.T) (*Session, *desk) {
	t.Helper()
	d := &desk{Desk: engine.NewDesk()}
	s := New(d, nil)
	_, err := s.Start("", lesson(t, "commit-before-after"))
	require.NoError(t, err)
	return s, d
}

func moment(t *testing.T, s *Session, ns int64) Moment {
	t.Helper()
	v, err := s.At(ns)
	require.NoError(t, err)
	return Moment{At: v.At, Index: v.Index, Hash: v.Hash}
}

func TestStartRunsToTheHorizonAndTellsProgress(t *testing.T) {
	var last, horizon int64
	s := New(&desk{Desk: engine.NewDesk()}, func(at, h int64) { last, horizon = at, h })
	b, err := s.Start("", lesson(t, "commit-before-after"))
	require.NoError(t, err)
	require.True(t, b.Progress.Done)
	require.Equal(t, horizon, last)
	require.NotEmpty(t, b.Scene.Lanes)
	require.NotEmpty(t, b.Verdict.Checks)
	require.True(t, b.Shipped())
	require.Same(t, b, s.Shown())
}

func TestActingBeforeWhatWasSeenMakesABranchWithTheSamePast(t *testing.T) {
	s, _ := started(t)
	first := s.Shown()
	first.Seen = 30e9
	m := moment(t, s, 10e9)
	b, err := s.Act(m, `stop("A")`)
	require.NoError(t, err)
	require.Len(t, s.Branches(), 2)
	require.Equal(t, first.ID, b.Parent)
	require.Equal(t, m.At, b.From)
	past, err := s.AtIndex(m.Index)
	require.NoError(t, err)
	require.Equal(t, m.Hash, past.Hash, "the past is the same")
	after := moment(t, s, 30e9)
	require.True(t, s.Show(first.ID))
	require.NotEqual(t, after.Hash, moment(t, s, 30e9).Hash, "the future is not")
}

func TestFutureThatNobodySawIsReplaced(t *testing.T) {
	s, _ := started(t)
	m := moment(t, s, 1e9)
	s.Shown().Seen = m.At
	b, err := s.Act(m, `kill("A")`)
	require.NoError(t, err)
	require.Len(t, s.Branches(), 1)
	require.Same(t, b, s.Shown())
	require.False(t, b.Shipped())
}

func TestActingEarlierDropsLaterCommandsOfTheNewBranchOnly(t *testing.T) {
	p := Plan{Commands: []view.Command{{At: 10, Text: "a"}, {At: 20, Text: "b"}}}
	q := p.with(15, "c")
	require.Equal(t, []view.Command{{At: 10, Text: "a"}, {At: 15, Text: "c"}}, q.Commands)
	require.Len(t, p.Commands, 2)
}

func TestMistypedCommandIsAProblemAndChangesNothing(t *testing.T) {
	s, _ := started(t)
	before := s.Shown()
	_, err := s.Act(moment(t, s, 1e9), `kil("A")`)
	var p *Problem
	require.ErrorAs(t, err, &p)
	require.ErrorContains(t, err, "kill")
	require.Same(t, before, s.Shown())
}

func TestProblemOfAnOverrideNamesItsLine(t *testing.T) {
	s := New(&desk{Desk: engine.NewDesk()}, nil)
	plan := lesson(t, "commit-before-after")
	plan.Overrides = []view.Override{{Name: "loop", Text: "def loop(c):\n    c.subscribe(\n"}}
	_, err := s.Start("edit", plan)
	var p *Problem
	require.ErrorAs(t, err, &p)
	require.Positive(t, p.Line)
	require.Nil(t, s.Shown())
}

func TestBranchesAreBoundedAndTheFirstStays(t *testing.T) {
	s, _ := started(t)
	first := s.Shown()
	for range maxBranches + 2 {
		_, err := s.Start("again", first.Plan)
		require.NoError(t, err)
	}
	require.Len(t, s.Branches(), maxBranches)
	require.Same(t, first, s.Branches()[0])
}

func TestSessionGoesOnAfterTheEngineWasReplaced(t *testing.T) {
	s, d := started(t)
	want := moment(t, s, 20e9)
	d.dead = true
	_, err := s.At(20e9)
	require.ErrorIs(t, err, errTrap)
	d.dead, d.Desk = false, engine.NewDesk()
	require.NoError(t, s.Reload())
	require.Equal(t, want, moment(t, s, 20e9))
}

func TestQuestionsBeforeTheFirstRunAreProblems(t *testing.T) {
	s := New(&desk{Desk: engine.NewDesk()}, nil)
	_, err := s.At(0)
	require.Error(t, err)
	_, err = s.Act(Moment{}, `kill("A")`)
	require.Error(t, err)
}

func TestLooksAreAboutTheBranchShown(t *testing.T) {
	s, _ := started(t)
	m := moment(t, s, 12e9)
	lines, err := s.Events(m.Index, 5, 5, view.Filter{Classes: view.ClassNotable})
	require.NoError(t, err)
	require.NotEmpty(t, lines.Rows)
	talk, err := s.Messages(m.Index, 20, 0, view.Filter{Classes: view.ClassMessage | view.ClassFetch})
	require.NoError(t, err)
	require.NotEmpty(t, talk.Rows)
	msg, err := s.Message(talk.Rows[0].ID)
	require.NoError(t, err)
	require.NotEmpty(t, msg.Fields)
	next, err := s.Step(0, false, view.StepRebalance, view.Filter{})
	require.NoError(t, err)
	require.True(t, next.Found)
	v, err := s.AtIndex(next.Index)
	require.NoError(t, err)
	require.Equal(t, next.At, v.At)
	story, err := s.Story(12e9)
	require.NoError(t, err)
	require.NotEmpty(t, story.Rows)
	config, err := s.Config("A")
	require.NoError(t, err)
	require.NotEmpty(t, config.Rows)
}

func TestRunThatFailsCanBeLookedAtUntilThen(t *testing.T) {
	s := New(&desk{Desk: engine.NewDesk()}, nil)
	plan := lesson(t, "commit-before-after")
	plan.Commands = []view.Command{{At: 3e9, Text: `add_partitions("order_events", 2)`}}
	b, err := s.Start("fewer partitions", plan)
	require.NoError(t, err)
	require.NotNil(t, b.Failed)
	require.Less(t, b.End(), b.Loaded.Horizon)
	_, err = s.At(b.End())
	require.NoError(t, err)
}
