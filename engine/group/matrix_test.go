package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// who are the kinds of member that a request can come from.
type who string

const (
	nobody    who = "unknown member"
	anonymous who = "no member id"
	pending   who = "pending member"
	dynamic   who = "dynamic member"
	fixed     who = "static member"
	fenced    who = "fenced static member"
)

// stage is a group in one of the five states with members of every kind.
type stage struct {
	*lab
	ids        map[who]string
	generation int32
}

func (s *stage) instance(w who) *string {
	if w == fixed || w == fenced {
		i := "i"
		return &i
	}
	return nil
}

func newStage(t *testing.T, state int64) *stage {
	l := newLab(t)
	a, b := l.join("a"), l.join("b", static("i"))
	s := &stage{lab: l, ids: map[who]string{nobody: "nobody", fenced: "i-before"}}
	if state == trace.GroupCompletingRebalance {
		l.at(6 * time.Second)
		s.ids[dynamic], s.ids[fixed] = a.join.MemberID, b.join.MemberID
	} else {
		ids := l.stable(a, b)
		s.ids[dynamic], s.ids[fixed] = ids[0], ids[1]
	}
	switch state {
	case trace.GroupEmpty:
		require.Equal(t, wire.None, l.leave(s.ids[dynamic]))
		require.Equal(t, wire.None, l.leave(s.ids[fixed]))
		l.at(l.now() + 300*time.Second)
	case trace.GroupPreparingRebalance:
		l.join("c")
	case trace.GroupDead:
		l.group().state = trace.GroupDead
	}
	require.Equal(t, state, l.group().state)
	if state != trace.GroupDead {
		p := l.join("p", version(4))
		require.Equal(t, wire.MemberIDRequired, p.code())
		s.ids[pending] = p.join.MemberID
	} else {
		s.ids[pending] = "p"
	}
	s.generation = l.group().generation
	return s
}

var states = []int64{
	trace.GroupEmpty, trace.GroupPreparingRebalance, trace.GroupCompletingRebalance,
	trace.GroupStable, trace.GroupDead,
}

// each runs fn for every state, kind of member and generation: -1, the one before, the present one
// and the next.
func each(t *testing.T, fn func(t *testing.T, s *stage, w who, generation int32)) {
	for _, state := range states {
		for _, w := range []who{nobody, anonymous, pending, dynamic, fixed, fenced} {
			for _, d := range []int32{-99, -1, 0, 1} {
				name := trace.GroupStateNames[state] + "/" + string(w) + "/" +
					map[int32]string{-99: "no", -1: "old", 0: "present", 1: "newer"}[d] + " generation"
				t.Run(name, func(t *testing.T) {
					s := newStage(t, state)
					generation := s.generation + d
					if d == -99 {
						generation = -1
					}
					fn(t, s, w, generation)
				})
			}
		}
	}
}

// identity is what A20 says about who, in a group that lives.
func identity(s *stage, w who) wire.Code {
	switch {
	case s.group().state == trace.GroupEmpty:
		return wire.UnknownMemberID
	case w == fenced:
		return wire.FencedInstanceID
	case w == dynamic || w == fixed:
		return wire.None
	}
	return wire.UnknownMemberID
}

func TestHeartbeatIsAnsweredByStateMemberAndGeneration(t *testing.T) { // A8, A47, A48
	each(t, func(t *testing.T, s *stage, w who, generation int32) {
		want := identity(s, w)
		state := s.group().state
		switch {
		case state == trace.GroupDead:
			want = wire.CoordinatorNotAvailable
		case want != wire.None:
		case generation != s.generation:
			want = wire.IllegalGeneration
		case state == trace.GroupPreparingRebalance:
			want = wire.RebalanceInProgress
		}
		r := kmsg.NewPtrHeartbeatRequest()
		r.Version, r.Group, r.MemberID, r.Generation = 4, testGroup, s.ids[w], generation
		r.InstanceID = s.instance(w)
		require.Equal(t, want, wire.Code(s.c.Heartbeat(r).ErrorCode))
	})
}

func TestSyncIsAnsweredByStateMemberAndGeneration(t *testing.T) { // A50, A51
	each(t, func(t *testing.T, s *stage, w who, generation int32) {
		want := identity(s, w)
		state := s.group().state
		switch {
		case state == trace.GroupDead:
			want = wire.CoordinatorNotAvailable
		case want != wire.None:
		case generation != s.generation:
			want = wire.IllegalGeneration
		case state == trace.GroupPreparingRebalance:
			want = wire.RebalanceInProgress
		}
		r := kmsg.NewPtrSyncGroupRequest()
		r.Version, r.Group, r.MemberID, r.Generation = 4, testGroup, s.ids[w], generation
		r.InstanceID = s.instance(w)
		var got *kmsg.SyncGroupResponse
		s.c.SyncGroup(r, func(resp *kmsg.SyncGroupResponse) { got = resp })
		if want == wire.None && state == trace.GroupCompletingRebalance && w == fixed {
			require.Nil(t, got, "a follower's Sync waits for the leader's")
			return
		}
		require.NotNil(t, got)
		require.Equal(t, want, wire.Code(got.ErrorCode))
	})
}

func TestCommitIsAnsweredByStateMemberAndGeneration(t *testing.T) { // B4-B7
	each(t, func(t *testing.T, s *stage, w who, generation int32) {
		want := identity(s, w)
		state := s.group().state
		switch {
		case state == trace.GroupDead:
			want = wire.CoordinatorNotAvailable
		case state == trace.GroupEmpty && generation < 0:
			want = wire.None
		case want != wire.None:
		case generation != s.generation:
			want = wire.IllegalGeneration
		case state == trace.GroupCompletingRebalance:
			want = wire.RebalanceInProgress
		}
		r := commitRequest(s.ids[w], generation, 7)
		r.InstanceID = s.instance(w)
		require.Equal(t, want, s.commit(r))
		if state != trace.GroupDead {
			stored := int64(-1)
			if want == wire.None {
				stored = 7
			}
			require.Equal(t, stored, s.committed())
		}
	})
}

func TestLeaveIsAnsweredByStateAndMember(t *testing.T) { // A56-A58
	for _, state := range states {
		for _, w := range []who{nobody, anonymous, pending, dynamic, fixed, fenced} {
			t.Run(trace.GroupStateNames[state]+"/"+string(w), func(t *testing.T) {
				s := newStage(t, state)
				m := kmsg.NewLeaveGroupRequestMember()
				m.MemberID, m.InstanceID = s.ids[w], s.instance(w)
				r := kmsg.NewPtrLeaveGroupRequest()
				r.Version, r.Group = 5, testGroup
				r.Members = append(r.Members, m)
				got := s.c.LeaveGroup(r)
				if state == trace.GroupDead {
					require.Equal(t, wire.CoordinatorNotAvailable, wire.Code(got.ErrorCode))
					return
				}
				want := identity(s, w)
				if w == pending {
					want = wire.None
				}
				if state == trace.GroupEmpty && w == fenced {
					want = wire.UnknownMemberID
				}
				require.Equal(t, wire.None, wire.Code(got.ErrorCode))
				require.Equal(t, want, wire.Code(got.Members[0].ErrorCode))
				if (w == dynamic || w == fixed) && state != trace.GroupEmpty {
					require.Equal(t, trace.GroupPreparingRebalance, s.group().state)
				}
			})
		}
	}
}

func TestJoinIsAnsweredByStateAndMember(t *testing.T) { // A17-A20, A26-A29
	parked := wire.Code(-100)
	table := map[who]map[int64]wire.Code{
		nobody: {
			trace.GroupEmpty: wire.UnknownMemberID, trace.GroupPreparingRebalance: wire.UnknownMemberID,
			trace.GroupCompletingRebalance: wire.UnknownMemberID, trace.GroupStable: wire.UnknownMemberID,
		},
		fenced: {
			trace.GroupEmpty: wire.UnknownMemberID, trace.GroupPreparingRebalance: wire.FencedInstanceID,
			trace.GroupCompletingRebalance: wire.FencedInstanceID, trace.GroupStable: wire.FencedInstanceID,
		},
		pending: {
			trace.GroupEmpty: parked, trace.GroupPreparingRebalance: parked,
			trace.GroupCompletingRebalance: parked, trace.GroupStable: parked,
		},
		dynamic: { // it leads, so its rejoin in Stable rebalances
			trace.GroupEmpty: wire.UnknownMemberID, trace.GroupPreparingRebalance: parked,
			trace.GroupCompletingRebalance: wire.None, trace.GroupStable: parked,
		},
		fixed: {
			trace.GroupEmpty: wire.UnknownMemberID, trace.GroupPreparingRebalance: parked,
			trace.GroupCompletingRebalance: wire.None, trace.GroupStable: wire.None,
		},
		anonymous: {
			trace.GroupEmpty: wire.MemberIDRequired, trace.GroupPreparingRebalance: wire.MemberIDRequired,
			trace.GroupCompletingRebalance: wire.MemberIDRequired, trace.GroupStable: wire.MemberIDRequired,
		},
	}
	for _, w := range []who{nobody, anonymous, pending, dynamic, fixed, fenced} {
		for _, state := range states {
			t.Run(trace.GroupStateNames[state]+"/"+string(w), func(t *testing.T) {
				s := newStage(t, state)
				want := table[w][state]
				if state == trace.GroupDead {
					want = wire.CoordinatorNotAvailable
				}
				c := s.rejoin(s.ids[w], version(9), func(r *kmsg.JoinGroupRequest) {
					r.InstanceID = s.instance(w)
				})
				if want == parked {
					require.False(t, c.done())
					return
				}
				require.True(t, c.done())
				require.Equal(t, want, c.code())
			})
		}
	}
}

func TestRequestsForAnUnknownGroup(t *testing.T) {
	l := newLab(t)
	require.Equal(t, wire.UnknownMemberID, l.heartbeat("m", 1), "A46")
	require.Equal(t, wire.UnknownMemberID, l.sync("m", 1).code(), "A50")
	require.Equal(t, wire.UnknownMemberID, l.leave("m"), "A56")
	require.Equal(t, wire.UnknownMemberID, l.rejoin("m").code(), "A15")
	require.Nil(t, l.group(), "A15: the group is not created")
	require.Equal(t, wire.GroupIDNotFound, l.commit(commitRequest("m", 0, 1)), "B3")
	old := commitRequest("m", 0, 1)
	old.Version = 8
	require.Equal(t, wire.IllegalGeneration, l.commit(old), "B3")
	require.Equal(t, int64(-1), l.committed(), "B13")
	require.Equal(t, wire.None, l.commit(commitRequest("", -1, 5)), "B3: a simple group")
	require.Equal(t, int64(5), l.committed())
	require.Equal(t, trace.GroupEmpty, l.group().state)
}

func TestRequestsWithoutGroupIDAndToAnotherBroker(t *testing.T) {
	l := newLab(t)
	none := func(r *kmsg.JoinGroupRequest) { r.Group = "" }
	require.Equal(t, wire.InvalidGroupID, l.join("a", none).code(), "A13")
	short := timeouts(5*time.Second, time.Minute)
	elsewhere := func(r *kmsg.JoinGroupRequest) { r.Group = "orders" }
	require.Equal(t, wire.NotCoordinator, l.join("a", elsewhere).code(), "A6")
	require.Equal(t, wire.InvalidSessionTimeout, l.join("a", elsewhere, short).code(),
		"A13: the session is checked before the coordinator")
	r := kmsg.NewPtrHeartbeatRequest()
	require.Equal(t, int16(wire.InvalidGroupID), l.c.Heartbeat(r).ErrorCode, "A45")
	// B2: the empty group id is a valid one for commits and for asking what was committed.
	empty := commitRequest("", -1, 3)
	empty.Group = ""
	l.c.Load(0, nil)
	require.Equal(t, wire.None, l.commit(empty))
	list, code := l.c.Offsets("", []wire.TopicPartition{{Topic: "t"}})
	require.Equal(t, wire.None, code)
	require.Equal(t, int64(3), list[0].Offset)
}
