package enginetest

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/view"
)

func hashOf(t *testing.T, o engine.Options) uint64 {
	t.Helper()
	lab, err := Run(o)
	require.NoError(t, err)
	defer lab.Close()
	return lab.Hash()
}

func TestTwoHundredSeedsGiveTwoHundredTracesTwice(t *testing.T) {
	seen := map[uint64]uint64{}
	for seed := uint64(1); seed <= 200; seed++ {
		h := hashOf(t, Canonical(seed))
		require.Equal(t, h, hashOf(t, Canonical(seed)), "seed %d", seed)
		other, ok := seen[h]
		require.False(t, ok, "seeds %d and %d give the same trace", seed, other)
		seen[h] = seed
	}
}

func TestEveryLessonGivesTheSameTraceTwice(t *testing.T) {
	cases, err := Lessons()
	require.NoError(t, err)
	for _, c := range cases {
		require.Equal(t, hashOf(t, c.Options), hashOf(t, c.Options), c.Name)
	}
}

func TestSlicingTheRunNeverChangesTheTrace(t *testing.T) {
	cases, err := Lessons()
	require.NoError(t, err)
	cases = append(cases, Case{Name: "canonical", Options: Canonical(3)},
		Case{Name: "replicated", Options: Replicated(3)})
	for _, c := range cases {
		want := hashOf(t, c.Options)
		for _, n := range []int{1, 7, 10_000} {
			lab, err := RunSliced(c.Options, n)
			require.NoError(t, err)
			require.Equal(t, want, lab.Hash(), "%s in slices of %d", c.Name, n)
			lab.Close()
		}
	}
}

func TestEncodingEveryHopNeverChangesTheTrace(t *testing.T) {
	cases, err := Lessons()
	require.NoError(t, err)
	for seed := uint64(1); seed <= 5; seed++ {
		cases = append(cases, Case{Name: fmt.Sprint("canonical ", seed), Options: Canonical(seed)},
			Case{Name: fmt.Sprint("replicated ", seed), Options: Replicated(seed)})
	}
	for _, c := range cases {
		want := hashOf(t, c.Options)
		c.Options.Hops = true
		require.Equal(t, want, hashOf(t, c.Options), c.Name)
	}
}

func TestStepsForwardAndBackLeadToTheSameView(t *testing.T) {
	lab, err := Run(Canonical(11))
	require.NoError(t, err)
	defer lab.Close()
	at := func(index int) []byte {
		v := lab.View(view.At{Index: index})
		return view.Encode(nil, &v)
	}
	r := sim.NewRand(11, "places")
	filter := view.Filter{Classes: view.ClassNotable | view.ClassMessage}
	for range 50 {
		m := lab.Step(view.Step{Index: int(r.Below(int64(lab.Len() - 5000))), Filter: filter})
		require.True(t, m.Found)
		start := m.Index
		want := at(start)
		n := int(1 + r.Below(40))
		for range n {
			m = lab.Step(view.Step{Index: m.Index, Filter: filter})
			require.True(t, m.Found)
		}
		require.NotEqual(t, want, at(m.Index))
		for range n {
			m = lab.Step(view.Step{Index: m.Index, Filter: filter, Back: true})
			require.True(t, m.Found)
		}
		require.Equal(t, start, m.Index)
		require.Equal(t, want, at(m.Index))
	}
}

func TestAForkIsTheSameRunUpToItsCommand(t *testing.T) {
	base, err := Run(Canonical(5))
	require.NoError(t, err)
	defer base.Close()
	const at = 30e9
	v := base.View(view.At{Time: at, Index: -1})
	o := Canonical(5)
	o.Commands = []view.Command{{At: at, Text: `kill("A")`}}
	o.CheckIndex, o.CheckHash = v.Index, v.Hash
	fork, err := Run(o)
	require.NoError(t, err)
	defer fork.Close()
	require.NotEqual(t, base.Hash(), fork.Hash())
	require.Equal(t, base.HashAt(v.Index), fork.HashAt(v.Index))

	o.CheckHash++
	_, err = Run(o)
	require.ErrorContains(t, err, "differs from the one it was forked from")
}

func TestClosingALabLeavesNoGoroutineBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	for seed := uint64(1); seed <= 5; seed++ {
		lab, err := engine.Load(Canonical(seed))
		require.NoError(t, err)
		_, err = lab.Advance(20_000)
		require.NoError(t, err)
		lab.Close()
	}
	// The runtime itself may end one or start one, for finalizers; a leak would be one a program.
	require.LessOrEqual(t, runtime.NumGoroutine(), before+1)
}

// A record costs some 24 events and must cost next to no objects: what is made for each message is
// used again. Half of what is left are the arguments that Starlark copies for every call.
func TestTheCanonicalRunMakesFewObjects(t *testing.T) {
	const most = 75_000 // 9,000 records; 60,000 objects at the time of writing
	objects := testing.AllocsPerRun(1, func() {
		lab, err := Run(Canonical(1))
		require.NoError(t, err)
		lab.Close()
	})
	require.Less(t, objects, float64(most), "which objects: go test -bench Canonical -memprofile")
}

// The collector runs as the command line sets it. Events and objects are counted beside the speed,
// since they do not depend on what else the machine does.
func BenchmarkCanonical(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	b.ReportAllocs()
	virtual, events := 0.0, 0
	seed := uint64(0)
	for b.Loop() {
		seed++
		lab, err := Run(Canonical(seed))
		if err != nil {
			b.Fatal(err)
		}
		virtual += lab.Horizon().Seconds()
		events += lab.Len()
		lab.Close()
	}
	b.ReportMetric(float64(events)/float64(b.N), "events/op")
	b.ReportMetric(virtual/b.Elapsed().Seconds(), "virtual-s/wall-s")
}
