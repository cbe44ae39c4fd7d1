package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"rebalancelab/build/testenv"
)

// axeVersion is the exact version of axe-core, the accessibility checker: another one may find
// other things on the same page.
const axeVersion = "4.14.1"

// tools are the paths of what tests need beyond Go.
type tools struct{ chrome, axe, kcat string }

// ensureTools finds the tools and installs those that are missing.
func ensureTools(ctx context.Context, root string) (tools, error) {
	chrome, err := ensureChrome(ctx)
	if err != nil {
		return tools{}, err
	}
	if err := ensureNode(ctx); err != nil {
		return tools{}, err
	}
	kcat, err := ensureKcat(ctx)
	if err != nil {
		return tools{}, err
	}
	axe, err := ensureAxe(ctx, buildDir(root, "axe-core-"+axeVersion))
	return tools{chrome, axe, kcat}, err
}

// chromeNames are looked for in this order; the last one is where macOS keeps it.
var chromeNames = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
}

// ensureChrome finds Chromium or installs it. A path in LAB_CHROME that does not exist is an error,
// not a reason to test in another browser.
func ensureChrome(ctx context.Context) (string, error) {
	if asked := os.Getenv(testenv.Chrome); asked != "" {
		return exec.LookPath(asked)
	}
	if path := findProgram(chromeNames); path != "" {
		return path, nil
	}
	if err := installPackages(ctx, "chromium"); err != nil {
		return "", fmt.Errorf("the browser tests need Chromium or Chrome: %w, or set %s to its path",
			err, testenv.Chrome)
	}
	return exec.LookPath("chromium")
}

// ensureNode finds Node.js, which runs the scripts' tests, and npm, which installs axe-core.
func ensureNode(ctx context.Context) error {
	if findProgram([]string{"node"}) != "" && findProgram([]string{"npm"}) != "" {
		return nil
	}
	if err := installPackages(ctx, "nodejs", "npm"); err != nil {
		return fmt.Errorf("the tests need Node.js with npm: %w", err)
	}
	return nil
}

// ensureKcat finds kcat, a client on librdkafka, or installs it.
func ensureKcat(ctx context.Context) (string, error) {
	if path := findProgram([]string{"kcat", "kafkacat"}); path != "" {
		return path, nil
	}
	if err := installPackages(ctx, "kcat"); err != nil {
		return "", fmt.Errorf("the tests with real clients need kcat: %w", err)
	}
	return exec.LookPath("kcat")
}

// ensureAxe installs axe-core into dir with npm, or finds it there.
func ensureAxe(ctx context.Context, dir string) (string, error) {
	axe := filepath.Join(dir, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(axe); err == nil {
		return axe, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	err := command(ctx, dir, nil, "npm", "install", "--no-save", "--no-audit", "--no-fund",
		"--prefix", dir, "axe-core@"+axeVersion)
	if err != nil {
		return "", fmt.Errorf("npm install axe-core@%s: %w", axeVersion, err)
	}
	_, err = os.Stat(axe)
	return axe, err
}

// installPackages installs Debian packages when this is root on a system that has them. Otherwise
// it fails with the exact command.
func installPackages(ctx context.Context, names ...string) error {
	if os.Geteuid() != 0 || findProgram([]string{"apt-get"}) == "" {
		return errors.New(strings.Join(names, " and ") + " is missing here: install it " +
			"(on Debian: sudo apt-get install " + strings.Join(names, " ") + ")")
	}
	fmt.Fprintln(os.Stderr, "installing", strings.Join(names, ", "), "from Debian's packages")
	env := []string{"DEBIAN_FRONTEND=noninteractive"}
	if err := command(ctx, "", env, "apt-get", "update", "-q"); err != nil {
		return fmt.Errorf("apt-get update: %w", err)
	}
	args := append([]string{"install", "-q", "-y", "--no-install-recommends"}, names...)
	if err := command(ctx, "", env, "apt-get", args...); err != nil {
		return fmt.Errorf("apt-get %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// findProgram returns the path of the first of names that is installed, or nothing.
func findProgram(names []string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
