package site

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tooLarge are packages that app.wasm must not link: each costs more than it could give a page.
var tooLarge = map[string]string{
	"net/http":               "a server with TLS: 350 KB",
	"crypto/tls":             "comes with net/http",
	"crypto/rand":            "self-tests of all of FIPS 140: the browser has randomness",
	"regexp":                 "85 KB for one route",
	"text/template":          "calls methods by name, so the linker keeps every method",
	"html/template":          "calls methods by name, so the linker keeps every method",
	"rebalancelab/engine":    "the engine runs in the Worker, from engine.wasm",
	"go.starlark.net/syntax": "the engine's",
}

func TestAppLinksNothingThatIsTooLargeForAPage(t *testing.T) {
	flag, err := slimGoApp(context.Background(), "../..")
	require.NoError(t, err)
	cmd := exec.Command("go", "list", "-deps", flag, App.Package)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, string(output))
	packages := strings.Fields(string(output))
	require.Contains(t, packages, goAppModule+"/pkg/app")
	for name, reason := range tooLarge {
		require.NotContains(t, packages, name, reason)
	}
}

func TestSlimCopyIsTheSameEveryTime(t *testing.T) {
	source, err := moduleDir(context.Background(), "../..", goAppModule)
	require.NoError(t, err)
	first, err := slimCopy("../..", source)
	require.NoError(t, err)
	second, err := slimCopy("../..", source)
	require.NoError(t, err)
	require.Equal(t, first.Digest(), second.Digest())
	require.NotContains(t, first.Names(), "go-app/pkg/app/http.go")
	require.Contains(t, first.Names(), "uuid/uuid.go")
}

func TestSlimCopyRefusesAVersionThatKeepsItsServerElsewhere(t *testing.T) {
	_, err := slimCopy("../..", t.TempDir())
	require.ErrorContains(t, err, "this version has no go-app/pkg/app/http.go")
}
