package page

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page's program is what a reader waits for: of the engine it may hold only the structs of its
// answers, and nothing that the engine is made of.
func TestBrowserProgramHoldsNothingOfTheEngineButItsViews(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "rebalancelab/app")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.Output()
	require.NoError(t, err)
	packages := strings.Fields(string(out))
	require.Contains(t, packages, "rebalancelab/app/page")
	for _, p := range packages {
		if strings.HasPrefix(p, "rebalancelab/engine") {
			require.Equal(t, "rebalancelab/engine/view", p)
		}
		for _, banned := range []string{"franz-go", "go.starlark.net", "goldmark", "text/template"} {
			require.NotContains(t, p, banned)
		}
	}
}
