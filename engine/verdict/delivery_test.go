package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/verdict"
)

// crash is the story of S08 and S09: offsets 0..22, committed 15, one poll returns 15..22, A is
// killed when 19 is finished and starts again.
func crash(t *testing.T, commitFirst bool) *story {
	s := newStory(t).at("0s").topic("t", 1).append("t-0", 0, 23)
	s.event(trace.OffsetCommitted, "broker-1", "", "t-0", 15, int64(s.ref(group)), 1)
	s.start("A").at("3s").assign("A t-0").positioned("A", "t-0", 15, 1).deliver("A", "t-0", 15, 22)
	if commitFirst {
		s.commits("t-0", 23)
	}
	s.work("A", "t-0", 15, 19).begin("A", "t-0", 20).at("4s").kill("A")
	return s
}

func restart(s *story, from int64) *story {
	s.at("6s").start("A").at("48s").remove("A-1", trace.RemovedBySession, "3s")
	s.assign("A t-0").positioned("A", "t-0", from, 1)
	if from < 23 {
		s.at("49s").deliver("A", "t-0", from, 22).at("50s").work("A", "t-0", from, 22).commits("t-0", 23)
	}
	return s.at("60s")
}

func TestCommitBeforeWorkLosesWhatWasNotFinished_S08(t *testing.T) {
	s := restart(crash(t, true), 23)
	require.Equal(t, "20..22", s.ask("lost", "t-0"))
	require.Equal(t, "{t-0: 20..22}", s.ask("lost", "t"))
	require.Equal(t, "[]", s.ask("duplicates", "t-0"))
	require.Equal(t, "23", s.ask("committed", group, "t-0"))
	require.Equal(t, "23", s.ask("position_after", "restart"))
	require.Equal(t, "5", s.ask("completions", "A", "t-0"))
	require.Empty(t, s.broken)
}

func TestCommitAfterWorkRepeats_S09(t *testing.T) {
	s := restart(crash(t, false), 15)
	require.Equal(t, "[]", s.ask("lost", "t-0"))
	require.Equal(t, "15..19", s.ask("duplicates", "t-0"))
	require.Equal(t, "{t-0: 15..19}", s.ask("duplicates", "t"))
	require.Equal(t, "13", s.ask("completions", group))
	require.Equal(t, "8", s.ask("completions", "A", "t", "since=40s"))
	require.Equal(t, "15..22", s.ask("processed", "A", "t-0"))
	require.Equal(t, "15", s.ask("committed", group, "t-0", "at=kill"))
	require.Equal(t, "00:49.000", s.ask("first_record", "A", "after=restart"))
	require.Equal(t, "00:50.000", s.ask("resumed", "t-0", "after=kill"))
	require.Empty(t, s.broken)
}

func TestARecordInWorkOfALivingProcessIsNotLost(t *testing.T) {
	s := crash(t, true)
	living := newStory(t).at("0s").topic("t", 1).append("t-0", 0, 10).start("A").at("3s").
		assign("A t-0").deliver("A", "t-0", 0, 4).commits("t-0", 5).begin("A", "t-0", 0)
	require.Equal(t, "[]", living.ask("lost", "t-0"))
	require.Equal(t, "0..4", living.ask("in_work", "t-0"))
	living.at("4s").finish("A", "t-0", 0).kill("A")
	require.Equal(t, "1..4", living.ask("lost", "t-0"), "then it dies")
	require.Equal(t, "20..22", s.ask("lost", "t-0"))
}

func TestARecordThatTheHandlerPassesOverOrFailsIsNotInWorkAnyMore(t *testing.T) {
	s := newStory(t).at("0s").topic("t", 1).append("t-0", 0, 10).start("A").at("3s").
		assign("A t-0").deliver("A", "t-0", 0, 4)
	s.begin("A", "t-0", 0).event(trace.WorkFailed, "A", group, "t-0", 0, 0, 0)
	s.work("A", "t-0", 2, 3).commits("t-0", 5)
	require.Equal(t, "0..1", s.ask("lost", "t-0"), "0 failed, 1 was skipped, 4 may still come")
	require.Equal(t, "4", s.ask("in_work", "t-0"))
	s.begin("A", "t-0", 0)
	require.Equal(t, "1", s.ask("lost", "t-0"), "0 is tried again")
}

func TestWorkersThatFinishOutOfOrder_S15(t *testing.T) {
	s := newStory(t).at("0s").topic("t", 1).append("t-0", 0, 10).start("A").at("3s").
		assign("A t-0").deliver("A", "t-0", 0, 7)
	for _, o := range []int64{0, 1, 2, 3} {
		s.begin("A", "t-0", o)
	}
	s.finish("A", "t-0", 1).finish("A", "t-0", 3).finish("A", "t-0", 0).commits("t-0", 8)
	require.Equal(t, "[]", s.ask("lost", "t-0"))
	s.at("4s").kill("A")
	require.Equal(t, "2, 4..7", s.ask("lost", "t-0"))
	require.Equal(t, "0..1, 3", s.ask("processed", group, "t-0"))
}

func TestACommitThatGoesBackTakesTheLossBack_S13_S78(t *testing.T) {
	s := crash(t, true)
	require.Equal(t, "20..22", s.ask("lost", "t-0"))
	s.at("5s").commits("t-0", 21) // an older commit that arrives late
	require.Equal(t, "20", s.ask("lost", "t-0"))
	require.Equal(t, "23", s.ask("committed", group, "t-0", "at=4.5s"))
	s.event(trace.OffsetRemoved, "broker-1", "", "t-0", 0, int64(s.ref(group)), 0)
	require.Equal(t, "none", s.ask("committed", group, "t-0"))
	require.Equal(t, "[]", s.ask("lost", "t-0"))
}

func TestRecordsBeforeTheFirstPositionAreNotTheGroupsToLose(t *testing.T) {
	s := newStory(t).at("0s").topic("t", 1).append("t-0", 0, 100).start("A").at("3s").
		assign("A t-0").positioned("A", "t-0", 100, 2).append("t-0", 100, 5).
		deliver("A", "t-0", 100, 104).work("A", "t-0", 100, 104).commits("t-0", 105)
	require.Equal(t, "[]", s.ask("lost", "t-0"))
	// S55: a partition that appears later is read from the latest offset, too.
	s.at("10s").topic("t", 2).append("t-1", 0, 30).at("60s").assign("A t-0 t-1").
		positioned("A", "t-1", 30, 2).append("t-1", 30, 1).deliver("A", "t-1", 30, 30).
		work("A", "t-1", 30, 30).commits("t-1", 31)
	require.Equal(t, "{t-1: 0..29}", s.ask("lost", "t"))
}

func TestFinishingThreeTimesIsOneDuplicate(t *testing.T) {
	s := newStory(t).at("0s").topic("t", 1).append("t-0", 0, 20).start("A").at("3s").
		assign("A t-0").work("A", "t-0", 0, 9).work("A", "t-0", 5, 7).work("A", "t-0", 6, 11)
	require.Equal(t, "5..9", s.ask("duplicates", "t-0"))
	require.Equal(t, "19", s.ask("completions", group, "t-0"))
	require.Equal(t, "12", verdict.Number(must(s.eval(s.query("processed", group, "t-0")).Count())).String())
}

func must(n int64, _ bool) int64 { return n }

func TestTwoGroupsAreToldApart(t *testing.T) {
	s := newStory(t).at("0s").topic("t", 1).append("t-0", 0, 20).start("A").assign("A t-0").
		work("A", "t-0", 0, 3)
	s.event(trace.ProcessStarted, "X", "", "", 1, 0, 0)
	s.event(trace.WorkEnded, "X", "other", "t-0", 0, 0, 0)
	_, err := s.facts.Eval(s.query("duplicates", "t-0"), s.end)
	require.EqualError(t, err, `groups "g" and "other" both read t-0: say which with group =`)
	require.Equal(t, "[]", s.ask("duplicates", "t-0", "group=g"))
	require.Equal(t, "0", s.ask("processed", "other", "t-0"))
}

func TestLag_S18(t *testing.T) {
	s := newStory(t).at("0s").topic("t", 2).start("A", "B").at("3s").assign("A t-0", "B t-1")
	s.positioned("A", "t-0", 0, 1).positioned("B", "t-1", 0, 1)
	s.at("10s").append("t-0", 0, 100).append("t-1", 0, 40).commits("t-0", 90)
	s.at("20s").kill("B").append("t-1", 40, 60)
	s.at("70s").remove("B-1", trace.RemovedBySession, "20s").revoke("A").assign("A t-0 t-1")
	s.at("80s").append("t-1", 100, 1).commits("t-1", 101)
	s.at("85s").event(trace.LogStart, "broker-1", "", "t-0", 60, 0, 0).at("90s")
	require.Equal(t, "60", s.ask("log_start", "t-0"))
	require.Equal(t, "0", s.ask("log_start", "t-0", "at=84s"))
	require.Equal(t, "10", s.ask("lag", "t-0"))
	require.Equal(t, "0", s.ask("lag", "t-1"))
	require.Equal(t, "100", s.ask("lag", "t-1", "at=resume"))
	require.Equal(t, "50", s.ask("lag", "t", "at=10s"), "without a commit it counts from the first position")
	require.Equal(t, "101", s.ask("lag_max", "t"))
	require.Equal(t, "40", s.ask("lag_max", "t-1", "to=19s"))
	require.Equal(t, "40", s.ask("hw", "t-1", "at=15s"))
	require.Equal(t, "101", s.ask("leo", "t-1"))
	require.Equal(t, "201", s.ask("produced", "t"))
	require.Equal(t, "61", s.ask("produced", "t", "since=20s"))
}

func TestRecordsThatALaterLeaderWroteOverAreNotProduced(t *testing.T) {
	s := newStory(t)
	s.placed("1,2").lead("broker-1", 0).appended("broker-1", 0, 5).copied("broker-2", 0, 2)
	s.at("10s").lead2("broker-2", 2, 1).lead("broker-1", 2)
	require.Equal(t, "5", s.ask("produced", "t"), "the first leader is back before anything was written")
	s.at("12s").lead2("broker-2", 2, 3).event(trace.Truncated, "broker-1", "", "t-0", 2, 5, 1)
	s.at("13s").appended("broker-2", 2, 4).at("20s")
	require.Equal(t, "6", s.ask("produced", "t"), "three of the five were sent again, and one is new")
	require.Equal(t, "1", s.ask("produced", "t", "since=13s"), "three are gone and four came")
	s.at("21s").lead("broker-1", 4).appended("broker-2", 6, 1).copied("broker-1", 6, 1).appended("broker-1", 7, 1)
	s.at("22s").appended("broker-2", 7, 1).at("23s")
	require.Equal(t, "8", s.ask("produced", "t"), "the deposed leader's last but one was copied in time, its last was not")
	require.Equal(t, "2", s.ask("produced", "t", "since=21s"))
}

func TestDelayIsCountedToTheFirstPollThatReturnsARecord_S03(t *testing.T) {
	s := newStory(t).at("1s").topic("t", 1).start("A").assign("A t-0").append("t-0", 0, 2)
	s.at("1.1s").append("t-0", 2, 1).at("1.5s").deliver("A", "t-0", 0, 2)
	s.at("9s").deliver("A", "t-0", 0, 2)
	require.Equal(t, "0.500s", s.ask("delay_max", "t-0"))
	require.Equal(t, "0.467s", s.ask("delay_mean", "t"))
	require.Equal(t, "no records", s.ask("delay_max", "t-0", "since=2s"))
}
