package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The three worlds that code is built for. A native `go vet ./...` sees neither the page's program
// nor the engine's guest.
var (
	browserEnv = []string{"GOOS=js", "GOARCH=wasm"}
	guestEnv   = []string{"GOOS=wasip1", "GOARCH=wasm"}
)

var checks = []struct {
	name string
	run  func(ctx context.Context, root string) error
}{
	{"gofmt", func(_ context.Context, root string) error { return checkFormat(root) }},
	{"go vet", vet(nil, "./...")},
	{"go vet (browser)", vet(browserEnv, "./app/...")},
	{"go vet (guest)", vet(guestEnv, "./engine/guest")},
	{"staticcheck", staticcheck(nil, "./...")},
	{"staticcheck (browser)", staticcheck(browserEnv, "./app/...")},
	// It takes functions that only the host calls (go:wasmexport) for unused ones.
	{"staticcheck (guest)", staticcheck(guestEnv, "-checks=inherit,-U1000", "./engine/guest")},
}

func vet(env []string, pattern string) func(context.Context, string) error {
	return func(ctx context.Context, root string) error {
		return goCommand(ctx, root, env, "vet", pattern)
	}
}

// staticcheck asks the go command for the program first: run through `go tool` with another GOOS,
// the tool itself would be built for it.
func staticcheck(env []string, args ...string) func(context.Context, string) error {
	return func(ctx context.Context, root string) error {
		cmd := exec.CommandContext(ctx, "go", "tool", "-n", "staticcheck")
		cmd.Dir = root
		cmd.Stderr = os.Stderr
		program, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("go tool -n staticcheck: %w", err)
		}
		return command(ctx, root, env, strings.TrimSpace(string(program)), args...)
	}
}

// checkFormat formats in this process: an installation may have go on its path without gofmt.
func checkFormat(root string) error {
	var unformatted []error
	err := walkSources(root, func(path string, entry fs.DirEntry) error {
		if filepath.Ext(path) != ".go" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		formatted, err := format.Source(source)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if !bytes.Equal(source, formatted) {
			unformatted = append(unformatted, fmt.Errorf("not formatted, run gofmt -w %s", path))
		}
		return nil
	})
	return errors.Join(append(unformatted, err)...)
}

// walkSources calls visit for every file under root but those that the go command does not look at
// either and those of installed packages.
func walkSources(root string, visit func(path string, entry fs.DirEntry) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if !entry.IsDir() {
			return visit(path, entry)
		}
		if path != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
			name == "testdata" || name == "node_modules") {
			return fs.SkipDir
		}
		return nil
	})
}

func goCommand(ctx context.Context, dir string, env []string, args ...string) error {
	return command(ctx, dir, env, "go", args...)
}

// command runs a program in dir with its output on ours.
func command(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}
