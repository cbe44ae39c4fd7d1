package client

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

func TestDefaultsAreKafkas(t *testing.T) { // C1-C6, A11
	c := DefaultConsumerConfig()
	require.NoError(t, c.Validate())
	ms := time.Millisecond
	for _, row := range []struct {
		name      string
		got, want any
	}{
		{"C1 session.timeout.ms (A11, KIP-735)", c.SessionTimeout, 45_000 * ms},
		{"C1 heartbeat.interval.ms", c.HeartbeatInterval, 3000 * ms},
		{"C1 max.poll.interval.ms", c.MaxPollInterval, 300_000 * ms},
		{"C1 max.poll.records", c.MaxPollRecords, 500},
		{"C2 fetch.min.bytes", c.FetchMinBytes, int32(1)},
		{"C2 fetch.max.wait.ms", c.FetchMaxWait, 500 * ms},
		{"C2 fetch.max.bytes", c.FetchMaxBytes, int32(52_428_800)},
		{"C2 max.partition.fetch.bytes", c.MaxPartitionFetchBytes, int32(1_048_576)},
		{"C3 enable.auto.commit", c.EnableAutoCommit, true},
		{"C3 auto.commit.interval.ms", c.AutoCommitInterval, 5000 * ms},
		{"C3 auto.offset.reset", c.AutoOffsetReset, "latest"},
		{"C3 isolation.level", c.IsolationLevel, "read_uncommitted"},
		{"C3 allow.auto.create.topics", c.AllowAutoCreateTopics, true},
		{"C3 exclude.internal.topics", c.ExcludeInternalTopics, true},
		{"C3 check.crcs", c.CheckCRCs, true},
		{"C4 retry.backoff.ms", c.RetryBackoff, 100 * ms},
		{"C4 retry.backoff.max.ms", c.RetryBackoffMax, 1000 * ms},
		{"C4 reconnect.backoff.ms", c.ReconnectBackoff, 50 * ms},
		{"C4 reconnect.backoff.max.ms", c.ReconnectBackoffMax, 1000 * ms},
		{"C4 request.timeout.ms", c.RequestTimeout, 30_000 * ms},
		{"C4 default.api.timeout.ms", c.DefaultAPITimeout, 60_000 * ms},
		{"C4 metadata.max.age.ms", c.MetadataMaxAge, 300_000 * ms},
		{"C4 connections.max.idle.ms", c.ConnectionsMaxIdle, 540_000 * ms},
		{"C4 metadata.recovery.strategy", c.MetadataRecoveryStrategy, "rebootstrap"},
		{"C5 partition.assignment.strategy", c.PartitionAssignmentStrategy, []string{"range", "cooperative-sticky"}},
		{"C5 group.protocol", c.GroupProtocol, "classic"},
		{"C6 close", c.CloseTimeout, 30_000 * ms},
	} {
		require.Equal(t, row.want, row.got, row.name)
	}
	require.False(t, c.cooperative(), "[range, cooperative-sticky] is eager (D4)")
	c.PartitionAssignmentStrategy = []string{"cooperative-sticky"}
	require.True(t, c.cooperative())
	p := DefaultProducerConfig()
	require.NoError(t, p.Validate())
}

// The broker has no session timeout of its own: it takes what the Join says (KIP-735).
func TestTheSessionTimeoutTravelsInTheJoin(t *testing.T) { // A11, C1
	for _, want := range []time.Duration{DefaultConsumerConfig().SessionTimeout, 10 * time.Second} {
		l := newLab(t, 1)
		cfg := testConfig()
		cfg.SessionTimeout = want
		l.start(0, cfg, nil)
		l.run(5 * time.Second)
		for _, f := range l.asked {
			if r, ok := f.Req.(*kmsg.JoinGroupRequest); ok {
				require.Equal(t, int32(want.Milliseconds()), r.SessionTimeoutMillis)
				require.Equal(t, int32(300_000), r.RebalanceTimeoutMillis, "max.poll.interval.ms")
			}
		}
		require.Len(t, l.times(wire.KeyJoinGroup), 2)
	}
}

func TestRefusedSettingsNameTheCure(t *testing.T) { // C1, C3
	for _, tc := range []struct{ key, value, want string }{
		{"heartbeat.interval.ms", "45000", "heartbeat.interval.ms = 45s: must be below session.timeout.ms"},
		{"auto.offset.reset", "soonest", "must be earliest, latest, none or by_duration"},
		{"auto.offset.reset", "by_duration:1h", "PT1H30M"},
		{"partition.assignment.strategy", "fair", "no such assignor"},
		{"partition.assignment.strategy", "range,range", "named twice"},
		{"max.poll.records", "0", "must be above zero"},
		{"group.protocol", "modern", "must be one of [classic consumer]"},
		{"group.remote.assignor", "uniform", "cannot be set when group.protocol=classic"},
		{"isolation.level", "dirty", "must be one of"},
		{"enable.auto.commit", "true", "needs a group.id"},
	} {
		c := DefaultConsumerConfig()
		require.NoError(t, c.Set(tc.key, tc.value))
		require.ErrorContains(t, c.Validate(), tc.want)
	}
	for _, tc := range []struct{ key, value, want string }{
		{"acks", "1", "enable.idempotence needs acks=all"},
		{"max.in.flight.requests.per.connection", "6", "at most 5"},
		{"delivery.timeout.ms", "1000", "at least linger.ms + request.timeout.ms"},
		{"partitioner.class", "dice", "must be one of"},
	} {
		c := DefaultProducerConfig()
		require.NoError(t, c.Set(tc.key, tc.value))
		require.ErrorContains(t, c.Validate(), tc.want)
	}
	c := DefaultConsumerConfig()
	require.ErrorContains(t, c.Set("max.poll.record", "1"), "no such setting")
	require.ErrorContains(t, c.Set("check.crcs", "yes"), "true or false")
	require.ErrorContains(t, c.Set("fetch.min.bytes", "many"), "whole number")
}

func TestISODurations(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"PT1H": time.Hour, "P1DT2H": 26 * time.Hour, "PT1M30S": 90 * time.Second,
	} {
		d, ok := parseISODuration(s)
		require.True(t, ok, s)
		require.Equal(t, want, d)
	}
	for _, s := range []string{"", "P", "PT", "1H", "PT1", "P1H", "PTH", "PT1H2"} {
		_, ok := parseISODuration(s)
		require.False(t, ok, s)
	}
}

func TestTheConsumerProtocolRefusesWhatTheBrokerDecides(t *testing.T) { // C5, S50
	for _, tc := range []struct{ key, value, want string }{
		{"session.timeout.ms", "45000", "cannot be set when group.protocol=consumer"},
		{"heartbeat.interval.ms", "1000", "cannot be set when group.protocol=consumer"},
		{"partition.assignment.strategy", "range", "name its assignor in group.remote.assignor"},
		{"group.remote.assignor", "range", ""},
		{"group.instance.id", "i", ""},
	} {
		c := DefaultConsumerConfig()
		require.NoError(t, c.Set("group.protocol", "consumer"))
		require.NoError(t, c.Validate())
		require.NoError(t, c.Set(tc.key, tc.value))
		if tc.want == "" {
			require.NoError(t, c.Validate())
		} else {
			require.ErrorContains(t, c.Validate(), tc.want)
		}
	}
}
