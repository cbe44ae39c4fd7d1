package verdict_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/verdict"
)

func TestTheFetchConversation_S04_E16(t *testing.T) {
	s := newStory(t).at("1s").topic("t", 2)
	ask := func(tp string, offset int64) {
		s.event(trace.FetchAsked, "A", "broker-1", tp, offset, 0, 0)
	}
	s.sent("A", "broker-1", 3, "-")
	ask("t-0", 15)
	ask("t-1", 8)
	s.sent("A", "broker-1", 1, "-").at("2s").sent("broker-1", "A", 1, "").arrives("A", 1, 1)
	s.event(trace.Fetched, "A", "", "t-0", 23, 8, 0)
	ask("t-0", 23)
	s.sent("A", "broker-1", 1, "-").at("3s").sent("broker-1", "A", 1, "").arrives("A", 1, 1)
	s.sent("A", "broker-1", 1, "-").at("4s")
	require.Equal(t, "[Metadata, Fetch t-0@15 t-1@8, Fetch t-0@23, Fetch]", s.ask("request_sequence", "A"))
	require.Equal(t, "[Fetch t-0@23, Fetch]", s.ask("request_sequence", "A", "apis=Fetch", "since=2s"))
	require.Equal(t, "[Metadata]", s.ask("request_sequence", "A", "apis=Metadata,JoinGroup"))
	require.Equal(t, "3", s.ask("fetches", "A"))
	require.Equal(t, "3", s.ask("requests", "A", "Fetch"))
	require.Equal(t, "1", s.ask("requests", "A", "Fetch", "to=1s"))
	require.Equal(t, "0", s.ask("requests", "B", "Fetch"))
	require.Equal(t, "1", s.ask("empty_fetches", "A"), "the first brought eight records")
	require.Equal(t, "8", s.ask("fetched", "A"))
	require.Equal(t, "0", s.ask("fetched", "A", "t-1"))
}

func TestErrorsCountWhenTheyArrive(t *testing.T) {
	s := canonical(t).at("105s").sent("broker-1", "A", 12, "REBALANCE_IN_PROGRESS")
	require.Equal(t, "[]", s.ask("errors", "A"))
	require.Equal(t, "never", s.ask("learned", "A"))
	s.at("106s").arrives("A", 12, 1)
	s.at("110s").sent("broker-1", "A", 8, "UNKNOWN_MEMBER_ID")
	s.emit(trace.Event{Kind: trace.MessageLost, Node: s.ref("broker-1"), Peer: s.ref("A"), X: s.msg})
	s.at("120s").sent("broker-1", "A", 12, "REBALANCE_IN_PROGRESS").arrives("A", 12, 1)
	require.Equal(t, "[REBALANCE_IN_PROGRESS]", s.ask("errors", "A"))
	require.Equal(t, "[]", s.ask("errors", "A", "to=100s"))
	require.Equal(t, "01:46.000", s.ask("learned", "A"))
	require.Equal(t, "02:00.000", s.ask("learned", "A", "since=107s"))
}

func TestCommitsAreCountedOnceForAllTheirPartitions(t *testing.T) {
	s := canonical(t).at("10s")
	send := func(n int64, tps ...string) {
		for _, tp := range tps {
			s.event(trace.CommitSent, "A", "", tp, 5, n, 0)
		}
	}
	send(1, "t-0", "t-1")
	send(2, "t-0")
	s.event(trace.CommitDone, "A", "", "", 0, 2, 0).event(trace.CommitDone, "A", "", "", 0, 1, 0)
	s.at("20s").kill("A").start("A")
	send(1, "t-0")
	s.event(trace.CommitDone, "A", "", "ILLEGAL_GENERATION", 0, 1, 0)
	s.event(trace.CommitRefused, "A", "", "CommitFailed", 0, 0, 0)
	require.Equal(t, "4", s.ask("commits", "A"))
	require.Equal(t, "2", s.ask("commits", "A", "accepted=True"), "answered in any order")
	require.Equal(t, "2", s.ask("commits", "A", "accepted=False"))
	require.Equal(t, "2", s.ask("commits", "A", "since=20s"))
	require.Equal(t, "[CommitFailed, ILLEGAL_GENERATION]", s.ask("commit_errors", "A"))
}

func TestCallsLogAndStores(t *testing.T) {
	s := canonical(t).at("10s")
	call := func(at, name, err string) {
		s.at(at).event(trace.CallStarted, "A", "", name, 12, 0, 0)
		s.event(trace.CallEnded, "A", err, name, 0, 0, 0)
	}
	call("10s", "poll", "")
	call("11s", "commit_sync", "RebalanceInProgress")
	call("12s", "poll", "")
	call("15s", "poll", "")
	s.event(trace.LogLine, "A", "", "poll timeout has expired", 1, 0, 0)
	s.event(trace.LogLine, "A", "", "(Re-)joining group", 0, 0, 0)
	s.event(trace.StoreSet, "A", "42=paid", "db", 1, 0, 0).event(trace.StoreSet, "A", "7=new", "db", 2, 0, 0)
	s.at("16s").event(trace.StoreSet, "A", "42=refunded", "db", 3, 0, 0).at("20s").kill("A").at("30s").start("A")
	call("60s", "poll", "")
	require.Equal(t, "4", s.ask("polls", "A"))
	require.Equal(t, "2", s.ask("polls", "A", "since=12.5s"))
	require.Equal(t, "1", s.ask("calls", "A", "commit_sync"))
	require.Equal(t, "3.000s", s.ask("poll_gap", "A"), "a dead process does not poll")
	require.Equal(t, "[RebalanceInProgress]", s.ask("call_errors", "A"))
	require.Equal(t, "[poll timeout has expired, (Re-)joining group]", s.ask("log_lines", "A"))
	require.Equal(t, "[poll timeout has expired]", s.ask("log_lines", "A", "contains=timeout"))
	require.Equal(t, "refunded", s.ask("stored", "db", "42"))
	require.Equal(t, "paid", s.ask("stored", "db", "42", "at=15.5s"))
	require.Equal(t, "none", s.ask("stored", "db", "4"))
	require.Equal(t, "3", s.ask("effects", "db"))
	require.Equal(t, "0", s.ask("effects", "cache"))
}

func TestTimeInACallCountsWhatLiesInTheTimeAskedAbout_S12(t *testing.T) {
	s := canonical(t)
	call := func(from, to, name string) {
		s.at(from).event(trace.CallStarted, "A", "", name, 12, 0, 0)
		s.at(to).event(trace.CallEnded, "A", "", name, 0, 0, 0)
	}
	call("10s", "10.5s", "commit_sync")
	call("11s", "12s", "poll")
	call("20s", "21s", "commit_sync")
	s.at("30s").event(trace.CallStarted, "A", "", "commit_sync", 12, 0, 0).at("32s").kill("A").at("40s").start("A")
	require.Equal(t, "3.500s", s.ask("time_in", "A", "commit_sync"), "a death ends it")
	require.Equal(t, "2.250s", s.ask("time_in", "A", "commit_sync", "since=10.25s", "to=31s"))
	require.Equal(t, "0.000s", s.ask("time_in", "B", "commit_sync"))
}

func TestConnectionsOfAProcess_S54(t *testing.T) {
	s := canonical(t).at("10s").event(trace.ConnOpened, "A", "broker-1", "", 1, 0, 0)
	s.at("20s").event(trace.ConnOpened, "A", "broker-2", "", 2, 0, 0).event(trace.ConnOpened, "B", "broker-2", "", 3, 0, 0)
	require.Equal(t, "2", s.ask("connections", "A"))
	require.Equal(t, "1", s.ask("connections", "A", "since=15s"))
}

func TestLifeOfAProcess(t *testing.T) {
	s := canonical(t).at("20s").kill("A").at("30s").start("A").at("40s").ended("A", trace.EndedByCrash)
	require.Equal(t, "00:20.000", s.ask("ended", "A", "nth=1"))
	require.Equal(t, "00:40.000", s.ask("ended", "A"))
	require.Equal(t, "kill", s.ask("ended_by", "A", "nth=1"))
	require.Equal(t, "crash", s.ask("ended_by", "A"))
	require.Equal(t, "00:30.000", s.ask("started", "A"))
	require.Equal(t, "1", s.ask("starts", "A", "since=1s"))
	require.Equal(t, "true", s.ask("running", "A", "at=25s", "at=35s"))
	require.Equal(t, "false", s.ask("running", "A", "at=25s"))
	require.Equal(t, "00:20.000", s.ask("moment", "kill"), "of any process")
	require.Equal(t, "no kill", s.ask("moment", "kill", "node=B"))
	require.Equal(t, "no kill", s.ask("polls", "B", "since=kill"))
	require.Equal(t, "never", s.ask("ended", "nobody"))
}

func TestPositionLivesInTheProcess(t *testing.T) {
	s := canonical(t).positioned("A", "t-0", 15, 1).at("10s").positioned("A", "t-0", 23, 0)
	require.Equal(t, "23", s.ask("position", "A", "t-0"))
	require.Equal(t, "15", s.ask("position", "A", "t-0", "at=9s"))
	require.Equal(t, "none", s.ask("position", "B", "t-0"))
	s.at("20s").kill("A").at("22s").start("A")
	require.Equal(t, "none", s.ask("position", "A", "t-0"))
	s.at("60s").positioned("A", "t-1", 3, 1).positioned("A", "t-0", 15, 1)
	require.Equal(t, "3", s.ask("position_after", "restart"))
	require.Equal(t, "15", s.ask("position_after", "restart", "t-0", "node=A"))
	require.Equal(t, "no restart", s.ask("position_after", "restart", "node=B"))
}

func TestTheReportOfARun(t *testing.T) {
	s := restart(crash(t, false), 15)
	s.event(trace.GroupProtocol, "broker-1", "range", group, 2, 0, 0)
	run := s.facts.Report(s.end)
	require.True(t, run.OK())
	run.Variant, run.Seed = "commit after", 7
	require.Len(t, run.TraceHash, 16)
	run.TraceHash = "00"
	got, err := json.Marshal(run)
	require.NoError(t, err)
	require.JSONEq(t, `{"variant": "commit after", "seed": 7,
		"virtual_ms": 60000, "events": 55, "trace_hash": "00", "expectations": [],
		"partitions": {"t-0": {"produced": 23, "hw": 23, "leo": 23}},
		"groups": {"g": {"protocol": "classic", "assignor": "range", "generation": 2, "rebalances": 0,
			"members": {"A": ["t-0"]},
			"partitions": {"t-0": {"processed": 8, "duplicates": [[15, 19]], "lost": [],
				"committed": 23, "stalled_ms": 44000}}}}}`, string(got))

	run.Expectations = []verdict.Expectation{{OK: true}, {}}
	require.False(t, run.OK())
}
