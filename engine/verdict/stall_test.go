package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
)

// canonical: three members with two partitions each from J = 6 s on, range.
func canonical(t *testing.T) *story {
	return newStory(t).at("0s").topic("t", 6).start("A", "B", "C").at("6s").
		assign("A t-0 t-1", "B t-2 t-3", "C t-4 t-5")
}

func TestADeadOwnersPartitionsStallFromTheKillToTheNextOwner_S18_S35(t *testing.T) {
	s := canonical(t).at("61s").heard("B").kill("B")
	s.at("106s").remove("B-1", trace.RemovedBySession, "61s").state(trace.GroupPreparingRebalance)
	s.at("108s").revoke("A", "C").assign("A t-0 t-1 t-2", "C t-3 t-4 t-5").at("120s")
	require.Equal(t, "47.000s", s.ask("stalled", "t-2"))
	require.Equal(t, "47.000s", s.ask("stalled", "t"), "the worst partition stands for the topic")
	require.Equal(t, "94.000s", s.ask("stalled_total", "t"))
	require.Equal(t, "0.000s", s.ask("stalled", "t-0"), "revoke and assignment at one instant")
	require.Equal(t, "27.000s", s.ask("stalled", "t-2", "since=81s"))
	require.Equal(t, "01:48.000", s.ask("moment", "at=108s"))
	require.Empty(t, s.broken)
}

func TestARestartedEagerGroupWaitsForItsGhost_S57(t *testing.T) {
	s := canonical(t).at("61s").kill("B").at("65s").start("B")
	s.at("66s").revoke("A", "C").at("106s").remove("B-1", trace.RemovedBySession, "61s")
	s.assign("A t-0 t-1", "B t-2 t-3", "C t-4 t-5").at("110s")
	require.Equal(t, "40.000s", s.ask("stalled", "t-0"))
	require.Equal(t, "45.000s", s.ask("stalled", "t-2"))
	require.Equal(t, "250.000s", s.ask("stalled_total", "t"))
	require.Equal(t, `{A: [t-0, t-1]; B: [t-2, t-3]; C: [t-4, t-5]}`, s.ask("assignment", group))
}

func TestAFrozenOwnerStallsWhileItIsFrozen_S19(t *testing.T) {
	s := canonical(t).at("13s").freeze("B").at("25s").thaw("B").at("30s")
	require.Equal(t, "12.000s", s.ask("stalled", "t-3"))
	require.Equal(t, "24.000s", s.ask("stalled_total", "t"))
	require.Equal(t, "00:13.000", s.ask("moment", "freeze", "node=B"))
	require.Equal(t, "12.000s", s.ask("elapsed", "freeze", "thaw", "node=B"))
	require.Equal(t, "[]", s.ask("zombies"))
}

func TestAStallThatIsStillOpenEndsAtTheHorizon(t *testing.T) {
	s := canonical(t).at("20s").kill("A").until("50s")
	require.Equal(t, "30.000s", s.ask("stalled", "t-0"))
	require.Equal(t, "never resumed", s.ask("lag", "t-0", "at=resume"))
}

func TestRevokedThenOwnedAgainCountsTheTimeBetween(t *testing.T) {
	s := canonical(t).at("20s").revoke("A").at("23s").assign("A t-0 t-1").at("30s").
		revoke("A").at("30.5s").assign("A t-0").until("40s")
	require.Equal(t, "3.500s", s.ask("stalled", "t-0"))
	require.Equal(t, "13.000s", s.ask("stalled", "t-1"), "and nobody has it since 30 s")
	require.Equal(t, "10.000s", s.ask("longest_stall", "t-1"))
}

func TestARemovedMemberCannotProcessThoughItGoesOn_S75(t *testing.T) {
	s := canonical(t).at("60s").work("B", "t-2", 0, 4)
	require.Equal(t, "[]", s.ask("zombies"))
	s.at("105s").remove("B-1", trace.RemovedBySession, "60s").at("106s").work("B", "t-2", 5, 6)
	s.at("108s").revoke("A", "C").assign("A t-0 t-1 t-2", "C t-3 t-4 t-5")
	s.at("109s").work("B", "t-2", 7, 7).work("A", "t-2", 7, 9).at("110s")
	require.Equal(t, "3.000s", s.ask("stalled", "t-2"))
	require.Equal(t, "[B]", s.ask("zombies"))
	require.Equal(t, "[B]", s.ask("zombies", group))
	require.Equal(t, "[]", s.ask("zombies", "other"))
	require.Equal(t, "5..7", s.ask("zombie_records", "B", "t-2"))
	require.Equal(t, "7", s.ask("duplicates", "t-2"))
	require.Empty(t, s.broken, "a zombie is named, not refused")
}

func TestWorkThatOutlivesTheRevocationIsAZombies_S28(t *testing.T) {
	s := canonical(t).at("20s").begin("B", "t-2", 4).at("21s").revoke("B").finish("B", "t-2", 4)
	require.Equal(t, "[B]", s.ask("zombies"))
	require.Equal(t, "4", s.ask("zombie_records", "B", "t-2"))
}

func TestWorkOnPartitionsAssignedByHandIsNobodysZombie(t *testing.T) {
	s := newStory(t).at("0s").topic("t", 1)
	s.event(trace.ProcessStarted, "X", "", "", 1, 0, 0).work("X", "t-0", 0, 3)
	require.Equal(t, "[]", s.ask("zombies"))
	require.Equal(t, "never assigned", s.ask("stalled", "t-0"))
	require.Equal(t, "0..3", s.ask("processed", "X", "t-0"))
}

func TestACooperativeMemberKeepsWhatTheNextGenerationLeavesIt_S43(t *testing.T) {
	s := canonical(t).at("61s").kill("B").at("106s").remove("B-1", trace.RemovedBySession, "61s")
	s.at("108s")
	s.gen++
	s.state(trace.GroupCompletingRebalance).work("A", "t-0", 0, 1)
	for tp, node := range map[string]string{"t-0": "A", "t-1": "A", "t-2": "A", "t-3": "C"} {
		s.event(trace.PartitionAssigned, "broker-1", s.id(node), tp, s.gen, int64(s.ref(group)), 0)
	}
	s.event(trace.Owned, "A", group, "t-2", s.gen, 0, 0).at("109s").work("A", "t-0", 2, 3)
	require.Equal(t, "0.000s", s.ask("stalled", "t-0"))
	require.Equal(t, "47.000s", s.ask("stalled", "t-2"))
	require.Equal(t, "[]", s.ask("zombies"))
}

func TestARebalanceCallbackStopsAllPartitionsOfItsMember_S38(t *testing.T) {
	s := canonical(t).at("105s")
	s.event(trace.CallbackStarted, "A", "", "on_revoked", 2, 0, 0).revoke("B", "C")
	s.at("125s").event(trace.CallbackEnded, "A", "", "on_revoked", 2, 0, 0).revoke("A")
	s.assign("A t-0 t-1", "B t-2 t-3", "C t-4 t-5").at("130s")
	require.Equal(t, "120.000s", s.ask("stalled_total", "t"))
	require.Equal(t, "20.000s", s.ask("longest_stall", "t"))
	require.Equal(t, "1", s.ask("callbacks", "A", "on_revoked"))
	require.Equal(t, "0", s.ask("callbacks", "A", "on_lost"))
	require.Equal(t, "1", s.ask("callbacks", "A", "since=105s"))
}

func TestACallbackAndTheRevocationAfterItAreOneStall_S38(t *testing.T) {
	s := canonical(t).at("105s").event(trace.CallbackStarted, "A", "", "on_revoked", 1, 0, 0)
	s.at("125s").event(trace.CallbackEnded, "A", "", "on_revoked", 1, 0, 0).revoke("A")
	s.at("126s").assign("A t-0", "B t-1 t-2 t-3", "C t-4 t-5").at("130s")
	require.Equal(t, "21.000s", s.ask("longest_stall", "t-1"))
	require.Equal(t, "21.000s", s.ask("stalled", "t-1"))
}

func TestTheClockOfAPartitionStartsWhenItsFirstOwnerTakesItUp(t *testing.T) {
	s := newStory(t).at("0s").topic("t", 1).start("A", "B").at("3s").assign("A* t-0")
	s.at("4s").event(trace.Owned, "A", group, "t-0", 1, 0, 0).at("10s")
	require.Equal(t, "0.000s", s.ask("stalled", "t-0"))

	s = newStory(t).at("0s").topic("t", 1).start("A", "B").at("3s").assign("A* t-0").kill("A")
	s.until("5s")
	require.Equal(t, "2.000s", s.ask("stalled", "t-0"), "its first owner died before it knew")
	s.at("48s").remove("A-1", trace.RemovedBySession, "3s").assign("B t-0").at("60s")
	require.Equal(t, "45.000s", s.ask("stalled", "t-0"))
}

func TestACoordinatorThatMovesTakesNothingFromAMember(t *testing.T) {
	s := canonical(t).at("20s").remove("A-1", trace.RemovedByUnload, "18s").at("21s")
	s.event(trace.MemberAdded, "broker-2", "A-1", group, 0, 0, int64(s.ref("A")))
	s.work("A", "t-0", 0, 0).at("30s")
	require.Equal(t, "0.000s", s.ask("stalled", "t"))
	require.Equal(t, "[]", s.ask("zombies"))
	require.Equal(t, "0", s.ask("removals", "A"))
	require.Equal(t, "[A, B, C]", s.ask("members", group))
}
