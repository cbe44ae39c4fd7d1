package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func newConsumerLab(t *testing.T, partitions int32, change ...func(*Config)) *lab {
	l := newLab(t, change...)
	consumerLab(partitions)(l)
	return l
}

func TestAnInvalidHeartbeatIsRefusedBeforeTheGroupIsLookedAt(t *testing.T) { // F3, F4
	empty := ""
	for _, c := range []struct {
		name   string
		change func(*kmsg.ConsumerGroupHeartbeatRequest)
		want   wire.Code
	}{
		{"F3 empty group id", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.Group = "" }, wire.InvalidRequest},
		{"F3 empty instance id", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.InstanceID = &empty }, wire.InvalidRequest},
		{"F3 empty rack id", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.RackID = &empty }, wire.InvalidRequest},
		{"F3 no member id in version 1", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.MemberID = "" }, wire.InvalidRequest},
		{"F3 no member id in version 0 with an epoch", func(r *kmsg.ConsumerGroupHeartbeatRequest) {
			r.Version, r.MemberID, r.MemberEpoch = 0, "", 3
		}, wire.InvalidRequest},
		{"F3 no member id in version 0 when leaving", func(r *kmsg.ConsumerGroupHeartbeatRequest) {
			r.Version, r.MemberID, r.MemberEpoch = 0, "", -1
		}, wire.InvalidRequest},
		{"F2 no member id in version 0 when joining", func(r *kmsg.ConsumerGroupHeartbeatRequest) {
			r.Version, r.MemberID = 0, ""
		}, wire.None},
		{"F3 join without rebalance timeout", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.RebalanceTimeoutMillis = -1 }, wire.InvalidRequest},
		{"F3 join without a list of partitions", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.Topics = nil }, wire.InvalidRequest},
		{"F3 join with partitions", func(r *kmsg.ConsumerGroupHeartbeatRequest) {
			r.Topics = append(r.Topics, kmsg.NewConsumerGroupHeartbeatRequestTopic())
		}, wire.InvalidRequest},
		{"F3 join without a subscription", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.SubscribedTopicNames = nil }, wire.InvalidRequest},
		{"F3 join with an empty subscription", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.SubscribedTopicNames = []string{} }, wire.None},
		{"F3 join with an empty expression", func(r *kmsg.ConsumerGroupHeartbeatRequest) {
			r.SubscribedTopicNames, r.SubscribedTopicRegex = nil, &empty
		}, wire.None},
		{"F3 epoch -2 without instance id", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.MemberEpoch = -2 }, wire.InvalidRequest},
		{"F3 epoch -3", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.MemberEpoch = -3 }, wire.InvalidRequest},
		{"F4 unknown assignor", func(r *kmsg.ConsumerGroupHeartbeatRequest) {
			name := "sticky"
			r.ServerAssignor = &name
		}, wire.UnsupportedAssignor},
		{"F8 unknown group", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.MemberEpoch = 1 }, wire.GroupIDNotFound},
		{"F8 leaving an unknown group", func(r *kmsg.ConsumerGroupHeartbeatRequest) { r.MemberEpoch = -1 }, wire.GroupIDNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newConsumerLab(t, 2)
			r := beatRequest("A", 0)
			full(l, r)
			c.change(r)
			require.Equal(t, c.want, l.sendBeat(r).code)
		})
	}
}

func TestAJoinIsAnsweredAtOnceWithEverythingThatIsFree(t *testing.T) { // F1, F7, F9, F13
	l := newConsumerLab(t, 3)
	a := l.enter("A")
	require.Equal(t, beatAnswer{wire.None, "A", 2, "t-0 t-1 t-2", 5 * time.Second}, a)
	require.Equal(t, "Stable", l.state())
	require.Equal(t, beatAnswer{wire.None, "A", 2, "-", 5 * time.Second}, l.beat("A", 2, owns("t-0", "t-1", "t-2")))
	require.Equal(t, "t-0 t-1 t-2", l.beat("A", 2, full, owns("t-0", "t-1", "t-2")).parts,
		"a full request is answered with the assignment")
}

func TestAPartitionMovesOnlyWhenItsOwnerSaysThatItHasGivenItUp(t *testing.T) { // F10, F11, F14
	l := newConsumerLab(t, 3)
	l.enter("A")
	b := l.enter("B")
	require.Equal(t, int32(3), b.epoch, "B is in the new epoch at once")
	require.Equal(t, "", b.parts, "though what it shall have is not free")
	require.Equal(t, "UNRELEASED_PARTITIONS", l.memberState("B"))
	require.Equal(t, "Reconciling", l.state())

	a := l.beat("A", 2)
	require.Equal(t, int32(2), a.epoch, "A stays in its epoch until it has revoked")
	require.Equal(t, "UNREVOKED_PARTITIONS", l.memberState("A"))
	require.Len(t, a.parts, len("t-0 t-1"))
	require.Equal(t, "-", l.beat("B", 3).parts)

	a = l.beat("A", 2, owns("t-0", "t-1", "t-2"))
	require.Equal(t, int32(2), a.epoch, "it still has all of them")
	kept := l.consumers().byID["A"].assigned
	a = l.beat("A", 2, owns(l.name(kept[0].partition), l.name(kept[1].partition)))
	require.Equal(t, int32(3), a.epoch)
	require.Equal(t, "STABLE", l.memberState("A"))
	b = l.beat("B", 3)
	require.Len(t, b.parts, len("t-0"))
	require.Equal(t, "Stable", l.state())
}

func TestAMemberThatHasNothingToGiveUpMovesOnAtOnce(t *testing.T) { // F11
	l := newConsumerLab(t, 2)
	l.enter("A")
	l.enter("B")
	kept := l.consumers().targets["A"]
	a := l.beat("A", 2, owns(l.name(kept[0])))
	require.Equal(t, int32(3), a.epoch, "the owned list lacks what it must revoke already")
	require.Equal(t, l.name(kept[0]), a.parts)
}

func TestOnlyVersionZeroLeavesTheMemberIDToTheBroker(t *testing.T) { // F2, KIP-1082
	l := newConsumerLab(t, 1)
	join := func(version int16, id string) beatAnswer {
		r := beatRequest(id, 0)
		full(l, r)
		r.Version = version
		return l.sendBeat(r)
	}
	a, b := join(0, ""), join(0, "")
	require.Equal(t, wire.None, a.code)
	require.Len(t, a.id, 22, "a UUID as Kafka writes it")
	require.NotEqual(t, a.id, b.id)
	require.NotNil(t, l.consumers().byID[a.id])
	require.Equal(t, "chosen", join(0, "chosen").id)
	require.Equal(t, "own", join(1, "own").id)
	require.Equal(t, wire.InvalidRequest, join(1, "").code)
}

func TestMemberEpochs(t *testing.T) { // F8
	stable := func(t *testing.T) *lab { // both in epoch 3; previous of A is 2
		l := newConsumerLab(t, 2)
		l.enter("A")
		l.enter("B")
		l.beat("A", 2, owns(l.name(l.consumers().targets["A"][0])))
		l.beat("B", 3)
		require.Equal(t, "Stable", l.state())
		return l
	}
	for _, c := range []struct {
		name    string
		id      string
		epoch   int32
		options []beatOption
		want    wire.Code
	}{
		{"equal", "A", 3, nil, wire.None},
		{"greater", "A", 4, nil, wire.FencedMemberEpoch},
		{"the one before, holding what it was given", "A", 2, []beatOption{owns()}, wire.None},
		{"the one before, holding more", "A", 2, []beatOption{owns("t-0", "t-1")}, wire.FencedMemberEpoch},
		{"the one before, saying nothing of partitions", "A", 2, nil, wire.FencedMemberEpoch},
		{"older than that", "B", 2, []beatOption{owns()}, wire.FencedMemberEpoch},
		{"0: joins again", "A", 0, []beatOption{full}, wire.None},
		{"unknown member", "C", 3, nil, wire.UnknownMemberID},
		{"unknown member leaves", "C", -1, nil, wire.UnknownMemberID},
	} {
		t.Run("F8 "+c.name, func(t *testing.T) {
			l := stable(t)
			require.Equal(t, c.want, l.beat(c.id, c.epoch, c.options...).code)
		})
	}
	t.Run("F9 a member that joins again keeps its place and is told it", func(t *testing.T) {
		l := stable(t)
		a := l.enter("A")
		require.Equal(t, int32(3), a.epoch)
		require.Equal(t, l.holds("A"), a.parts)
		require.Equal(t, int32(3), l.consumers().epoch, "nothing has changed for the group")
	})
}

func TestAFullGroupTakesNobodyIn(t *testing.T) { // F8, F5
	l := newConsumerLab(t, 2, func(c *Config) { c.Consumer.MaxSize = 1 })
	require.Equal(t, wire.None, l.enter("A", instance("i")).code)
	require.Equal(t, wire.GroupMaxSizeReached, l.enter("B").code)
	require.Equal(t, wire.None, l.beat("A", 2, instance("i")).code, "who is in stays in")
	require.Equal(t, wire.None, l.beat("A", -2, instance("i")).code)
	require.Equal(t, wire.None, l.enter("C", instance("i")).code, "and so may its successor")
}

func TestTargetsAreComputedAtMostOnceAnInterval(t *testing.T) { // F6
	l := newLab(t)
	l.meta.set("t", 4)
	require.Equal(t, "t-0 t-1 t-2 t-3", l.enter("A").parts, "the first at once")
	l.at(300 * time.Millisecond)
	b := l.enter("B")
	require.Equal(t, "", b.parts)
	require.Equal(t, int32(2), b.epoch, "no newer target to be in the epoch of")
	l.at(600 * time.Millisecond)
	l.enter("C")
	require.Equal(t, int32(4), l.consumers().epoch)
	require.Equal(t, int32(2), l.consumers().targetEpoch)
	require.Equal(t, "Assigning", l.state())
	l.at(999 * time.Millisecond)
	l.beat("A", 2)
	require.Equal(t, int32(2), l.consumers().targetEpoch)
	l.at(time.Second)
	l.beat("A", 2)
	require.Equal(t, int32(4), l.consumers().targetEpoch, "one assignment for both joins")
	require.Equal(t, "Reconciling", l.state())
}

func TestNewPartitionsAndTopicsCountTheEpochUp(t *testing.T) { // F7, F14
	l := newConsumerLab(t, 2)
	l.enter("A", topics("t", "later"))
	require.Equal(t, int32(2), l.consumers().epoch)
	l.meta.set("other", 1)
	require.Equal(t, "-", l.beat("A", 2).parts, "a topic that nobody reads")
	require.Equal(t, int32(2), l.consumers().epoch)
	l.meta.set("t", 3)
	a := l.beat("A", 2)
	require.Equal(t, int32(3), a.epoch)
	require.Equal(t, "t-0 t-1 t-2", a.parts)
	l.meta.set("later", 1)
	require.Equal(t, "t-0 t-1 t-2 later-0", l.beat("A", 3).parts)
}

func TestASubscriptionThatLosesATopicGivesItsPartitionsUp(t *testing.T) { // F11
	l := newConsumerLab(t, 2)
	l.meta.set("u", 1)
	require.Equal(t, "t-0 t-1 u-0", l.enter("A", topics("t", "u")).parts)
	a := l.beat("A", 2, topics("u"))
	require.Equal(t, int32(2), a.epoch)
	require.Equal(t, "u-0", a.parts)
	require.Equal(t, "u-0 -t-0 -t-1", l.holds("A"))
	a = l.beat("A", 2, owns("u-0"))
	require.Equal(t, int32(3), a.epoch)
	require.Equal(t, "u-0", l.holds("A"))
}

func TestTheAssignorOfMostMembersIsUsed(t *testing.T) { // F5, F15
	l := newConsumerLab(t, 4)
	l.cfg.Consumer.Assignors = []string{"uniform", "range"}
	l.enter("A")
	require.Equal(t, "uniform", l.consumers().preferredAssignor(l.consumers().members()))
	l.enter("B", assignor("uniform"))
	require.Equal(t, "uniform", l.consumers().preferredAssignor(l.consumers().members()))
	l.enter("C", assignor("range"))
	l.enter("D", assignor("range"))
	require.Equal(t, "range", l.consumers().preferredAssignor(l.consumers().members()), "two against one")
	uses := l.events(trace.GroupProtocol)
	require.Equal(t, "range", l.log.String(uses[len(uses)-1].Peer))
}

func TestAFailedWriteLeavesTheGroupAsItWas(t *testing.T) {
	l := newConsumerLab(t, 2)
	l.enter("A")
	l.fail = wire.NotEnoughReplicas
	require.Equal(t, wire.CoordinatorNotAvailable, l.enter("B").code)
	require.Nil(t, l.consumers().byID["B"])
	require.Equal(t, int32(2), l.consumers().epoch)
	l.fail = wire.None
	require.Equal(t, int32(3), l.enter("B").epoch)
}
