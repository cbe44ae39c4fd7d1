package client

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func profiled(t testing.TB, name string) ConsumerConfig {
	cfg, err := ProfileConfig(name)
	require.NoError(t, err)
	cfg.GroupID, cfg.ClientID, cfg.Bootstrap = "g", "A", []string{"broker-1"}
	cfg.AutoOffsetReset = "earliest"
	require.NoError(t, cfg.Validate())
	return cfg
}

func TestDefaultsOfTheLibraries(t *testing.T) { // G21, G22, S26, S49
	for name, want := range map[string]struct {
		session, rebalance, wait time.Duration
		assignors                []string
		auto                     bool
		reset                    string
	}{
		"java":     {45 * time.Second, 5 * time.Minute, 500 * time.Millisecond, []string{"range", "cooperative-sticky"}, true, "latest"},
		"spring":   {45 * time.Second, 5 * time.Minute, 500 * time.Millisecond, []string{"range", "cooperative-sticky"}, false, "latest"},
		"kafka-go": {30 * time.Second, 30 * time.Second, 10 * time.Second, []string{"range", "roundrobin"}, false, "earliest"},
		"franz-go": {45 * time.Second, time.Minute, 5 * time.Second, []string{"cooperative-sticky"}, true, "earliest"},
	} {
		cfg, err := ProfileConfig(name)
		require.NoError(t, err)
		require.Equal(t, want.session, cfg.SessionTimeout, name)
		require.Equal(t, want.rebalance, cfg.rebalanceTimeout(), name)
		require.Equal(t, want.wait, cfg.FetchMaxWait, name)
		require.Equal(t, want.assignors, cfg.PartitionAssignmentStrategy, name)
		require.Equal(t, []any{want.auto, want.reset}, []any{cfg.EnableAutoCommit, cfg.AutoOffsetReset}, name)
		require.Equal(t, 3*time.Second, cfg.HeartbeatInterval, name)
	}
	_, err := ProfileConfig("sarama")
	require.ErrorContains(t, err, "must be one of [java spring kafka-go franz-go]")
}

func TestALibraryWithThreadsJoinsAndFetchesWithoutAPoll(t *testing.T) { // S26, S27
	for _, name := range []string{"kafka-go", "franz-go"} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 1)
			l.write(0, 3)
			cfg := profiled(t, name)
			cfg.MaxPollInterval = 10 * time.Second
			var c *Consumer
			l.do(0, func() {
				c = NewConsumer(l.p, cfg)
				require.NoError(t, c.Subscribe([]string{"t"}, nil))
			})
			l.run(60 * time.Second)
			require.Equal(t, trace.ConsumerStable, c.grp.state)
			require.Empty(t, l.events(trace.PollExpired), "there is no poll timer")
			require.Empty(t, l.times(wire.KeyLeaveGroup))
			require.GreaterOrEqual(t, len(l.times(wire.KeyHeartbeat)), 18, "a hung handler beats for ever")
			var got []Record
			l.do(60*time.Second, func() {
				c.Poll(time.Hour, func(r []Record, err error) { got = r })
			})
			l.run(61 * time.Second)
			require.NotEmpty(t, got)
			require.Less(t, l.at(), 62*time.Second)
		})
	}
}

func TestKafkaGoSpeaksItsOwnVersions(t *testing.T) {
	l := newLab(t, 1)
	l.write(0, 1)
	cfg := profiled(t, "kafka-go")
	l.do(0, func() {
		c := NewConsumer(l.p, cfg)
		require.NoError(t, c.Subscribe([]string{"t"}, nil))
		c.Poll(time.Minute, func(r []Record, err error) {
			require.Len(t, r, 1)
			c.CommitSync([]Offset{{TP: parts(0)[0], Offset: 1}}, func(err error) { require.NoError(t, err) })
		})
	})
	l.run(10 * time.Second)
	seen := map[int16]int16{}
	for _, f := range l.asked {
		seen[f.Key] = f.Version
	}
	for key, want := range map[int16]int16{
		wire.KeyFindCoordinator: 0, wire.KeyOffsetFetch: 1, wire.KeyJoinGroup: 2, wire.KeySyncGroup: 0,
		wire.KeyHeartbeat: 0, wire.KeyOffsetCommit: 2,
	} {
		require.Equal(t, want, seen[key], wire.KeyName(key))
	}
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.JoinGroupRequest); ok {
			s, err := wire.DecodeSubscription(r.Protocols[0].Metadata)
			require.NoError(t, err)
			require.Equal(t, []string{"t"}, s.Topics)
			require.Zero(t, s.Version)
			require.Equal(t, int32(30_000), r.RebalanceTimeoutMillis)
		}
	}
}

func TestKafkaGoMembersOfARealGroup(t *testing.T) { // S26, S28, S78
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 2})
	f := &feed{rate: 100, topic: "t", until: 40 * time.Second}
	k.w.Spawn("orders", f)
	kafkaGo := func(m *member) {
		cfg, err := ProfileConfig("kafka-go")
		require.NoError(t, err)
		cfg.ClientID, cfg.GroupID = m.name, "g"
		m.cfg = cfg
	}
	a := k.join(0, "A", kafkaGo)
	b := k.join(10*time.Second, "B", kafkaGo)
	k.run(60 * time.Second)
	require.Len(t, a.c.Assignment(), 1)
	require.Len(t, b.c.Assignment(), 1)
	require.Equal(t, int64(2), a.c.metrics.Rebalances, "the first counts too (S53)")
	finds := 0
	for _, m := range k.msgs {
		if m.from == "A" && !m.f.IsResponse() && m.f.Key == wire.KeyFindCoordinator && m.at > 9*time.Second {
			finds++
		}
	}
	require.Equal(t, 1, finds, "once a generation")
	require.Empty(t, a.errs)
	require.Empty(t, b.errs)
	require.GreaterOrEqual(t, len(a.records)+len(b.records), int(f.sent))
}

func TestAKafkaGoMemberThatWasDroppedBacksOff(t *testing.T) { // S26
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 2})
	var process *sim.Process
	cfg, err := ProfileConfig("kafka-go")
	require.NoError(t, err)
	cfg.ClientID, cfg.GroupID = "A", "g"
	m := &member{k: k, name: "A", cfg: cfg, topics: []string{"t"}, timeout: time.Second, handler: time.Millisecond}
	process = k.w.Spawn("A", m)
	k.w.At(sim.Start.Add(20*time.Second), func() { process.Freeze(40 * time.Second) })
	k.run(59 * time.Second)
	id := m.c.grp.memberID
	k.run(75 * time.Second)
	require.NotEqual(t, id, m.c.grp.memberID)
	require.Equal(t, trace.ConsumerStable, m.c.grp.state)
	var joins []time.Duration
	var ids []string
	for _, s := range k.msgs {
		if r, ok := s.f.Req.(*kmsg.JoinGroupRequest); ok && s.at >= 60*time.Second {
			joins, ids = append(joins, s.at), append(ids, r.MemberID)
		}
	}
	require.Len(t, joins, 2)
	require.Equal(t, []string{id, ""}, ids, "first under the old id, then as a stranger")
	require.InDelta(t, 5, (joins[1] - joins[0]).Seconds(), 0.1, "JoinGroupBackoff")
}

func TestACommitOfKafkaGoWaitsForTheNextGeneration(t *testing.T) { // S28, S78
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 2})
	cfg, err := ProfileConfig("kafka-go")
	require.NoError(t, err)
	cfg.ClientID, cfg.GroupID = "A", "g"
	m := &member{k: k, name: "A", cfg: cfg, topics: []string{"t"}, timeout: time.Hour}
	k.w.Spawn("A", m)
	k.w.Spawn("orders", &feed{rate: 10, topic: "t", until: 30 * time.Second})
	k.run(10 * time.Second)
	k.join(10*time.Second, "B", func(b *member) {
		b.cfg = cfg
		b.cfg.ClientID = "B"
	})
	var committed error = &WakeupError{}
	var generation int32
	begun := false
	var look func()
	look = func() {
		if m.c.grp.state == trace.ConsumerStable {
			m.env.After(time.Millisecond, look)
			return
		}
		begun = true
		m.c.CommitSync([]Offset{{TP: parts(1)[0], Offset: 5}}, func(err error) {
			committed, generation = err, m.c.grp.generation
		})
	}
	k.w.At(sim.Start.Add(11*time.Second), look)
	k.run(30 * time.Second)
	require.True(t, begun)
	require.NoError(t, committed, "accepted, although the partition may be another's by now")
	require.Equal(t, int32(2), generation)
}

func TestFranzGoCommitsWhatEarlierPollsReturned(t *testing.T) { // G21
	l := newLab(t, 1)
	l.write(0, 5)
	cfg := profiled(t, "franz-go")
	a := l.start(0, cfg, nil)
	a.timeout = time.Hour
	l.do(2*time.Second, func() { l.write(0, 5) })
	l.run(30 * time.Second)
	var offsets []int64
	for _, e := range l.events(trace.CommitSent) {
		offsets = append(offsets, e.X)
	}
	require.NotEmpty(t, offsets)
	require.Equal(t, int64(10), offsets[len(offsets)-1], "the third poll, which waits, counts the second as done")
}

func TestFranzGoCanHoldARebalanceBack(t *testing.T) {
	for _, blocks := range []bool{true, false} {
		l := newLab(t, 1)
		l.write(0, 3)
		cfg := profiled(t, "franz-go")
		cfg.Library.BlockRebalance = blocks
		a := l.start(0, cfg, nil)
		a.work = 10 * time.Second
		l.do(5*time.Second, func() { l.answers[wire.KeyHeartbeat] = []wire.Code{wire.RebalanceInProgress} })
		l.run(10 * time.Second)
		want := 3 // id, first, the rejoin in the middle of the work
		if blocks {
			want = 2
		}
		require.Len(t, l.times(wire.KeyJoinGroup), want)
		if blocks {
			l.do(10*time.Second, a.c.AllowRebalance)
			l.run(10100 * time.Millisecond)
			require.Len(t, l.times(wire.KeyJoinGroup), 3)
		}
	}
}
