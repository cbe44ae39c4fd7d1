package script

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Error is a mistake in a scenario or in a learner's text: where, what and the cure.
type Error struct {
	Place
	Msg string
}

// Error is file:line:col and the message.
func (e *Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s += ":" + strconv.Itoa(e.Line)
		if e.Col > 0 {
			s += ":" + strconv.Itoa(e.Col)
		}
	}
	if s == "" {
		return e.Msg
	}
	return s + ": " + e.Msg
}

func errorAt(p Place, format string, args ...any) *Error {
	return &Error{Place: p, Msg: fmt.Sprintf(format, args...)}
}

func placeOf(pos syntax.Position) Place {
	return Place{File: pos.Filename(), Line: int(pos.Line), Col: int(pos.Col)}
}

const builtinFile = "<builtin>"

// toError turns whatever Starlark gives into an [Error]; file is used when there is no position.
func toError(err error, file string) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var parse syntax.Error
	if errors.As(err, &parse) {
		return &Error{Place: placeOf(parse.Pos), Msg: cure(parse.Msg)}
	}
	var names resolve.ErrorList
	if errors.As(err, &names) && len(names) > 0 {
		return &Error{Place: placeOf(names[0].Pos), Msg: cure(names[0].Msg)}
	}
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		msg, _ := strings.CutPrefix(eval.Msg, cancelled)
		return &Error{Place: innermost(eval.CallStack, file), Msg: cure(msg)}
	}
	return &Error{Place: Place{File: file}, Msg: err.Error()}
}

// innermost is the place in a source file nearest to where an error arose.
func innermost(stack starlark.CallStack, file string) Place {
	for i := len(stack) - 1; i >= 0; i-- {
		if stack[i].Pos.Filename() != builtinFile {
			return placeOf(stack[i].Pos)
		}
	}
	return Place{File: file}
}

// cures are words in Starlark's own messages and what to do about them.
var cures = []struct{ part, cure string }{
	{"frozen", "; values of the file cannot be changed by a program, since a process's memory dies with " +
		"it: keep the value in a variable of the function, or in store(\"name\"), which survives"},
	{"referenced before assignment", "; a function that assigns to a name makes it its own: give it a " +
		"value first, or keep it in store(\"name\") if processes shall share it"},
	{"called recursively", "; functions of a scenario may not call themselves: use a while loop"},
	{"load not implemented", "; a scenario is one file: copy what it needs"},
	{"cannot reassign", "; a name of the file gets its value once: use another name, or a function"},
	{"got '!'", "; Starlark writes not x"},
	{"outdent, want", "; is a bracket not closed, or a line missing, above?"},
	{"end of file, want", "; is a bracket not closed, or a line missing, above?"},
	{"got class", "; there are no classes: use a function with dict() or a list"},
	{"got import", "; there is no import: everything a scenario needs is there already"},
	{"got yield", "; programs are functions that call c.poll in a loop"},
	{"try", "; there are no exceptions: use value, error = attempt(fn, ...)"},
	{"unhashable", "; keys of a dict must be texts, numbers or tuples"},
}

// cure appends what to do to a message of Starlark.
func cure(msg string) string {
	key := msg
	if i := strings.Index(msg, "undefined: "); i >= 0 && !strings.Contains(msg, "did you mean") {
		name := strings.TrimSpace(msg[i+len("undefined: "):])
		msg = "no such name " + name + suggest(name, allNames())
	}
	for _, c := range cures {
		if strings.Contains(key, c.part) {
			return msg + c.cure
		}
	}
	return msg
}

// suggest is what an error says after an unknown name: the likeliest right one, and all of them if
// they are few.
func suggest(name string, have []string) string {
	if len(have) == 0 {
		return "; there are none"
	}
	s := ""
	if n, ok := nearest(name, have); ok {
		s = "; did you mean " + n + "?"
	}
	if len(have) <= 8 {
		s += "; there are " + strings.Join(have, ", ")
		s = strings.Replace(s, "?; there are ", "? There are ", 1)
	}
	return s
}

// nearest is the name that a typing error turns into name most easily; false when all are far.
func nearest(name string, have []string) (string, bool) {
	best, dist := "", 1<<30
	for _, h := range have {
		d := 100 * distance(strings.ToLower(name), strings.ToLower(h))
		if strings.TrimSuffix(name, "_ms") == h || strings.ReplaceAll(name, ".", "_") == h {
			d = 0
		}
		if d = d + apart(name, h); d < dist {
			best, dist = h, d
		}
	}
	limit := max(100*(len(name)/3), 199)
	if len(name) <= 2 {
		limit = 100*len(name) + 99
	}
	return best, best != "" && dist <= limit
}

// apart settles ties: how far the last letters lie from each other in the alphabet.
func apart(a, b string) int {
	if a == "" || b == "" {
		return 99
	}
	d := int(a[len(a)-1]) - int(b[len(b)-1])
	return min(max(d, -d), 99)
}

// distance counts the letters to insert, remove, replace or swap to make a into b.
func distance(a, b string) int {
	if len(a) > 80 || len(b) > 80 {
		return max(len(a), len(b))
	}
	two, one, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
		two, one, row = one, row, two
	}
	return one[len(b)]
}
