package script_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
)

// run runs a scenario to its end and requires that everything it expects holds.
func run(t *testing.T, o engine.Options) *engine.Lab {
	lab, err := engine.Load(o)
	require.NoError(t, err)
	defer lab.Close()
	for done := false; !done; {
		done, err = lab.Advance(100_000)
		require.NoError(t, err)
	}
	for _, c := range lab.Verdict().Checks {
		require.True(t, c.OK, "%s %s:%d: %s\ngot  %s\nwant %s", o.Variant, o.File, c.Line, c.Text, c.Got, c.Want)
	}
	return lab
}

func TestTheStoriesOfTheScriptPackageHoldOnSeveralSeeds(t *testing.T) {
	files, err := filepath.Glob("testdata/*.star")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	before := runtime.NumGoroutine()
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		t.Run(filepath.Base(file), func(t *testing.T) {
			for seed := uint64(1); seed <= 5; seed++ {
				o := engine.Options{File: filepath.Base(file), Source: string(text), Seed: seed}
				variants := run(t, o).Variants()
				for _, o.Variant = range variants {
					run(t, o)
				}
			}
		})
	}
	// The runtime itself may start one, for finalizers.
	require.LessOrEqual(t, runtime.NumGoroutine(), before+1, "every program has ended")
}
