package group

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// comesFrom lists the states that a group may have before it enters another (A7).
var comesFrom = map[int64][]int64{
	trace.GroupEmpty:               {trace.GroupPreparingRebalance},
	trace.GroupPreparingRebalance:  {trace.GroupEmpty, trace.GroupStable, trace.GroupCompletingRebalance},
	trace.GroupCompletingRebalance: {trace.GroupPreparingRebalance},
	trace.GroupStable:              {trace.GroupCompletingRebalance},
}

// disturb does one thing that may change the group's state.
func (l *lab) disturb(r *rand.Rand, ids []string) []string {
	id, generation := "", int32(0)
	if len(ids) > 0 {
		id = ids[r.Intn(len(ids))]
	}
	if g := l.group(); g != nil {
		generation = g.generation
	}
	switch r.Intn(10) {
	case 0, 1, 2:
		l.join(fmt.Sprint("c", len(ids)), timeouts(10*time.Second, 20*time.Second))
		if g := l.group(); g != nil && g.members.len() > 0 {
			all := g.members.all()
			ids = append(ids, all[r.Intn(len(all))].id)
		}
	case 3:
		l.rejoin(id)
	case 4:
		l.leave(id)
	case 5, 6:
		l.sync(id, generation)
	case 7:
		l.heartbeat(id, generation)
	case 8:
		l.at(l.now() + time.Duration(r.Intn(15))*time.Second)
	case 9:
		if g := l.group(); g != nil && g.leader != "" {
			l.sync(g.leader, generation)
		}
	}
	return ids
}

func TestAGroupMovesOnlyBetweenStatesThatFollowEachOther(t *testing.T) { // A7
	seen := map[[2]int64]bool{}
	for seed := range int64(60) {
		l := newLab(t)
		r := rand.New(rand.NewSource(seed))
		var ids []string
		for range 60 {
			ids = l.disturb(r, ids)
		}
		if seed%2 == 0 {
			l.c.Unload(l.partition()) // Dead is reached from any state
		} else {
			l.at(l.now() + 30*time.Minute) // all sessions end, and the group is forgotten
		}
		var state int64 = -1
		for _, e := range l.events(trace.GroupState) {
			switch {
			case state == -1 || state == trace.GroupDead:
				require.Equal(t, trace.GroupEmpty, e.X, "a group begins Empty")
			case e.X != trace.GroupDead:
				require.Contains(t, comesFrom[e.X], state, "seed %d: %s after %s", seed,
					trace.GroupStateNames[e.X], trace.GroupStateNames[state])
			}
			seen[[2]int64{state, e.X}] = true
			state = e.X
		}
		require.Equal(t, trace.GroupDead, state)
	}
	for to, list := range comesFrom {
		for _, from := range list {
			require.True(t, seen[[2]int64{from, to}], "%s to %s never happened",
				trace.GroupStateNames[from], trace.GroupStateNames[to])
		}
	}
	for _, from := range states[:4] {
		require.True(t, seen[[2]int64{from, trace.GroupDead}], trace.GroupStateNames[from])
	}
}

// Records wait for nothing but their replication: there is no linger (-1, the default of 4.3), and
// no answer is out before they are safe.
func TestAnAnswerLeavesWhenItsRecordsAreReplicatedAndNotLater(t *testing.T) { // A10
	for _, c := range []struct {
		name   string
		before func(l *lab)
		send   func(l *lab, answered func())
	}{
		{"the Join that makes a group", nil, func(l *lab, answered func()) {
			r := joinRequest("")
			r.Version = 9
			l.c.JoinGroup(r, Client{ID: "b"}, func(*kmsg.JoinGroupResponse) { answered() })
		}},
		{"the leader's Sync", func(l *lab) {
			l.join("a")
			l.at(3 * time.Second)
		}, func(l *lab, answered func()) {
			r := kmsg.NewPtrSyncGroupRequest()
			r.Version, r.Group, r.MemberID, r.Generation = 3, testGroup, l.group().leader, 1
			l.c.SyncGroup(r, func(*kmsg.SyncGroupResponse) { answered() })
		}},
		{"a commit", nil, func(l *lab, answered func()) {
			l.c.OffsetCommit(commitRequest("", -1, 4), func([]wire.Code) { answered() })
		}},
		{"a member of the consumer protocol", nil, func(l *lab, answered func()) {
			r := beatRequest("A", 0)
			full(l, r)
			l.c.ConsumerGroupHeartbeat(r, Client{ID: "A"},
				func(*kmsg.ConsumerGroupHeartbeatResponse) { answered() })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, held := range []bool{false, true} {
				l, n := newConsumerLab(t, 1), 0
				if c.before != nil {
					c.before(l)
				}
				if l.hold = held; held {
					c.send(l, func() { n++ })
					l.at(l.now() + time.Second)
					require.Zero(t, n, "its records are not replicated yet")
					l.letGo()
				} else {
					c.send(l, func() { n++ })
				}
				require.Equal(t, 1, n, "answered in the same instant")
			}
		})
	}
}

func TestAClassicJoinToAGroupOfAnotherType(t *testing.T) { // A14
	l := newConsumerLab(t, 1)
	b := l.enter("B")
	c := l.join("c")
	require.True(t, c.done(), "there is no join phase")
	require.Equal(t, wire.None, c.code())
	require.Equal(t, b.epoch+1, c.join.Generation, "the generation is the member epoch")
	require.NotNil(t, l.consumers(), "a group with members stays what it is")

	l = newConsumerLab(t, 1)
	l.enter("B")
	l.beat("B", -1)
	require.Equal(t, "Empty", l.state())
	require.NotNil(t, l.consumers())
	c = l.join("c")
	require.Nil(t, l.consumers(), "an empty one is replaced")
	require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
	l.at(3 * time.Second)
	require.Equal(t, wire.None, c.code())
	require.Equal(t, int32(1), c.join.Generation)
	unknown := l.rejoin("never given out")
	require.Equal(t, wire.UnknownMemberID, unknown.code())
}

func TestASyncInStableTakesTheMemberOffThoseThatAreMissing(t *testing.T) { // A41, A51
	for _, late := range []bool{true, false} {
		l := newLab(t)
		a := l.join("a", timeouts(time.Minute, 20*time.Second))
		b := l.join("b", timeouts(time.Minute, 20*time.Second))
		l.at(6 * time.Second)
		l.sync(a.join.MemberID, 1, share(b.join.MemberID, 0))
		require.Equal(t, trace.GroupStable, l.group().state, "the leader's Sync is enough")
		if late {
			l.at(20 * time.Second)
			require.Equal(t, wire.None, l.sync(b.join.MemberID, 1).code())
		}
		l.at(26*time.Second - 1)
		require.Equal(t, trace.GroupStable, l.group().state)
		l.at(26 * time.Second)
		require.Equal(t, late, l.group().state == trace.GroupStable)
		require.Equal(t, late, l.group().members.get(b.join.MemberID) != nil)
	}
}

func TestAnIDThatWasGivenOutToADynamicMemberIsNotOneOfAStaticMember(t *testing.T) { // A20
	l := newLab(t)
	p := l.join("a", version(9))
	c := l.rejoin(p.join.MemberID, static("i"))
	require.Equal(t, wire.UnknownServerError, c.code())
	require.Zero(t, l.group().members.len())
}

func TestDeleteOffsets(t *testing.T) { // A68, KIP-496
	connect := func(r *kmsg.JoinGroupRequest) { r.ProtocolType = "connect" }
	for _, c := range []struct {
		name        string
		group       func(l *lab)
		topic       string
		whole, each wire.Code
		left        int64
	}{
		{"an unknown group", func(*lab) {}, "t", wire.GroupIDNotFound, 0, -1},
		{"members of another type", func(l *lab) {
			ids := l.stable(l.join("a", connect))
			l.commit(commitRequest(ids[0], 1, 5))
		}, "t", wire.NonEmptyGroup, 0, 5},
		{"a topic in use", func(l *lab) {
			ids := l.stable(l.join("a"))
			l.commit(commitRequest(ids[0], 1, 5))
		}, "t", wire.None, wire.GroupSubscribedToTopic, 5},
		{"a topic that is no longer in use", func(l *lab) {
			ids := l.stable(l.join("a", offering(protocol("range", subscription("u")))))
			l.commit(commitRequest(ids[0], 1, 5))
		}, "t", wire.None, wire.None, -1},
		{"an offset that is not there", func(l *lab) { l.commit(commitRequest("", -1, 5)) },
			"u", wire.None, wire.None, 5},
		{"a group without members", func(l *lab) {
			ids := l.stable(l.join("a", connect))
			l.commit(commitRequest(ids[0], 1, 5))
			l.leave(ids[0])
		}, "t", wire.None, wire.None, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			c.group(l)
			asked := false
			l.c.DeleteOffsets(testGroup, []wire.TopicPartition{{Topic: c.topic}}, func(whole wire.Code, each []wire.Code) {
				asked = true
				require.Equal(t, c.whole, whole)
				if whole == wire.None {
					require.Equal(t, []wire.Code{c.each}, each)
				}
			})
			require.True(t, asked)
			require.Equal(t, c.left, l.committed())
		})
	}
}

// rubbish is a subscription to t whose fields after those of version 0 cannot be read.
func rubbish() []byte {
	b := slices.Clone(subscription("t"))
	return append(b[:len(b)-4], 0x7f, 0xff, 0xff, 0xff) // owned partitions: two thousand million
}

func TestOnlyTheTopicsOfASubscriptionAreEverRead(t *testing.T) { // D3
	l := newLab(t, func(c *Config) { c.OffsetsRetention = time.Hour })
	broken := offering(protocol("range", rubbish()))
	ids := l.stable(l.join("a", broken, timeouts(30*time.Minute, time.Minute)))
	r := commitRequest(ids[0], 1, 5)
	for _, topic := range []string{"u", "v"} {
		more := r.Topics[0]
		more.Topic = topic
		r.Topics = append(r.Topics, more)
	}
	require.Equal(t, []wire.Code{0, 0, 0}, l.commitAll(r))
	remove := func(topic string) wire.Code {
		code := wire.Code(-100)
		l.c.DeleteOffsets(testGroup, []wire.TopicPartition{{Topic: topic}}, func(whole wire.Code, each []wire.Code) {
			require.Equal(t, wire.None, whole)
			code = each[0]
		})
		return code
	}
	require.Equal(t, wire.GroupSubscribedToTopic, remove("t"))
	require.Equal(t, wire.None, remove("u"), "nobody subscribes to it")
	for at := l.now(); at < 71*time.Minute; at += 20 * time.Minute {
		l.at(at)
		l.heartbeat(ids[0], 1)
	}
	l.at(71 * time.Minute)
	list, _ := l.c.Offsets(testGroup, nil)
	require.Len(t, list, 1)
	require.Equal(t, "t", list[0].TP.Topic, "v has expired")

	l = newLab(t)
	ids = l.stable(l.join("a", offering(protocol("range", []byte{1}))))
	require.Equal(t, wire.None, l.commit(commitRequest(ids[0], 1, 5)), "what cannot be read disturbs nobody")
	require.Equal(t, wire.GroupSubscribedToTopic, remove("t"), "it may mean any topic")
}
