package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/verdict"
)

func lifeOfB(t *testing.T) *story {
	s := canonical(t).at("58s").heard("B").at("61s").heard("B").kill("B")
	s.at("106s").remove("B-1", trace.RemovedBySession, "61s").state(trace.GroupPreparingRebalance)
	s.at("108s").revoke("A", "C").assign("A t-0 t-1 t-2", "C t-3 t-4 t-5").at("120s")
	return s
}

func TestRemovalIsASessionAfterTheMemberWasLastHeard_A63(t *testing.T) {
	s := lifeOfB(t)
	require.Equal(t, "01:46.000", s.ask("removed", "B"))
	require.Equal(t, "01:01.000", s.ask("last_heard", "B"))
	require.Equal(t, "01:01.000", s.ask("last_heard", "B", "nth=1"))
	require.Equal(t, "never", s.ask("last_heard", "B", "nth=2"))
	require.Equal(t, "00:58.000", s.ask("last_heartbeat", "B", "before=60s"))
	require.Equal(t, "01:01.000", s.ask("last_heartbeat", "B", "before=kill"))
	require.Equal(t, "session expired", s.ask("removal_reason", "B"))
	require.Equal(t, "0", s.ask("leaves", "B"))
	require.Equal(t, "1", s.ask("removals", "B"))
	require.Equal(t, "never", s.ask("removed", "A"))

	heard := s.query("last_heard", "B")
	heard.Plus = s.ns("45s")
	o, err := s.facts.Check(s.query("removed", "B"),
		verdict.Matcher{Op: verdict.Equals, Want: verdict.Ask(heard)}, s.end)
	require.NoError(t, err)
	require.Equal(t, verdict.Outcome{OK: true, Got: "01:46.000", Want: "01:46.000"}, o)

	elapsed := verdict.Query{Name: "elapsed",
		Since: verdict.AtQuery(s.query("last_heard", "B")),
		Until: verdict.AtQuery(s.query("removed", "B"))}
	require.Equal(t, "45.000s", s.eval(elapsed).String())
	require.Equal(t, `elapsed(last_heard("B"), removed("B"))`, elapsed.String())
}

func TestGenerationsAndRebalances(t *testing.T) {
	s := lifeOfB(t)
	require.Equal(t, "2", s.ask("generations", group))
	require.Equal(t, "1", s.ask("generations", group, "since=60s"))
	require.Equal(t, "0", s.ask("generations", group, "since=109s"))
	require.Equal(t, "2", s.ask("generation", group))
	require.Equal(t, "1", s.ask("generation", group, "at=100s"))
	require.Equal(t, "1", s.ask("rebalances", group))
	require.Equal(t, "[B session expired]", s.ask("rebalance_reasons", group))
	require.Equal(t, "01:46.000", s.ask("rebalance_began", group, "since=60s"))
	require.Equal(t, "no rebalance", s.ask("rebalance_began", group, "since=109s"))
	require.Equal(t, "2.000s", s.ask("rebalance_time", group))
	require.Equal(t, "PreparingRebalance", s.ask("group_state", group, "at=107s"))
	require.Equal(t, "Stable", s.ask("group_state", group))
	require.Equal(t, "2.000s", s.ask("time_in_state", group, "PreparingRebalance", "since=60s"))
	require.Equal(t, "1.000s", s.ask("time_in_state", group, "PreparingRebalance", "since=60s", "to=107s"))
	require.Equal(t, "no group yet", s.ask("group_state", group, "at=1s"))
	require.Equal(t, "broker-1", s.ask("coordinator", group))
	require.Equal(t, "7", s.ask("offsets_partition", group))
	require.Equal(t, "[A, C]", s.ask("members", group))
	require.Equal(t, "[A, B, C]", s.ask("members", group, "at=100s"), "a ghost is a member")
	require.Equal(t, "0", s.ask("generations", "nobody"))
}

func TestAGenerationThatEndsEmptyCounts_S21(t *testing.T) {
	s := newStory(t).at("0s").topic("t", 1).start("A").at("3s").assign("A t-0").at("303s")
	s.remove("A-1", trace.RemovedByLeave, "302s").state(trace.GroupPreparingRebalance)
	s.gen++
	s.state(trace.GroupEmpty)
	require.Equal(t, "1", s.ask("generations", group, "since=100s"))
	require.Equal(t, "1", s.ask("leaves", "A"))
	require.Equal(t, "[A left]", s.ask("rebalance_reasons", group))
	require.Equal(t, "{}", s.ask("assignment", group))
	require.Equal(t, "{A: [t-0]}", s.ask("assignment", group, "at=100s"))
	require.Equal(t, "0.000s", s.ask("rebalance_time", group))
}

func TestTheCauseOfARebalanceMayBeWrittenBeforeOrAfterIt_S34(t *testing.T) {
	s := canonical(t).at("20s").state(trace.GroupPreparingRebalance)
	s.event(trace.MemberJoining, "broker-1", "A-1", group, 0, 0, 0).start("D")
	s.assign("A t-0").at("40s")
	s.event(trace.MemberJoining, "broker-1", "A-1", group, 0, 0, 0)
	s.state(trace.GroupPreparingRebalance).assign("A t-0")
	s.at("60s").state(trace.GroupPreparingRebalance)
	require.Equal(t, "[D joined, A rejoined, not told]", s.ask("rebalance_reasons", group))
}

func TestAssignmentsOfAGroupAndOfAProcess(t *testing.T) {
	s := lifeOfB(t)
	require.Equal(t, "{A: [t-0, t-1, t-2]; C: [t-3, t-4, t-5]}", s.ask("assignment", group))
	require.Equal(t, "[t-3, t-4, t-5]", s.ask("assignment", "C"))
	require.Equal(t, "[]", s.ask("assignment", "B"))
	require.Equal(t, "[t-2, t-3]", s.ask("assignment", "B", "at=50s"))
	require.Equal(t, "2", s.ask("moved", group))
	require.Equal(t, "0", s.ask("taken", group), "the owner of both was gone")
	s.at("130s").start("D").at("133s").revoke("A", "C").
		assign("A t-0 t-1", "C t-3 t-4", "D t-5 t-2").at("140s")
	require.Equal(t, "2", s.ask("taken", group, "since=120s"))

	idle := newStory(t).at("0s").topic("t", 1).start("A", "B").at("6s").assign("A t-0")
	require.Equal(t, "{A: [t-0]; B: []}", idle.ask("assignment", group), "an idle member shows (S30)")
}

func TestAStaticMemberComesBackWithinTheGeneration_A42(t *testing.T) {
	s := newStory(t).at("0s").topic("t", 2).start("A", "B").at("6s").assign("A t-0", "B t-1")
	s.at("61s").ended("B", trace.EndedByStop).at("71s").start("B")
	s.remove("B-1", trace.RemovedByReplace, "60s")
	s.event(trace.PartitionAssigned, "broker-1", "B-2", "t-1", 1, int64(s.ref(group)), 0)
	s.event(trace.Owned, "B", group, "t-1", 1, 0, 0).at("80s")
	require.Equal(t, "0", s.ask("generations", group, "since=7s"))
	require.Equal(t, "10.000s", s.ask("stalled", "t-1"))
	require.Equal(t, "[t-1]", s.ask("assignment", "B"))
	require.Equal(t, "2", s.ask("starts", "B"))
	require.Equal(t, "stop", s.ask("ended_by", "B"))
	require.Empty(t, s.broken)
}

func TestTheCoordinatorIsWhoLoadedTheOffsetsPartition_A64(t *testing.T) {
	s := canonical(t).at("20s")
	s.emit(trace.Event{Kind: trace.CoordinatorLoaded, Node: s.ref("broker-2"), Part: 7}).at("30s")
	require.Equal(t, "broker-1", s.ask("coordinator", group, "at=10s"))
	require.Equal(t, "broker-2", s.ask("coordinator", group))
	s.emit(trace.Event{Kind: trace.CoordinatorLoaded, Node: s.ref("broker-3"), Part: 8}).at("40s")
	require.Equal(t, "broker-2", s.ask("coordinator", group))
}

func TestTheControllerIsNotTheCoordinator_S32(t *testing.T) {
	s := canonical(t).at("8s").event(trace.Controller, "broker-1", "", "", 1, 0, 0)
	s.at("20s").event(trace.Controller, "broker-3", "", "", 2, 0, 0).at("30s")
	require.Equal(t, "broker-3", s.ask("controller"))
	require.Equal(t, "broker-1", s.ask("controller", "at=10s"))
	require.Equal(t, "none", s.ask("controller", "at=1s"))
}

func TestMemberIdsOfAProcess_A42(t *testing.T) {
	s := canonical(t).at("61s").kill("B").at("65s").start("B")
	require.Equal(t, "[B-1, B-2]", s.ask("member_ids", "B"))
	require.Equal(t, "[B-2]", s.ask("member_ids", "B", "since=62s"))
	require.Equal(t, "[]", s.ask("member_ids", "nobody"))
}

func TestVoteAndLeader_S52(t *testing.T) {
	s := canonical(t)
	s.event(trace.GroupProtocol, "broker-1", "range", group, 1, 0, 0)
	s.event(trace.GroupLeader, "broker-1", "A-1", group, 0, 0, 0)
	require.Equal(t, "range", s.ask("protocol", group))
	require.Equal(t, "A", s.ask("group_leader", group))
	require.Equal(t, "none", s.ask("protocol", group, "at=1s"))
}

func TestJoinsOfAProcess(t *testing.T) {
	s := canonical(t)
	s.event(trace.MemberAnswered, "broker-1", "B-1", group, 11, 0, 0)
	s.event(trace.MemberAnswered, "broker-1", "B-1", group, 14, 0, 0)
	s.at("61s").kill("B").at("65s").start("B").at("106s")
	s.event(trace.MemberAnswered, "broker-1", "B-2", group, 11, 0, 0)
	require.Equal(t, "00:00.000", s.ask("joined", "B", "nth=1"))
	require.Equal(t, "01:05.000", s.ask("joined", "B"))
	require.Equal(t, "00:06.000", s.ask("join_answered", "B", "nth=1"))
	require.Equal(t, "01:46.000", s.ask("join_answered", "B"))
	require.Equal(t, "[A, B, B, C]", s.ask("members", group), "the ghost and the one that came back")
}
