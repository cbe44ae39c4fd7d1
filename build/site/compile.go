package site

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Program is a WebAssembly program of the site.
type Program struct {
	Name    string // what progress and errors call it
	Package string // pattern for go build
	GOOS    string
	Flags   []string // beside those that every program is built with
}

// Engine and App are the two programs. The flags keep the files the same on every machine: no paths,
// no version control stamp, no symbol table.
var (
	Engine = Program{"engine.wasm", "./engine/guest", "wasip1", []string{"-buildmode=c-shared"}}
	App    = Program{"app.wasm", "./app", "js", nil}
)

// Compile builds the program of the module at root and returns the file.
func (p Program) Compile(ctx context.Context, root string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "lab-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, p.Name)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out}
	args = append(append(args, p.Flags...), p.Package)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+p.GOOS, "GOARCH=wasm", "GOWASM=", "GOFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building %s: %w\n%s", p.Name, err, bytes.TrimSpace(output))
	}
	return os.ReadFile(out)
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
