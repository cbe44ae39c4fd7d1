package neighbour

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
)

// entries is a stream with five entries and the group g, which has read none.
func entries(t *testing.T) *lab {
	l := newLab(t, Thing{Name: "entries", Kind: trace.NeighbourStream, Records: 5}, "A", "B")
	l.do("A", Message{Op: OpXGroupCreate, Flag: true})
	require.Equal(t, []string{"XGROUP CREATE"}, l.got("A"))
	return l
}

// do sends a command about group g.
func (l *lab) do(who string, m Message) {
	m.Group = "g"
	l.send(who, m)
}

// pending is XPENDING for the whole group.
func (l *lab) pending() []string {
	l.do("B", Message{Op: OpXPending, N: 100})
	got := l.got("B")
	return got[len(got)-1:]
}

func TestEachEntryGoesToOneConsumerOfTheGroup(t *testing.T) {
	l := entries(t)
	l.do("A", Message{Op: OpXReadGroup, N: 2, Wait: -1})
	l.do("B", Message{Op: OpXReadGroup, Wait: -1})
	l.do("A", Message{Op: OpXReadGroup, N: 2, Wait: -1})
	require.Equal(t, []string{"XREADGROUP #0 #1", "XREADGROUP"}, l.got("A"))
	require.Equal(t, []string{"XREADGROUP #2 #3 #4"}, l.got("B"))
	require.Equal(t, []string{"XPENDING #0@A #1@A #2@B #3@B #4@B"}, l.pending())
}

func TestAnEntryIsAcknowledgedByItself(t *testing.T) {
	l := entries(t)
	l.do("A", Message{Op: OpXReadGroup, Wait: -1})
	l.do("A", Message{Op: OpXAck, Numbers: []int64{1, 3, 4, 4}})
	require.Equal(t, []string{"XREADGROUP #0 #1 #2 #3 #4", "XACK #1 #3 #4"}, l.got("A"), "4 counts once")
	require.Equal(t, []string{"XPENDING #0@A #2@A"}, l.pending(), "0 and 2 stay, whatever came after them")
}

func TestWhatIsPendingOutlivesItsConsumer(t *testing.T) {
	l := entries(t)
	l.do("A", Message{Op: OpXReadGroup, N: 1, Wait: -1})
	l.world.Process("A").End(trace.EndedByKill, "")
	l.run(time.Minute)
	require.Equal(t, []string{"XPENDING #0@A"}, l.pending())
}

func TestAConsumerReadsItsOwnPendingEntriesAgain(t *testing.T) {
	l := entries(t)
	l.do("A", Message{Op: OpXReadGroup, N: 2, Wait: -1})
	l.do("B", Message{Op: OpXReadGroup, N: 1, Wait: -1})
	l.got("A")
	l.do("A", Message{Op: OpXReadGroup, Flag: true})
	require.Equal(t, []string{"XREADGROUP #0x2 #1x2"}, l.got("A"))
}

func TestOnlyWhatHasBeenIdleLongEnoughCanBeClaimed(t *testing.T) {
	for _, c := range []struct {
		name string
		ask  Message
		got  string
		left string
	}{
		{"XCLAIM names entries", Message{Op: OpXClaim, Wait: 30 * time.Second, Numbers: []int64{1, 2, 9}},
			"XCLAIM #1x2", "XPENDING #0@A #1x2@B #2@A"},
		{"XAUTOCLAIM takes what there is", Message{Op: OpXAutoClaim, Wait: 30 * time.Second, N: 100},
			"XAUTOCLAIM #0x2 #1x2", "XPENDING #0x2@B #1x2@B #2@A"},
		{"or as many as it is told", Message{Op: OpXAutoClaim, Wait: 30 * time.Second, N: 1},
			"XAUTOCLAIM #0x2", "XPENDING #0x2@B #1@A #2@A"},
		{"nothing is old enough", Message{Op: OpXAutoClaim, Wait: time.Hour, N: 100},
			"XAUTOCLAIM", "XPENDING #0@A #1@A #2@A"},
	} {
		l := entries(t)
		l.do("A", Message{Op: OpXReadGroup, N: 2, Wait: -1})
		l.run(29 * time.Second)
		l.do("A", Message{Op: OpXReadGroup, N: 1, Wait: -1}) // #2 is a second old
		l.run(time.Second)
		l.do("B", c.ask)
		require.Equal(t, []string{c.got}, l.got("B"), c.name)
		require.Equal(t, []string{c.left}, l.pending(), c.name)
	}
}

func TestAClaimMakesAnEntryYoungAgain(t *testing.T) {
	l := entries(t)
	l.do("A", Message{Op: OpXReadGroup, N: 1, Wait: -1})
	l.run(30 * time.Second)
	for range 2 {
		l.do("B", Message{Op: OpXAutoClaim, Wait: 30 * time.Second, N: 1})
	}
	require.Equal(t, []string{"XAUTOCLAIM #0x2", "XAUTOCLAIM"}, l.got("B"))
}

func TestWhoeverHasWaitedLongestGetsTheNextEntry(t *testing.T) {
	l := newLab(t, Thing{Name: "entries", Kind: trace.NeighbourStream}, "A", "B", "P")
	l.do("A", Message{Op: OpXGroupCreate})
	l.do("B", Message{Op: OpXReadGroup, Wait: 0})
	l.do("A", Message{Op: OpXReadGroup, Wait: time.Second})
	l.got("A")
	l.publish("P", 1, 10)
	require.Equal(t, []string{"XREADGROUP #0"}, l.got("B"))
	l.run(time.Second)
	require.Equal(t, []string{"XREADGROUP"}, l.got("A"), "its time is over")
	l.publish("P", 1, 10)
	require.Empty(t, l.got("A"), "nobody waits")
}

func TestGroupsThatAreThereOrNotAreErrors(t *testing.T) {
	l := entries(t)
	l.do("A", Message{Op: OpXGroupCreate})
	l.send("A", Message{Op: OpXReadGroup, Group: "other", Wait: -1})
	require.Equal(t, []string{"XGROUP CREATE BUSYGROUP", "XREADGROUP NOGROUP"}, l.got("A"))
}

func TestIdsAreTheTimeAndANumberWithinIt(t *testing.T) {
	l := newLab(t, Thing{Name: "entries", Kind: trace.NeighbourStream, Records: 2}, "P")
	s := l.world.Process(RedisName).Node().(*Server).places[0].(*stream)
	require.Equal(t, "1767225600000-0", s.entries[0].ID)
	require.Equal(t, "1767225600000-1", s.entries[1].ID)
	l.publish("P", 1, 10)
	require.Equal(t, "1767225600011-0", s.entries[2].ID)
}
