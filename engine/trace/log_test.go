package trace

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample writes n events of mixed kinds, with names that appear on the way.
func sample(l *Log, n int) []Event {
	var out []Event
	at := int64(0)
	for i := range n {
		at += int64(i%7) * 1000
		e := Event{At: at, Kind: Kind(1 + i%120), Node: l.Ref(fmt.Sprintf("node-%d", i%5))}
		if i%3 == 0 {
			e.Peer, e.Name = l.Ref("peer"), l.Ref(fmt.Sprintf("name-%d", i/500))
		}
		e.Part, e.X = int32(i%6-1), int64(i)*17-40
		if i%4 == 0 {
			e.Y, e.Z = -int64(i), int64(i)<<33
		}
		l.Append(&e)
		out = append(out, e)
	}
	return out
}

func TestEventsReadBackAsTheyWereWritten(t *testing.T) {
	l := NewLog()
	want := sample(l, 60_000)
	require.Greater(t, len(l.chunks), 1, "the sample must fill more than one chunk")
	r := l.Reader(0)
	for i, w := range want {
		e, ok := r.Next()
		require.True(t, ok)
		require.Equal(t, w, e, "event %d", i)
	}
	_, ok := r.Next()
	require.False(t, ok)
}

func TestAReaderMayStartAnywhere(t *testing.T) {
	l := NewLog()
	want := sample(l, 50_000)
	for _, n := range []int{0, 1, 12_345, 29_999, 49_999} {
		e, ok := l.Reader(n).Next()
		require.True(t, ok)
		require.Equal(t, want[n], e)
	}
	_, ok := l.Reader(50_000).Next()
	require.False(t, ok)
}

func TestHashAtIsTheHashOfTheShorterLog(t *testing.T) {
	long, short := NewLog(), NewLog()
	sample(long, 40_000)
	for _, n := range []int{0, 1, 777, 25_000} {
		short = NewLog()
		sample(short, n)
		require.Equal(t, short.Hash(), long.HashAt(n), "after %d events", n)
	}
	require.Equal(t, long.Hash(), long.HashAt(40_000))
	require.NotEqual(t, short.Hash(), long.Hash())
}

func TestAChangedFieldChangesTheHash(t *testing.T) {
	base := Event{At: 5, Kind: Appended, Node: 1, Peer: 1, Name: 1, Part: 2, X: 3, Y: 4, Z: 5}
	hash := func(e Event) uint64 {
		l := NewLog()
		l.Ref("a")
		l.Append(&e)
		return l.Hash()
	}
	seen := map[uint64]string{hash(base): "base"}
	for name, change := range map[string]func(*Event){
		"At":   func(e *Event) { e.At++ },
		"Kind": func(e *Event) { e.Kind++ },
		"Node": func(e *Event) { e.Node++ },
		"Peer": func(e *Event) { e.Peer++ },
		"Name": func(e *Event) { e.Name++ },
		"Part": func(e *Event) { e.Part++ },
		"X":    func(e *Event) { e.X++ },
		"Y":    func(e *Event) { e.Y++ },
		"Z":    func(e *Event) { e.Z++ },
	} {
		e := base
		change(&e)
		h := hash(e)
		require.Empty(t, seen[h], "%s gives the hash of another event", name)
		seen[h] = name
	}
}

func TestBeforeCountsTheEventsUpToATime(t *testing.T) {
	l := NewLog()
	want := sample(l, 45_000)
	for _, at := range []int64{-1, 0, 999, 1000, want[30_000].At, want[44_999].At, 1 << 60} {
		n := 0
		for _, e := range want {
			if e.At <= at {
				n++
			}
		}
		require.Equal(t, n, l.Before(at), "before %d", at)
	}
}

func TestAnEventOutOfOrderIsABrokenInvariant(t *testing.T) {
	l := NewLog()
	l.Append(&Event{At: 10, Kind: Appended})
	require.Panics(t, func() { l.Append(&Event{At: 9, Kind: Appended}) })
	require.Panics(t, func() { l.Append(&Event{At: 10}) })
}

func TestMessageInfoPacksBothWays(t *testing.T) {
	for _, corr := range []int32{0, 1, 77_000, 1<<31 - 1} {
		for _, version := range []int16{0, 9, 18} {
			for _, response := range []bool{false, true} {
				c, v, r := UnpackMessageInfo(MessageInfo(corr, version, response))
				require.Equal(t, corr, c)
				require.Equal(t, version, v)
				require.Equal(t, response, r)
			}
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	l := NewLog()
	n, tp := l.Ref("A"), l.Ref("order_events")
	for i := range b.N {
		l.Append(&Event{At: int64(i) * 500_000, Kind: WorkStarted, Node: n, Name: tp, Part: 3, X: int64(i), Y: 5_000_000})
	}
	b.ReportMetric(float64(l.Bytes())/float64(l.Len()), "B/event")
}
