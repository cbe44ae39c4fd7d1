package client

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// at is when something happened since the start.
func at(e trace.Event) time.Duration { return time.Duration(e.At) }

// fetches are the Fetch requests in order.
func (l *lab) fetches() []*kmsg.FetchRequest {
	var out []*kmsg.FetchRequest
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.FetchRequest); ok {
			out = append(out, r)
		}
	}
	return out
}

func TestTheNextFetchLeavesBeforePollReturns(t *testing.T) { // C8, S05
	l := newLab(t, 1)
	l.committed[TopicPartition{Topic: "t"}] = 0
	a := l.start(0, testConfig(), nil)
	a.work = 10 * time.Millisecond
	l.do(300*time.Millisecond, func() { l.write(0, 8) })
	l.run(305 * time.Millisecond)
	require.Len(t, a.records, 8)
	f := l.times(wire.KeyFetch)
	require.Len(t, f, 2)
	delivered := l.events(trace.Delivered)
	require.Len(t, delivered, 1)
	require.Equal(t, at(delivered[0])+time.Millisecond, f[1], "sent at the moment of the return")
	require.Equal(t, int64(8), l.fetches()[1].Topics[0].Partitions[0].FetchOffset)
}

func TestABrokerWithBufferedDataGetsNoFetch(t *testing.T) { // C13, C14, S05
	l := newLab(t, 2)
	cfg := testConfig()
	cfg.MaxPollRecords = 3
	l.write(0, 5)
	l.committed[TopicPartition{Topic: "t"}] = 0
	l.committed[TopicPartition{Topic: "t", Partition: 1}] = 0
	a := l.start(0, cfg, nil)
	a.work = time.Second
	l.run(500 * time.Millisecond)
	require.Len(t, a.records, 3)
	require.Len(t, l.times(wire.KeyFetch), 1, "2 of 5 records still stand in the buffer")
	l.run(1500 * time.Millisecond)
	require.Len(t, a.records, 5)
	require.Len(t, l.times(wire.KeyFetch), 2)
	require.Less(t, l.times(wire.KeyFetch)[1], 1100*time.Millisecond)
}

func TestOnePollMayMixPartitions(t *testing.T) { // C15, S59
	l := newLab(t, 2)
	cfg := testConfig()
	cfg.MaxPollRecords = 4
	l.write(0, 3)
	l.write(1, 3)
	a := l.start(0, cfg, nil)
	a.work = time.Second
	l.run(500 * time.Millisecond)
	require.Len(t, a.records, 4)
	require.Equal(t, int32(1), a.records[3].Partition)
	l.run(1400 * time.Millisecond)
	require.Len(t, a.records, 6)
	require.Len(t, l.times(wire.KeyFetch), 2, "one for both, one when nothing is buffered")
}

func TestASessionTellsTheBrokerOnlyWhatHasChanged(t *testing.T) { // E14-E16, S04
	l := newLab(t, 2)
	l.write(0, 15)
	l.write(1, 8)
	l.committed[TopicPartition{Topic: "t"}] = 15
	l.committed[TopicPartition{Topic: "t", Partition: 1}] = 8
	l.start(0, testConfig(), nil)
	l.do(200*time.Millisecond, func() { l.write(0, 8) })
	l.run(300 * time.Millisecond)
	f := l.fetches()
	require.Len(t, f, 2)
	require.Equal(t, []int32{0, 0}, []int32{f[0].SessionID, f[0].SessionEpoch})
	require.Len(t, f[0].Topics[0].Partitions, 2)
	require.Equal(t, int64(15), f[0].Topics[0].Partitions[0].FetchOffset)
	require.Equal(t, int64(8), f[0].Topics[0].Partitions[1].FetchOffset)
	require.Equal(t, []int32{1, 1}, []int32{f[1].SessionID, f[1].SessionEpoch})
	require.Len(t, f[1].Topics[0].Partitions, 1, "p1@8 is in the session")
	require.Equal(t, int64(23), f[1].Topics[0].Partitions[0].FetchOffset)
}

func TestAPausedPartitionIsForgottenAndAddedAgain(t *testing.T) { // E14, C17
	l := newLab(t, 2)
	cfg := testConfig()
	l.committed[TopicPartition{Topic: "t"}] = 0
	l.committed[TopicPartition{Topic: "t", Partition: 1}] = 0
	a := l.start(0, cfg, nil)
	l.do(600*time.Millisecond, func() {
		require.NoError(t, a.c.Pause([]TopicPartition{{Topic: "t", Partition: 1}}))
	})
	l.do(2*time.Second, func() {
		require.NoError(t, a.c.Resume([]TopicPartition{{Topic: "t", Partition: 1}}))
	})
	l.run(3 * time.Second)
	var forgotten, again int
	for i, f := range l.fetches() {
		if len(f.ForgottenTopics) > 0 {
			forgotten++
			require.Equal(t, []int32{1}, f.ForgottenTopics[0].Partitions)
		}
		if i > 0 && len(f.Topics) > 0 {
			again++
			require.Equal(t, int32(1), f.Topics[0].Partitions[0].Partition)
		}
	}
	require.Equal(t, []int{1, 1}, []int{forgotten, again})
	require.Len(t, l.events(trace.Paused), 1)
	require.Len(t, l.events(trace.Resumed), 1)
}

func TestPausedDataIsKeptAndReturnedWithoutAFetch(t *testing.T) { // C17, KAFKA-7548
	l := newLab(t, 1)
	cfg := testConfig()
	cfg.MaxPollRecords = 2
	l.write(0, 4)
	a := l.start(0, cfg, nil)
	tp := []TopicPartition{{Topic: "t"}}
	polls := 0
	a.after = func(records []Record, next func()) {
		polls++
		if len(records) == 2 && len(a.records) == 2 {
			require.NoError(t, a.c.Pause(tp))
		}
		next()
	}
	l.run(time.Second)
	require.Len(t, a.records, 2)
	fetches := len(l.fetches())
	l.do(time.Second, func() { require.NoError(t, a.c.Resume(tp)) })
	l.run(1005 * time.Millisecond)
	require.Len(t, a.records, 4)
	require.Equal(t, fetches+1, len(l.fetches()), "the one after the data was used up")
}

func TestASessionErrorStartsOver(t *testing.T) { // E15
	for _, code := range []wire.Code{wire.FetchSessionIDNotFound, wire.InvalidFetchSessionEpoch} {
		l := newLab(t, 1)
		l.committed[TopicPartition{Topic: "t"}] = 0
		l.start(0, testConfig(), nil)
		l.do(300*time.Millisecond, func() { l.answers[wire.KeyFetch] = []wire.Code{code} })
		l.run(1200 * time.Millisecond)
		f := l.fetches()
		require.GreaterOrEqual(t, len(f), 3)
		require.Equal(t, int32(1), f[1].SessionEpoch)
		require.Equal(t, int32(0), f[2].SessionEpoch)
		require.Len(t, f[2].Topics, 1)
		if code == wire.FetchSessionIDNotFound {
			require.Equal(t, int32(0), f[2].SessionID)
		} else {
			require.Equal(t, f[1].SessionID, f[2].SessionID, "the old one is closed by the request")
		}
	}
}

func TestAnEmptyPollLastsItsTimeout(t *testing.T) { // C7
	l := newLab(t, 1)
	l.committed[TopicPartition{Topic: "t"}] = 0
	a := l.start(0, testConfig(), nil)
	a.timeout = 700 * time.Millisecond
	l.run(10 * time.Second)
	for i := 1; i < len(a.polls); i++ {
		require.Equal(t, 700*time.Millisecond, a.polls[i]-a.polls[i-1])
	}
}

func TestAPollWithoutTimeoutCostsTenMicroseconds(t *testing.T) {
	l := newLab(t, 1)
	a := l.start(0, testConfig(), nil)
	a.timeout = 0
	l.run(time.Millisecond)
	require.Greater(t, len(a.polls), 90)
	require.Equal(t, 10*time.Microsecond, a.polls[1]-a.polls[0])
}

func TestAfterASeekOldDataIsDropped(t *testing.T) { // C18
	l := newLab(t, 1)
	l.write(0, 4)
	cfg := testConfig()
	cfg.MaxPollRecords = 1
	a := l.start(0, cfg, nil)
	sought := false
	a.after = func(records []Record, next func()) {
		if len(a.records) == 2 && !sought {
			sought = true
			require.NoError(t, a.c.Seek(TopicPartition{Topic: "t"}, 0))
		}
		next()
	}
	l.run(time.Second)
	var offsets []int64
	for _, r := range a.records {
		offsets = append(offsets, r.Offset)
	}
	require.Equal(t, []int64{0, 1, 0, 1, 2, 3}, offsets)
}

func TestResetPolicies(t *testing.T) { // C21, KIP-1106
	for _, tc := range []struct {
		policy string
		stamp  int64
		throws string
	}{
		{"earliest", -2, ""}, {"latest", -1, ""}, {"none", 0, ErrNoOffset},
		{"by_duration:PT1H", sim.Start.Millis() - 3600_000, ""},
	} {
		l := newLab(t, 1)
		cfg := testConfig()
		cfg.AutoOffsetReset = tc.policy
		a := l.start(0, cfg, nil)
		a.after = func(_ []Record, next func()) {
			if len(a.errs) == 0 {
				next()
			}
		}
		l.run(200 * time.Millisecond)
		if tc.throws != "" {
			require.Len(t, a.errs, 1)
			name, _ := ErrorName(a.errs[0])
			require.Equal(t, tc.throws, name)
			require.Empty(t, l.times(wire.KeyListOffsets))
			continue
		}
		i := slices.IndexFunc(l.asked, func(f *wire.Frame) bool { return f.Key == wire.KeyListOffsets })
		require.GreaterOrEqual(t, i, 0)
		got := l.asked[i].Req.(*kmsg.ListOffsetsRequest).Topics[0].Partitions[0].Timestamp
		require.InDelta(t, tc.stamp, got, 100, tc.policy)
	}
}

func TestWakeupEndsThePollUnderWayOrTheNext(t *testing.T) {
	l := newLab(t, 1)
	l.committed[TopicPartition{Topic: "t"}] = 0
	a := l.start(0, testConfig(), nil)
	a.timeout = time.Hour
	a.after = func(_ []Record, next func()) {
		if len(a.errs) == 1 {
			a.c.Wakeup()
			l.p.env.After(time.Second, next)
		}
	}
	l.do(2*time.Second, func() { a.c.Wakeup() })
	l.run(4 * time.Second)
	require.Len(t, a.errs, 2)
	require.IsType(t, &WakeupError{}, a.errs[0])
	require.Equal(t, 3*time.Second, a.polls[1])
	name, _ := ErrorName(a.errs[1])
	require.Equal(t, "WakeupException", name)
}

func TestAnAnswerInTheBrokersPlaceMayOvertakeAParkedFetch(t *testing.T) {
	l := newLab(t, 1)
	l.committed[TopicPartition{Topic: "t"}] = 0
	cfg := testConfig()
	cfg.MetadataMaxAge = time.Second
	a := l.start(0, cfg, nil)
	answered := 0
	l.instead = func(f *wire.Frame) (sim.Message, bool) {
		if f.Key != wire.KeyMetadata || l.at() < time.Second {
			return nil, false
		}
		answered++
		return wire.ErrorReply(f, wire.UnknownTopicOrPartition), true
	}
	l.run(3 * time.Second)
	require.NotZero(t, answered)
	require.Empty(t, a.errs)
}

func TestSubscriptionMistakesAreErrors(t *testing.T) { // C7, C3
	l := newLab(t, 1)
	var errs []error
	note := func(_ []Record, err error) { errs = append(errs, err) }
	l.do(0, func() {
		cfg := testConfig()
		NewConsumer(l.p, cfg).Poll(0, note)
		cfg.GroupID = ""
		c := NewConsumer(l.p, cfg)
		c.Subscribe([]string{"t"}, nil)
		c.Poll(0, note)
		require.Error(t, c.Seek(TopicPartition{Topic: "t"}, 1))
	})
	l.run(time.Millisecond)
	require.Len(t, errs, 2)
	require.ErrorContains(t, errs[0], "IllegalStateException")
	require.ErrorContains(t, errs[1], "InvalidGroupIdException")
}
