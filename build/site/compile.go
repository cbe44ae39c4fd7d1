package site

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"rebalancelab/build/lean"
)

// Program is a WebAssembly program of the site.
type Program struct {
	Name    string // what progress and errors call it
	Package string // pattern for go build
	GOOS    string
	Flags   []string // beside those that every program is built with
	Slim    bool     // compile against the slim copy of go-app
}

// Engine and App are the two programs. The flags keep the files the same on every machine: no
// paths, no version control stamp, no symbol table.
//
// Inlining makes a WebAssembly file larger even when compressed, and both files stand before the first
// lesson. So it is switched off, but for what the engine spends its time in: measured, that is a
// twentieth less to fetch, and without the exceptions the engine needs half as much time again.
var (
	Engine = Program{
		Name: "engine.wasm", Package: "./engine/guest", GOOS: "wasip1",
		Flags: append([]string{"-buildmode=c-shared", "-gcflags=all=-l"}, inlined(
			"runtime/...", "internal/runtime/...", "slices", "sort", "bytes", "encoding/binary",
			"rebalancelab/engine", "rebalancelab/engine/sim", "rebalancelab/engine/trace",
			"rebalancelab/engine/wire", "rebalancelab/engine/storage", "rebalancelab/engine/client",
			"rebalancelab/engine/broker", "rebalancelab/engine/group", "rebalancelab/engine/fold",
			"rebalancelab/engine/view")...),
	}
	App = Program{
		Name: "app.wasm", Package: "./app", GOOS: "js",
		Flags: []string{"-gcflags=all=-l"},
		Slim:  true,
	}
)

// inlined switches inlining on again for packages.
func inlined(patterns ...string) []string {
	var flags []string
	for _, pattern := range patterns {
		flags = append(flags, "-gcflags="+pattern+"=")
	}
	return flags
}

// Compile builds the program of the module at root and returns the file.
func (p Program) Compile(ctx context.Context, root string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "lab-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, p.Name)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out}
	args = append(args, p.Flags...)
	if p.Slim {
		flag, err := slimGoApp(ctx, root)
		if err != nil {
			return nil, err
		}
		args = append(args, flag)
	}
	args = append(args, p.Package)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+p.GOOS, "GOARCH=wasm", "GOWASM=", "GOFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building %s: %w\n%s", p.Name, err, bytes.TrimSpace(output))
	}
	file, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return lean.Program(file)
}

// goSupportScript finds the script that runs Go programs in a browser. It must come from the very
// toolchain that builds app.wasm.
func goSupportScript(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	script := filepath.Join(strings.TrimSpace(string(output)), "lib", "wasm", "wasm_exec.js")
	if _, err := os.Stat(script); err != nil {
		return "", fmt.Errorf("this Go installation has no wasm_exec.js: %w", err)
	}
	return script, nil
}
