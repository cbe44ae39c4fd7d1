package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// owning is a cooperative subscription to t with the partitions that the member holds.
func owning(parts ...int32) func(*kmsg.JoinGroupRequest) {
	s := wire.Subscription{Version: 1, Topics: []string{"t"}}
	for _, p := range parts {
		s.Owned = append(s.Owned, wire.TopicPartition{Topic: "t", Partition: p})
	}
	return offering(protocol("range", wire.EncodeSubscription(s)))
}

// got reads the assignment in a Sync answer as "t-0 t-1".
func (l *lab) got(c *call) string {
	require.True(l.t, c.done())
	require.Equal(l.t, wire.None, c.code())
	a, err := wire.DecodeAssignment(c.sync.MemberAssignment)
	require.NoError(l.t, err)
	s := ""
	for _, tp := range a.Partitions {
		s += " " + tp.String()
	}
	if s != "" {
		s = s[1:]
	}
	return s
}

func TestUpgradingAGroupWithMembers(t *testing.T) { // F26
	l := newConsumerLab(t, 2)
	ids := l.stable(l.join("a"), l.join("b"))
	b := l.enter("B")
	require.Equal(t, wire.None, b.code)
	require.Equal(t, int32(2), b.epoch, "the generation is counted on")
	require.NotNil(t, l.consumers())
	require.Equal(t, "t-0", l.holds(ids[0]), "classic members keep what they have")
	require.Equal(t, "t-1", l.holds(ids[1]))
	require.Equal(t, int32(1), l.consumers().byID[ids[0]].epoch)
	require.Equal(t, wire.RebalanceInProgress, l.heartbeat(ids[0], 1), "there is a newer target")
	r := l.rejoin(ids[0], owning())
	require.True(t, r.done(), "no join phase gathers anybody")
	require.Equal(t, wire.None, r.code())
	require.Equal(t, int32(2), r.join.Generation)
	require.Equal(t, "range", *r.join.Protocol)
	require.Empty(t, r.join.LeaderID)
	require.Empty(t, r.join.Members)
}

func TestWhoCannotUpgradeAGroup(t *testing.T) { // F26
	for _, c := range []struct {
		name  string
		group func(l *lab)
		want  wire.Code
	}{
		{"F26 the policy forbids it", func(l *lab) {
			l.cfg.Consumer.MigrationPolicy = MigrationDowngrade
			l.stable(l.join("a"))
		}, wire.GroupIDNotFound},
		{"F26 another protocol type", func(l *lab) {
			l.stable(l.join("a", func(r *kmsg.JoinGroupRequest) { r.ProtocolType = "connect" }))
		}, wire.GroupIDNotFound},
		{"F26 too many members", func(l *lab) {
			l.cfg.Consumer.MaxSize = 1
			l.stable(l.join("a"), l.join("b"))
		}, wire.GroupIDNotFound},
		{"F26 metadata that is no subscription", func(l *lab) {
			l.stable(l.join("a", offering(protocol("range", []byte{1}))))
		}, wire.GroupIDNotFound},
		{"F26 an assignor's own data", func(l *lab) {
			a := l.join("a")
			l.at(3 * time.Second)
			plan := share(a.join.MemberID, 0)
			plan.MemberAssignment = wire.EncodeAssignment(wire.Assignment{UserData: []byte{1}})
			require.Equal(l.t, wire.None, l.sync(a.join.MemberID, 1, plan).code())
		}, wire.GroupIDNotFound},
		{"F26 an assignment that cannot be read", func(l *lab) {
			a := l.join("a")
			l.at(3 * time.Second)
			plan := share(a.join.MemberID, 0)
			plan.MemberAssignment = []byte{1}
			require.Equal(l.t, wire.None, l.sync(a.join.MemberID, 1, plan).code())
		}, wire.GroupIDNotFound},
		{"F26 an empty group, whatever the policy", func(l *lab) {
			l.cfg.Consumer.MigrationPolicy = MigrationDisabled
			ids := l.stable(l.join("a"))
			require.Equal(l.t, wire.None, l.leave(ids[0]))
		}, wire.None},
		{"F26 a group that only commits", func(l *lab) {
			l.cfg.Consumer.MigrationPolicy = MigrationDisabled
			require.Equal(l.t, wire.None, l.commit(commitRequest("", -1, 5)))
		}, wire.None},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newConsumerLab(t, 2)
			c.group(l)
			require.Equal(t, c.want, l.enter("B").code)
			require.Equal(t, c.want == wire.None, l.consumers() != nil)
		})
	}
	t.Run("F26 a member that does not join", func(t *testing.T) {
		l := newConsumerLab(t, 2)
		l.stable(l.join("a"))
		require.Equal(t, wire.GroupIDNotFound, l.beat("B", 1).code)
	})
}

func TestOffsetsOutliveAChangeOfProtocol(t *testing.T) { // F26, F28
	l := newConsumerLab(t, 2)
	ids := l.stable(l.join("a"))
	require.Equal(t, wire.None, l.commit(commitRequest(ids[0], 1, 5)))
	require.Equal(t, wire.None, l.leave(ids[0]))
	require.Equal(t, wire.None, l.enter("B").code)
	require.Equal(t, int64(5), l.committed())
	l.reload()
	l.at(l.now() + time.Second)
	require.Equal(t, int64(5), l.committed())
	require.Equal(t, "t-0 t-1", l.holds("B"))
	l.beat("B", -1)
	back := l.join("a")
	require.Nil(t, l.consumers(), "an empty group of one protocol is one of the other at once")
	l.at(l.now() + 3*time.Second)
	require.Equal(t, wire.None, back.code())
	require.Equal(t, int32(1), back.join.Generation)
	require.Equal(t, int64(5), l.committed())
	l.reload()
	l.at(l.now() + time.Second)
	require.Nil(t, l.consumers())
	require.Equal(t, int64(5), l.committed())
}

func TestAnUpgradeTellsThoseWhoWaitToComeAgain(t *testing.T) { // F26
	l := newConsumerLab(t, 2)
	ids := l.stable(l.join("a"), l.join("b"))
	waiting := l.rejoin(ids[0], owning())
	require.False(t, waiting.done(), "the leader's rejoin waits for b")
	require.Equal(t, wire.None, l.enter("B").code)
	require.Equal(t, wire.RebalanceInProgress, waiting.code())
}

// mixed is a group of the consumer protocol with the classic member "c" and the member B of the
// consumer protocol, each with one partition of two.
func mixed(t *testing.T, options ...func(*kmsg.JoinGroupRequest)) (l *lab, classic string) {
	l = newConsumerLab(t, 2)
	b := l.enter("B")
	c := l.join("c", append([]func(*kmsg.JoinGroupRequest){version(3)}, options...)...)
	require.Equal(t, wire.None, c.code())
	classic = c.join.MemberID
	require.Equal(t, "", l.got(l.sync(classic, c.join.Generation)))
	b = l.beat("B", b.epoch)
	b = l.beat("B", b.epoch, owns(fieldsOf(b.parts)...))
	require.Equal(t, wire.RebalanceInProgress, l.heartbeat(classic, c.join.Generation),
		"a partition has become free for it")
	c = l.rejoin(classic, append([]func(*kmsg.JoinGroupRequest){owning()}, options...)...)
	require.Equal(t, l.consumers().epoch, c.join.Generation)
	require.NotEmpty(t, l.got(l.sync(classic, c.join.Generation)))
	require.Equal(t, "Stable", l.state())
	return l, classic
}

func fieldsOf(parts string) []string {
	if parts == "" {
		return nil
	}
	return []string{parts}
}

func TestAClassicMemberInAGroupOfTheOtherProtocol(t *testing.T) { // F27
	l, classic := mixed(t)
	require.Equal(t, wire.None, l.heartbeat(classic, 3))
	require.Equal(t, wire.None, l.commit(commitRequest(classic, 3, 5)))
	require.Equal(t, wire.IllegalGeneration, l.commit(commitRequest(classic, 4, 5)))
	_, code := l.c.Offsets(testGroup, nil, Asker{&classic, 2})
	require.Equal(t, wire.IllegalGeneration, code, "B15")
	require.Equal(t, int8(0), l.c.DescribeConsumer(testGroup).Members[1].MemberType)
}

func TestRequestsOfClassicMembers(t *testing.T) { // F27
	for _, c := range []struct {
		name string
		ask  func(l *lab, classic string) wire.Code
		want wire.Code
	}{
		{"heartbeat of nobody", func(l *lab, _ string) wire.Code { return l.heartbeat("x", 3) }, wire.UnknownMemberID},
		{"heartbeat of a member of the other protocol", func(l *lab, _ string) wire.Code { return l.heartbeat("B", 3) }, wire.UnknownMemberID},
		{"heartbeat in an old generation", func(l *lab, c string) wire.Code { return l.heartbeat(c, 2) }, wire.IllegalGeneration},
		{"sync in an old generation", func(l *lab, c string) wire.Code { return l.sync(c, 2).code() }, wire.IllegalGeneration},
		{"sync of nobody", func(l *lab, _ string) wire.Code { return l.sync("x", 3).code() }, wire.UnknownMemberID},
		{"join without id from version 4 on", func(l *lab, _ string) wire.Code { return l.join("d", version(4)).code() }, wire.MemberIDRequired},
		{"join with another protocol type", func(l *lab, _ string) wire.Code {
			return l.join("d", func(r *kmsg.JoinGroupRequest) { r.ProtocolType = "connect" }).code()
		}, wire.InconsistentGroupProtocol},
		{"join with a protocol that the others lack", func(l *lab, _ string) wire.Code {
			return l.join("d", offering(protocol("sticky", subscription("t")))).code()
		}, wire.InconsistentGroupProtocol},
		{"join with metadata that is no subscription", func(l *lab, _ string) wire.Code {
			return l.join("d", offering(protocol("range", []byte{1}))).code()
		}, wire.InconsistentGroupProtocol},
		{"join of a static member that is unknown", func(l *lab, _ string) wire.Code {
			return l.rejoin("x", static("i")).code()
		}, wire.UnknownMemberID},
		{"F28 join where migration is off", func(l *lab, _ string) wire.Code {
			l.cfg.Consumer.MigrationPolicy = MigrationDisabled
			return l.join("d").code()
		}, wire.InconsistentGroupProtocol},
		{"join of a full group", func(l *lab, _ string) wire.Code {
			l.cfg.Consumer.MaxSize = 2
			return l.join("d").code()
		}, wire.GroupMaxSizeReached},
		{"leave of nobody", func(l *lab, _ string) wire.Code { return l.leave("x") }, wire.UnknownMemberID},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, classic := mixed(t)
			require.Equal(t, c.want, c.ask(l, classic))
		})
	}
}

func TestAClassicMemberMustJoinAndSyncInTime(t *testing.T) { // F27
	rebalance := timeouts(45*time.Second, 20*time.Second)
	t.Run("Join after it was told to", func(t *testing.T) {
		l, classic := mixed(t, rebalance)
		l.enter("D")
		start := l.now()
		require.Equal(t, wire.RebalanceInProgress, l.heartbeat(classic, 3))
		l.at(start + 15*time.Second)
		require.Equal(t, wire.RebalanceInProgress, l.heartbeat(classic, 3))
		l.at(start + 20*time.Second - 1)
		require.NotNil(t, l.consumers().byID[classic])
		l.at(start + 20*time.Second)
		require.Nil(t, l.consumers().byID[classic], "told again is not told later")
	})
	t.Run("Sync after Join", func(t *testing.T) {
		l, classic := mixed(t, rebalance)
		start := l.now()
		require.Equal(t, wire.None, l.rejoin(classic, owning(), rebalance).code())
		l.at(start + 20*time.Second)
		require.Nil(t, l.consumers().byID[classic])
		require.Equal(t, trace.RemovedBySync, l.events(trace.MemberRemoved)[0].X)
	})
	t.Run("its own session timeout holds", func(t *testing.T) {
		l, classic := mixed(t, timeouts(10*time.Second, time.Minute))
		l.at(l.now() + 10*time.Second)
		require.Nil(t, l.consumers().byID[classic])
	})
}

func TestTheLastMemberOfTheConsumerProtocolTakesItAlong(t *testing.T) { // F28
	l, classic := mixed(t)
	require.Equal(t, wire.None, l.commit(commitRequest(classic, 3, 5)))
	require.Equal(t, wire.None, l.beat("B", -1).code)
	require.Nil(t, l.consumers())
	require.Equal(t, "PreparingRebalance", l.state())
	require.Equal(t, wire.RebalanceInProgress, l.heartbeat(classic, 3), "it keeps its id and generation")
	r := l.rejoin(classic)
	require.Equal(t, wire.None, r.code())
	require.Equal(t, int32(4), r.join.Generation)
	require.Equal(t, classic, r.join.LeaderID)
	require.Equal(t, int64(5), l.committed())
	l.reload()
	l.at(l.now() + time.Second)
	require.Nil(t, l.consumers())
	require.Equal(t, 1, l.group().members.len())
	require.Equal(t, int64(5), l.committed())
}

func TestAGroupThatMayNotGoBackStays(t *testing.T) { // F28
	l, classic := mixed(t)
	l.cfg.Consumer.MigrationPolicy = MigrationUpgrade
	require.Equal(t, wire.None, l.beat("B", -1).code)
	require.NotNil(t, l.consumers())
	require.Equal(t, "Assigning", l.state())
	require.Equal(t, wire.None, l.rejoin(classic, owning()).code())
	require.Equal(t, "t-0 t-1", l.holds(classic))
}

func TestAClassicStaticMemberReplacesTheLastOfTheOtherProtocol(t *testing.T) { // F28
	l := newConsumerLab(t, 2)
	l.enter("B", instance("i"))
	c := l.join("c", static("i"))
	require.Equal(t, wire.None, c.code())
	require.Nil(t, l.consumers())
	require.Equal(t, "Stable", l.state(), "the assignment is up to date: no rebalance")
	require.Equal(t, "t-0 t-1", l.got(l.sync(c.join.MemberID, c.join.Generation)))
	require.Equal(t, wire.GroupIDNotFound, l.beat("B", 2, instance("i")).code)
	l.reload()
	l.at(l.now() + time.Second)
	require.Equal(t, "t-0 t-1", l.got(l.sync(c.join.MemberID, c.join.Generation)))
}

func TestAStaticMemberChangesItsProtocol(t *testing.T) { // F17, F27
	l := newConsumerLab(t, 2)
	l.enter("A")
	l.enter("B", instance("i"))
	c := l.join("c", static("i"))
	require.Equal(t, wire.None, c.code(), "a classic one need not wait for the other's leave")
	require.NotNil(t, l.consumers())
	require.NotNil(t, l.consumers().byID[c.join.MemberID].classic)
	require.Nil(t, l.consumers().byID["B"])
	require.Equal(t, wire.None, l.enter("B2", instance("i")).code, "and the other way round")
	require.Nil(t, l.consumers().byID["B2"].classic)
}

func TestLeaveGroupByAnAdministrator(t *testing.T) { // A57, F28
	l := newConsumerLab(t, 2)
	l.enter("A")
	l.enter("B", instance("i"))
	r := kmsg.NewPtrLeaveGroupRequest()
	r.Version, r.Group = 5, testGroup
	name := func(s string) *string { return &s }
	r.Members = []kmsg.LeaveGroupRequestMember{
		{InstanceID: name("i")}, {InstanceID: name("j")}, {MemberID: "x", InstanceID: name("i")},
	}
	resp := l.c.LeaveGroup(r)
	require.Zero(t, resp.ErrorCode)
	var codes []wire.Code
	for _, m := range resp.Members {
		codes = append(codes, wire.Code(m.ErrorCode))
	}
	require.Equal(t, []wire.Code{wire.None, wire.UnknownMemberID, wire.FencedInstanceID}, codes)
	require.Nil(t, l.consumers().byID["B"])
	require.NotNil(t, l.consumers().byID["A"])
}
