package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rebalancelab/build/site"
	"rebalancelab/build/testenv"
)

// printEnv builds what tests need and prints the variables for a shell, so that one test can be run
// again and again: eval "$(go run ./build env)"; go test ./wasmtest/browser -run Offline
func printEnv(ctx context.Context, root string, args []string) error {
	if err := flags("env").Parse(args); err != nil {
		return err
	}
	env, err := testVariables(ctx, root)
	if err != nil {
		return err
	}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		fmt.Printf("export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	return nil
}

// testVariables makes sure of the tools, builds the site once, and returns the environment
// variables that tell tests where all of it is.
func testVariables(ctx context.Context, root string) ([]string, error) {
	var found tools
	if err := step("tools", func() (err error) {
		found, err = ensureTools(ctx, root)
		return err
	}); err != nil {
		return nil, err
	}
	options := siteOptions(root)
	options.Compress = true
	built, err := site.Build(ctx, options)
	if err != nil {
		return nil, err
	}
	dir, err := keepSite(root, built)
	if err != nil {
		return nil, err
	}
	return []string{
		testenv.EngineWasm + "=" + filepath.Join(dir, filepath.FromSlash(built.Engine)),
		testenv.Site + "=" + dir,
		testenv.Axe + "=" + found.axe,
		testenv.Chrome + "=" + found.chrome,
		testenv.Kcat + "=" + found.kcat,
	}, nil
}

// keepSite writes the site to a folder named after all of its content. The go command caches test
// results by the variables that a test reads but does not look into files outside of the module:
// with the content in the name, a passed test is repeated exactly when the site has changed.
func keepSite(root string, built *site.Site) (string, error) {
	dir := buildDir(root, "sites", built.Files.Digest()[:16])
	if _, err := os.Stat(dir); err == nil {
		now := time.Now()
		return dir, os.Chtimes(dir, now, now)
	}
	if err := removeOldSites(buildDir(root, "sites"), time.Now().Add(-24*time.Hour)); err != nil {
		return "", err
	}
	half, err := os.MkdirTemp(buildDir(root), "half-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(half)
	if err := built.Files.Write(half); err != nil {
		return "", err
	}
	if err := os.Chmod(half, 0o755); err != nil {
		return "", err
	}
	return dir, os.Rename(half, dir)
}

func removeOldSites(sites string, before time.Time) error {
	if err := os.MkdirAll(sites, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(sites)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.ModTime().Before(before) {
			err = os.RemoveAll(filepath.Join(sites, entry.Name()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
