package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
)

// epoch puts a member of the consumer protocol into an epoch.
func (s *story) epoch(node string, epoch, state int64) *story {
	return s.event(trace.MemberEpoch, "broker-1", s.id(node), group, epoch, epoch-1, state)
}

// target gives a member its target assignment of the epoch s.gen.
func (s *story) target(node string, parts ...string) *story {
	s.event(trace.MemberTarget, "broker-1", s.id(node), group, s.gen, int64(len(parts)), 0)
	for _, tp := range parts {
		s.held(trace.TargetPartition, node, tp)
	}
	return s
}

func (s *story) held(kind trace.Kind, node string, parts ...string) *story {
	for _, tp := range parts {
		s.event(kind, "broker-1", s.id(node), tp, s.gen, int64(s.ref(group)), 0)
	}
	return s
}

// twoOfKIP848 is a group in which B joins at 10 s and gets t-1 once A has let it go at 12 s.
func twoOfKIP848(t *testing.T) *story {
	s := newStory(t).topic("t", 2)
	s.gen = 2
	s.start("A").target("A", "t-0", "t-1").epoch("A", 2, trace.MemberStable)
	s.event(trace.GroupProtocol, "broker-1", "uniform", group, 2, 0, 0)
	s.held(trace.PartitionAssigned, "A", "t-0", "t-1").state(trace.GroupStable)
	s.at("10s").gen = 3
	s.start("B").state(trace.GroupAssigning).target("A", "t-0").target("B", "t-1")
	s.event(trace.GroupProtocol, "broker-1", "uniform", group, 3, 0, 0)
	s.epoch("B", 3, trace.MemberUnreleased).state(trace.GroupReconciling)
	s.at("11s").epoch("A", 2, trace.MemberUnrevoked).held(trace.PartitionRevoking, "A", "t-1")
	s.at("12s").held(trace.PartitionReleased, "A", "t-1").epoch("A", 3, trace.MemberStable)
	s.epoch("B", 3, trace.MemberStable).held(trace.PartitionAssigned, "B", "t-1").state(trace.GroupStable)
	return s.at("20s")
}

func TestAGroupOfTheConsumerProtocolHasATargetAndWhatEachMemberHolds_F9(t *testing.T) {
	s := twoOfKIP848(t)
	require.Empty(t, s.broken)
	require.Equal(t, "3", s.ask("group_epoch", group))
	require.Equal(t, "2", s.ask("group_epoch", group, "at=9s"))
	require.Equal(t, "2", s.ask("target_epoch", group, "at=9s"))
	require.Equal(t, "3", s.ask("target_epoch", group, "at=10s"))
	require.Equal(t, "{A: [t-0]; B: [t-1]}", s.ask("target", group, "at=11s"))
	require.Equal(t, "{A: [t-0, t-1]; B: []}", s.ask("assignment", group, "at=11s"))
	require.Equal(t, "{A: [t-0]; B: [t-1]}", s.ask("assignment", group))
	require.Equal(t, "[t-0, t-1]", s.ask("target", "A", "at=9s"))
	require.Equal(t, "[t-0]", s.ask("target", "A", "at=11s"))
	require.Equal(t, "2", s.ask("member_epoch", "A", "at=11s"))
	require.Equal(t, "UNREVOKED_PARTITIONS", s.ask("member_state", "A", "at=11s"))
	require.Equal(t, "UNRELEASED_PARTITIONS", s.ask("member_state", "B", "at=11s"))
	require.Equal(t, "3", s.ask("member_epoch", "A"))
	require.Equal(t, "not a member", s.ask("member_epoch", "B", "at=9s"))
	require.Equal(t, "1", s.ask("moved", group))
	require.Equal(t, "0", s.ask("moved", group, "since=13s"))
	require.Equal(t, "1", s.ask("taken", group))
	require.Equal(t, "2.000s", s.ask("rebalance_time", group))
	require.Equal(t, "2", s.ask("rebalances", group))
	require.Equal(t, "none", s.ask("target_epoch", group, "at=-1s"))
}

func TestAMemberThatIsGoneHoldsNothing_F14(t *testing.T) {
	s := twoOfKIP848(t).remove("B-1", trace.RemovedBySession, "12s")
	require.Equal(t, "{A: [t-0]}", s.ask("assignment", group))
	require.Equal(t, "not a member", s.ask("member_state", "B"))
	s.gen = 4
	s.target("A", "t-0", "t-1").epoch("A", 4, trace.MemberStable).held(trace.PartitionAssigned, "A", "t-1")
	require.Empty(t, s.broken)
	require.Equal(t, "{A: [t-0, t-1]}", s.ask("assignment", group))
	require.Equal(t, "2", s.ask("moved", group))
	require.Equal(t, "1", s.ask("taken", group))
}
