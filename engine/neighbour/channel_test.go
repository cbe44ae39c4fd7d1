package neighbour

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
)

// ticks is a channel whose sockets hold two messages of 100 bytes and whose buffers may hold ten.
func ticks() Thing {
	hundred := (&Record{Value: string(make([]byte, 100))}).size("ticks")
	return Thing{
		Name: "ticks", Kind: trace.NeighbourChannel, Socket: 2 * hundred, HardLimit: 10 * hundred,
		SoftLimit: 4 * hundred, SoftTime: time.Minute,
	}
}

func TestAPushedMessageIsCountedAsRedisWritesIt(t *testing.T) {
	r := &Record{Value: "hello"}
	require.EqualValues(t, len("*3\r\n$7\r\nmessage\r\n$5\r\nticks\r\n$5\r\nhello\r\n"), r.size("ticks"))
}

func TestASubscriberGetsWhatComesInFromThenOn(t *testing.T) {
	l := newLab(t, ticks(), "P", "A")
	l.publish("P", 2, 100)
	l.send("A", Message{Op: OpSubscribe})
	l.publish("P", 1, 100)
	require.Equal(t, []string{"SUBSCRIBE", "message #2"}, l.got("A"))
}

func TestEverySubscriberGetsEveryMessage(t *testing.T) {
	l := newLab(t, ticks(), "P", "A", "B")
	l.send("A", Message{Op: OpSubscribe})
	l.send("B", Message{Op: OpSubscribe})
	l.publish("P", 1, 100)
	require.Equal(t, []string{"SUBSCRIBE", "message #0"}, l.got("A"))
	require.Equal(t, []string{"SUBSCRIBE", "message #0"}, l.got("B"))
}

func TestWhatTheSocketDoesNotTakeWaitsInTheOutputBuffer(t *testing.T) {
	l := newLab(t, ticks(), "P", "A")
	l.send("A", Message{Op: OpSubscribe})
	l.publish("P", 5, 100)
	require.Equal(t, []string{"SUBSCRIBE", "message #0", "message #1"}, l.got("A"))
	l.send("A", Message{Op: OpWindow, N: l.thing.Socket})
	require.Equal(t, []string{"message #2", "message #3"}, l.got("A"), "in the order in which they came in")
	buffered := l.events(trace.Buffered)
	require.EqualValues(t, 1, buffered[len(buffered)-1].Y)
}

func TestAtTheHardLimitTheConnectionIsClosedAndTheBufferDropped(t *testing.T) {
	l := newLab(t, ticks(), "P", "A")
	l.send("A", Message{Op: OpSubscribe})
	l.publish("P", 2+9, 100)
	require.Empty(t, l.events(trace.BufferCut), "nine of ten")
	l.publish("P", 1, 100)
	cut := l.events(trace.BufferCut)
	require.Len(t, cut, 1)
	require.Equal(t, l.thing.HardLimit, cut[0].X)
	require.Equal(t, []int64{10, 2}, []int64{cut[0].Y, cut[0].Z}, "ten messages, from number 2 on")
	require.EqualValues(t, 0, cut[0].Part)
	require.Equal(t, []string{"SUBSCRIBE", "message #0", "message #1", "closed"}, l.got("A"))
}

func TestAboveTheSoftLimitASubscriberHasAMinute(t *testing.T) {
	for _, c := range []struct {
		name  string
		reads bool
		cut   bool
	}{{"it stays above", false, true}, {"it reads in time", true, false}} {
		l := newLab(t, ticks(), "P", "A")
		l.send("A", Message{Op: OpSubscribe})
		l.publish("P", 2+5, 100)
		l.run(50 * time.Second)
		if c.reads {
			l.send("A", Message{Op: OpWindow, N: l.thing.Socket})
		}
		l.run(9 * time.Second)
		require.Empty(t, l.events(trace.BufferCut), c.name)
		l.run(3 * time.Second)
		cut := l.events(trace.BufferCut)
		require.Equal(t, c.cut, len(cut) == 1, c.name)
		if c.cut {
			require.EqualValues(t, 1, cut[0].Part)
		}
	}
}

func TestNothingIsReplayedToASubscriberThatComesBack(t *testing.T) {
	l := newLab(t, ticks(), "P", "A")
	l.send("A", Message{Op: OpSubscribe})
	l.publish("P", 2+10, 100)
	l.peers["A"].Start(l.peers["A"].env)
	l.run(10 * time.Millisecond)
	l.got("A")
	l.send("A", Message{Op: OpSubscribe})
	l.publish("P", 1, 100)
	require.Equal(t, []string{"SUBSCRIBE", "message #12"}, l.got("A"))
}
