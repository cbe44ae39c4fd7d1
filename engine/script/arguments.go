package script

import (
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"
)

// arguments are those of one call of a built-in. Each is asked for by name and, if it may stand
// without its name, by position; the first mistake is kept. end finds what nobody asked for.
type arguments struct {
	fn    string
	pos   starlark.Tuple
	all   []starlark.Tuple // named ones
	kw    []starlark.Tuple // those of them that were not asked for yet
	taken int              // positional ones asked for
	known []string
	err   error
}

func newArguments(fn string, pos starlark.Tuple, kw []starlark.Tuple) *arguments {
	return &arguments{fn: fn, pos: pos, all: kw, kw: kw}
}

func (a *arguments) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("%s(): %s", a.fn, fmt.Sprintf(format, args...))
	}
}

// next is the next positional argument, or the one called name.
func (a *arguments) next(name string) (starlark.Value, bool) {
	i := a.taken
	a.taken++
	v, ok := a.named(name)
	if i < len(a.pos) {
		if ok {
			a.fail("%s is given twice", name)
		}
		return a.pos[i], true
	}
	return v, ok
}

// named is the argument called name; None counts as left out.
func (a *arguments) named(name string) (starlark.Value, bool) {
	a.known = append(a.known, name)
	for i, k := range a.kw {
		if string(k[0].(starlark.String)) == name {
			a.kw = append(append([]starlark.Tuple(nil), a.kw[:i]...), a.kw[i+1:]...)
			return k[1], k[1] != starlark.None
		}
	}
	return nil, false
}

// must is next, and an error when it is missing; what says what it is.
func (a *arguments) must(name, what string) starlark.Value {
	v, ok := a.next(name)
	if !ok {
		a.fail("%s is missing: %s", name, what)
		return starlark.None
	}
	return v
}

// others are the remaining positional arguments.
func (a *arguments) others() starlark.Tuple {
	i := min(a.taken, len(a.pos))
	a.taken = len(a.pos)
	return a.pos[i:]
}

// left are the named arguments that nobody asked for: settings.
func (a *arguments) left() []starlark.Tuple {
	kw := a.kw
	a.kw = nil
	return kw
}

// end gives the first mistake; arguments that nobody asked for are one.
func (a *arguments) end() error {
	if a.err == nil && len(a.pos) > a.taken {
		a.fail("too many arguments: %s", brief(a.pos[a.taken]))
	}
	if a.err == nil && len(a.kw) > 0 {
		name := string(a.kw[0][0].(starlark.String))
		a.fail("no such argument %s%s", name, suggest(name, a.known))
	}
	return a.err
}

func (a *arguments) asText(name string, v starlark.Value) string {
	s, ok := v.(starlark.String)
	if !ok {
		a.fail("%s = %s: must be a text in quotes", name, brief(v))
	}
	return string(s)
}

func (a *arguments) asNumber(name string, v starlark.Value, least, most int64) int64 {
	i, ok := v.(starlark.Int)
	n, small := int64(0), false
	if ok {
		n, small = i.Int64()
	}
	switch {
	case !ok:
		a.fail("%s = %s: must be a whole number", name, brief(v))
	case !small || n > most:
		a.fail("%s = %s: must be at most %d", name, i, most)
	case n < least:
		a.fail("%s = %s: must be at least %d", name, i, least)
	}
	return n
}

func (a *arguments) asDuration(name string, v starlark.Value) time.Duration {
	d, err := toDuration(v)
	if err != nil {
		a.fail("%s: %v", name, err)
	}
	return d
}

// asTexts reads one text, or a list of texts.
func (a *arguments) asTexts(name string, v starlark.Value) []string {
	if s, ok := v.(starlark.String); ok {
		return []string{string(s)}
	}
	list, ok := v.(starlark.Iterable)
	if !ok {
		a.fail("%s = %s: must be a list of texts", name, brief(v))
		return nil
	}
	var texts []string
	for e := range starlark.Elements(list) {
		s, ok := e.(starlark.String)
		if !ok {
			a.fail("%s: %s in the list is no text in quotes", name, brief(e))
			return nil
		}
		texts = append(texts, string(s))
	}
	return texts
}

func (a *arguments) mustText(name, what string) string {
	v := a.must(name, what)
	if a.err != nil {
		return ""
	}
	return a.asText(name, v)
}

func (a *arguments) mustDuration(name, what string) time.Duration {
	v := a.must(name, what)
	if a.err != nil {
		return 0
	}
	return a.asDuration(name, v)
}

func (a *arguments) mustNumber(name, what string, least, most int64) int64 {
	v := a.must(name, what)
	if a.err != nil {
		return 0
	}
	return a.asNumber(name, v, least, most)
}

func (a *arguments) text(name, otherwise string) string {
	if v, ok := a.named(name); ok {
		return a.asText(name, v)
	}
	return otherwise
}

func (a *arguments) duration(name string, otherwise time.Duration) time.Duration {
	if v, ok := a.named(name); ok {
		return a.asDuration(name, v)
	}
	return otherwise
}

func (a *arguments) number(name string, otherwise, least, most int64) int64 {
	if v, ok := a.named(name); ok {
		return a.asNumber(name, v, least, most)
	}
	return otherwise
}

func (a *arguments) function(name string, v starlark.Value) starlark.Callable {
	fn, ok := v.(starlark.Callable)
	if !ok {
		a.fail("%s = %s: must be a function", name, brief(v))
	}
	return fn
}

// callText is a call as it may be written again.
func callText(fn string, pos starlark.Tuple, kw []starlark.Tuple) string {
	var parts []string
	for _, v := range pos {
		parts = append(parts, argText(v))
	}
	for _, k := range kw {
		parts = append(parts, string(k[0].(starlark.String))+" = "+argText(k[1]))
	}
	return fn + "(" + strings.Join(parts, ", ") + ")"
}

func argText(v starlark.Value) string {
	if fn, ok := v.(starlark.Callable); ok {
		return fn.Name()
	}
	return brief(v)
}

// original is the call as it may be written again.
func (a *arguments) original() string { return callText(a.fn, a.pos, a.all) }

// originalAfterFirst is what stands behind the first argument, from its comma on.
func (a *arguments) originalAfterFirst() string {
	var rest starlark.Tuple
	if len(a.pos) > 1 {
		rest = a.pos[1:]
	}
	var kw []starlark.Tuple
	for _, k := range a.all {
		if string(k[0].(starlark.String)) != "name" {
			kw = append(kw, k)
		}
	}
	s := callText("", rest, kw)
	if s == "()" {
		return ""
	}
	return ", " + s[1:len(s)-1]
}

// has says whether a named argument is given, without taking it.
func (a *arguments) has(name string) (starlark.Value, bool) {
	for _, k := range a.kw {
		if string(k[0].(starlark.String)) == name {
			return k[1], true
		}
	}
	return nil, false
}
