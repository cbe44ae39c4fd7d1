package client

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDefaultsAreKafkas(t *testing.T) { // C1-C6
	c := DefaultConsumerConfig()
	require.NoError(t, c.Validate())
	require.Equal(t, 45*time.Second, c.SessionTimeout)
	require.False(t, c.cooperative(), "[range, cooperative-sticky] is eager (D4)")
	c.PartitionAssignmentStrategy = []string{"cooperative-sticky"}
	require.True(t, c.cooperative())
	p := DefaultProducerConfig()
	require.NoError(t, p.Validate())
}

func TestRefusedSettingsNameTheCure(t *testing.T) {
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
