package client

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestAutoCommitsHappenInPollsAtExactTimes(t *testing.T) { // C22-C24, S14
	l := newLab(t, 1)
	l.write(0, 1)
	a := l.start(0, testConfig(), nil)
	a.timeout = 200 * time.Millisecond
	l.run(16 * time.Second)
	assigned := at(l.events(trace.Owned)[0])
	sent := l.events(trace.CommitSent)
	require.Len(t, sent, 3)
	for i, e := range sent {
		require.Equal(t, assigned+time.Duration(i+1)*5*time.Second, at(e), "commit %d", i)
		require.Equal(t, []int64{1, commitAuto}, []int64{e.X, e.Z})
	}
	require.Len(t, l.events(trace.CommitDone), 3)
}

func TestAnAutoCommitThatMayBeTriedAgainIsAfterTheBackoff(t *testing.T) { // C24
	l := newLab(t, 1)
	l.write(0, 1)
	a := l.start(0, testConfig(), nil)
	a.timeout = 20 * time.Millisecond
	l.answers[wire.KeyOffsetCommit] = []wire.Code{wire.CoordinatorLoadInProgress}
	l.run(8 * time.Second)
	sent := l.events(trace.CommitSent)
	require.Len(t, sent, 2)
	again := at(sent[1]) - at(sent[0])
	require.GreaterOrEqual(t, again, 100*time.Millisecond, "retry.backoff.ms after it failed")
	require.Less(t, again, 150*time.Millisecond, "in the next poll after that")
}

func TestAutoCommitCommitsOnlyWhatEarlierPollsReturned(t *testing.T) { // C23
	l := newLab(t, 1)
	cfg := testConfig()
	cfg.MaxPollRecords = 1
	l.write(0, 10)
	a := l.start(0, cfg, nil)
	a.work = 6 * time.Second
	l.run(25 * time.Second)
	var offsets []int64
	for _, e := range l.events(trace.CommitSent) {
		offsets = append(offsets, e.X)
	}
	require.Equal(t, []int64{1, 2, 3, 4}, offsets, "one a poll, each time what the poll before returned")
	l.run(40 * time.Second)
	require.Equal(t, int64(6), l.committed[TopicPartition{Topic: "t"}])
}

func TestNoPollNoCommit(t *testing.T) { // G5
	l := newLab(t, 1)
	l.write(0, 1)
	a := l.start(0, testConfig(), nil)
	a.work = time.Minute
	l.run(59 * time.Second)
	require.Empty(t, l.times(wire.KeyOffsetCommit))
}

func TestAfterMaxPollIntervalADynamicMemberLeaves(t *testing.T) { // C28, C29, S20
	l := newLab(t, 1)
	l.write(0, 1)
	cfg := testConfig()
	cfg.EnableAutoCommit, cfg.MaxPollInterval = false, 10*time.Second
	li := &listener{l: l}
	a := l.start(0, cfg, li)
	var commitErr error
	var sentBefore int
	a.after = func(records []Record, next func()) {
		if len(records) == 0 {
			next()
			return
		}
		l.p.env.After(15*time.Second, func() {
			sentBefore = len(l.asked)
			a.c.CommitSync(nil, func(err error) {
				commitErr = err
				require.Equal(t, sentBefore, len(l.times(wire.KeyOffsetCommit))+sentBefore)
				next()
			})
		})
	}
	l.run(14 * time.Second)
	returned := at(l.events(trace.Delivered)[0])
	leave := l.times(wire.KeyLeaveGroup)
	require.Len(t, leave, 1)
	require.InDelta(t, float64(returned+10*time.Second), float64(leave[0]), float64(5*time.Millisecond))
	require.Len(t, l.events(trace.PollExpired), 1)
	require.Equal(t, 1, l.logged("poll timeout has expired"))
	require.Equal(t, []string{"assigned[t-0]"}, li.calls, "nobody is told before the next poll")
	l.run(16 * time.Second)
	name, _ := ErrorName(commitErr)
	require.Equal(t, ErrCommitFailed, name)
	require.Empty(t, l.times(wire.KeyOffsetCommit), "it fails locally")
	require.Len(t, l.events(trace.CommitRefused), 1)
	require.Equal(t, []string{"assigned[t-0]", "lost[t-0]", "assigned[t-0]"}, li.calls)
}

func TestAStaticMemberFallsSilentInstead(t *testing.T) { // C28, G11
	l := newLab(t, 1)
	l.write(0, 1)
	cfg := testConfig()
	cfg.MaxPollInterval, cfg.GroupInstanceID = 10*time.Second, "i"
	a := l.start(0, cfg, nil)
	a.work = 30 * time.Second
	l.run(29 * time.Second)
	require.Empty(t, l.times(wire.KeyLeaveGroup))
	require.Len(t, l.events(trace.PollExpired), 1)
	require.Len(t, l.times(wire.KeyHeartbeat), 3)
	require.Len(t, l.times(wire.KeyJoinGroup), 1, "a static member needs no MEMBER_ID_REQUIRED round")
}

func TestAPollTimerIsTracedOnceAPoll(t *testing.T) {
	l := newLab(t, 1)
	l.write(0, 3)
	cfg := testConfig()
	cfg.MaxPollRecords = 1
	a := l.start(0, cfg, nil)
	l.run(2 * time.Second)
	polls := len(a.polls)
	require.InDelta(t, polls, len(l.events(trace.PollTimer)), 2)
	for _, e := range l.events(trace.PollTimer) {
		require.LessOrEqual(t, e.X-e.At, int64(5*time.Minute))
	}
}

func TestEagerCommitsAndRevokesBeforeJoin(t *testing.T) { // C30, C32, C33, S38
	l := newLab(t, 1)
	l.write(0, 7)
	li := &listener{l: l}
	a := l.start(0, testConfig(), li)
	l.do(time.Second, func() { require.NoError(t, a.c.EnforceRebalance("")) })
	l.run(1200 * time.Millisecond)
	require.Equal(t, []string{"assigned[t-0]", "revoked[t-0]", "assigned[t-0]"}, li.calls)
	require.Contains(t, l.requests("ApiVersions", "Fetch", "Metadata", "ListOffsets"),
		"OffsetFetch OffsetCommit JoinGroup SyncGroup OffsetFetch")
	require.Equal(t, int64(7), l.committed[TopicPartition{Topic: "t"}])
	un := l.events(trace.Unowned)
	require.Len(t, un, 1)
	require.Equal(t, trace.UnownedByRevoke, un[0].X)
	require.Len(t, a.records, 7, "nothing comes twice")
}

func TestCommitInsideRevokeWorks(t *testing.T) { // C30, S39
	l := newLab(t, 1)
	l.write(0, 7)
	cfg := testConfig()
	cfg.EnableAutoCommit = false
	li := &listener{l: l}
	a := l.start(0, cfg, li)
	li.in = func(call string, done func(error)) {
		if call == "revoked" {
			a.c.CommitSync(nil, func(err error) {
				require.NoError(t, err)
				done(nil)
			})
			return
		}
		l.p.env.After(0, func() { done(nil) })
	}
	l.do(time.Second, func() { require.NoError(t, a.c.EnforceRebalance("")) })
	l.run(1300 * time.Millisecond)
	require.Equal(t, int64(7), l.committed[TopicPartition{Topic: "t"}])
	require.Equal(t, []string{"assigned[t-0]", "revoked[t-0]", "assigned[t-0]"}, li.calls)
	require.Empty(t, a.errs)
}

func TestAFailingCallbackIsThrownByPollAfterTheRebalance(t *testing.T) { // C35
	l := newLab(t, 1)
	li := &listener{l: l}
	li.in = func(call string, done func(error)) {
		l.p.env.After(0, func() { done(errors.New("boom")) })
	}
	a := l.start(0, testConfig(), li)
	a.after = func(_ []Record, next func()) {
		li.in = nil
		next()
	}
	l.run(time.Second)
	require.Len(t, a.errs, 1)
	require.ErrorContains(t, a.errs[0], "boom")
	name, _ := ErrorName(a.errs[0])
	require.Equal(t, ErrKafka, name)
	require.Equal(t, []string{"assigned[t-0]"}, li.calls, "not repeated")
	require.Len(t, a.c.Assignment(), 1)
}

func TestACommitDuringTheRejoinIsRefusedLocally(t *testing.T) { // C38
	l := newLab(t, 1)
	l.write(0, 1)
	cfg := testConfig()
	cfg.EnableAutoCommit = false
	a := l.start(0, cfg, nil)
	a.timeout = 10 * time.Millisecond
	var errs []error
	l.do(time.Second, func() { l.joinFor = time.Second; require.NoError(t, a.c.EnforceRebalance("")) })
	a.after = func(_ []Record, next func()) {
		if l.at() < 1500*time.Millisecond || len(errs) > 0 {
			next()
			return
		}
		a.c.CommitSync([]Offset{{TP: TopicPartition{Topic: "t"}, Offset: 1}}, func(err error) {
			errs = append(errs, err)
			next()
		})
	}
	l.run(1800 * time.Millisecond)
	require.Len(t, errs, 1)
	name, _ := ErrorName(errs[0])
	require.Equal(t, ErrRebalance, name)
	require.Empty(t, l.times(wire.KeyOffsetCommit))
}

func TestAsyncCommitsAreAnsweredInALaterPollAndNotRetried(t *testing.T) { // C40
	l := newLab(t, 1)
	l.write(0, 2)
	cfg := testConfig()
	cfg.EnableAutoCommit = false
	a := l.start(0, cfg, nil)
	a.timeout = 100 * time.Millisecond
	var got []string
	once := false
	a.after = func(records []Record, next func()) {
		if len(records) > 0 && !once {
			once = true
			l.answers[wire.KeyOffsetCommit] = []wire.Code{wire.CoordinatorLoadInProgress, wire.None}
			for range 2 {
				_ = a.c.CommitAsync(nil, func(offsets []Offset, err error) {
					name, _ := ErrorName(err)
					if err == nil {
						name = "ok"
					}
					got = append(got, name)
					require.GreaterOrEqual(t, l.at(), 500*time.Millisecond)
					require.Equal(t, int64(2), offsets[0].Offset)
				})
			}
			l.p.env.After(500*time.Millisecond, next)
			return
		}
		next()
	}
	l.run(time.Second)
	require.Equal(t, []string{ErrRetriableCommit, "ok"}, got)
	require.Len(t, l.times(wire.KeyOffsetCommit), 2)
}

func TestCloseOrder(t *testing.T) { // C42
	for _, tc := range []struct {
		name     string
		instance string
		option   string
		leaves   bool
	}{
		{"dynamic", "", "default", true}, {"static", "i", "default", false},
		{"static leaves", "i", "leave_group", true}, {"dynamic remains", "", "remain_in_group", false},
	} {
		t.Run(tc.name, func(t *testing.T) { // C43, KIP-1092
			l := newLab(t, 1)
			l.write(0, 4)
			cfg := testConfig()
			cfg.GroupInstanceID, cfg.CloseOption = tc.instance, tc.option
			li := &listener{l: l}
			a := l.start(0, cfg, li)
			closed := 0
			a.after = func(records []Record, next func()) {
				if len(records) == 0 {
					next()
					return
				}
				a.c.Close(func(err error) {
					require.NoError(t, err)
					closed++
				})
			}
			l.run(2 * time.Second)
			require.Equal(t, 1, closed)
			require.Equal(t, []string{"assigned[t-0]", "revoked[t-0]"}, li.calls)
			require.Equal(t, int64(4), l.committed[TopicPartition{Topic: "t"}])
			want := "OffsetCommit LeaveGroup Fetch"
			if !tc.leaves {
				want = "OffsetCommit Fetch"
			}
			got := l.requests("ApiVersions")
			require.Equal(t, want, got[len(got)-len(want):])
			f := l.fetches()
			require.Equal(t, int32(-1), f[len(f)-1].SessionEpoch)
			before := len(l.asked)
			l.run(time.Minute)
			require.Equal(t, before, len(l.asked), "silence afterwards")
			require.Empty(t, l.p.ends)
		})
	}
}

func TestUnsubscribeRevokesAndLeaves(t *testing.T) { // C43
	l := newLab(t, 1)
	li := &listener{l: l}
	a := l.start(0, testConfig(), li)
	ended := false
	a.after = func(_ []Record, next func()) {
		if l.at() < time.Second {
			next()
			return
		}
		a.c.Unsubscribe(func(err error) { ended = err == nil })
	}
	l.run(3 * time.Second)
	require.True(t, ended)
	require.Equal(t, []string{"assigned[t-0]", "revoked[t-0]"}, li.calls)
	require.Len(t, l.times(wire.KeyLeaveGroup), 1)
	require.Empty(t, a.c.Assignment())
}

func TestANewSubscriptionRejoins(t *testing.T) { // C36, C37
	l := newLab(t, 1)
	l.topics = []string{"t"}
	li := &listener{l: l}
	a := l.start(0, testConfig(), li)
	l.do(time.Second, func() {
		l.topics = []string{"t", "u"}
		a.c.Subscribe(l.topics, li)
	})
	l.run(2 * time.Second)
	require.Equal(t, []string{"assigned[t-0]", "revoked[t-0]", "assigned[t-0, u-0]"}, li.calls)
}

func TestAnAssignmentThatDoesNotFitTheSubscriptionIsNotTaken(t *testing.T) { // C36
	l := newLab(t, 1)
	l.joinFor = 100 * time.Millisecond
	li := &listener{l: l}
	a := l.start(0, testConfig(), li)
	l.do(80*time.Millisecond, func() { // the Join that offered "t" is under way
		require.Len(t, l.times(wire.KeyJoinGroup), 2)
		l.topics = []string{"t", "u"} // those that there are
		require.NoError(t, a.c.Subscribe([]string{"u"}, li))
	})
	l.run(2 * time.Second)
	require.Empty(t, a.errs)
	require.Equal(t, []string{"revoked[]", "assigned[u-0]"}, li.calls, "it had a generation, so revoke is called (C30)")
	owned := l.events(trace.Owned)
	require.Len(t, owned, 1)
	require.Equal(t, "u", l.name(owned[0].Name))
}

func TestTheLeaderRejoinsWhenItsMetadataShowsMorePartitions(t *testing.T) { // C37, S55
	l := newLab(t, 1)
	cfg := testConfig()
	cfg.MetadataMaxAge = 20 * time.Second
	li := &listener{l: l}
	l.start(0, cfg, li)
	l.do(5*time.Second, func() { l.parts = 3 })
	l.run(19 * time.Second)
	require.Len(t, li.calls, 1)
	l.run(41 * time.Second)
	require.Equal(t, []string{"assigned[t-0]", "revoked[t-0]", "assigned[t-0, t-1, t-2]"}, li.calls)
}

func TestManualAssignmentCommitsWithoutAGeneration(t *testing.T) { // C38, C10, B3
	l := newLab(t, 2)
	l.write(1, 3)
	var committed []Offset
	var pos int64
	l.do(0, func() {
		c := NewConsumer(l.p, testConfig())
		c.Assign([]TopicPartition{{Topic: "t", Partition: 1}})
		c.Poll(5*time.Second, func(records []Record, err error) {
			require.NoError(t, err)
			require.Len(t, records, 3)
			c.CommitSync(nil, func(err error) {
				require.NoError(t, err)
				c.Committed(c.Assignment(), func(o []Offset, err error) {
					committed = o
					c.Position(c.Assignment()[0], func(at int64, err error) { pos = at })
				})
			})
		})
	})
	l.run(2 * time.Second)
	require.Equal(t, []Offset{{TP: TopicPartition{Topic: "t", Partition: 1}, Offset: 3}}, committed)
	require.Equal(t, int64(3), pos)
	require.Empty(t, l.times(wire.KeyJoinGroup))
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.OffsetCommitRequest); ok {
			require.Equal(t, int32(-1), r.Generation)
			require.Empty(t, r.MemberID)
		}
	}
}

func TestSilenceOfTheCoordinatorForASessionLosesIt(t *testing.T) { // C26
	l := newLab(t, 1)
	cfg := testConfig()
	cfg.RequestTimeout = time.Hour
	a := l.start(0, cfg, nil)
	l.do(10*time.Second, func() { l.silent[wire.KeyHeartbeat] = true })
	l.run(53 * time.Second)
	require.Empty(t, a.errs)
	require.Len(t, l.times(wire.KeyFindCoordinator), 1)
	l.run(56 * time.Second)
	require.Equal(t, 1, l.logged("session timed out"))
	require.GreaterOrEqual(t, len(l.times(wire.KeyFindCoordinator)), 2)
}

func TestARequestWithoutAnswerCostsTheConnection(t *testing.T) { // C4
	l := newLab(t, 1)
	l.committed[TopicPartition{Topic: "t"}] = 0
	l.start(0, testConfig(), nil)
	l.do(5*time.Second, func() { l.silent[wire.KeyHeartbeat] = true })
	l.do(8*time.Second, func() { l.silent[wire.KeyHeartbeat] = false })
	l.run(37 * time.Second)
	require.GreaterOrEqual(t, len(l.times(wire.KeyFindCoordinator)), 2)
	beats := l.times(wire.KeyHeartbeat)
	require.Greater(t, beats[len(beats)-1], 36*time.Second, "beats go on over a new connection")
}

func TestTheReasonOfAJoinIsTheLastThingThatAskedForIt(t *testing.T) { // A25, KIP-800
	l := newLab(t, 1)
	l.answers[wire.KeySyncGroup] = []wire.Code{wire.None, wire.RebalanceInProgress, wire.UnknownMemberID}
	a := l.start(0, testConfig(), nil)
	l.do(time.Second, func() { require.NoError(t, a.c.EnforceRebalance("too many records")) })
	l.run(2 * time.Second)
	var reasons []string
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.JoinGroupRequest); ok {
			reasons = append(reasons, *r.Reason)
		}
	}
	require.Equal(t, []string{
		"", "need to re-join with the given member-id: A-1", "too many records",
		"rebalance failed due to RebalanceInProgressException",
		"rebalance failed due to UnknownMemberIdException",
		"need to re-join with the given member-id: A-4",
	}, reasons)
}

func TestWithoutAGroupThereIsNothingToRebalanceOrCommit(t *testing.T) { // C3
	l := newLab(t, 1)
	l.do(0, func() {
		cfg := testConfig()
		cfg.GroupID = ""
		c := NewConsumer(l.p, cfg)
		require.ErrorContains(t, c.EnforceRebalance(""), "does not have a group")
		require.NoError(t, c.Assign([]TopicPartition{{Topic: "t"}}))
		require.ErrorContains(t, c.CommitAsync(nil, nil), "InvalidGroupIdException")
	})
	l.run(time.Second)
}

func TestACommitBetweenAFailedSyncAndTheNextJoinSaysRebalance(t *testing.T) { // C38
	l := newLab(t, 1)
	l.write(0, 1)
	cfg := testConfig()
	cfg.EnableAutoCommit = false
	a := l.start(0, cfg, nil)
	a.timeout = 10 * time.Millisecond
	var errs []error
	l.do(time.Second, func() {
		l.answers[wire.KeySyncGroup] = []wire.Code{wire.GroupAuthorizationFailed}
		require.NoError(t, a.c.EnforceRebalance(""))
	})
	a.after = func(_ []Record, next func()) {
		if len(a.errs) != 1 || len(errs) > 0 {
			next()
			return
		}
		a.c.CommitSync([]Offset{{TP: TopicPartition{Topic: "t"}, Offset: 1}}, func(err error) {
			errs = append(errs, err)
			next()
		})
	}
	l.run(2 * time.Second)
	require.Len(t, errs, 1)
	name, _ := ErrorName(errs[0])
	require.Equal(t, ErrRebalance, name, "a failed round does not make a member a stranger")
}

func TestAFencedAsynchronousCommitStopsTheConsumer(t *testing.T) { // C.7, KIP-345
	l := newLab(t, 1)
	l.write(0, 1)
	cfg := testConfig()
	cfg.EnableAutoCommit, cfg.GroupInstanceID = false, "i"
	a := l.start(0, cfg, nil)
	var told []error
	a.after = func(records []Record, next func()) {
		if len(records) > 0 {
			l.answers[wire.KeyOffsetCommit] = []wire.Code{wire.FencedInstanceID}
			require.NoError(t, a.c.CommitAsync(nil, func(_ []Offset, err error) { told = append(told, err) }))
		}
		if len(a.errs) < 3 {
			next()
		}
	}
	l.run(2 * time.Second)
	require.Len(t, a.errs, 3, "each poll from then on")
	for _, err := range a.errs {
		name, _ := ErrorName(err)
		require.Equal(t, "FENCED_INSTANCE_ID", name)
	}
	require.Empty(t, told, "its callback is never called")
	require.Error(t, a.c.CommitAsync(nil, nil))
}

func TestABeatThatFailsIsTriedAgainLaterAndLater(t *testing.T) { // C4, C26
	l := newLab(t, 1)
	cfg := testConfig()
	cfg.RetryBackoff, cfg.RetryBackoffMax = 100*time.Millisecond, 400*time.Millisecond
	l.answers[wire.KeyHeartbeat] = []wire.Code{
		wire.UnknownServerError, wire.UnknownServerError, wire.UnknownServerError, wire.UnknownServerError,
	}
	l.start(0, cfg, nil)
	l.run(5 * time.Second)
	beats := l.times(wire.KeyHeartbeat)
	require.GreaterOrEqual(t, len(beats), 5)
	for i, want := range []time.Duration{100, 200, 400, 400} {
		gap := float64(beats[i+1] - beats[i])
		require.InDelta(t, float64(want*time.Millisecond), gap, 0.2*float64(want*time.Millisecond)+3e6)
	}
}

func TestASearchForTheCoordinatorBacksOffWithinOneCall(t *testing.T) { // C4, KIP-580
	l := newLab(t, 1)
	for range 40 {
		l.answers[wire.KeyFindCoordinator] = append(l.answers[wire.KeyFindCoordinator], wire.CoordinatorNotAvailable)
	}
	a := l.start(0, testConfig(), nil)
	a.timeout = 4 * time.Second
	l.run(8 * time.Second)
	finds := l.times(wire.KeyFindCoordinator)
	gap := func(i int) time.Duration { return finds[i+1] - finds[i] }
	require.InDelta(t, 100, float64(gap(0).Milliseconds()), 30)
	require.InDelta(t, 200, float64(gap(1).Milliseconds()), 50)
	require.InDelta(t, 400, float64(gap(2).Milliseconds()), 90)
	require.InDelta(t, 800, float64(gap(3).Milliseconds()), 170)
	require.InDelta(t, 1000, float64(gap(4).Milliseconds()), 210, "retry.backoff.max.ms")
	for i, at := range finds {
		if at > 4*time.Second { // the next poll begins anew
			require.InDelta(t, 100, float64(gap(i).Milliseconds()), 30)
			return
		}
	}
	require.Fail(t, "no search in the second poll")
}

func TestASyncIsAwaitedForTheRequestTimeoutOnly(t *testing.T) { // C6
	l := newLab(t, 1)
	l.silent[wire.KeySyncGroup] = true
	l.start(0, testConfig(), nil)
	l.do(20*time.Second, func() { l.silent[wire.KeySyncGroup] = false })
	l.run(29 * time.Second)
	require.Len(t, l.times(wire.KeySyncGroup), 1)
	l.run(33 * time.Second)
	require.GreaterOrEqual(t, len(l.times(wire.KeySyncGroup)), 2)
	require.GreaterOrEqual(t, len(l.times(wire.KeyFindCoordinator)), 2)
}

func TestAJoinIsAwaitedForTheRebalanceTimeoutAndFiveSeconds(t *testing.T) { // C6
	l := newLab(t, 1)
	cfg := testConfig()
	cfg.MaxPollInterval = time.Minute
	l.joinFor = 64 * time.Second
	l.start(0, cfg, nil)
	l.run(70 * time.Second)
	require.Len(t, l.times(wire.KeyJoinGroup), 2)
	require.Len(t, l.times(wire.KeySyncGroup), 1)
}

func TestCloseWaitsNoLongerThanItsTimeoutOrARequest(t *testing.T) { // C42
	for _, tc := range []struct {
		name    string
		opt     CloseOptions
		request time.Duration
		took    time.Duration
	}{
		{"as configured", CloseOptions{}, 40 * time.Second, 30 * time.Second},
		{"a short request timeout", CloseOptions{}, 5 * time.Second, 5 * time.Second},
		{"a short close timeout", CloseOptions{Timeout: new(time.Second)}, 30 * time.Second, time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t, 1)
			l.write(0, 1)
			cfg := testConfig()
			cfg.RequestTimeout = tc.request
			a := l.start(0, cfg, nil)
			var began, ended time.Duration
			a.after = func(records []Record, next func()) {
				if len(records) == 0 {
					next()
					return
				}
				l.silent[wire.KeyOffsetCommit] = true
				began = l.at()
				a.c.CloseWith(tc.opt, func(error) { ended = l.at() })
			}
			l.run(time.Minute)
			require.InDelta(t, tc.took.Seconds(), (ended - began).Seconds(), 0.01)
		})
	}
}

func TestTheOptionOfACloseWinsOverTheConfiguredOne(t *testing.T) { // C43, KIP-1092
	for option, leaves := range map[string]int{"remain_in_group": 0, "leave_group": 1, "default": 1} {
		l := newLab(t, 1)
		a := l.start(0, testConfig(), nil)
		a.after = func(_ []Record, next func()) {
			a.c.CloseWith(CloseOptions{Membership: option}, func(error) {})
		}
		l.run(2 * time.Second)
		require.Len(t, l.times(wire.KeyLeaveGroup), leaves, option)
	}
}

func TestCloseInAFinallyBlockCommitsTheWholeBatch(t *testing.T) { // C44, C23, S11
	l := newLab(t, 1)
	l.write(0, 8)
	a := l.start(0, testConfig(), nil)
	worked := 0
	a.after = func(records []Record, next func()) {
		for range records {
			if worked == 3 { // the handler throws, finally closes
				a.c.Close(func(error) {})
				return
			}
			worked++
		}
		next()
	}
	l.run(2 * time.Second)
	require.Equal(t, 3, worked)
	require.Equal(t, int64(8), l.committed[TopicPartition{Topic: "t"}], "five records nobody has worked on")
}
