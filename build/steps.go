package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"rebalancelab/build/site"
	"rebalancelab/lessons"
)

// step runs one part of a verb and prints how long it took and how it ended.
func step(name string, part func() error) error {
	start := time.Now()
	err := part()
	if err != nil {
		printStep("FAIL", name, "", time.Since(start))
		return fmt.Errorf("%s: %w", name, err)
	}
	printStep("ok", name, "", time.Since(start))
	return nil
}

func printStep(outcome, name, detail string, took time.Duration) {
	fmt.Fprintf(os.Stderr, "%-4s  %7.1fs  %-22s %s\n", outcome, took.Seconds(), name, detail)
}

func printSiteStep(s site.Step) { printStep("ok", s.Name, s.Detail, s.Took) }

// buildDir is where the tool keeps what it makes for itself. The go command ignores it because of
// the dot.
func buildDir(root string, names ...string) string {
	return filepath.Join(append([]string{root, ".build"}, names...)...)
}

// siteOptions are the options all verbs share.
func siteOptions(root string) site.Options {
	return site.Options{
		Root:     root,
		Lessons:  lessons.Bundle,
		CacheDir: buildDir(root, "compressed"),
		Progress: printSiteStep,
	}
}
