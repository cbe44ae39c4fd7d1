package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// removals lists who was removed, when and why.
func (l *lab) removals() []string {
	var out []string
	for _, e := range l.events(trace.MemberRemoved) {
		out = append(out, l.log.String(e.Peer)+" "+trace.RemovedByNames[e.X]+" at "+
			time.Duration(e.At).String())
	}
	return out
}

func TestASilentMemberIsRemovedWhenItsSessionEnds(t *testing.T) { // F5, F12
	l := newConsumerLab(t, 2)
	l.enter("A")
	l.at(10 * time.Second)
	l.enter("B")
	l.at(20 * time.Second)
	l.beat("A", 2)
	l.at(55*time.Second - 1)
	require.NotNil(t, l.consumers().byID["B"])
	l.at(55 * time.Second)
	require.Nil(t, l.consumers().byID["B"])
	require.Equal(t, []string{"B session expired at 55s"}, l.removals())
	require.Equal(t, int32(4), l.consumers().epoch, "its going counts the epoch up")
	require.Equal(t, "Assigning", l.state(), "the next heartbeat computes a target")
	require.Equal(t, int32(2), l.beat("A", 2, owns("t-0", "t-1")).epoch,
		"it must still give up what it was told to, though nobody else wants it any more (F11)")
	require.Equal(t, int32(4), l.beat("A", 2, owns()).epoch)
	require.Equal(t, "t-0 t-1", l.holds("A"))
	require.Equal(t, wire.UnknownMemberID, l.beat("B", 3).code)
}

func TestACommitDoesNotKeepASessionAlive(t *testing.T) { // F19
	l := newConsumerLab(t, 1)
	l.enter("A")
	l.at(44 * time.Second)
	require.Equal(t, wire.None, l.commit(commitRequest("A", 2, 5)))
	l.at(45 * time.Second)
	require.Empty(t, l.consumers().byID)
	require.Equal(t, "Empty", l.state())
}

func TestAMemberThatDoesNotRevokeInTimeIsRemoved(t *testing.T) { // F12
	l := newConsumerLab(t, 2)
	l.enter("A", rebalanceTimeout(20*time.Second))
	l.enter("B")
	l.beat("A", 2)
	require.Equal(t, "UNREVOKED_PARTITIONS", l.memberState("A"))
	for _, s := range []time.Duration{5, 10, 15} {
		l.at(s * time.Second)
		require.Equal(t, int32(2), l.beat("A", 2, owns("t-0", "t-1")).epoch)
		l.beat("B", 3)
	}
	l.at(20*time.Second - 1)
	require.NotNil(t, l.consumers().byID["A"], "heartbeats do not extend it")
	l.at(20 * time.Second)
	require.Equal(t, []string{"A missed the rebalance at 20s"}, l.removals())
	require.Equal(t, wire.UnknownMemberID, l.beat("A", 2).code)
	require.Equal(t, "t-0 t-1", l.beat("B", 3).parts)
}

func TestAMemberThatRevokesStopsTheTimer(t *testing.T) { // F12
	l := newConsumerLab(t, 2)
	l.enter("A", rebalanceTimeout(20*time.Second))
	l.enter("B")
	l.beat("A", 2)
	require.Equal(t, int32(3), l.beat("A", 2, owns(l.name(l.consumers().targets["A"][0]))).epoch)
	l.at(30 * time.Second)
	require.Empty(t, l.removals())
}

func TestSettingsOfOneGroup(t *testing.T) { // F5, G39
	l := newConsumerLab(t, 1)
	require.Error(t, l.cfg.Consumer.SetGroup(testGroup, "consumer.session.timeout.ms", 30*time.Second),
		"below the broker's minimum")
	require.Error(t, l.cfg.Consumer.SetGroup(testGroup, "session.timeout.ms", time.Minute))
	require.NoError(t, l.cfg.Consumer.SetGroup(testGroup, "consumer.session.timeout.ms", time.Minute))
	require.NoError(t, l.cfg.Consumer.SetGroup(testGroup, "consumer.heartbeat.interval.ms", 15*time.Second))
	require.NoError(t, l.cfg.Consumer.SetGroup("other", "consumer.heartbeat.interval.ms", 7*time.Second))
	require.Equal(t, 15*time.Second, l.enter("A").interval)
	l.at(time.Minute - 1)
	require.Len(t, l.consumers().byID, 1)
	l.at(time.Minute)
	require.Empty(t, l.consumers().byID)
}

func TestSettingsThatContradictEachOtherAreRefused(t *testing.T) { // F5, F6
	for _, c := range []struct {
		name   string
		change func(*ConsumerConfig)
		want   string
	}{
		{"defaults", func(*ConsumerConfig) {}, ""},
		{"session below its minimum", func(c *ConsumerConfig) { c.SessionTimeout.Value = 10 * time.Second },
			"group.consumer.session.timeout.ms = 10000 is below group.consumer.min.session.timeout.ms = 45000; lower that first"},
		{"session above its maximum", func(c *ConsumerConfig) { c.SessionTimeout.Value = time.Hour },
			"group.consumer.session.timeout.ms = 3600000 is above group.consumer.max.session.timeout.ms = 60000; raise that first"},
		{"heartbeat not below session", func(c *ConsumerConfig) {
			c.HeartbeatInterval = Bounded{45 * time.Second, 0, time.Minute}
		}, "group.consumer.heartbeat.interval.ms = 45000 must be below group.consumer.session.timeout.ms = 45000"},
		{"bounds the wrong way round", func(c *ConsumerConfig) { c.AssignmentInterval = Bounded{1, 3, 2} },
			"group.consumer.min.assignment.interval.ms is above group.consumer.max.assignment.interval.ms"},
		{"no assignor", func(c *ConsumerConfig) { c.Assignors = nil }, "group.consumer.assignors is empty"},
		{"unknown assignor", func(c *ConsumerConfig) { c.Assignors = []string{"sticky"} }, `no assignor is named "sticky"`},
		{"unknown policy", func(c *ConsumerConfig) { c.MigrationPolicy = "both" }, `migration.policy = "both"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := DefaultConsumerConfig()
			c.change(&cfg)
			err := cfg.Validate()
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}
