package script

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"rebalancelab/engine/sim"
)

func TestTheClientGetsTheSettingsAndTheNames(t *testing.T) {
	sc := mustLoad(t, ground+`
consumer("C", group = "h", run = loop, session_timeout = "30s", max_poll_records = 7,
         enable_auto_commit = False, partition_assignment_strategy = ["roundrobin"])
producer("p", topic = "orders", acks = 1, linger = "0s")
producer("k", topic = "orders", keys = ["a"], partitioner = "key")
`, LoadOptions{})
	c, _ := sc.Consumer("C")
	cfg, err := c.Config()
	require.NoError(t, err)
	require.Equal(t, "C", cfg.ClientID)
	require.Equal(t, "h", cfg.GroupID)
	require.Equal(t, 30*time.Second, cfg.SessionTimeout)
	require.Equal(t, 7, cfg.MaxPollRecords)
	require.False(t, cfg.EnableAutoCommit)
	require.Equal(t, []string{"roundrobin"}, cfg.PartitionAssignmentStrategy)
	p, _ := sc.Producer("p")
	pcfg, err := p.Config()
	require.NoError(t, err)
	require.Equal(t, int16(1), pcfg.Acks)
	require.False(t, pcfg.EnableIdempotence, "E33: the default gives way to acks=1")
	require.Equal(t, "round_robin", pcfg.Partitioner)
	k, _ := sc.Producer("k")
	pcfg, err = k.Config()
	require.NoError(t, err)
	require.Equal(t, "key", pcfg.Partitioner)
	require.True(t, pcfg.EnableIdempotence)
}

func TestEveryConsumerAndProducerSettingIsKnownToTheClient(t *testing.T) {
	for _, d := range ConsumerSettings {
		s := Setting{Name: d.Name, Key: d.Key, Type: SettingText, Text: "1"}
		if d.Type == SettingBool {
			s.Text = "true"
		}
		cfg, _ := (&ConsumerSpec{}).Config()
		require.NoError(t, cfg.Set(s.Key, s.Kafka()), d.Name)
	}
	for _, d := range ProducerSettings {
		s := Setting{Name: d.Name, Key: d.Key, Type: SettingText, Text: "1"}
		if d.Type == SettingBool {
			s.Text = "true"
		}
		cfg, _ := (&ProducerSpec{}).Config()
		require.NoError(t, cfg.Set(s.Key, s.Kafka()), d.Name)
	}
}

func TestLaterSettingsWin(t *testing.T) {
	sc := mustLoad(t, ground, LoadOptions{})
	app, err := NewApp(sc.Consumers[0], AppOptions{Scenario: sc, Settings: []Setting{
		{Name: "session_timeout", Key: "session.timeout.ms", Type: SettingDuration, N: int64(9 * time.Second)},
	}})
	require.NoError(t, err)
	defer app.Kill()
	require.Equal(t, 9*time.Second, app.cfg.SessionTimeout)
	require.Equal(t, []string{"broker-1", "broker-2", "broker-3"}, app.cfg.Bootstrap)
}

func TestRecordsAreDueAtExactMultiplesOfTheirPeriod(t *testing.T) {
	f := &Feed{spec: &ProducerSpec{Rate: 150, Per: time.Second}, started: sim.Start}
	for i, want := range map[int64]time.Duration{
		0: 0, 1: 6_666_666, 2: 13_333_333, 3: 20_000_000, 150: time.Second,
		15_000_000: 100_000 * time.Second, 1 << 62: maxDuration,
	} {
		require.Equal(t, want, f.due(i).Sub(sim.Start), i)
	}
}

func TestValuesAreRepeatedAndFilledUp(t *testing.T) {
	f, err := NewFeed(&Scenario{}, &ProducerSpec{Values: []string{"paid", "refunded"}, Size: 6, Rate: 1}, nil)
	require.NoError(t, err)
	for i, want := range []string{"paidxx", "refunded", "paidxx"} {
		f.sent = int64(i)
		require.Equal(t, want, string(f.value()))
	}
	f, err = NewFeed(&Scenario{}, &ProducerSpec{Rate: 1}, nil)
	require.NoError(t, err)
	f.sent = 17
	require.Equal(t, "record 17", string(f.value()))
}

func TestOffsetsAndPartitionsAreReadFromPlainValues(t *testing.T) {
	d := starlark.NewDict(2)
	require.NoError(t, d.SetKey(starlark.String("a-b-3"), starlark.MakeInt(7)))
	require.NoError(t, d.SetKey(starlark.String("t-0"), starlark.Tuple{starlark.MakeInt(8), starlark.String("note")}))
	got, err := toOffsets(d)
	require.NoError(t, err)
	require.Equal(t, "a-b", got[0].TP.Topic)
	require.Equal(t, int32(3), got[0].TP.Partition)
	require.Equal(t, "note", got[1].Metadata)
	for _, bad := range []starlark.Value{starlark.MakeInt(3), starlark.NewList(nil)} {
		_, err := toOffsets(bad)
		require.ErrorContains(t, err, "must be a dict")
	}
	_, err = toPartitions(starlark.String("orders"))
	require.ErrorContains(t, err, `write it as "orders-0"`)
}
