package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
	"rebalancelab/engine/view"
	"rebalancelab/lessons"
)

func verdictOf(t *testing.T, o engine.Options) view.Verdict {
	t.Helper()
	lab, err := Run(o)
	require.NoError(t, err)
	defer lab.Close()
	return lab.Verdict()
}

// failing lists the checks of a kind that do not hold.
func failing(v view.Verdict, kind string) []string {
	var out []string
	for _, c := range v.Checks {
		if c.Kind == kind && !c.OK {
			out = append(out, c.Text+": got "+c.Got+", want "+c.Want)
		}
	}
	return out
}

func count(v view.Verdict, kind string) int {
	n := 0
	for _, c := range v.Checks {
		if c.Kind == kind {
			n++
		}
	}
	return n
}

func TestEveryExpectationOfTheCourseHolds(t *testing.T) {
	cases, err := Scenarios()
	require.NoError(t, err)
	for _, c := range cases {
		v := verdictOf(t, c.Options)
		require.NotZero(t, count(v, "expect"), c.Name)
		require.Empty(t, failing(v, "expect"), c.Name)
	}
}

func TestAGoalFailsAsShippedAndHoldsWithTheSolution(t *testing.T) {
	cases, err := Lessons()
	require.NoError(t, err)
	for _, c := range cases {
		v := verdictOf(t, c.Options)
		require.NotZero(t, count(v, "goal"), c.Name)
		require.Empty(t, failing(v, "expect"), c.Name)
		if !c.Solution {
			require.NotEmpty(t, failing(v, "goal"), c.Name)
			continue
		}
		require.Empty(t, failing(v, "goal"), c.Name)
		require.Empty(t, failing(v, "par"), c.Name)
		for seed := uint64(1000); seed < 1020; seed++ {
			c.Options.Seed = seed
			require.Empty(t, failing(verdictOf(t, c.Options), "goal"), "%s, seed %d", c.Name, seed)
		}
	}
}

func TestEveryPredictionHasOneRightAnswerWithWordsInTheText(t *testing.T) {
	course, err := lessons.Load()
	require.NoError(t, err)
	for _, l := range course.Lessons {
		v := verdictOf(t, engine.Options{File: l.ID, Source: l.Source, Seed: l.Seed})
		asked := map[string]lessons.Step{}
		for _, s := range l.Steps {
			if s.Predict != "" {
				asked[s.Predict] = s
			}
		}
		require.Len(t, asked, len(v.Predict), l.ID)
		for _, p := range v.Predict {
			require.NotEmpty(t, p.Right, "%s: no option of %s holds: %v", l.ID, p.Key, p.Why)
			require.ElementsMatch(t, p.Options, asked[p.Key].Order, "%s: words for %s", l.ID, p.Key)
		}
	}
}

func TestExactlyOneOptionOfAPredictionHolds(t *testing.T) {
	course, err := lessons.Load()
	require.NoError(t, err)
	for _, l := range course.Lessons {
		lab, err := Run(engine.Options{File: l.ID, Source: l.Source, Seed: l.Seed})
		require.NoError(t, err)
		for key, options := range lab.Holding() {
			require.Len(t, options, 1, "%s: %s", l.ID, key)
		}
		lab.Close()
	}
}

// withoutFaults takes the at(...) and on(...) statements out of a scenario.
func withoutFaults(source string) (string, int) {
	var out []string
	removed, depth := 0, 0
	for _, line := range strings.Split(source, "\n") {
		if depth == 0 && (strings.HasPrefix(line, "at(") || strings.HasPrefix(line, "on(")) {
			removed++
			depth = 1
		} else if depth == 0 {
			out = append(out, line)
			continue
		}
		depth += strings.Count(line, "(") - strings.Count(line, ")")
		if depth == 1 {
			depth = 0
		}
		out = append(out, "")
	}
	return strings.Join(out, "\n"), removed
}

func TestWithoutItsFaultsAScenarioFailsAnExpectation(t *testing.T) {
	cases, err := Scenarios()
	require.NoError(t, err)
	tried := 0
	for _, c := range cases {
		source, n := withoutFaults(c.Options.Source)
		if n == 0 {
			continue
		}
		tried++
		c.Options.Source = source
		lab, err := Run(c.Options)
		if err != nil { // the file names what only an action brings about
			require.ErrorContains(t, err, "no such", c.Name)
			continue
		}
		require.NotEmpty(t, failing(lab.Verdict(), "expect"),
			"%s holds without its faults: its expectations prove nothing", c.Name)
		lab.Close()
	}
	require.NotZero(t, tried)
}

func TestTheTableOfRowsNamesAScenarioForEveryRow(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("..", "..", "lessons", "rows.tsv"))
	require.NoError(t, err)
	files, err := lessons.Files()
	require.NoError(t, err)
	listed := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		row, file, ok := strings.Cut(line, "\t")
		require.True(t, ok, "rows.tsv:%d", i+1)
		if i == 0 {
			require.Equal(t, "row\tscenario", line)
			continue
		}
		rows, err := engine.Rows(engine.Options{File: file, Source: files[file]})
		require.NoError(t, err)
		require.Contains(t, rows, row, "rows.tsv:%d: %s does not cover it", i+1, file)
		listed[row+" "+file] = true
	}
	for name, source := range files {
		rows, err := engine.Rows(engine.Options{File: name, Source: source})
		require.NoError(t, err)
		for _, row := range rows {
			require.True(t, listed[row+" "+name], "rows.tsv lacks %s\t%s", row, name)
		}
	}
	covered := map[string]bool{}
	for k := range listed {
		row, _, _ := strings.Cut(k, " ")
		covered[row] = true
	}
	for _, row := range rowsOfTheMaterial() {
		require.True(t, covered[row], "row %s has no scenario", row)
	}
}

// rowsOfTheMaterial are the claims S01 to S80 and the reports from the field. S56 is the questions at the
// end of a text; its answers are predictions of lessons.
func rowsOfTheMaterial() []string {
	var rows []string
	for i := 1; i <= 80; i++ {
		if i != 56 {
			rows = append(rows, fmt.Sprintf("S%02d", i))
		}
	}
	for _, i := range []int{1, 2, 4, 5, 7, 8, 9, 10, 12, 14, 15, 17, 18, 19, 21, 23, 24, 26, 27, 29} {
		rows = append(rows, fmt.Sprintf("R%02d", i))
	}
	return rows
}
