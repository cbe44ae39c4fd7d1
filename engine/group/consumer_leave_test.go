package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/wire"
)

func TestLeaving(t *testing.T) { // F17
	for _, c := range []struct {
		name     string
		instance string
		who      string
		epoch    int32
		as       []beatOption
		want     wire.Code
		stays    bool
	}{
		{"F17 a dynamic member leaves", "", "A", -1, nil, wire.None, false},
		{"F17 -1 removes even a static member", "i", "A", -1, []beatOption{instance("i")}, wire.None, false},
		{"F17 -1 without the instance id, too", "i", "A", -1, nil, wire.None, false},
		{"F17 -2 keeps a static member", "i", "A", -2, []beatOption{instance("i")}, wire.None, true},
		{"F17 unknown instance", "i", "A", -1, []beatOption{instance("j")}, wire.UnknownMemberID, true},
		{"F17 another member's instance", "i", "B", -1, []beatOption{instance("i")}, wire.FencedInstanceID, true},
		{"F17 unknown member", "", "B", -1, nil, wire.UnknownMemberID, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newConsumerLab(t, 2)
			if c.instance != "" {
				l.enter("A", instance(c.instance))
			} else {
				l.enter("A")
			}
			got := l.beat(c.who, c.epoch, c.as...)
			require.Equal(t, c.want, got.code)
			if c.want == wire.None {
				require.Equal(t, c.epoch, got.epoch, "the answer repeats the epoch")
			}
			require.Equal(t, c.stays, l.consumers().byID["A"] != nil)
		})
	}
}

func TestAStaticMemberComesBackUnderAnotherId(t *testing.T) { // F17
	l := newConsumerLab(t, 4)
	l.enter("A", instance("i"))
	l.enter("B")
	l.beat("A", 2, owns(l.name(l.consumers().targets["A"][0]), l.name(l.consumers().targets["A"][1])))
	l.beat("B", 3)
	before := l.holds("A")
	epoch := l.consumers().epoch
	require.Equal(t, wire.None, l.beat("A", -2, instance("i")).code)
	require.Equal(t, before, l.holds("A"), "it keeps its partitions")
	require.Equal(t, "Reconciling", l.state())
	require.Equal(t, "-", l.beat("B", 3).parts, "nobody gets them")

	l.at(20 * time.Second)
	back := l.enter("A2", instance("i"))
	require.Equal(t, beatAnswer{wire.None, "A2", epoch, before, 5 * time.Second}, back)
	require.Equal(t, epoch, l.consumers().epoch, "the group does not rebalance")
	require.Nil(t, l.consumers().byID["A"])
	require.Equal(t, "Stable", l.state())
	require.Equal(t, wire.FencedInstanceID, l.beat("A", 3, instance("i")).code)
	require.Equal(t, wire.UnknownMemberID, l.beat("A", 3).code)
	l.at(45 * time.Second)
	require.NotNil(t, l.consumers().byID["A2"], "the session of the one before has ended with it")
}

func TestAnInstanceIdThatIsNotReleased(t *testing.T) { // F17, F18
	l := newConsumerLab(t, 2)
	l.enter("A", instance("i"))
	require.Equal(t, wire.UnreleasedInstanceID, l.enter("A2", instance("i")).code, "F17 another process")
	require.Equal(t, wire.UnreleasedInstanceID, l.enter("A", instance("i")).code, "F18 the same member")
	require.Equal(t, wire.FencedInstanceID, l.beat("A2", 2, instance("i")).code)
	require.Equal(t, wire.UnknownMemberID, l.beat("A2", 2, instance("j")).code)
	l.at(45 * time.Second)
	require.Equal(t, wire.None, l.enter("A2", instance("i")).code, "after its session")
}

func TestAStaticMemberThatDoesNotComeBackIsRemoved(t *testing.T) { // F17
	l := newConsumerLab(t, 2)
	l.enter("A", instance("i"))
	l.at(10 * time.Second)
	l.beat("A", 2, instance("i"))
	l.at(30 * time.Second)
	l.beat("A", -2, instance("i"))
	l.at(55*time.Second - 1)
	require.NotNil(t, l.consumers().byID["A"])
	l.at(55 * time.Second)
	require.Empty(t, l.consumers().byID, "leaving for now does not start the session anew")
}

func TestCommitsOfAMemberEpoch(t *testing.T) { // F19, B15
	// A holds what it keeps since epoch 2; B holds the rest since epoch 3. Both are in epoch 3.
	stable := func(t *testing.T) (l *lab, kept, moved int32) {
		l = newConsumerLab(t, 2)
		l.enter("A")
		l.enter("B")
		p := l.consumers().targets["A"][0]
		l.beat("A", 2, owns(l.name(p)))
		l.beat("B", 3)
		return l, p.Partition, 1 - p.Partition
	}
	for _, c := range []struct {
		name    string
		id      string
		epoch   int32
		version int16
		moved   bool
		want    wire.Code
	}{
		{"the present epoch", "A", 3, 9, false, wire.None},
		{"the present epoch, another's partition", "A", 3, 9, true, wire.None},
		{"an older epoch, held since then", "A", 2, 9, false, wire.None},
		{"an older epoch, not held any more", "A", 2, 9, true, wire.StaleMemberEpoch},
		{"an older epoch, held only since later", "B", 2, 9, true, wire.StaleMemberEpoch},
		{"a greater epoch", "A", 4, 9, false, wire.StaleMemberEpoch},
		{"a version without epochs", "A", 3, 8, false, wire.UnsupportedVersion},
		{"an unknown member", "C", 3, 9, false, wire.UnknownMemberID},
		{"an administrator while there are members", "", -1, 9, false, wire.UnknownMemberID},
	} {
		t.Run("F19 "+c.name, func(t *testing.T) {
			l, kept, moved := stable(t)
			r := commitRequest(c.id, c.epoch, 7)
			r.Version = c.version
			r.Topics[0].Partitions[0].Partition = kept
			if c.moved {
				r.Topics[0].Partitions[0].Partition = moved
			}
			require.Equal(t, c.want, l.commit(r))
		})
	}
	t.Run("F19 anybody while there is no member", func(t *testing.T) {
		l := newConsumerLab(t, 2)
		l.enter("A")
		l.beat("A", -1)
		require.Equal(t, wire.None, l.commit(commitRequest("", -1, 7)))
		require.Equal(t, int64(7), l.committed())
	})
	t.Run("KIP-1251 what a static member committed before it left is refused after", func(t *testing.T) {
		l := newConsumerLab(t, 1)
		l.enter("A", instance("i"))
		l.beat("A", -2, instance("i"))
		require.Equal(t, wire.StaleMemberEpoch, l.commit(commitRequest("A", 2, 7)))
	})
	name := func(s string) *string { return &s }
	for _, c := range []struct {
		name string
		who  Asker
		want wire.Code
	}{
		{"nobody", Asker{nil, -1}, wire.None},
		{"a member in its epoch", Asker{name("A"), 3}, wire.None},
		{"a member in an old epoch", Asker{name("A"), 2}, wire.StaleMemberEpoch},
		{"a member without epoch", Asker{name("A"), -1}, wire.StaleMemberEpoch},
		{"an unknown member", Asker{name("C"), 3}, wire.UnknownMemberID},
	} {
		t.Run("B15 "+c.name, func(t *testing.T) {
			l, _, _ := stable(t)
			_, code := l.c.Offsets(testGroup, nil, c.who)
			require.Equal(t, c.want, code)
		})
	}
}
