package swarm

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
	"rebalancelab/engine/enginetest"
)

// Each fault, reason to rebalance and protocol is in at least one run of twenty.
func TestEveryPlanSettlesCatchesUpAndLosesNothing(t *testing.T) {
	const seeds, percent = 200, 5
	census, failed := Swarm(t.Context(), Options{First: 1, Seeds: seeds, Workers: 2, Most: 3})
	for _, f := range failed {
		t.Errorf("seed %d: %s\nreplay: go run ./build swarm --seed %d --seeds 1", f.Plan.Seed, f.Failure, f.Plan.Seed)
	}
	require.Equal(t, seeds, census.Runs)
	assert.Empty(t, census.Rare(percent), "too few runs of %d had these:\n%s", seeds, &census)
}

func TestTheCensusMissesWhatNoRunHad(t *testing.T) {
	c := Census{}
	for range 20 {
		c.Add(Outcome{Seen: Sights{Wanted[1]: true}})
	}
	c.Add(Outcome{Seen: Sights{"fault: kill": true}})
	rare := c.Rare(5)
	require.Len(t, rare, len(Wanted), "all that is wanted but one, and the fault")
	require.NotContains(t, rare, Wanted[1])
	require.Contains(t, rare, "fault: kill")
}

// Every act of a fault is one that the scenario language has, and a plan with its theme is a good scenario.
func TestEveryThemeIsDrawnAndLoads(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(200) {
		p := Draw(seed)
		for _, f := range p.Faults {
			seen[f.Kind] = true
		}
		_, err := engine.Load(engine.Options{File: fileOf(p), Source: p.Source(), Seed: seed})
		require.NoError(t, err, "seed %d", seed)
	}
	for _, k := range faultKinds {
		assert.True(t, seen[k.name], k.name)
	}
}

func TestEqualSeedsGiveEqualRuns(t *testing.T) {
	for seed := range uint64(5) {
		assert.Equal(t, Draw(seed).Source(), Draw(seed).Source())
		assert.Equal(t, Run(Draw(seed)).Hash, Run(Draw(seed)).Hash)
	}
}

// What fails here is said to fail because of one fault, so all else must go.
func TestShrinkingLeavesWhatTheFailureNeeds(t *testing.T) {
	p := drawWith(t, "partitions added", 2)
	guilty := func(p Plan) Outcome {
		out := Outcome{Plan: p}
		for _, f := range p.Faults {
			if f.Kind == "partitions added" {
				out.Failure, out.Kind = "too many", "too many"
			}
		}
		return out
	}
	small := Shrink(guilty(p), guilty, 1000)
	require.NotEmpty(t, small.Failure)
	require.Len(t, small.Plan.Faults, 1)
	require.Len(t, small.Plan.Groups, 1)
	require.Len(t, small.Plan.Groups[0].Members, 1)
	require.Equal(t, "careful", small.Plan.Groups[0].Members[0].Program)
	require.Equal(t, 1, small.Plan.Topics[0].Partitions)
	require.Empty(t, Run(small.Plan).Failure, "a smaller plan is still a good scenario")
}

func TestShrinkingTakesFaultsAwayWithTheirProcess(t *testing.T) {
	for p := range drawWith(t, "kill", 3).smaller() {
		for _, f := range p.Faults {
			require.True(t, f.On == "" || strings.Contains(p.Source(), fmt.Sprintf("consumer(%q", f.On)), f.Text)
		}
	}
}

// drawWith finds a plan with a fault of that kind among at least so many.
func drawWith(t *testing.T, kind string, faults int) Plan {
	for seed := uint64(1); seed < 10_000; seed++ {
		p := Draw(seed)
		for _, f := range p.Faults {
			if f.Kind == kind && len(p.Faults) >= faults && len(p.Groups) > 1 {
				return p
			}
		}
	}
	t.Fatalf("no plan has a fault %q", kind)
	return Plan{}
}

func TestEqualFailuresOfTwoPlansAreOfOneKind(t *testing.T) {
	a := kindOf("broken invariant at 3.2s (seed 7, event 12): invariant one-owner is broken at 3.2s: t0-1 has two owners\nreplay: x")
	b := kindOf("broken invariant at 9s (seed 8, event 99): invariant one-owner is broken at 9s: t0-1 has two owners\nreplay: y")
	assert.Equal(t, a, b)
	assert.NotEqual(t, a, kindOf("broken invariant at 9s (seed 8, event 99): invariant watermark is broken at 9s: fell"))
}

// Each file was once a failing seed, shrunk; the number in its name is the seed.
func TestWhatOnceFailedHolds(t *testing.T) {
	files, err := filepath.Glob("testdata/*.star")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			name := strings.TrimSuffix(file, ".star")
			seed, err := strconv.ParseUint(name[strings.LastIndex(name, "_")+1:], 10, 64)
			require.NoError(t, err)
			lab, err := enginetest.Run(engine.Options{File: file, Source: string(source), Seed: seed})
			require.NoError(t, err)
			defer lab.Close()
			for _, c := range lab.Verdict().Checks {
				assert.True(t, c.OK, "%s: got %s", c.Text, c.Got)
			}
		})
	}
}
