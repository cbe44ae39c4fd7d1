package script

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"rebalancelab/engine/verdict"
)

// opaque is what the values below have in common: they are immutable and compare by identity.
type opaque struct{}

func (opaque) Freeze()               {}
func (opaque) Truth() starlark.Bool  { return true }
func (opaque) Hash() (uint32, error) { return 0, fmt.Errorf("this value cannot be a key of a dict") }

// queryValue is a question about the run: lost("order_events-0"). It may have a duration or a number
// added.
type queryValue struct {
	opaque
	q     verdict.Query
	place Place
}

func (v *queryValue) String() string { return v.q.String() }
func (v *queryValue) Type() string   { return "query" }

// Truth makes a comparison such as lost("t") == [] in a condition an error: nothing is known yet.
func (v *queryValue) Binary(
	op syntax.Token, y starlark.Value, side starlark.Side,
) (starlark.Value, error) {
	if op != syntax.PLUS && op != syntax.MINUS || op == syntax.MINUS && side == starlark.Right {
		return nil, nil
	}
	n, err := v.addend(y)
	if err != nil {
		return nil, err
	}
	if op == syntax.MINUS {
		n = -n
	}
	sum := *v
	sum.q.Plus += n
	return &sum, nil
}

func (v *queryValue) addend(y starlark.Value) (int64, error) {
	kind := v.q.Kind()
	switch y := y.(type) {
	case starlark.String:
		if kind != verdict.KindTime && kind != verdict.KindDuration {
			break
		}
		d, err := ParseDuration(string(y))
		return int64(d), err
	case starlark.Int:
		if n, ok := y.Int64(); ok && kind == verdict.KindNumber {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s answers with a %s; %s cannot be added to that", v.q.Name, kind, y)
}

// actValue is one or more acts, worked out when the whole file is known.
type actValue struct {
	opaque
	text  string
	place Place
	build func(f *finder) ([]Step, error)
}

func (v *actValue) String() string { return v.text }
func (v *actValue) Type() string   { return "action" }

// laterValue is then_after(d, ...).
type laterValue struct {
	opaque
	text  string
	after time.Duration
	acts  []starlark.Value
}

func (v *laterValue) String() string { return v.text }
func (v *laterValue) Type() string   { return "action" }

// triggerValue is a moment to wait for: sent("A", "JoinGroup").
type triggerValue struct {
	opaque
	text    string
	place   Place
	trigger Trigger
}

func (v *triggerValue) String() string { return v.text }
func (v *triggerValue) Type() string   { return "trigger" }

// committedValue is committed(group, partition, offset): what the group has committed before the
// start, unless it is used as a trigger.
type committedValue struct {
	triggerValue
	used bool // as a trigger
}

// spanValue is span(a, b): offsets a to b.
type spanValue struct {
	opaque
	span verdict.Span
}

func (v spanValue) String() string { return fmt.Sprintf("span(%d, %d)", v.span.First, v.span.Last) }
func (v spanValue) Type() string   { return "span" }

// checkValue is check(query, equals = ...), an option of a prediction.
type checkValue struct {
	opaque
	checks []*pendingCheck
}

func (v *checkValue) String() string { return "check(" + v.checks[0].text() + ")" }
func (v *checkValue) Type() string   { return "check" }

// spreadValue is normal(...) or uniform(...).
type spreadValue struct {
	opaque
	spread
}

func (v *spreadValue) String() string { return v.spread.String() }
func (v *spreadValue) Type() string   { return "duration" }

// toDuration reads a duration that must be the same each time.
func toDuration(v starlark.Value) (time.Duration, error) {
	switch v := v.(type) {
	case starlark.String:
		return ParseDuration(string(v))
	case starlark.Int:
		return 0, fmt.Errorf("%s has no unit; did you mean \"%ss\"?", v, v)
	case starlark.Float:
		return 0, fmt.Errorf("%s is a number with a fraction; write a duration as \"1500ms\"", v)
	case *spreadValue:
		return 0, fmt.Errorf("%s is drawn anew each time; here one fixed duration is needed", v)
	}
	return 0, fmt.Errorf("%s is no duration; write one as \"20s\"", brief(v))
}

// lastRead remembers the text that was read last as a duration at one place: a program mostly gives
// the same one again.
type lastRead struct {
	text   starlark.String
	length time.Duration
}

// spread is toSpread.
func (l *lastRead) spread(v starlark.Value) (spread, error) {
	text, ok := v.(starlark.String)
	if ok && text == l.text && text != "" {
		return spread{a: l.length}, nil
	}
	s, err := toSpread(v)
	if ok && err == nil {
		l.text, l.length = text, s.a
	}
	return s, err
}

// duration is toDuration.
func (l *lastRead) duration(v starlark.Value) (time.Duration, error) {
	if _, ok := v.(starlark.String); !ok {
		return toDuration(v)
	}
	s, err := l.spread(v)
	return s.a, err
}

// toSpread reads a duration, fixed or drawn.
func toSpread(v starlark.Value) (spread, error) {
	if v, ok := v.(*spreadValue); ok {
		return v.spread, nil
	}
	d, err := toDuration(v)
	return spread{a: d}, err
}

// brief is a value in an error message: its text if that is short, else its type.
func brief(v starlark.Value) string {
	n := 0
	if textSize(v, &n, 0) == nil && n < 60 {
		return v.String()
	}
	return "a " + v.Type()
}
