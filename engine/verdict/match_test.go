package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "rebalancelab/engine/verdict"
)

const s1 = 1_000_000_000

func TestValuesReadAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want string
	}{
		{Number(-3), "-3"},
		{Bool(true), "true"},
		{Duration(45 * s1), "45.000s"},
		{Duration(499_600), "0.000s"},
		{Duration(1_999_700_000), "2.000s"},
		{Duration(-1_500_000_000), "-1.500s"},
		{Time(62_500_000_000), "01:02.500"},
		{Time(3661 * s1), "61:01.000"},
		{Time(59_999_900_000), "01:00.000"},
		{Text("Stable"), "Stable"},
		{Names("t-10", "t-9", "t-1"), "[t-1, t-9, t-10]"},
		{Sequence("b", "a"), "[b, a]"},
		{Offsets(), "[]"},
		{Offsets(Span{20, 22}, Span{15, 19}, Span{30, 30}), "15..22, 30"},
		{Offsets(Span{5, 3}), "[]"},
		{ByPartition(), "[]"},
		{ByPartition(Entry{Name: "t-1", Spans: []Span{{1, 2}}}, Entry{Name: "t-0"}), "{t-1: 1..2}"},
		{ByMember(), "{}"},
		{ByMember(Entry{Name: "B"}, Entry{Name: "A", Names: []string{"t-0"}}), "{A: [t-0]; B: []}"},
		{None("never"), "never"},
		{None(""), "none"},
	} {
		require.Equal(t, c.want, c.v.String())
	}
}

func TestMatchers(t *testing.T) {
	offsets := Offsets(Span{15, 19}, Span{30, 30})
	parts := ByPartition(Entry{Name: "t-0", Spans: []Span{{1, 2}}}, Entry{Name: "t-1", Spans: []Span{{7, 7}}})
	members := ByMember(Entry{Name: "A", Names: []string{"t-1", "t-0"}}, Entry{Name: "B"})
	empty := Sequence()
	for _, c := range []struct {
		got  Value
		op   Op
		want Value
		ok   bool
	}{
		{Number(5), Equals, Number(5), true},
		{Number(5), Equals, Number(6), false},
		{Number(5), Below, Number(5), false},
		{Number(5), AtMost, Number(5), true},
		{Number(5), AtLeast, Number(5), true},
		{Number(5), Above, Number(5), false},
		{Number(5), Equals, None(""), false},
		{None("never"), Equals, None(""), true},
		{None("never"), AtLeast, Number(0), false},
		{None("never"), Equals, empty, false},
		{Duration(s1), Equals, Duration(s1), true},
		{Time(20 * s1), AtLeast, Duration(20 * s1), true},
		{Duration(s1), Below, Number(5), false},
		{offsets, Equals, Offsets(Span{30, 30}, Span{15, 17}, Span{18, 19}), true},
		{offsets, Equals, Offsets(Span{15, 19}), false},
		{offsets, Equals, Number(6), true},
		{offsets, AtMost, Number(5), false},
		{offsets, Contains, Number(16), true},
		{offsets, Contains, Number(20), false},
		{offsets, Contains, Offsets(Span{16, 18}), true},
		{offsets, Contains, Offsets(Span{16, 20}), false},
		{Offsets(), Equals, empty, true},
		{offsets, Equals, empty, false},
		{parts, Equals, empty, false},
		{ByPartition(), Equals, empty, true},
		{ByPartition(), Equals, Offsets(), true},
		{parts, Equals, parts, true},
		{parts, AtLeast, Number(3), true},
		{parts, Contains, Text("t-1"), true},
		{parts, Contains, Text("t-2"), false},
		{parts, Contains, ByPartition(Entry{Name: "t-0", Spans: []Span{{2, 2}}}), true},
		{parts, Contains, ByPartition(Entry{Name: "t-0", Spans: []Span{{2, 3}}}), false},
		{members, Equals, ByMember(Entry{Name: "A", Names: []string{"t-0", "t-1"}}), true},
		{members, Equals, ByMember(Entry{Name: "B", Names: []string{"t-0", "t-1"}}), false},
		{members, Contains, Text("B"), true},
		{Names("a", "b"), Equals, Sequence("b", "a"), true},
		{Sequence("a", "b"), Equals, Sequence("b", "a"), false},
		{Names("a", "b"), Contains, Text("b"), true},
		{Names("ab"), Contains, Text("b"), false},
		{Names("a", "b"), Equals, Number(2), true},
		{Sequence("x joined", "y left"), Contains, Sequence("joined", "left"), true},
		{Sequence("x joined", "y left"), Contains, Sequence("left", "joined"), false},
		{Text("session expired"), Contains, Text("expired"), true},
		{Text("Stable"), Equals, Text("Empty"), false},
		{Bool(true), Holds, Value{}, true},
		{Bool(false), Holds, Value{}, false},
		{Bool(false), Equals, Bool(false), true},
	} {
		ok, _ := Match(c.got, Matcher{Op: c.op, Want: c.want})
		require.Equal(t, c.ok, ok, "%s %s %s", c.got, OpNames[c.op], c.want)
	}
}

func TestBetweenIncludesBothEnds(t *testing.T) {
	m := Matcher{Op: Between, Want: Number(744), Want2: Number(756)}
	for n, want := range map[int64]bool{743: false, 744: true, 756: true, 757: false} {
		ok, text := Match(Offsets(Span{0, n - 1}), m)
		require.Equal(t, want, ok, n)
		require.Equal(t, "between 744 and 756", text)
	}
}

func TestATimeThatReadsTheSameIsShownToTheNanosecond(t *testing.T) {
	ok, want := Match(Duration(45*s1+1), Matcher{Op: Equals, Want: Duration(45 * s1)})
	require.False(t, ok)
	require.Equal(t, "45.000000000s", want)
	ok, want = Match(Duration(45*s1), Matcher{Op: AtLeast, Want: Duration(46 * s1)})
	require.False(t, ok)
	require.Equal(t, "at least 46.000s", want)
}

func TestAMatcherThatCannotHoldIsToldBeforeTheRun(t *testing.T) {
	lost := Query{Name: "lost", Topic: "t", Partition: -1}
	for _, c := range []struct {
		result Kind
		m      Matcher
		err    string
	}{
		{KindDuration, Matcher{Op: Below, Want: Number(70)}, "below cannot compare duration with number"},
		{KindNumber, Matcher{Op: Holds}, "holds needs a true-or-false query, this one answers with a number"},
		{KindText, Matcher{Op: AtLeast, Want: Text("x")}, "at_least cannot compare text with text"},
		{KindNumber, Matcher{Op: Between, Want: Number(1), Want2: Duration(2)}, "between cannot compare number with duration"},
		{KindNumber, Matcher{Op: Equals, Want: Ask(lost)}, "equals cannot compare number with offsets by partition"},
		{KindTime, Matcher{Op: AtLeast, Want: Ask(Query{Name: "removed"})}, ""},
		{KindNames, Matcher{Op: Contains, Want: Text("A")}, ""},
		{KindOffsets, Matcher{Op: Contains, Want: Number(16)}, ""},
		{KindPartitions, Matcher{Op: Contains, Want: Number(16)}, "contains cannot compare offsets by partition with number"},
		{KindText, Matcher{Op: Contains, Want: Number(16)}, "contains cannot compare text with number"},
		{KindOffsets, Matcher{Op: Equals, Want: Sequence()}, ""},
		{KindOffsets, Matcher{Op: Equals, Want: None("")}, ""},
		{KindMembers, Matcher{Op: Equals, Want: Sequence("t-0")}, ""},
		{KindPartitions, Matcher{Op: Equals, Want: Number(3)}, ""},
	} {
		err := c.m.Check(c.result)
		if c.err == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, c.err)
	}
}

func TestOperatorsAreFoundByTheirNames(t *testing.T) {
	for i, name := range OpNames {
		op, ok := LookupOp(name)
		require.True(t, ok)
		require.Equal(t, Op(i), op)
	}
	_, ok := LookupOp("over")
	require.False(t, ok)
}
