package verdict_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/verdict"
)

func TestEveryQueryOfTheTableIsAnsweredWithItsKind(t *testing.T) {
	s := restart(crash(t, false), 15)
	args := map[verdict.ParamType]string{
		verdict.ParamNode: "A", verdict.ParamGroup: group, verdict.ParamWho: group,
		verdict.ParamPartition: "t-0", verdict.ParamTopic: "t-0", verdict.ParamTime: "1s",
		verdict.ParamText: "poll", verdict.ParamAPI: "Fetch", verdict.ParamState: "Stable",
		verdict.ParamThing: "entries",
	}
	seen := map[string]bool{}
	for _, sig := range verdict.Table {
		require.False(t, seen[sig.Name], sig.Name)
		seen[sig.Name] = true
		require.Regexp(t, `^[A-Z].*\.$`, sig.Doc)
		q := verdict.Query{Name: sig.Name}
		open := true
		for _, p := range sig.Params {
			require.True(t, open || !p.Positional, "%s: positional parameters come first", sig.Name)
			open = p.Positional
			if !p.Optional {
				require.NoError(t, q.Bind(*p, s.value(p, args[p.Type])))
			}
		}
		v, err := s.facts.Eval(q, s.end)
		require.NoError(t, err, sig.Name)
		if v.Kind != verdict.KindNone {
			require.Equal(t, q.Kind(), v.Kind, sig.Name)
		}
	}
}

func TestQueriesReadAsTheyAreWritten(t *testing.T) {
	s := newStory(t)
	plus := s.query("last_heartbeat", "A", "before=kill")
	plus.Plus = s.ns("6s")
	require.Equal(t, `last_heartbeat("A", before = "kill") + 6.000s`, plus.String())
	for want, q := range map[string]verdict.Query{
		`lost("order_events-0")`:                                        s.query("lost", "order_events-0"),
		`stalled("order_events", since = "20.000s")`:                    s.query("stalled", "order_events", "since=20s"),
		`commits("A", accepted = False)`:                                s.query("commits", "A", "accepted=False"),
		`removed("B", nth = 2)`:                                         s.query("removed", "B", "nth=2"),
		`request_sequence("A", apis = [Fetch], since = "0.000250000s")`: s.query("request_sequence", "A", "apis=Fetch", "since=250us"),
		`stored("db", "42")`:                                            s.query("stored", "db", "42"),
	} {
		require.Equal(t, want, q.String())
	}
}

func TestArgumentsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		query, param string
		v            verdict.Value
		err          string
	}{
		{"committed", "partition", verdict.Text("t"), `"t" is no partition; write its number too, as "t-0"`},
		{"stalled", "since", verdict.Text("kil"), `since = "kil": no such moment; write a time as "20s" or one of ` +
			"kill, stop, crash, end, start, restart, freeze, thaw, resume"},
		{"stalled", "since", verdict.Number(20), `since = 20: must be a time as "20s"`},
		{"removed", "nth", verdict.Number(0), "nth = 0: must be a number from 1"},
		{"commits", "accepted", verdict.Text("yes"), "accepted = yes: must be True or False"},
		{"requests", "api", verdict.Text("Fetsh"), `no such request "Fetsh"; write its name in the protocol, as Fetch or JoinGroup`},
		{"request_sequence", "apis", verdict.Sequence("x"), `no such request "x"; write its name in the protocol, as Fetch or JoinGroup`},
		{"request_sequence", "apis", verdict.Text("Fetch"), "apis = Fetch: must be a list of request names"},
		{"time_in_state", "state", verdict.Text("Rebalancing"), `a group has no state "Rebalancing"; its states are ` +
			strings.Join(trace.GroupStateNames, ", ")},
		{"polls", "node", verdict.Number(1), "node = 1: must be a text"},
	} {
		sig, _ := verdict.Lookup(c.query)
		q := verdict.Query{Name: c.query}
		require.EqualError(t, q.Bind(*param(t, sig, c.param), c.v), c.err)
	}
}

func TestQuestionsThatCannotBeAnswered(t *testing.T) {
	s := canonical(t)
	loop := verdict.Query{Name: "moment"}
	for range 12 {
		loop = verdict.Query{Name: "moment", At: verdict.AtQuery(loop)}
	}
	for want, q := range map[string]verdict.Query{
		"no such query: lots":          {Name: "lots"},
		`no topic "u" in this run`:     {Name: "lost", Topic: "u"},
		"no partition t-9 in this run": {Name: "hw", Topic: "t", Partition: 9},
		"queries are nested too deep":  loop,
		`no such moment: "dawn"`:       {Name: "polls", Node: "A", Since: verdict.AtSymbol("dawn")},
		`polls("A") answers with a number, not with a time`: {Name: "polls", Node: "A",
			Since: verdict.AtQuery(verdict.Query{Name: "polls", Node: "A"})},
	} {
		_, err := s.facts.Eval(q, s.end)
		require.EqualError(t, err, want)
	}
}

func TestATopicWhoseNameEndsInANumber(t *testing.T) {
	s := newStory(t).at("0s").topic("orders-2026", 1).start("A").work("A", "orders-2026-0", 0, 0)
	require.Equal(t, "{orders-2026-0: 0}", s.ask("processed", "A", "orders-2026"))
	require.Equal(t, "0", s.ask("processed", "A", "orders-2026-0"))
}

func TestPartitionsAreTakenApartAtTheLastDash(t *testing.T) {
	for _, c := range []struct {
		in, topic string
		part      int32
		ok        bool
	}{
		{"order_events-0", "order_events", 0, true},
		{"a-b-12", "a-b", 12, true},
		{"order_events", "order_events", -1, false},
		{"-1", "-1", -1, false},
		{"a-99999999999", "a-99999999999", -1, false},
		{"a-x", "a-x", -1, false},
	} {
		topic, part, ok := verdict.SplitPartition(c.in)
		require.Equal(t, c.topic, topic)
		require.Equal(t, c.part, part)
		require.Equal(t, c.ok, ok)
	}
	require.Equal(t, "t-3", verdict.PartitionName("t", 3))
	require.Equal(t, "t", verdict.PartitionName("t", -1))
}

func TestAWantedQueryThatNeverHappenedMatchesNothing(t *testing.T) {
	s := canonical(t)
	o, err := s.facts.Check(s.query("started", "A"),
		verdict.Matcher{Op: verdict.AtLeast, Want: verdict.Ask(s.query("removed", "B"))}, s.end)
	require.NoError(t, err)
	require.Equal(t, verdict.Outcome{Got: "00:00.000", Want: "at least never"}, o)
}
