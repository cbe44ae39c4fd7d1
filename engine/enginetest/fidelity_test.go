package enginetest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// update accepts what tests say now: run with it, then read the diff.
var update = flag.Bool("update", false, "write FIDELITY.md's tables anew from the tests' citations, and golden files")

const leftOut = "left out"

var (
	ruleRow  = regexp.MustCompile(`^\| ([A-F]\d+) \| ([a-z ]+) \| (.*) \|$`)
	scoreRow = regexp.MustCompile(`^\| ([A-F])\. ([^|]+) \| \d+ \| \d+ \| \d+ \|$`)
)

// score counts the rows of a section by their state.
type score map[string]map[string]int

// row is the line of a rule as it should stand: what is left out keeps its reason, all else has the
// tests that cite it.
func (s score) row(rule, state, text string, tests []string) string {
	switch {
	case state == leftOut:
	case len(tests) > 0:
		state, text = "proven", strings.Join(tests, ", ")
	default:
		state, text = "open", "-"
	}
	if s[rule[:1]] == nil {
		s[rule[:1]] = map[string]int{}
	}
	s[rule[:1]][state]++
	return fmt.Sprintf("| %s | %s | %s |", rule, state, text)
}

// fidelity is the page with its tables as the tests' citations make them.
func fidelity(page string, tests map[string][]string) (string, score) {
	s := score{}
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		if m := ruleRow.FindStringSubmatch(line); m != nil {
			lines[i] = s.row(m[1], m[2], m[3], tests[m[1]])
		}
	}
	for i, line := range lines {
		if m := scoreRow.FindStringSubmatch(line); m != nil {
			n := s[m[1]]
			lines[i] = fmt.Sprintf("| %s. %s | %d | %d | %d |", m[1], m[2], n["proven"], n[leftOut], n["open"])
		}
	}
	return strings.Join(lines, "\n"), s
}

func TestTheFidelityTableNamesTheTestsThatCiteEachRule(t *testing.T) {
	file := filepath.Join("..", "..", "FIDELITY.md")
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	want, s := fidelity(string(page), evidence(t))
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o600))
		page = []byte(want)
	}
	have := strings.Split(string(page), "\n")
	for i, line := range strings.Split(want, "\n") {
		require.Equal(t, line, have[i], "accept with: go test ./engine/enginetest -run Fidelity -update")
	}
	rules := 0
	for section, n := range s {
		require.Zero(t, n["open"], "rules of section %s without a test and without a reason", section)
		rules += n["proven"] + n[leftOut]
	}
	require.Equal(t, 223, rules, "the rules of the checklist, A to F")
}
