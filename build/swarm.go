package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"rebalancelab/build/swarm"
)

// runSwarm runs random scenarios and writes a short one for each kind of failure.
func runSwarm(ctx context.Context, root string, args []string) error {
	set := flags("swarm")
	seeds := set.Int("seeds", 1000, "how many seeds to run")
	first := set.Uint64("seed", 1, "the first seed")
	show := set.Bool("show", false, "print the scenario of the first seed and end")
	out := set.String("out", filepath.Join(root, ".build", "swarm"), "folder for the scenarios that fail")
	most := set.Int("most", 10, "stop after so many failures")
	if err := set.Parse(args); err != nil {
		return err
	}
	if *show {
		fmt.Print(swarm.Draw(*first).Source())
		return nil
	}
	began := time.Now()
	census, failed := swarm.Swarm(ctx, swarm.Options{
		First: *first, Seeds: *seeds, Workers: runtime.NumCPU(), Most: *most,
		Progress: func(done, failures int) {
			if done%1000 == 0 {
				fmt.Printf("%d seeds, %d failures, %v\n", done, failures, time.Since(began).Round(time.Second))
			}
		},
	})
	fmt.Printf("%d seeds, %d events, %v\n%s", census.Runs, census.Events, time.Since(began).Round(time.Second), &census)
	const percent = 5
	if rare := census.Rare(percent); census.Runs >= 200 && len(rare) > 0 {
		fmt.Printf("in fewer than %d %% of the runs: %s\n", percent, strings.Join(rare, ", "))
	}
	if err := writeFailures(*out, failed); err != nil {
		return err
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d seeds failed", len(failed), census.Runs)
	}
	return nil
}

// writeFailures shrinks the first failure of each kind and tells how to see each one again.
func writeFailures(dir string, failed []swarm.Outcome) error {
	const tries = 400
	seen := map[string]bool{}
	for _, f := range failed {
		fmt.Printf("\nseed %d: %s\n", f.Plan.Seed, f.Failure)
		if seen[f.Kind] {
			continue
		}
		seen[f.Kind] = true
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		file := filepath.Join(dir, fmt.Sprintf("seed-%d.star", f.Plan.Seed))
		small := swarm.Shrink(f, swarm.Run, tries)
		if err := os.WriteFile(file, []byte(small.Plan.Source()), 0o644); err != nil {
			return err
		}
		fmt.Printf("shrunk to: %s\nreplay: go run ./app run %s --seed %d\n", small.Failure, file, f.Plan.Seed)
	}
	return nil
}
