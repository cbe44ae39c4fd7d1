package enginetest

import (
	_ "embed"
	"sort"
	"strings"

	"rebalancelab/engine"
	"rebalancelab/lessons"
)

//go:embed canonical.star
var canonical string

// Canonical is the canonical run with a seed.
func Canonical(seed uint64) engine.Options {
	return engine.Options{File: "canonical.star", Source: canonical, Seed: seed}
}

// Long is the canonical run going on for half an hour.
func Long(seed uint64) engine.Options {
	longer := strings.NewReplacer(`stop = "60s"`, `stop = "1800s"`, `run_for("75s")`, `run_for("1815s")`)
	return engine.Options{File: "long.star", Source: longer.Replace(canonical), Seed: seed}
}

//go:embed wide.star
var wide string

// Wide is a group of 50 members that share 200 partitions.
func Wide(seed uint64) engine.Options {
	return engine.Options{File: "wide.star", Source: wide, Seed: seed}
}

//go:embed replicated.star
var replicated string

// Replicated is a run of a replicated cluster whose brokers die, stop and freeze.
func Replicated(seed uint64) engine.Options {
	return engine.Options{File: "replicated.star", Source: replicated, Seed: seed}
}

// Case is one run of a scenario of the course.
type Case struct {
	Name     string
	Options  engine.Options
	Solution bool
}

// Lessons are the lessons as shipped and with their solutions, each with its own seed.
func Lessons() ([]Case, error) {
	course, err := lessons.Load()
	if err != nil {
		return nil, err
	}
	var out []Case
	for _, l := range course.Lessons {
		o := engine.Options{File: l.ID + "/scenario.star", Source: l.Source, Seed: l.Seed}
		out = append(out, Case{Name: l.ID, Options: o})
		o.Overrides, err = engine.ParseOverrides(l.ID+"/solution.star", l.Solution)
		if err != nil {
			return nil, err
		}
		out = append(out, Case{Name: l.ID + " solved", Options: o, Solution: true})
	}
	return out, nil
}

// Scenarios are all scenario files of the course, lessons and library, for every variant, in order of their names.
func Scenarios() ([]Case, error) {
	files, err := lessons.Files()
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	var out []Case
	for _, name := range names {
		o := engine.Options{File: name, Source: files[name], Seed: 1}
		variants, err := engine.Variants(o)
		if err != nil {
			return nil, err
		}
		for _, v := range variants {
			o.Variant = v
			out = append(out, Case{Name: strings.TrimSpace(name + " " + v), Options: o})
		}
	}
	return out, nil
}

// Run runs o to its end.
func Run(o engine.Options) (*engine.Lab, error) { return RunSliced(o, 100_000) }

// RunSliced runs o to its end in slices of so many events.
func RunSliced(o engine.Options, events int) (*engine.Lab, error) {
	lab, err := engine.Load(o)
	if err != nil {
		return nil, err
	}
	for {
		done, err := lab.Advance(events)
		if err != nil {
			lab.Close()
			return nil, err
		}
		if done {
			return lab, nil
		}
	}
}
