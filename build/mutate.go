package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"rebalancelab/build/mutate"
)

// runMutate sees whether each mutant of the engine is found: by the swarm, or by the tests that its patch
// names.
func runMutate(ctx context.Context, root string, args []string) error {
	set := flags("mutate")
	seeds := set.Int("seeds", 10_000, "how many seeds the swarm may try")
	only := set.String("only", "", "run mutants whose name contains this")
	if err := set.Parse(args); err != nil {
		return err
	}
	mutants, err := mutate.All()
	if err != nil {
		return err
	}
	alive := 0
	for _, m := range mutants {
		if !strings.Contains(m.Name, *only) {
			continue
		}
		found, err := findMutant(ctx, root, m, *seeds)
		if err != nil {
			return err
		}
		if found == "" {
			found = "LIVES"
			alive++
		}
		fmt.Printf("%-28s %s\n%-28s %s\n", m.Name, found, "", m.What)
	}
	if alive > 0 {
		return fmt.Errorf("%d mutants live", alive)
	}
	return nil
}

// findMutant says who found the mutant, or nothing.
func findMutant(ctx context.Context, root string, m mutate.Mutant, seeds int) (string, error) {
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	overlay, err := m.Overlay(root, dir)
	if err != nil {
		return "", err
	}
	if !m.Swarm {
		test := exec.CommandContext(ctx, "go", append([]string{"test", "-overlay", overlay}, m.Tests...)...)
		test.Dir = root
		if out, err := test.CombinedOutput(); err != nil {
			return "found by " + firstFailure(string(out)), ctx.Err()
		}
		return "", ctx.Err()
	}
	program := filepath.Join(dir, "swarm")
	if err := goCommand(ctx, root, nil, "build", "-overlay", overlay, "-o", program, "./build"); err != nil {
		return "", err
	}
	run := exec.CommandContext(ctx, program, "swarm", "--seeds", strconv.Itoa(seeds), "--most", "1", "--out", dir)
	run.Dir = root
	if out, err := run.CombinedOutput(); err != nil {
		return "found by the swarm: " + lineWith(string(out), "seed "), ctx.Err()
	}
	return "", ctx.Err()
}

func firstFailure(out string) string {
	if line := lineWith(out, "--- FAIL: "); line != "" {
		return strings.TrimPrefix(line, "--- FAIL: ")
	}
	return lineWith(out, "FAIL")
}

// lineWith is the first line that begins with some text, not too long.
func lineWith(text, start string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, start) {
			return fmt.Sprintf("%.150s", strings.TrimSpace(line))
		}
	}
	return ""
}
