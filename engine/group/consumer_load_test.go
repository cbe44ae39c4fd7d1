package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestAConsumerGroupGoesOnAfterAFailOver(t *testing.T) { // B24, B28
	l := newConsumerLab(t, 4)
	l.enter("A", instance("i"))
	l.enter("B", regex("t"), assignor("uniform"))
	l.settle()
	l.beat("A", 2, owns("t-0", "t-1", "t-2", "t-3"))
	require.Equal(t, wire.None, l.commit(commitRequest("A", 2, 5)))
	before := l.consumers()
	l.at(40 * time.Second)
	l.reload()
	require.Equal(t, wire.CoordinatorLoadInProgress, l.beat("A", 2).code)
	l.at(41 * time.Second)
	after := l.consumers()
	require.NotSame(t, before, after)
	require.Equal(t, before.epoch, after.epoch)
	require.Equal(t, before.hash, after.hash)
	require.Equal(t, before.targetEpoch, after.targetEpoch)
	require.Equal(t, before.targetAt, after.targetAt)
	require.Equal(t, before.byID, after.byID)
	require.Equal(t, before.order, after.order)
	require.Equal(t, before.statics, after.statics)
	require.Equal(t, before.targets, after.targets)
	require.Equal(t, before.owners, after.owners)
	require.Equal(t, before.regexes, after.regexes)
	require.Equal(t, int64(5), l.committed())

	loaded := time.Duration(l.events(trace.CoordinatorLoaded)[1].At)
	l.at(loaded + 45*time.Second - 1)
	require.Len(t, l.consumers().byID, 2, "sessions start full")
	l.at(loaded + 45*time.Second)
	require.Empty(t, l.consumers().byID)
}

func TestTheRebalanceTimeoutStartsAnewAfterAFailOver(t *testing.T) { // F12
	l := newConsumerLab(t, 2)
	l.enter("A", rebalanceTimeout(20*time.Second))
	l.enter("B")
	l.beat("A", 2)
	l.at(15 * time.Second)
	l.reload()
	l.at(16 * time.Second)
	loaded := time.Duration(l.events(trace.CoordinatorLoaded)[1].At)
	l.at(loaded + 20*time.Second - 1)
	require.NotNil(t, l.consumers().byID["A"])
	l.at(loaded + 20*time.Second)
	require.Nil(t, l.consumers().byID["A"])
}

func TestLosingThePartitionStopsTheTimersOfItsConsumers(t *testing.T) { // A64
	l := newConsumerLab(t, 2)
	l.enter("A")
	l.c.Unload(l.partition())
	require.Equal(t, wire.NotCoordinator, l.beat("A", 2).code)
	l.at(time.Hour)
	require.Equal(t, []string{"A coordinator moved at 0s"}, l.removals())
}

func TestDescribeListAndDelete(t *testing.T) { // A67, A68, F20
	l := newConsumerLab(t, 2)
	l.enter("A", instance("i"))
	l.enter("B")
	l.beat("A", 2, instance("i"), owns("t-0", "t-1"))
	g := l.c.DescribeConsumer(testGroup)
	require.Zero(t, g.ErrorCode)
	require.Equal(t, "Reconciling", g.State)
	require.Equal(t, int32(3), g.Epoch)
	require.Equal(t, int32(3), g.AssignmentEpoch)
	require.Equal(t, "uniform", g.AssignorName)
	a := g.Members[0]
	require.Equal(t, "A", a.MemberID)
	require.Equal(t, "i", *a.InstanceID)
	require.Equal(t, int32(2), a.MemberEpoch)
	require.Equal(t, []string{"t"}, a.SubscribedTopics)
	require.Equal(t, int8(1), a.MemberType)
	require.Equal(t, []int32{0, 1}, a.Assignment.TopicPartitions[0].Partitions,
		"what it must still give up is its own")
	require.Len(t, a.TargetAssignment.TopicPartitions[0].Partitions, 1)
	require.Equal(t, "t", a.TargetAssignment.TopicPartitions[0].Topic)

	require.Equal(t, "Dead", l.c.Describe(testGroup, 5).State)
	require.Equal(t, int16(wire.GroupIDNotFound), l.c.Describe(testGroup, 6).ErrorCode)
	for _, c := range []struct {
		states, types []string
		want          int
	}{
		{nil, nil, 1}, {nil, []string{"consumer"}, 1}, {nil, []string{"classic"}, 0},
		{[]string{"reconciling"}, nil, 1}, {[]string{"Stable"}, nil, 0},
	} {
		list, code := l.c.List(c.states, c.types)
		require.Equal(t, wire.None, code)
		require.Len(t, list, c.want, "%v %v", c.states, c.types)
	}
	list, _ := l.c.List(nil, nil)
	require.Equal(t, "consumer", list[0].GroupType)
	require.Equal(t, "consumer", list[0].ProtocolType)

	require.Equal(t, wire.None, l.commit(commitRequest("A", 2, 5)))
	require.Equal(t, wire.NonEmptyGroup, l.c.Delete(testGroup))
	l.beat("A", -1, instance("i"))
	l.beat("B", -1)
	require.Equal(t, wire.None, l.c.Delete(testGroup))
	require.Nil(t, l.group())
	require.Equal(t, int16(wire.GroupIDNotFound), l.c.DescribeConsumer(testGroup).ErrorCode)
	l.reload()
	l.at(l.now() + time.Second)
	require.Nil(t, l.group(), "nothing is left in the log")
	require.Equal(t, int64(-1), l.committed())
}

func TestOffsetsOfAConsumerGroupExpire(t *testing.T) { // B20, B22
	l := newConsumerLab(t, 1, func(c *Config) { c.OffsetsRetention = time.Hour })
	l.enter("A")
	require.Equal(t, wire.None, l.commit(commitRequest("A", 2, 5)))
	for l.now() < 3*time.Hour {
		l.at(l.now() + 40*time.Second)
		require.Equal(t, wire.None, l.beat("A", 2).code)
	}
	require.Equal(t, int64(5), l.committed(), "while a member reads the topic")
	l.beat("A", -1)
	l.at(l.now() + 11*time.Minute)
	require.Equal(t, int64(-1), l.committed(), "by the time of the commit, not of the group's end")
	require.Nil(t, l.group())
}
