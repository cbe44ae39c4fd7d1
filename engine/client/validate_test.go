package client

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// answerFetch is an answer to f about t-0.
func answerFetch(f *wire.Frame, change func(*kmsg.FetchResponseTopicPartition)) *wire.Frame {
	r := kmsg.NewPtrFetchResponse()
	topic := kmsg.NewFetchResponseTopic()
	topic.Topic, topic.TopicID = "t", topicID("t")
	p := kmsg.NewFetchResponseTopicPartition()
	change(&p)
	topic.Partitions = append(topic.Partitions, p)
	r.Topics, r.SessionID = append(r.Topics, topic), f.Req.(*kmsg.FetchRequest).SessionID
	return f.Reply(r)
}

// epochRequests are the OffsetForLeaderEpoch requests in order.
func (l *lab) epochRequests() []*kmsg.OffsetForLeaderEpochRequest {
	var all []*kmsg.OffsetForLeaderEpochRequest
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.OffsetForLeaderEpochRequest); ok {
			all = append(all, r)
		}
	}
	return all
}

func TestACommitsEpochIsCheckedBeforeTheFirstFetch(t *testing.T) { // C11, C16, KIP-320
	for _, tc := range []struct {
		name  string
		epoch int32
		want  string
	}{
		{"with an epoch", 2, "OffsetFetch OffsetForLeaderEpoch Fetch"},
		{"without one", -1, "OffsetFetch Fetch"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t, 1)
			l.write(0, 5)
			l.committed[parts(0)[0]], l.commitEpoch = 3, tc.epoch
			a := l.start(0, testConfig(), nil)
			l.run(300 * time.Millisecond)
			require.Contains(t, l.requests("ApiVersions", "Metadata"), tc.want)
			require.Len(t, a.records, 2)
			for _, r := range l.epochRequests() {
				require.Equal(t, []int32{2, 3}, []int32{
					r.Topics[0].Partitions[0].LeaderEpoch, r.Topics[0].Partitions[0].CurrentLeaderEpoch,
				})
				require.Equal(t, int32(-1), r.ReplicaID)
			}
		})
	}
}

func TestTheEpochOfTheLastRecordTravelsWithTheCommit(t *testing.T) { // C16
	l := newLab(t, 1)
	l.write(0, 2) // the fake leader writes epoch 3
	cfg := testConfig()
	cfg.EnableAutoCommit = false
	a := l.start(0, cfg, nil)
	a.after = func(records []Record, next func()) {
		if len(records) == 0 {
			next()
			return
		}
		a.c.CommitSync(nil, func(error) {
			a.c.CommitSync([]Offset{{TP: parts(0)[0], Offset: 2}}, func(error) { next() })
		})
	}
	l.run(time.Second)
	var epochs []int32
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.OffsetCommitRequest); ok {
			require.Equal(t, int16(9), f.Version, "the classic consumer names topics")
			epochs = append(epochs, r.Topics[0].Partitions[0].LeaderEpoch)
		}
	}
	require.Equal(t, []int32{3, -1}, epochs, "an offset that the application makes up has none")
}

func TestANewLeaderIsAskedWhereTheEpochHasEnded(t *testing.T) { // C11, C20, KIP-320
	for _, tc := range []struct {
		name   string
		reset  string
		end    func(p, epoch int32) (int32, int64)
		moved  int64 // to where, -1 for not at all
		throws string
	}{
		{"the log is as it was", "none", func(_, e int32) (int32, int64) { return e, 10 }, -1, ""},
		{"the log goes on", "none", func(_, e int32) (int32, int64) { return e, 25 }, -1, ""},
		{"it was cut below the position", "latest", func(_, e int32) (int32, int64) { return e, 7 }, 7, ""},
		{"cut, and no policy", "none", func(_, e int32) (int32, int64) { return e, 7 }, -1, ErrLogTruncation},
		{"the epoch is not known", "earliest", func(_, _ int32) (int32, int64) { return -1, -1 }, 0, ""},
		{"not known, and no policy", "none", func(_, _ int32) (int32, int64) { return -1, -1 }, -1,
			ErrLogTruncation},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t, 1)
			l.write(0, 10)
			l.committed[parts(0)[0]] = 0
			cfg := testConfig()
			cfg.AutoOffsetReset, cfg.EnableAutoCommit, cfg.MetadataMaxAge = tc.reset, false, 2*time.Second
			a := l.start(0, cfg, nil)
			l.do(time.Second, func() {
				l.epoch, l.leader, l.epochEnd = 4, func(int32) int32 { return 2 }, tc.end
			})
			l.run(3 * time.Second)
			asked := l.epochRequests()
			require.Len(t, asked, 1)
			require.Equal(t, int32(3), asked[0].Topics[0].Partitions[0].LeaderEpoch)
			require.Equal(t, int32(4), asked[0].Topics[0].Partitions[0].CurrentLeaderEpoch)
			moved := int64(-1)
			for _, e := range l.events(trace.Positioned) {
				if e.Y == positionedByReset {
					moved = e.X
				}
			}
			require.Equal(t, tc.moved, moved)
			if tc.throws == "" {
				require.Empty(t, a.errs)
				return
			}
			require.Len(t, a.errs, 1, "once, then the application must seek")
			name, _ := ErrorName(a.errs[0])
			require.Equal(t, tc.throws, name)
			require.False(t, a.c.sub.parts[0].fetchable())
			require.Empty(t, a.c.consumed(), "what is not valid is not committed")
		})
	}
}

func TestAValidationIsTriedAgain(t *testing.T) { // KIP-320, C4
	l := newLab(t, 1)
	l.write(0, 5)
	l.committed[parts(0)[0]], l.commitEpoch = 3, 2
	l.answers[wire.KeyOffsetForLeaderEpoch] = []wire.Code{wire.FencedLeaderEpoch, wire.NotLeaderOrFollower}
	a := l.start(0, testConfig(), nil)
	l.run(time.Second)
	at := l.times(wire.KeyOffsetForLeaderEpoch)
	require.Len(t, at, 3)
	require.InDelta(t, 100, float64((at[1] - at[0]).Milliseconds()), 10, "retry.backoff.ms")
	require.Len(t, a.records, 2)
}

func TestASeekDuringAValidationWins(t *testing.T) { // C18, KIP-320
	l := newLab(t, 1)
	l.write(0, 5)
	l.committed[parts(0)[0]], l.commitEpoch = 3, 2
	l.epochEnd = func(_, e int32) (int32, int64) { return e, 1 } // would send the consumer to 1
	a := l.start(0, testConfig(), nil)
	sought := false
	a.timeout = time.Millisecond
	a.after = func(_ []Record, next func()) {
		if !sought && len(l.epochRequests()) == 1 {
			sought = true
			require.NoError(t, a.c.Seek(parts(0)[0], 4))
		}
		next()
	}
	l.run(time.Second)
	require.True(t, sought)
	require.Len(t, a.records, 1)
	require.Equal(t, int64(4), a.records[0].Offset)
}

func TestAFetchIsToldTheNewLeader(t *testing.T) { // E13, KIP-951
	l := newLab(t, 1)
	l.write(0, 3)
	l.committed[parts(0)[0]] = 0
	a := l.start(0, testConfig(), nil)
	l.do(time.Second, func() {
		l.silent[wire.KeyMetadata] = true // so that only the hint can tell
		l.instead = func(f *wire.Frame) (sim.Message, bool) {
			_, ok := f.Req.(*kmsg.FetchRequest)
			if !ok || len(l.epochRequests()) > 0 {
				return nil, false
			}
			return answerFetch(f, func(p *kmsg.FetchResponseTopicPartition) {
				p.ErrorCode = int16(wire.NotLeaderOrFollower)
				p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch = 2, 4
			}), true
		}
	})
	l.run(1700 * time.Millisecond)
	require.Len(t, l.epochRequests(), 1, "and the position is checked there")
	require.Equal(t, partitionMeta{2, 4}, a.c.sub.parts[0].leader)
	require.Empty(t, a.errs)
}

func TestOldMetadataDoesNotBringAnOldLeaderBack(t *testing.T) { // KIP-320
	l := newLab(t, 1)
	l.committed[parts(0)[0]] = 0
	cfg := testConfig()
	cfg.MetadataMaxAge = time.Second
	a := l.start(0, cfg, nil)
	l.do(500*time.Millisecond, func() { l.epoch, l.leader = 5, func(int32) int32 { return 2 } })
	l.do(1800*time.Millisecond, func() { l.epoch, l.leader = 4, func(int32) int32 { return 1 } })
	l.run(5 * time.Second)
	require.Equal(t, partitionMeta{2, 5}, a.c.meta.leader(parts(0)[0]))
	// A commit of a newer epoch asks for newer metadata; until then the leader is unknown.
	asked := len(l.times(wire.KeyMetadata))
	l.do(5*time.Second, func() {
		a.c.meta.sawEpoch(parts(0)[0], 6)
		require.Equal(t, partitionMeta{-1, 6}, a.c.meta.leader(parts(0)[0]))
		l.epoch = 6
	})
	l.run(5900 * time.Millisecond)
	require.Greater(t, len(l.times(wire.KeyMetadata)), asked)
	require.Equal(t, partitionMeta{1, 6}, a.c.meta.leader(parts(0)[0]))
}

func TestAPreferredReplicaIsReadUntilItIsBehindOrTimeIsUp(t *testing.T) { // C20, KIP-392
	l := newLab(t, 1)
	l.committed[parts(0)[0]] = 0
	cfg := testConfig()
	cfg.ClientRack = "b"
	a := l.start(0, cfg, nil)
	var next func(*kmsg.FetchResponseTopicPartition)
	l.instead = func(f *wire.Frame) (sim.Message, bool) {
		req, ok := f.Req.(*kmsg.FetchRequest)
		if !ok || next == nil {
			return nil, false
		}
		require.Equal(t, "b", req.Rack)
		answer := next
		next = nil
		return answerFetch(f, answer), true
	}
	next = func(p *kmsg.FetchResponseTopicPartition) { p.PreferredReadReplica, p.HighWatermark = 2, 4 }
	nodes := func() (ids []int32) {
		for i, f := range l.asked {
			if f.Key == wire.KeyFetch {
				ids = append(ids, l.askedOf[i])
			}
		}
		return ids
	}
	l.do(600*time.Millisecond, func() { l.write(0, 4) })
	l.run(900 * time.Millisecond)
	require.Equal(t, []int32{2, 2, 2}, nodes(), "the redirecting answer came in the leader's place")
	require.Len(t, a.records, 4)
	// Out of range at a follower: it is only behind. The leader is asked, nothing is reset.
	next = func(p *kmsg.FetchResponseTopicPartition) { p.ErrorCode = int16(wire.OffsetOutOfRange) }
	l.run(2 * time.Second)
	require.Equal(t, int32(1), nodes()[3])
	require.Zero(t, l.logged("is out of range"))
	require.Equal(t, int64(4), a.c.sub.parts[0].position)
}

func TestByDurationWithoutARecordSoNewAsksAgain(t *testing.T) { // C21, KIP-1106
	l := newLab(t, 1)
	cfg := testConfig()
	cfg.AutoOffsetReset = "by_duration:PT1H"
	var at []time.Duration
	l.instead = func(f *wire.Frame) (sim.Message, bool) {
		req, ok := f.Req.(*kmsg.ListOffsetsRequest)
		if !ok {
			return nil, false
		}
		at = append(at, l.at())
		require.InDelta(t, l.w.Now().Add(-time.Hour).Millis(), req.Topics[0].Partitions[0].Timestamp, 10)
		r := kmsg.NewPtrListOffsetsResponse()
		topic := kmsg.NewListOffsetsResponseTopic()
		topic.Topic = "t"
		p := kmsg.NewListOffsetsResponseTopicPartition()
		topic.Partitions = append(topic.Partitions, p)
		r.Topics = append(r.Topics, topic)
		require.Equal(t, int64(-1), p.Offset)
		return f.Reply(r), true
	}
	a := l.start(0, cfg, nil)
	l.run(65 * time.Second)
	require.Equal(t, positionResetting, a.c.sub.parts[0].phase)
	require.Empty(t, a.errs)
	require.Empty(t, l.fetches(), "without a position nothing is fetched")
	require.Len(t, at, 3)
	require.InDelta(t, 30, (at[1] - at[0]).Seconds(), 1, "request.timeout.ms")
}

func TestASecondResetMakesTheFirstAnswerVoid(t *testing.T) { // C21
	l := newLab(t, 1)
	l.write(0, 9)
	cfg := testConfig()
	cfg.AutoOffsetReset = "latest"
	a := l.start(0, cfg, nil)
	done := false
	a.timeout = time.Millisecond
	a.after = func(_ []Record, next func()) {
		if !done && len(l.times(wire.KeyListOffsets)) == 1 && a.c.sub.parts[0].phase == positionResetting {
			done = true
			require.NoError(t, a.c.SeekToBeginning(parts(0)))
		}
		next()
	}
	l.run(time.Second)
	require.True(t, done)
	require.Len(t, a.records, 9)
}

func TestWithoutAnyKnownBrokerTheClientBootstrapsAgain(t *testing.T) { // C4, KIP-899
	for strategy, heals := range map[string]bool{"rebootstrap": true, "none": false} {
		l := newLab(t, 1)
		l.committed[parts(0)[0]] = 0
		cfg := testConfig()
		cfg.MetadataRecoveryStrategy, cfg.Bootstrap = strategy, []string{"broker-1"}
		second := l.brokers[1]
		l.brokers, l.leader = l.brokers[1:], func(int32) int32 { return 2 }
		l.start(0, cfg, nil)
		l.do(time.Second, func() { l.processes[second.id].End(trace.EndedByKill, "") })
		l.run(20 * time.Second)
		last := l.times(wire.KeyMetadata)[len(l.times(wire.KeyMetadata))-1]
		require.Equal(t, heals, last > 2*time.Second, "%s: broker-1 is asked again", strategy)
	}
}
