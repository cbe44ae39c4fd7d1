package swarm

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	"rebalancelab/engine"
)

// Outcome is what came of one plan.
type Outcome struct {
	Plan Plan
	// Failure is empty for a good run, else what went wrong, with its place.
	Failure string
	// Kind names the kind of failure, so that a smaller plan can be seen to fail alike.
	Kind  string
	Seen  Sights
	Hash  uint64
	Event int
}

// Run runs a plan to its end.
func Run(p Plan) (out Outcome) {
	out.Plan = p
	defer func() {
		if r := recover(); r != nil {
			out.Failure, out.Kind = fmt.Sprint(r), kindOf(fmt.Sprint(r))
			if !strings.HasPrefix(out.Failure, "broken invariant") {
				out.Failure += "\n" + string(debug.Stack())
			}
		}
	}()
	lab, err := engine.Load(engine.Options{File: fileOf(p), Source: p.Source(), Seed: p.Seed})
	if err != nil {
		out.Failure, out.Kind = err.Error(), "load"
		return out
	}
	defer lab.Close()
	for done := false; !done && err == nil; {
		done, err = lab.Advance(100_000)
	}
	out.Hash, out.Event = lab.Hash(), lab.Len()
	if err != nil {
		out.Failure, out.Kind = err.Error(), "error: "+kindOf(err.Error())
		return out
	}
	out.Seen = look(p, lab.Trace())
	for _, c := range lab.Verdict().Checks {
		if !c.OK {
			out.Failure = fmt.Sprintf("%s: got %s, want %s", c.Text, c.Got, c.Want)
			out.Kind, _, _ = strings.Cut(c.Text, "(")
			break
		}
	}
	return out
}

// fileOf is the file that a failing plan is written to.
func fileOf(p Plan) string { return fmt.Sprintf("swarm-%d.star", p.Seed) }

var numbers = regexp.MustCompile(`[0-9][0-9.]*[a-zµ]*|"[^"]*"`)

// kindOf is the first line of a text without its numbers and names.
func kindOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if _, broken, ok := strings.Cut(line, "): invariant "); ok {
		line = "invariant " + broken
	}
	return numbers.ReplaceAllString(line, "N")
}
