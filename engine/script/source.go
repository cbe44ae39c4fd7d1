package script

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// fileOptions are the dialect: while, control flow at the top level and sets; no recursion.
var fileOptions = &syntax.FileOptions{While: true, TopLevelControl: true, Set: true}

// code is a file's text and what its compiled form needs later.
type code struct {
	file     string
	text     string
	funcs    map[string]*function // top-level functions by name
	globals  starlark.StringDict
	finder   *finder
	settings map[string]*Override // settings that are overridden, by name
}

// function is the source of one top-level function.
type function struct {
	name      string
	file      string
	text      string
	firstLine int
	lastLine  int
	override  bool
}

// parse reads a source file and notes where its functions stand.
func parse(src Source) (*syntax.File, *code, error) {
	if err := guardSource(src.File, src.Text); err != nil {
		return nil, nil, err
	}
	f, err := fileOptions.Parse(src.File, src.Text, 0)
	if err != nil {
		return nil, nil, toError(err, src.File)
	}
	c := &code{
		file: src.File, text: src.Text, funcs: map[string]*function{},
		settings: map[string]*Override{},
	}
	lines := strings.Split(src.Text, "\n")
	for _, s := range f.Stmts {
		if def, ok := s.(*syntax.DefStmt); ok {
			c.funcs[def.Name.Name] = sourceOf(def, src.File, lines)
		}
	}
	return f, c, nil
}

// sourceOf cuts a function out of its file; comments at its end that are indented belong to it.
func sourceOf(def *syntax.DefStmt, file string, lines []string) *function {
	first, last := int(def.Def.Line), int(syntax.End(def).Line)
	for n := last; n < len(lines); n++ {
		l := strings.TrimRight(lines[n], " \t\r")
		if l == "" {
			continue
		}
		if l[0] != ' ' && l[0] != '\t' {
			break
		}
		last = n + 1
	}
	last = min(last, len(lines))
	return &function{
		name: def.Name.Name, file: file, firstLine: first, lastLine: last,
		text: strings.Join(lines[first-1:last], "\n") + "\n",
	}
}

// splice puts a learner's function in the place of the shipped one.
func (c *code) splice(f *syntax.File, o *Override) error {
	src := Source{File: o.File, Text: o.Text}
	if src.File == "" {
		src.File = o.Name
	}
	if _, ok := c.funcs[o.Name]; !ok {
		return errorAt(Place{File: src.File, Line: 1}, "the scenario has no function %s", o.Name)
	}
	if o.FirstLine > 1 { // keep the lines of the file that the text was cut from
		src.Text = strings.Repeat("\n", o.FirstLine-1) + src.Text
	}
	edit, own, err := parse(src)
	if err != nil {
		return err
	}
	var def *syntax.DefStmt
	for _, s := range edit.Stmts {
		d, ok := s.(*syntax.DefStmt)
		if !ok || d.Name.Name != o.Name || def != nil {
			return errorAt(placeOf(syntax.Start(s)), "only def %s(...) can stand here; "+
				"helper functions go inside it", o.Name)
		}
		def = d
	}
	if def == nil {
		return errorAt(Place{File: src.File, Line: 1}, "def %s(...) is missing", o.Name)
	}
	for i, s := range f.Stmts {
		if d, ok := s.(*syntax.DefStmt); ok && d.Name.Name == o.Name {
			f.Stmts[i] = def
		}
	}
	fn := own.funcs[o.Name]
	fn.override = true
	c.funcs[o.Name] = fn
	return nil
}

// Program is the text of a program whose lines the trace names.
type Program struct {
	// Function is its name, empty for a whole file.
	Function string
	File     string
	Text     string
	// FirstLine is the number of the first line of Text in the trace.
	FirstLine int
	LastLine  int
}

// Program is the text that a consumer runs: its function as it is now, or the whole file when it is
// not a function of the top level.
func (s *Scenario) Program(c *ConsumerSpec) Program {
	if f, ok := s.code.funcs[c.Run.Name()]; ok && s.code.runs(c, f) {
		return Program{f.name, f.file, f.text, f.firstLine, f.lastLine}
	}
	return Program{
		File: s.code.file, Text: s.code.text, FirstLine: 1,
		LastLine: 1 + strings.Count(s.code.text, "\n"),
	}
}

// runs says whether a consumer's program is f and not another function of that name.
func (c *code) runs(spec *ConsumerSpec, f *function) bool {
	fn, ok := spec.Run.(*starlark.Function)
	return ok && fn.Position().Filename() == f.file && int(fn.Position().Line) == f.firstLine
}

// ParseOverrides reads a file that holds a learner's changes: functions, and settings as NAME =
// VALUE lines.
func ParseOverrides(src Source) ([]Override, error) {
	f, c, err := parse(src)
	if err != nil {
		return nil, err
	}
	var all []Override
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *syntax.DefStmt:
			fn := c.funcs[s.Name.Name]
			all = append(all, Override{
				Name: fn.name, Text: fn.text, File: fn.file, FirstLine: fn.firstLine,
			})
			continue
		case *syntax.AssignStmt:
			name, ok := s.LHS.(*syntax.Ident)
			if ok && s.Op == syntax.EQ {
				start, end := s.RHS.Span()
				all = append(all, Override{
					Name: name.Name, Setting: true, Text: cut(src.Text, start, end),
					File: src.File, FirstLine: int(start.Line),
				})
				continue
			}
		case *syntax.ExprStmt:
			if l, ok := s.X.(*syntax.Literal); ok && l.Token == syntax.STRING {
				continue
			}
		}
		return nil, errorAt(placeOf(syntax.Start(s)), "only functions and settings (NAME = VALUE) "+
			"can stand here")
	}
	return all, nil
}

// cut is the text between two positions; columns count characters from 1.
func cut(text string, start, end syntax.Position) string {
	from, to := index(text, start), index(text, end)
	return strings.TrimSpace(text[from:max(from, to)])
}

func index(text string, pos syntax.Position) int {
	i := 0
	for line := int32(1); line < pos.Line; line++ {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return len(text)
		}
		i += n + 1
	}
	col := int32(1)
	for j := range text[i:] {
		if col == pos.Col {
			return i + j
		}
		col++
	}
	return len(text)
}
