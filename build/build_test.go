package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/build/testenv"
)

func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return root
}

func TestUnknownVerbIsRefusedWithTheListOfVerbs(t *testing.T) {
	err := run(context.Background(), []string{"tset"})
	require.ErrorContains(t, err, `no such verb "tset"`)
	for _, verb := range verbs() {
		require.ErrorContains(t, err, "  "+verb.name)
	}
}

func TestFormatCheckNamesEveryFileThatIsNotFormatted(t *testing.T) {
	root := writeTree(t, map[string]string{
		"good.go":                 "package a\n",
		"deep/bad.go":             "package  a\n",
		"worse.go":                "package a\nvar x  = 1\n",
		".build/made.go":          "package  a\n",
		"node_modules/x/their.go": "package  a\n",
		"testdata/input.go":       "not Go at all",
	})
	err := checkFormat(root)
	require.ErrorContains(t, err, filepath.Join("deep", "bad.go"))
	require.ErrorContains(t, err, "worse.go")
	for _, name := range []string{"good.go", "made.go", "their.go"} {
		require.NotContains(t, err.Error(), name)
	}
	require.NoError(t, os.Remove(filepath.Join(root, "worse.go")))
	require.NoError(t, os.Remove(filepath.Join(root, "deep", "bad.go")))
	require.NoError(t, checkFormat(root))
}

func TestNestedModulesAreFoundAndTheRootIsNotOne(t *testing.T) {
	root := writeTree(t, map[string]string{
		"go.mod":                  "module rebalancelab\n",
		"wasmtest/clients/go.mod": "module clients\n",
		".build/x/go.mod":         "module x\n",
	})
	dirs, err := nestedModules(root)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(root, "wasmtest", "clients")}, dirs)
}

func TestOldTestSitesAreRemovedAndRecentOnesKept(t *testing.T) {
	sites := writeTree(t, map[string]string{"old/index.html": "", "recent/index.html": ""})
	lastWeek := time.Now().Add(-7 * 24 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(sites, "old"), lastWeek, lastWeek))
	require.NoError(t, removeOldSites(sites, time.Now().Add(-24*time.Hour)))
	require.NoDirExists(t, filepath.Join(sites, "old"))
	require.DirExists(t, filepath.Join(sites, "recent"))
}

func TestMissingVariableNamesTheCommandThatSetsIt(t *testing.T) {
	t.Setenv(testenv.Site, "")
	_, err := testenv.Lookup(testenv.Site)
	require.ErrorContains(t, err, "LAB_SITE is not set: run the tests with `go run ./build test`")
}

func TestBrowserThatWasAskedForIsNotReplacedByAnother(t *testing.T) {
	t.Setenv(testenv.Chrome, filepath.Join(t.TempDir(), "no-such-browser"))
	_, err := ensureChrome(context.Background())
	require.ErrorContains(t, err, "no-such-browser")
}

func TestContinuousIntegrationRunsTheTestCommandAndNothingCleverer(t *testing.T) {
	script, err := os.ReadFile("../.ci/run")
	require.NoError(t, err)
	require.Equal(t, "#!/usr/bin/env bash\nset -euo pipefail\ncd \"$(dirname \"$0\")/..\"\n"+
		"exec go run ./build test\n", string(script))
}
