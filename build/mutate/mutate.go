package mutate

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

//go:embed patches/*.patch
var patches embed.FS

// Mutant is one fault.
type Mutant struct {
	Name string
	// What is the fault in words, from the head of the patch.
	What string
	// Swarm says that the swarm must find it by itself; else the tests of the packages in Tests must.
	Swarm bool
	Tests []string

	files []*gitdiff.File
}

// All are the mutants in order of their names.
func All() ([]Mutant, error) {
	names, err := fs.Glob(patches, "patches/*.patch")
	if err != nil {
		return nil, err
	}
	var all []Mutant
	for _, name := range names {
		text, err := patches.ReadFile(name)
		if err != nil {
			return nil, err
		}
		m, err := parse(strings.TrimSuffix(filepath.Base(name), ".patch"), text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// parse reads a patch. Its head says what is wrong with the mutant; a line "tests: PACKAGE ..." names who
// must find it if the swarm need not.
func parse(name string, text []byte) (Mutant, error) {
	m := Mutant{Name: name, Swarm: true}
	files, head, err := gitdiff.Parse(bytes.NewReader(text))
	if err != nil {
		return m, err
	}
	if len(files) == 0 {
		return m, fmt.Errorf("it changes no file")
	}
	m.files = files
	var what []string
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if tests, ok := strings.CutPrefix(line, "tests: "); ok {
			m.Swarm, m.Tests = false, strings.Fields(tests)
		} else if line != "" {
			what = append(what, line)
		}
	}
	m.What = strings.Join(what, " ")
	return m, nil
}

// Overlay writes the patched files to dir and returns the file that the go command takes as -overlay.
// An error says which patch no longer fits the source.
func (m Mutant) Overlay(root, dir string) (string, error) {
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for i, f := range m.files {
		original := filepath.Join(root, filepath.FromSlash(f.OldName))
		source, err := os.ReadFile(original)
		if err != nil {
			return "", err
		}
		var patched bytes.Buffer
		if err := gitdiff.Apply(&patched, bytes.NewReader(source), f); err != nil {
			return "", fmt.Errorf("mutant %s no longer fits %s: %w; mend build/mutate/patches/%s.patch",
				m.Name, f.OldName, err, m.Name)
		}
		changed := filepath.Join(dir, fmt.Sprintf("%s-%d.go", m.Name, i))
		if err := os.WriteFile(changed, patched.Bytes(), 0o644); err != nil {
			return "", err
		}
		overlay.Replace[original] = changed
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, m.Name+".json")
	return file, os.WriteFile(file, text, 0o644)
}
