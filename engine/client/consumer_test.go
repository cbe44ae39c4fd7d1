package client

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestAConsumerStartsWithTheJavaClientsRequests(t *testing.T) { // C8-C12, A18, S33
	l := newLab(t, 2)
	l.write(0, 3)
	li := &listener{l: l}
	a := l.start(0, testConfig(), li)
	l.run(400 * time.Millisecond)
	require.Equal(t, "Metadata FindCoordinator JoinGroup JoinGroup SyncGroup OffsetFetch ListOffsets "+
		"Fetch Fetch", l.requests("ApiVersions"))
	require.Len(t, a.records, 3)
	require.Empty(t, a.errs)
	require.Equal(t, []string{"assigned[t-0, t-1]"}, li.calls) // C30: no callback on the first join
	require.Equal(t, []TopicPartition{{Topic: "t", Partition: 0}, {Topic: "t", Partition: 1}}, a.c.Assignment())
}

func TestAPollRunsCallbacksThenCommitsAndThenFetches(t *testing.T) { // C9
	l := newLab(t, 1)
	l.write(0, 1)
	cfg := testConfig()
	cfg.AutoCommitInterval, cfg.FetchMaxWait = time.Second, 100*time.Millisecond
	a := l.start(0, cfg, nil)
	a.timeout = 200 * time.Millisecond
	sentBefore, polled := -1, time.Duration(0)
	a.after = func(records []Record, next func()) {
		if len(records) == 0 {
			next()
			return
		}
		require.NoError(t, a.c.CommitAsync(nil, func([]Offset, error) {
			sentBefore = len(l.events(trace.CommitSent))
		}))
		l.p.env.After(1500*time.Millisecond, func() {
			polled = l.at()
			next()
		})
	}
	l.run(3 * time.Second)
	require.Equal(t, 1, sentBefore, "the callback ran before the auto-commit that was due")
	auto := l.events(trace.CommitSent)[1]
	require.Equal(t, []any{commitAuto, polled}, []any{auto.Z, at(auto)}, "at once in the poll")
	var sent []int32 // in that instant
	for _, e := range l.events(trace.MessageSent) {
		if at(e) == polled {
			sent = append(sent, e.Part)
		}
	}
	require.Equal(t, []int32{int32(wire.KeyOffsetCommit), int32(wire.KeyFetch)}, sent)
}

func TestAnAnswerThatARebalanceIsOnCountsAsASignOfLife(t *testing.T) { // C27
	l := newLab(t, 1)
	l.write(0, 1)
	cfg := testConfig()
	cfg.SessionTimeout, cfg.EnableAutoCommit = 6*time.Second, false
	a := l.start(0, cfg, nil)
	a.work = 30 * time.Second // no poll, so no rejoin
	for range 20 {
		l.answers[wire.KeyHeartbeat] = append(l.answers[wire.KeyHeartbeat], wire.RebalanceInProgress)
	}
	l.run(25 * time.Second)
	require.GreaterOrEqual(t, len(l.times(wire.KeyHeartbeat)), 8, "it goes on beating until the program polls")
	require.Zero(t, l.logged("session timed out"))
	require.Len(t, l.times(wire.KeyJoinGroup), 2, "the first join only")
}

func TestBeatsLeaveExactlyAtMultiplesOfTheIntervalAfterTheJoinAnswer(t *testing.T) { // H0, C27
	l := newLab(t, 1)
	l.start(0, testConfig(), nil)
	l.run(10 * time.Second)
	var j time.Duration
	for _, e := range l.events(trace.ConsumerState) {
		if e.X == trace.ConsumerCompleting {
			j = time.Duration(e.At)
		}
	}
	require.NotZero(t, j)
	wireTime := time.Millisecond
	require.Equal(t, []time.Duration{
		j + 3*time.Second + wireTime, j + 6*time.Second + wireTime, j + 9*time.Second + wireTime,
	}, l.times(wire.KeyHeartbeat))
}
