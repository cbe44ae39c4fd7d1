package verdict

import (
	"sort"
	"strconv"
	"strings"
)

// Kind says what a [Value] holds.
type Kind uint8

const (
	// KindNone: it never happened, or there is none; Text is the word shown.
	KindNone Kind = iota
	// KindNumber: N is a count or an offset.
	KindNumber
	// KindBool: N is 0 or 1.
	KindBool
	// KindDuration: N is a length of time in nanoseconds.
	KindDuration
	// KindTime: N is a moment in nanoseconds since the start of the run.
	KindTime
	// KindText: Text is a name or a short text.
	KindText
	// KindNames: Names is a set of texts, sorted.
	KindNames
	// KindSequence: Names is a list of texts in order of time.
	KindSequence
	// KindOffsets: Spans is a set of offsets of one partition.
	KindOffsets
	// KindPartitions: Map has the offsets of each partition of a topic that has any.
	KindPartitions
	// KindMembers: Map has the partitions of each member of a group.
	KindMembers
	// KindQuery: Query is asked when the matcher is tried. It occurs only in what is wanted.
	KindQuery
)

var kindNames = []string{
	"nothing", "number", "truth value", "duration", "time", "text", "names", "list", "offsets",
	"offsets by partition", "partitions by member", "query",
}

// String names the kind in an error message.
func (k Kind) String() string { return kindNames[k] }

// Span is a run of offsets, both ends included.
type Span struct{ First, Last int64 }

// Entry is one line of a map: the offsets of a partition or the partitions of a member.
type Entry struct {
	Name  string
	Spans []Span
	Names []string
}

// Value is an answer, or what was wanted instead.
type Value struct {
	Kind  Kind
	N     int64
	Text  string
	Names []string
	Spans []Span
	Map   []Entry
	Query *Query
}

// None is the answer of a question about something that did not happen; word is shown.
func None(word string) Value { return Value{Text: word} }

// Number is a count or an offset.
func Number(n int64) Value { return Value{Kind: KindNumber, N: n} }

// Bool is a truth value.
func Bool(b bool) Value {
	v := Value{Kind: KindBool}
	if b {
		v.N = 1
	}
	return v
}

// Duration is a length of time in nanoseconds.
func Duration(ns int64) Value { return Value{Kind: KindDuration, N: ns} }

// Time is a moment in nanoseconds since the start of the run.
func Time(ns int64) Value { return Value{Kind: KindTime, N: ns} }

// Text is a name or a short text.
func Text(s string) Value { return Value{Kind: KindText, Text: s} }

// Names is a set of texts; the order given does not matter.
func Names(names ...string) Value {
	set := append([]string(nil), names...)
	sort.Slice(set, func(i, j int) bool { return naturalLess(set[i], set[j]) })
	return Value{Kind: KindNames, Names: set}
}

// Sequence is a list of texts in order.
func Sequence(texts ...string) Value { return Value{Kind: KindSequence, Names: texts} }

// Offsets is a set of offsets of one partition; spans may overlap and come in any order.
func Offsets(spans ...Span) Value { return Value{Kind: KindOffsets, Spans: normal(spans)} }

// ByPartition is the offsets of each partition; partitions without any are left out.
func ByPartition(entries ...Entry) Value {
	v := Value{Kind: KindPartitions}
	for _, e := range entries {
		if len(e.Spans) > 0 {
			v.Map = append(v.Map, Entry{Name: e.Name, Spans: normal(e.Spans)})
		}
	}
	v.sortMap()
	return v
}

// ByMember is the partitions of each member.
func ByMember(entries ...Entry) Value {
	v := Value{Kind: KindMembers}
	for _, e := range entries {
		v.Map = append(v.Map, Entry{Name: e.Name, Names: Names(e.Names...).Names})
	}
	v.sortMap()
	return v
}

// Ask is a query in the place of a wanted value.
func Ask(q Query) Value { return Value{Kind: KindQuery, Query: &q} }

func (v *Value) sortMap() {
	sort.SliceStable(v.Map, func(i, j int) bool { return naturalLess(v.Map[i].Name, v.Map[j].Name) })
}

// Count is the number of offsets or names in the value, and whether it can be counted at all.
func (v Value) Count() (int64, bool) {
	switch v.Kind {
	case KindOffsets:
		return countSpans(v.Spans), true
	case KindNames, KindSequence:
		return int64(len(v.Names)), true
	case KindPartitions:
		n := int64(0)
		for _, e := range v.Map {
			n += countSpans(e.Spans)
		}
		return n, true
	}
	return 0, false
}

// String is the value as people read it: 45.000s, 01:02.500, 15..19, [A, B].
func (v Value) String() string {
	switch v.Kind {
	case KindNumber:
		return strconv.FormatInt(v.N, 10)
	case KindBool:
		return strconv.FormatBool(v.N != 0)
	case KindDuration:
		return durationText(v.N, milli)
	case KindTime:
		return timeText(v.N, milli)
	case KindText:
		return v.Text
	case KindNames, KindSequence:
		return "[" + strings.Join(v.Names, ", ") + "]"
	case KindOffsets:
		return spansText(v.Spans)
	case KindPartitions, KindMembers:
		return mapText(v)
	case KindQuery:
		return v.Query.String()
	}
	if v.Text == "" {
		return "none"
	}
	return v.Text
}

// exact is String with every nanosecond, for the case that two different times read the same.
func (v Value) exact() string {
	switch v.Kind {
	case KindDuration:
		return durationText(v.N, nano)
	case KindTime:
		return timeText(v.N, nano)
	}
	return v.String()
}

// Units that times are rounded to when shown.
const (
	nano  = 1
	milli = 1_000_000
)

const second = 1_000_000_000

// fraction writes the part of ns below a second as .mmm or .nnnnnnnnn.
func fraction(ns, unit int64) string {
	digits := 9
	for u := unit; u > 1; u /= 10 {
		digits--
	}
	s := strconv.FormatInt(ns%second/unit, 10)
	return "." + strings.Repeat("0", digits-len(s)) + s
}

// rounded is ns to the nearest unit, half away from zero, as sign and absolute value.
func rounded(ns, unit int64) (sign string, abs int64) {
	if ns < 0 {
		sign, ns = "-", -ns
	}
	ns = (ns + unit/2) / unit * unit
	if ns == 0 {
		sign = ""
	}
	return sign, ns
}

func durationText(ns, unit int64) string {
	sign, ns := rounded(ns, unit)
	return sign + strconv.FormatInt(ns/second, 10) + fraction(ns, unit) + "s"
}

func timeText(ns, unit int64) string {
	sign, ns := rounded(ns, unit)
	m, s := strconv.FormatInt(ns/second/60, 10), strconv.FormatInt(ns/second%60, 10)
	return sign + strings.Repeat("0", max(0, 2-len(m))) + m + ":" +
		strings.Repeat("0", 2-len(s)) + s + fraction(ns, unit)
}

func spansText(spans []Span) string {
	if len(spans) == 0 {
		return "[]"
	}
	var parts []string
	for _, s := range spans {
		t := strconv.FormatInt(s.First, 10)
		if s.Last != s.First {
			t += ".." + strconv.FormatInt(s.Last, 10)
		}
		parts = append(parts, t)
	}
	return strings.Join(parts, ", ")
}

func mapText(v Value) string {
	if len(v.Map) == 0 {
		if v.Kind == KindPartitions {
			return "[]"
		}
		return "{}"
	}
	var parts []string
	for _, e := range v.Map {
		t := e.Name + ": "
		if v.Kind == KindPartitions {
			t += spansText(e.Spans)
		} else {
			t += "[" + strings.Join(e.Names, ", ") + "]"
		}
		parts = append(parts, t)
	}
	return "{" + strings.Join(parts, "; ") + "}"
}
