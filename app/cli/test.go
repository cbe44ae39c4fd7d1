package cli

import (
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rebalancelab/engine"
	"rebalancelab/engine/verdict"
)

// junit is the file that CI systems read.
type junit struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func testVerb(args []string, out io.Writer) error {
	fs := flag.NewFlagSet("test", flag.ContinueOnError)
	row := fs.String("row", "", "")
	seed := fs.Uint64("seed", 1, "")
	junitFile := fs.String("junit", "", "")
	dirs, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		return fmt.Errorf("test takes at least one folder or file")
	}
	files, err := scenarios(dirs)
	if err != nil {
		return err
	}
	suite := junit{Name: "lab"}
	ran := 0
	for _, name := range files {
		n, err := testFile(name, *row, *seed, &suite, out)
		if err != nil {
			return err
		}
		ran += n
	}
	if *junitFile != "" {
		if err := writeJUnit(*junitFile, suite); err != nil {
			return err
		}
	}
	switch {
	case ran == 0 && *row != "":
		return fmt.Errorf("no scenario covers row %s: %w", *row, errFailed)
	case ran == 0:
		return fmt.Errorf("no scenario in %s", strings.Join(dirs, ", "))
	}
	fmt.Fprintf(out, "%d expectations, %d failed\n", suite.Tests, suite.Failures)
	if suite.Failures > 0 {
		return errFailed
	}
	return nil
}

// scenarios lists the *.star files below dirs; solutions are not scenarios of their own.
func scenarios(dirs []string) ([]string, error) {
	var out []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(p, ".star") && d.Name() != "solution.star" {
				out = append(out, p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return out, nil
}

// testFile runs one file, unless it does not cover row, and returns 1 if it ran.
func testFile(name, row string, seed uint64, suite *junit, out io.Writer) (int, error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	o := engine.Options{File: name, Source: string(source), Seed: seed}
	if row != "" {
		rows, err := engine.Rows(o)
		if err != nil {
			return 0, err
		}
		if !slices.Contains(rows, row) {
			return 0, nil
		}
	}
	begun := time.Now()
	runs, err := runAll(o, "")
	if err != nil {
		return 0, err
	}
	failed := 0
	for _, r := range runs {
		failed += addCases(suite, name, r, time.Since(begun))
	}
	word := "ok  "
	if failed > 0 {
		word = "FAIL"
	}
	fmt.Fprintf(out, "%s  %s\n", word, name)
	for _, r := range runs {
		if !r.OK() {
			printRun(out, r)
		}
	}
	return 1, nil
}

func addCases(suite *junit, name string, r verdict.Report, took time.Duration) int {
	failed := 0
	for _, e := range r.Expectations {
		c := junitCase{Class: name, Name: e.Text, Time: fmt.Sprintf("%.3f", took.Seconds())}
		if r.Variant != "" {
			c.Class += " " + r.Variant
		}
		if !e.OK {
			failed++
			c.Failure = &junitFailure{
				Message: fmt.Sprintf("line %d: got %s, want %s", e.Line, e.Got, e.Want),
				Text:    fmt.Sprintf("replay: go run ./app run %s --seed %d", name, r.Seed),
			}
		}
		suite.Tests++
		suite.Cases = append(suite.Cases, c)
	}
	suite.Failures += failed
	return failed
}

func writeJUnit(name string, suite junit) error {
	b, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append([]byte(xml.Header), b...), 0o644)
}
