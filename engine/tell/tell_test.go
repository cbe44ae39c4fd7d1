package tell_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
	"rebalancelab/engine/enginetest"
	"rebalancelab/engine/tell"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

var update = flag.Bool("update", false, "write the golden file anew: read the diff")

// kinds are the kinds of events by name, read from the source that declares them.
func kinds(t *testing.T) map[string]trace.Kind {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "trace", "event.go"), nil, 0)
	require.NoError(t, err)
	out := map[string]trace.Kind{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		base := 0 // the block's first value: iota + base
		for i, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if len(v.Values) == 1 {
				if sum, ok := v.Values[0].(*ast.BinaryExpr); ok {
					base, err = strconv.Atoi(sum.Y.(*ast.BasicLit).Value)
					require.NoError(t, err)
				}
			}
			if name := v.Names[0].Name; name != "_" {
				out[name] = trace.Kind(base + i)
			}
		}
	}
	require.Equal(t, trace.ProcessStarted, out["ProcessStarted"])
	require.Equal(t, trace.TopicDeleted, out["TopicDeleted"])
	require.Equal(t, trace.MemberTimeouts, out["MemberTimeouts"])
	require.Equal(t, trace.FetchAsked, out["FetchAsked"])
	return out
}

func TestEveryKindOfEventHasASentenceAndAClass(t *testing.T) {
	for name, kind := range kinds(t) {
		log := trace.NewLog()
		teller := tell.New(log)
		e := trace.Event{
			Kind: kind, Node: log.Ref("A"), Peer: log.Ref("broker-1"), Name: log.Ref("t"), X: 1, Y: 1, Z: 1,
		}
		l := teller.Line(e)
		require.NotEmpty(t, l.Text, "%s (%d)", name, kind)
		require.NotZero(t, l.Class, name)
		require.False(t, l.OK && l.Bad, "%s is good and bad", name)
		if kind != trace.Commanded { // whose sentence is its own text
			require.NotEmpty(t, tell.New(trace.NewLog()).Line(trace.Event{Kind: kind}).Text, "%s, of nobody", name)
		}
	}
}

func TestADeadlineOfZeroSaysThatTheTimerStops(t *testing.T) {
	for _, kind := range []trace.Kind{
		trace.GroupTimer, trace.MemberSession, trace.MemberRevocation, trace.PollTimer, trace.HeartbeatTimer,
	} {
		log := trace.NewLog()
		l := tell.New(log).Line(trace.Event{Kind: kind, Node: log.Ref("A"), Peer: log.Ref("A"), Name: log.Ref("g")})
		require.Contains(t, l.Text, "stop", "kind %d", kind)
		require.NotContains(t, l.Text, "00:00.000")
	}
}

func TestTimesAndLengthsCarryTheirUnits(t *testing.T) {
	for ns, want := range map[int64]string{0: "00:00.000", 61_234_999_999: "01:01.234", 3_600_000_000_000: "60:00.000"} {
		require.Equal(t, want, tell.Clock(ns))
	}
	require.Equal(t, "45.000 s", tell.Seconds(45e9))
	require.Equal(t, "0.007 s", tell.Seconds(7_900_000))
}

func TestAMemberIsCalledByItsProcessOnceThatIsKnown(t *testing.T) {
	log := trace.NewLog()
	teller := tell.New(log)
	id := "A-6f1c0e22-7a1b-4c1d-9e2f-0123456789ab"
	joining := trace.Event{Kind: trace.MemberJoining, Node: log.Ref("broker-1"), Name: log.Ref("g"), Peer: log.Ref(id)}
	require.Equal(t, "A-6f1c waits in JoinGroup", teller.Line(joining).Text)
	teller.Learn(trace.Event{Kind: trace.MemberID, Node: log.Ref("payments"), Name: log.Ref(id), Peer: log.Ref("g")})
	require.Equal(t, "payments waits in JoinGroup", teller.Line(joining).Text)
}

// all runs a scenario and gives every sentence of it, with the lab that it is from.
func all(t *testing.T, o engine.Options, classes int) []view.Line {
	t.Helper()
	lab, err := enginetest.Run(o)
	require.NoError(t, err)
	defer lab.Close()
	return lab.Events(view.Events{After: lab.Len(), Filter: view.Filter{Classes: classes}}).Rows
}

var (
	// spoken are the ways in which a sentence may use a number: a time or a length with its unit, a
	// counted thing, an offset where only an offset can stand, or a number that says what it is.
	spoken = []*regexp.Regexp{
		regexp.MustCompile(`\b\d+:\d\d\.\d{3}\b`),
		regexp.MustCompile(`\b\d+\.\d{3} s\b`),
		regexp.MustCompile(`\b\d+ (records?|partitions?)\b`),
		regexp.MustCompile(`\b(generation|epoch|watermark|log start|line|brokers?|over at) \d+(,\d+)*\b`),
		regexp.MustCompile(` cut from \d+ to \d+`),
		regexp.MustCompile(`(appends|copies|begins with|buffers|returns \S+|from) \d+(\.\.\d+)?\b`),
		regexp.MustCompile(`\S+-\d+ \d+(\.\.\d+)? acknowledged`),
		regexp.MustCompile(` = \d+\b`),
		regexp.MustCompile(`#\d+\b`),
		regexp.MustCompile(`kill -9`),
	}
	word = regexp.MustCompile(`[\w.-]*[A-Za-z_][\w.-]*`) // a name, as order_events-0
)

// shape is a sentence with every digit the same.
func shape(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, text)
}

func TestNoSentenceHasANumberThatDoesNotSayWhatItIs(t *testing.T) {
	options := map[string]engine.Options{"replicated": enginetest.Replicated(5)}
	scenarios, err := enginetest.Scenarios()
	require.NoError(t, err)
	for _, c := range scenarios {
		for _, name := range []string{"consumer_protocol", "cut_off", "coordinator_moves", "offsets_expire"} {
			if strings.HasPrefix(c.Name, "library/"+name+".star") {
				options[name] = c.Options
			}
		}
	}
	require.Len(t, options, 5)
	seen := map[string]bool{}
	for _, o := range options {
		for _, l := range all(t, o, -1) {
			if strings.HasPrefix(l.Text, "logs: ") || strings.Contains(l.Text, "fails: ") ||
				strings.Contains(l.Text, "crashed: ") || strings.HasPrefix(l.Text, "store ") ||
				l.Who == "scenario" {
				continue // words of the client or of the scenario
			}
			if seen[shape(l.Text)] {
				continue
			}
			seen[shape(l.Text)] = true
			rest := l.Text
			for _, r := range spoken {
				rest = r.ReplaceAllString(rest, "")
			}
			rest = word.ReplaceAllString(rest, "")
			require.NotRegexp(t, `\d`, rest, "%s: %s: %q", o.File, l.Who, l.Text)
		}
	}
}

// story is a small run in which a group forms, works, loses a member and goes on.
const story = `
cluster(brokers = 1)
topic("t", partitions = 2)
preload("t-0", 3)
preload("t-1", 2)

def loop(c):
    c.subscribe(["t"], on_revoked = lambda parts: c.commit_sync())
    while True:
        for record in c.poll("2s"):
            process(record, "100ms")
        c.commit_sync()

for name in ["A", "B"]:
    consumer(name, group = "g", run = loop, auto_offset_reset = "earliest", enable_auto_commit = False,
        session_timeout = "6s", partition_assignment_strategy = ["range"])
at("8s", kill("A"))
run_for("18s")
`

func TestTheSentencesOfAStory(t *testing.T) {
	var text strings.Builder
	o := engine.Options{File: "story.star", Source: story, Seed: 1}
	for _, l := range all(t, o, ^(view.ClassInternal | view.ClassTimer | view.ClassFetch)) {
		mark := " "
		if l.OK {
			mark = "+"
		} else if l.Bad {
			mark = "!"
		}
		fmt.Fprintf(&text, "%s %s %-8s %s\n", tell.Clock(l.At), mark, l.Who, l.Text)
	}
	golden := filepath.Join("testdata", "story.txt")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(text.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), text.String())
}
