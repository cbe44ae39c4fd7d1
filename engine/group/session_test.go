package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestAMemberIsRemovedOneSessionAfterItWasLastHeardOf(t *testing.T) { // A62, A63, S18
	tests := []struct {
		name  string
		hear  func(l *lab, id string)
		heard bool
	}{
		{"nothing", func(*lab, string) {}, false},
		{"a heartbeat", func(l *lab, id string) {
			require.Equal(t, wire.None, l.heartbeat(id, 1))
		}, true},
		{"an accepted commit", func(l *lab, id string) {
			require.Equal(t, wire.None, l.commit(commitRequest(id, 1, 3)))
		}, true},
		{"a refused commit", func(l *lab, id string) {
			require.Equal(t, wire.IllegalGeneration, l.commit(commitRequest(id, 0, 3)))
		}, false},
		{"an unchanged Join", func(l *lab, id string) { l.rejoin(id) }, false},
		{"a repeated Sync", func(l *lab, id string) { l.sync(id, 1) }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t)
			ids := l.stable(l.join("a"), l.join("b"))
			last := l.now()
			l.at(last + 7*time.Second)
			tt.hear(l, ids[1])
			if tt.heard {
				last = l.now()
			}
			for at := l.now() + 3*time.Second; at < last+45*time.Second; at += 3 * time.Second {
				l.at(at)
				l.heartbeat(ids[0], 1)
			}
			l.at(last + 45*time.Second - 1)
			require.Equal(t, trace.GroupStable, l.group().state)
			require.Empty(t, l.events(trace.MemberRemoved))
			l.at(last + 45*time.Second)
			require.Equal(t, trace.GroupPreparingRebalance, l.group().state)
			gone := l.events(trace.MemberRemoved)
			require.Len(t, gone, 1)
			require.Equal(t, trace.RemovedBySession, gone[0].X)
			require.Equal(t, int64(last), gone[0].Y, "the time it was last heard of")
			require.Equal(t, int64(last+45*time.Second), gone[0].At)
		})
	}
}

func TestAParkedMemberCountsAsAlive(t *testing.T) { // A61
	l := newLab(t)
	ids := l.stable(
		l.join("a", timeouts(10*time.Second, 100*time.Second)),
		l.join("b", timeouts(100*time.Second, 100*time.Second)),
	)
	start := l.now()
	a := l.rejoin(ids[0], timeouts(10*time.Second, 100*time.Second)) // the leader: waits for b
	l.at(start + 50*time.Second)
	require.False(t, a.done(), "its session of 10 s is over, but it waits")
	l.rejoin(ids[1], timeouts(100*time.Second, 100*time.Second))
	require.Equal(t, wire.None, a.code())
	l.at(start + 60*time.Second - 1)
	require.Equal(t, 2, l.group().members.len())
	l.at(start + 60*time.Second)
	require.Equal(t, 1, l.group().members.len(), "the answer re-armed it")
}

func TestAMemberThatWaitsInSyncCountsAsAlive(t *testing.T) { // A52, A61
	l := newLab(t)
	a := l.join("a", timeouts(time.Minute, 100*time.Second))
	b := l.join("b", timeouts(10*time.Second, 100*time.Second))
	l.at(6 * time.Second)
	waits := l.sync(b.join.MemberID, 1)
	l.at(30 * time.Second)
	require.False(t, waits.done())
	require.Equal(t, 2, l.group().members.len(), "its session of 10 s is over, but it waits")
	l.sync(a.join.MemberID, 1, share(b.join.MemberID, 0))
	require.Equal(t, wire.None, waits.code())
	l.at(40*time.Second - 1)
	require.Equal(t, 2, l.group().members.len())
	l.at(40 * time.Second)
	require.Equal(t, 1, l.group().members.len(), "the answer re-armed it")
}

// A Join by itself is no sign of life: the session goes on from what the member was last heard of by,
// until the Join is answered.
func TestAParkedJoinDoesNotReArmTheSession(t *testing.T) { // A63
	l := newLab(t)
	ids := l.stable(l.join("a"), l.join("b"))
	l.at(l.now() + 7*time.Second)
	armed := len(l.events(trace.MemberSession))
	changed := l.rejoin(ids[1], offering(protocol("range", subscription("t", "u"))))
	require.False(t, changed.done())
	require.Len(t, l.events(trace.MemberSession), armed)
	l.rejoin(ids[0])
	require.Equal(t, wire.None, changed.code())
	require.Len(t, l.events(trace.MemberSession), armed+2, "the answers do")
}

func TestADeadMembersPlaceHoldsTheNextJoinUntilItsSessionEnds(t *testing.T) { // S57, A34, A62
	l := newLab(t)
	l.stable(l.join("a"))
	heard := l.now()
	l.at(heard + 5*time.Second)
	again := l.join("a") // the same process after kill -9
	l.at(heard + 45*time.Second)
	require.Equal(t, wire.None, again.code())
	require.Equal(t, heard+45*time.Second, again.at)
	require.Equal(t, int32(2), again.join.Generation)
}

func TestAJoinAnswerReplacesTheLongSessionOfANewMember(t *testing.T) { // A37, A60
	l := newLab(t)
	c := l.join("a", timeouts(10*time.Second, 30*time.Second))
	armed := l.events(trace.MemberSession)
	require.Equal(t, int64(300*time.Second), armed[0].X)
	l.at(3 * time.Second)
	require.True(t, c.done())
	l.at(13*time.Second - 1)
	require.Equal(t, 1, l.group().members.len())
	l.at(13 * time.Second)
	require.Equal(t, 0, l.group().members.len())
}

func TestHeartbeatsInPreparingReArm(t *testing.T) { // A48
	l := newLab(t)
	ids := l.stable(
		l.join("a", timeouts(10*time.Second, 100*time.Second)),
		l.join("b", timeouts(10*time.Second, 100*time.Second)),
	)
	start := l.now()
	l.join("c")
	l.at(start + 9*time.Second)
	require.Equal(t, wire.RebalanceInProgress, l.heartbeat(ids[0], 1))
	require.Equal(t, wire.None, l.commit(commitRequest(ids[1], 1, 1)), "B7")
	l.at(start + 19*time.Second - 1)
	require.Equal(t, 3, l.group().members.len())
	l.at(start + 19*time.Second)
	require.Equal(t, 1, l.group().members.len())
}
