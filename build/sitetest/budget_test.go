package sitetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/build/site"
	"rebalancelab/build/testenv"
)

// maxFirstLoad is how many brotli bytes a cold browser may need before the first lesson runs.
const maxFirstLoad = 3_000_000

func TestFirstLoadStaysInBudget(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testenv.Path(t, testenv.Site), "budget.json"))
	require.NoError(t, err)
	var budget site.Budget
	require.NoError(t, json.Unmarshal(text, &budget))
	require.LessOrEqual(t, budget.TotalBr, maxFirstLoad, "budget.json:\n%s", text)
	require.Greater(t, budget.TotalBr, 0)
}

func TestEngineUnderTestIsTheFileOfTheSite(t *testing.T) {
	engine := testenv.Path(t, testenv.EngineWasm)
	found, err := filepath.Glob(filepath.Join(testenv.Path(t, testenv.Site), "web", "engine.*.wasm"))
	require.NoError(t, err)
	require.Equal(t, []string{engine}, found)
}
