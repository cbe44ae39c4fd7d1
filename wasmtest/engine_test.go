package wasmtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
	"rebalancelab/engine/enginetest"
	"rebalancelab/engine/view"
)

// compiled is the engine, compiled once for all tests.
var compiled *Runtime

func TestMain(m *testing.M) {
	path := os.Getenv("LAB_ENGINE_WASM")
	if path == "" {
		fmt.Println("wasmtest needs the built engine: run it by \"go run ./build test\", which sets LAB_ENGINE_WASM")
		os.Exit(1)
	}
	ctx := context.Background()
	var err error
	if compiled, err = Compile(ctx, path); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	code := m.Run()
	compiled.Close(ctx)
	os.Exit(code)
}

func instance(t testing.TB) *Instance {
	t.Helper()
	i, err := compiled.Instantiate(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { i.Close(context.Background()) })
	return i
}

// load loads o and gives its number.
func load(t testing.TB, i *Instance, o engine.Options) view.Loaded {
	t.Helper()
	q := view.Load{
		File: o.File, Source: o.Source, Seed: o.Seed, Variant: o.Variant, Overrides: o.Overrides,
		Commands: o.Commands, Hops: o.Hops,
	}
	var l view.Loaded
	require.NoError(t, i.Ask(context.Background(), view.OpLoad, &q, &l))
	return l
}

// finish runs lab n to its end in slices.
func finish(t testing.TB, i *Instance, n, slice int) view.Progress {
	t.Helper()
	for {
		var p view.Progress
		require.NoError(t, i.Ask(context.Background(), view.OpRun, &view.Run{Lab: n, Events: slice}, &p))
		if p.Done {
			return p
		}
	}
}

func nativeHash(t testing.TB, o engine.Options) uint64 {
	t.Helper()
	lab, err := enginetest.Run(o)
	require.NoError(t, err)
	defer lab.Close()
	return lab.Hash()
}

func TestCanonicalSeedsGiveTheNativeHash(t *testing.T) {
	i := instance(t)
	seeds := uint64(20)
	if os.Getenv("LAB_ALL_SEEDS") != "" {
		seeds = 200
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		o := enginetest.Canonical(seed)
		l := load(t, i, o)
		p := finish(t, i, l.Lab, 50_000)
		require.Equal(t, nativeHash(t, o), p.Hash, "seed %d", seed)
		require.NoError(t, i.Ask(context.Background(), view.OpFree, &view.LabOf{Lab: l.Lab}, nil))
	}
}

func TestEveryLessonGivesTheNativeHashAndVerdict(t *testing.T) {
	cases, err := enginetest.Lessons()
	require.NoError(t, err)
	i := instance(t)
	for _, c := range cases {
		l := load(t, i, c.Options)
		p := finish(t, i, l.Lab, 10_000)
		lab, err := enginetest.Run(c.Options)
		require.NoError(t, err)
		require.Equal(t, lab.Hash(), p.Hash, c.Name)
		var v view.Verdict
		require.NoError(t, i.Ask(context.Background(), view.OpVerdict, &view.LabOf{Lab: l.Lab}, &v))
		want := lab.Verdict()
		require.Equal(t, view.Encode(nil, &want), view.Encode(nil, &v), c.Name)
		lab.Close()
	}
}

func TestViewsAreTheNativeBytes(t *testing.T) {
	o := enginetest.Canonical(2)
	i := instance(t)
	l := load(t, i, o)
	finish(t, i, l.Lab, 1<<30)
	lab, err := enginetest.Run(o)
	require.NoError(t, err)
	defer lab.Close()
	for _, at := range []int64{0, 3e9, 12_345_678_901, 21e9, 40_000_250_000, 75e9} {
		got, err := i.Raw(context.Background(), view.OpView, &view.At{Lab: l.Lab, Time: at, Index: -1})
		require.NoError(t, err)
		v := lab.View(view.At{Time: at, Index: -1})
		require.Equal(t, view.Encode(nil, &v), got, "at %d", at)
	}
}

func TestAnErrorIsAnAnswerAndTheEngineGoesOn(t *testing.T) {
	i := instance(t)
	var refused *Refused
	err := i.Ask(context.Background(), view.OpLoad, &view.Load{File: "x.star", Source: "cluster(brokers = 0)\n"}, nil)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "x.star", refused.File)
	require.Equal(t, 1, refused.Line)
	_, err = i.Raw(context.Background(), 0x7f, nil)
	require.ErrorContains(t, err, "no such call 127")
	err = i.Ask(context.Background(), view.OpRun, &view.Run{Lab: 99, Events: 1}, nil)
	require.ErrorContains(t, err, "no lab 99")
	l := load(t, i, enginetest.Canonical(1))
	require.NotZero(t, l.Lab)
}

func BenchmarkCanonical(b *testing.B) {
	i := instance(b)
	virtual := 0.0
	seed := uint64(0)
	for b.Loop() {
		seed++
		l := load(b, i, enginetest.Canonical(seed))
		p := finish(b, i, l.Lab, 1<<30)
		virtual += float64(p.At) / 1e9
		if err := i.Ask(context.Background(), view.OpFree, &view.LabOf{Lab: l.Lab}, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(virtual/b.Elapsed().Seconds(), "virtual-s/wall-s")
	b.ReportMetric(float64(i.MemorySize())/(1<<20), "MiB")
}

// BenchmarkSeek looks anywhere in half an hour of the canonical run, which is kept whole.
func BenchmarkSeek(b *testing.B) {
	i := instance(b)
	l := load(b, i, enginetest.Long(1))
	end := finish(b, i, l.Lab, 1<<30)
	chance := rand.New(rand.NewPCG(1, 1))
	var times []time.Duration
	seek := func() {
		at := view.At{Lab: l.Lab, Time: chance.Int64N(end.At), Index: -1}
		start := time.Now()
		for _, op := range []view.Op{view.OpPaint, view.OpView} {
			if _, err := i.Raw(context.Background(), op, &at); err != nil {
				b.Fatal(err)
			}
		}
		times = append(times, time.Since(start))
	}
	seek() // the first one makes the keyframes
	first := times[0]
	times = nil
	for b.Loop() {
		seek()
	}
	slices.Sort(times)
	b.ReportMetric(float64(first)/1e6, "ms-first-seek")
	b.ReportMetric(float64(times[len(times)*95/100])/1e6, "ms-seek-p95")
	b.ReportMetric(float64(i.MemorySize())/(1<<20), "MiB")
}
