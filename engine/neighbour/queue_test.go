package neighbour

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
)

// jobs is a queue with six messages, and consumers that have so many deliveries at a time.
func jobs(t *testing.T, prefetch int64, names ...string) *lab {
	l := newLab(t, Thing{Name: "jobs", Kind: trace.NeighbourQueue, Records: 6}, append(names, "P")...)
	for _, n := range names {
		l.send(n, Message{Op: OpBasicQos, N: prefetch})
	}
	for _, n := range names {
		l.send(n, Message{Op: OpBasicConsume})
		require.Equal(t, []string{"basic.qos", "basic.consume"}, l.got(n)[:2])
	}
	return l
}

func TestPrefetchBoundsWhatIsNotAcknowledged(t *testing.T) {
	for _, c := range []struct {
		prefetch int64
		got      []string
	}{
		{1, []string{"#0"}}, {3, []string{"#0", "#1", "#2"}},
		{0, []string{"#0", "#1", "#2", "#3", "#4", "#5"}},
	} {
		l := newLab(t, Thing{Name: "jobs", Kind: trace.NeighbourQueue, Records: 6}, "A")
		l.send("A", Message{Op: OpBasicQos, N: c.prefetch})
		l.send("A", Message{Op: OpBasicConsume})
		got := l.got("A")[2:]
		require.Len(t, got, len(c.got))
		for i, n := range c.got {
			require.Equal(t, "basic.deliver "+n, got[i])
		}
	}
}

func TestConsumersWithRoomTakeTurns(t *testing.T) {
	l := jobs(t, 1, "A", "B", "C")
	l.send("B", Message{Op: OpBasicAck, N: 1})
	l.send("B", Message{Op: OpBasicAck, N: 2})
	l.send("A", Message{Op: OpBasicAck, N: 1})
	require.Equal(t, []string{"basic.deliver #3", "basic.deliver #4"}, l.got("B"), "#1 came before")
	require.Equal(t, []string{"basic.deliver #5"}, l.got("A"))
	require.Empty(t, l.got("C"), "it has not acknowledged #2")
}

func TestAMultipleAcknowledgementIsForAllUpToItsTag(t *testing.T) {
	l := jobs(t, 4, "A")
	l.got("A")
	l.send("A", Message{Op: OpBasicAck, N: 3, Flag: true})
	require.Equal(t, []string{"basic.deliver #4", "basic.deliver #5"}, l.got("A"))
	require.Len(t, l.events(trace.Settled), 3)
}

func TestARejectedMessageGoesBackToItsPlace(t *testing.T) {
	for _, c := range []struct {
		name     string
		m        Message
		got      []string
		requeued int
	}{
		{"one", Message{N: 2, Requeue: true}, []string{"basic.deliver #1x2"}, 1},
		{"all up to it", Message{N: 2, Flag: true, Requeue: true},
			[]string{"basic.deliver #0x2", "basic.deliver #1x2"}, 2},
		{"for good", Message{N: 2}, []string{"basic.deliver #3"}, 0},
	} {
		l := jobs(t, 3, "A")
		l.got("A")
		c.m.Op = OpBasicNack
		l.send("A", c.m)
		require.Equal(t, c.got, l.got("A"), "%s: before #3, after what is out already", c.name)
		require.Len(t, l.events(trace.Requeued), c.requeued, c.name)
	}
}

func TestWhatALostConnectionHadGoesToTheOthersMarkedAsRedelivered(t *testing.T) {
	l := jobs(t, 2, "A", "B")
	l.world.Process("A").End(trace.EndedByKill, "")
	l.run(10 * time.Millisecond)
	require.Len(t, l.events(trace.Requeued), 2)
	require.Empty(t, l.got("B"), "it has #2 and #3, and no room")
	l.send("B", Message{Op: OpBasicAck, N: 2, Flag: true})
	require.Equal(t, []string{"basic.deliver #0x2", "basic.deliver #1x2"}, l.got("B"), "before #4")
	l.send("B", Message{Op: OpBasicAck, N: 4, Flag: true})
	require.Equal(t, []string{"basic.deliver #4", "basic.deliver #5"}, l.got("B"))
}

func TestWithAutoAckADeliveryIsDoneOnceItIsSent(t *testing.T) {
	l := newLab(t, Thing{Name: "jobs", Kind: trace.NeighbourQueue, Records: 3}, "A", "B")
	l.send("A", Message{Op: OpBasicQos, N: 1})
	l.send("A", Message{Op: OpBasicConsume, Flag: true})
	require.Len(t, l.got("A"), 2+3, "prefetch bounds nothing")
	l.world.Process("A").End(trace.EndedByKill, "")
	l.send("B", Message{Op: OpBasicConsume})
	require.Equal(t, []string{"basic.consume"}, l.got("B"), "nothing is left")
}

func TestAnUnknownTagClosesTheChannel(t *testing.T) {
	l := jobs(t, 1, "A")
	l.got("A")
	l.send("A", Message{Op: OpBasicAck, N: 7})
	require.Equal(t, []string{"closed"}, l.got("A"))
	require.Len(t, l.events(trace.Requeued), 1)
}

func TestAQueueKeepsWhatNobodyConsumes(t *testing.T) {
	l := newLab(t, Thing{Name: "jobs", Kind: trace.NeighbourQueue}, "A", "P")
	l.publish("P", 2, 10)
	l.send("A", Message{Op: OpBasicConsume})
	require.Equal(t, []string{"basic.consume", "basic.deliver #0", "basic.deliver #1"}, l.got("A"))
}
