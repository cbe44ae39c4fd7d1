package verdict

import (
	"fmt"
	"strings"
)

// Op is how an answer is held against what was wanted.
type Op uint8

const (
	// Equals: the same value. A number equals a set of offsets or a list that has so many.
	Equals Op = iota
	// Below, AtMost, Above and AtLeast compare numbers, durations, times and sizes.
	Below
	AtMost
	Above
	AtLeast
	// Between: from Want to Want2, both included.
	Between
	// Contains: a set, list, map or text has Want in it.
	Contains
	// Holds: the answer is true.
	Holds
)

// OpNames are the names of the operators in a scenario, by value.
var OpNames = []string{
	"equals", "below", "at_most", "above", "at_least", "between", "contains", "holds",
}

// LookupOp finds an operator by its name.
func LookupOp(name string) (Op, bool) {
	for i, n := range OpNames {
		if n == name {
			return Op(i), true
		}
	}
	return 0, false
}

// Matcher says what an answer should be. Want and Want2 may be queries ([KindQuery]).
type Matcher struct {
	Op    Op
	Want  Value
	Want2 Value
}

// String is the matcher in words: "at least 45.000s".
func (m Matcher) String() string {
	switch m.Op {
	case Equals:
		return m.Want.String()
	case Between:
		return "between " + m.Want.String() + " and " + m.Want2.String()
	case Holds:
		return "true"
	}
	return strings.ReplaceAll(OpNames[m.Op], "_", " ") + " " + m.Want.String()
}

func (m Matcher) exact() string {
	m.Want, m.Want2 = Text(m.Want.exact()), Text(m.Want2.exact())
	return m.String()
}

// Check says, before a run, whether an answer of this kind can be held against m at all.
func (m Matcher) Check(result Kind) error {
	if m.Op == Holds {
		if result != KindBool {
			return fmt.Errorf("holds needs a true-or-false query, this one answers with a %s", result)
		}
		return nil
	}
	wants := []Value{m.Want}
	if m.Op == Between {
		wants = append(wants, m.Want2)
	}
	for _, w := range wants {
		kind := w.Kind
		if kind == KindQuery {
			kind = w.Query.Kind()
		}
		if err := m.Op.check(result, kind); err != nil {
			return err
		}
	}
	return nil
}

func (o Op) check(got, want Kind) error {
	ok := false
	switch o {
	case Equals:
		ok = want == KindNone || sameKind(got, want)
	case Contains:
		ok = containable(got, want)
	default:
		ok = ordered(got, want)
	}
	if !ok {
		return fmt.Errorf("%s cannot compare %s with %s", OpNames[o], got, want)
	}
	return nil
}

func listKind(k Kind) bool { return k == KindNames || k == KindSequence }

func offsetKind(k Kind) bool { return k == KindOffsets || k == KindPartitions }

func timeKind(k Kind) bool { return k == KindDuration || k == KindTime }

// sameKind: can the two be equal? An empty list is an empty set of offsets; a number counts.
func sameKind(got, want Kind) bool {
	switch {
	case got == want, listKind(got) && listKind(want), ordered(got, want):
		return true
	case offsetKind(got):
		return offsetKind(want) || listKind(want)
	}
	return got == KindMembers && listKind(want)
}

func ordered(got, want Kind) bool {
	if timeKind(got) {
		return timeKind(want)
	}
	countable := got == KindNumber || listKind(got) || offsetKind(got)
	return countable && want == KindNumber
}

func containable(got, want Kind) bool {
	switch {
	case got == KindText:
		return want == KindText
	case listKind(got), got == KindMembers:
		return want == KindText || listKind(want)
	case got == KindOffsets:
		return want == KindNumber || offsetKind(want)
	}
	return got == KindPartitions && (want == KindText || want == KindPartitions)
}

// Match holds got against m, whose wanted values must not be queries any more, and says what was
// wanted in words. An answer [KindNone] matches only equals = None and, for counts, nothing.
func Match(got Value, m Matcher) (bool, string) {
	ok := match(got, m)
	want := m.String()
	if !ok && want == got.String() {
		want = m.exact()
	}
	return ok, want
}

func match(got Value, m Matcher) bool {
	switch m.Op {
	case Equals:
		return equal(got, m.Want)
	case Contains:
		return contains(got, m.Want)
	case Holds:
		return got.Kind == KindBool && got.N != 0
	case Between:
		return within(got, m.Want, AtLeast) && within(got, m.Want2, AtMost)
	}
	return within(got, m.Want, m.Op)
}

func within(got, want Value, op Op) bool {
	if !ordered(got.Kind, want.Kind) {
		return false
	}
	n := got.N
	if c, ok := got.Count(); ok {
		n = c
	}
	switch op {
	case Below:
		return n < want.N
	case AtMost:
		return n <= want.N
	case Above:
		return n > want.N
	}
	return n >= want.N
}

func equal(got, want Value) bool {
	if got.Kind == KindNone || want.Kind == KindNone {
		return got.Kind == want.Kind
	}
	if want.Kind == KindNumber && got.Kind != KindNumber {
		n, ok := got.Count()
		return ok && n == want.N
	}
	switch {
	case got.Kind == KindSequence && listKind(want.Kind):
		return sameTexts(got.Names, want.Names)
	case got.Kind == KindNames && listKind(want.Kind):
		return sameTexts(got.Names, Names(want.Names...).Names)
	case got.Kind == KindText:
		return want.Kind == KindText && got.Text == want.Text
	case got.Kind == KindMembers, offsetKind(got.Kind):
		return equalMap(got, want)
	case timeKind(got.Kind):
		return timeKind(want.Kind) && got.N == want.N
	}
	return got.Kind == want.Kind && got.N == want.N
}

// equalMap compares offsets and maps; a key without anything counts as absent.
func equalMap(got, want Value) bool {
	if listKind(want.Kind) { // [] in the scenario
		n, _ := got.Count()
		return n == 0 && len(want.Names) == 0 && len(fullEntries(got)) == 0
	}
	if got.Kind == KindOffsets && want.Kind == KindOffsets {
		return sameSpans(got.Spans, normal(want.Spans))
	}
	if want.Kind == KindOffsets && len(want.Spans) == 0 {
		return len(fullEntries(got)) == 0
	}
	a, b := fullEntries(got), fullEntries(want)
	if got.Kind != want.Kind || len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !sameSpans(a[i].Spans, normal(b[i].Spans)) ||
			!sameTexts(a[i].Names, Names(b[i].Names...).Names) {
			return false
		}
	}
	return true
}

// fullEntries are the entries of a map that hold something, in order of their names.
func fullEntries(v Value) []Entry {
	v.Map = append([]Entry(nil), v.Map...)
	v.sortMap()
	var full []Entry
	for _, e := range v.Map {
		if len(e.Spans)+len(e.Names) > 0 {
			full = append(full, e)
		}
	}
	return full
}

func sameTexts(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func sameSpans(a, b []Span) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func contains(got, want Value) bool {
	switch got.Kind {
	case KindText:
		return want.Kind == KindText && strings.Contains(got.Text, want.Text)
	case KindNames:
		return hasAll(got.Names, wantedTexts(want))
	case KindSequence:
		return hasInOrder(got.Names, wantedTexts(want))
	case KindOffsets:
		if want.Kind == KindNumber {
			want = Offsets(Span{want.N, want.N})
		}
		return want.Kind == KindOffsets && coversAll(got.Spans, normal(want.Spans))
	case KindMembers:
		var names []string
		for _, e := range got.Map {
			names = append(names, e.Name)
		}
		return hasAll(names, wantedTexts(want))
	case KindPartitions:
		return containsParts(got, want)
	}
	return false
}

func containsParts(got, want Value) bool {
	if want.Kind == KindText {
		want = Value{Kind: KindPartitions, Map: []Entry{{Name: want.Text}}}
	}
	if want.Kind != KindPartitions {
		return false
	}
	for _, w := range want.Map {
		found := false
		for _, e := range got.Map {
			found = found || e.Name == w.Name && coversAll(e.Spans, normal(w.Spans))
		}
		if !found {
			return false
		}
	}
	return true
}

func wantedTexts(v Value) []string {
	if v.Kind == KindText {
		return []string{v.Text}
	}
	return v.Names
}

func hasAll(have, want []string) bool {
	for _, w := range want {
		found := false
		for _, h := range have {
			found = found || h == w
		}
		if !found {
			return false
		}
	}
	return true
}

// hasInOrder: every wanted text occurs inside a text of have, in this order. Parts of texts count,
// since log lines carry details that an expectation does not repeat.
func hasInOrder(have, want []string) bool {
	i := 0
	for _, w := range want {
		for i < len(have) && !strings.Contains(have[i], w) {
			i++
		}
		if i == len(have) {
			return false
		}
		i++
	}
	return true
}
