package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
)

// talker is a node that dials, answers and writes down what happens to it.
type talker struct {
	env   Env
	dials string
	conn  Conn
	log   []string
	echo  bool
	hello []string
}

func (n *talker) note(format string, args ...any) {
	at := time.Duration(n.env.Now().Since())
	n.log = append(n.log, fmt.Sprintf("%v ", at)+fmt.Sprintf(format, args...))
}

func (n *talker) Start(env Env) {
	n.env = env
	if n.dials != "" {
		n.conn = env.Dial(n.dials)
	}
}

func (n *talker) Opened(c Conn) {
	n.conn = c
	n.note("opened %s", c.Peer())
	for _, m := range n.hello {
		c.Send(m)
	}
}

func (n *talker) Received(c Conn, m Message) {
	n.note("got %v", m)
	if n.echo {
		c.Send("echo " + m.(string))
	}
}

func (n *talker) Closed(c Conn) { n.note("closed %s", c.Peer()) }

func world(seed uint64) (*World, *trace.Log) {
	log := trace.NewLog()
	w := NewWorld(Options{Seed: seed, Log: log, Label: func(Message) Label { return Label{} }})
	w.SetLatency(time.Millisecond, 0)
	return w, log
}

func runUntil(t *testing.T, w *World, d time.Duration) {
	t.Helper()
	for {
		next, ok := w.Next()
		if !ok || next > Start.Add(d) {
			w.Forward(Start.Add(d))
			return
		}
		require.NoError(t, w.Turn())
	}
}

func TestMessagesArriveInOrderAfterTheLatency(t *testing.T) {
	w, _ := world(1)
	b := &talker{echo: true}
	a := &talker{dials: "b", hello: []string{"one", "two"}}
	w.Spawn("b", b)
	w.Spawn("a", a)
	runUntil(t, w, time.Second)
	require.Equal(t, []string{"1ms opened a", "3ms got one", "3ms got two"}, b.log)
	require.Equal(t, []string{"2ms opened b", "4ms got echo one", "4ms got echo two"}, a.log)
}

func TestOrderHoldsWhateverTheJitter(t *testing.T) {
	w, _ := world(3)
	w.SetLatency(time.Millisecond, 900*time.Microsecond)
	b := &talker{}
	var hello []string
	for i := range 200 {
		hello = append(hello, fmt.Sprint(i))
	}
	w.Spawn("b", b)
	w.Spawn("a", &talker{dials: "b", hello: hello})
	runUntil(t, w, time.Second)
	require.Len(t, b.log, 201)
	for i, line := range b.log[1:] {
		require.Contains(t, line, fmt.Sprintf("got %d", i))
	}
}

func TestNobodyListeningRefusesTheConnection(t *testing.T) {
	w, _ := world(1)
	a := &talker{dials: "b"}
	w.Spawn("a", a)
	runUntil(t, w, time.Second)
	require.Equal(t, []string{"2ms closed b"}, a.log)
}

func TestKillClosesConnectionsAndStopsTimers(t *testing.T) {
	w, _ := world(1)
	b, a := &talker{}, &talker{dials: "b"}
	w.Spawn("b", b)
	p := w.Spawn("a", a)
	fired := false
	p.After(50*time.Millisecond, func() { fired = true })
	runUntil(t, w, 10*time.Millisecond)
	p.End(trace.EndedByKill, "")
	runUntil(t, w, time.Second)
	require.False(t, fired)
	require.Equal(t, []string{"1ms opened a", "11ms closed a"}, b.log)
}

func TestAFrozenProcessCatchesUpInOrderWhenItThaws(t *testing.T) {
	w, _ := world(1)
	b, a := &talker{}, &talker{dials: "b", hello: []string{"x"}}
	bp := w.Spawn("b", b)
	w.Spawn("a", a)
	runUntil(t, w, 2*time.Millisecond)
	bp.Freeze(100 * time.Millisecond)
	bp.After(5*time.Millisecond, func() { b.note("timer") })
	runUntil(t, w, time.Second)
	require.Equal(t, []string{"1ms opened a", "102ms got x", "102ms timer"}, b.log)
}

func TestACutLinkDelaysAndNeverReorders(t *testing.T) {
	w, _ := world(1)
	b, a := &talker{}, &talker{dials: "b"}
	w.Spawn("b", b)
	w.Spawn("a", a)
	runUntil(t, w, 10*time.Millisecond)
	w.Cut("a", "b")
	a.conn.Send("one")
	runUntil(t, w, 20*time.Millisecond)
	a.conn.Send("two")
	runUntil(t, w, 500*time.Millisecond)
	w.Heal("b", "a")
	a.conn.Send("three")
	runUntil(t, w, time.Second)
	require.Equal(t, []string{"1ms opened a", "501ms got one", "501ms got two", "501ms got three"}, b.log)
}

func TestAHeldMessageHoldsWhatFollowsOnItsConnection(t *testing.T) {
	w, _ := world(1)
	b, a := &talker{}, &talker{dials: "b"}
	w.Spawn("b", b)
	w.Spawn("a", a)
	runUntil(t, w, 10*time.Millisecond)
	a.conn.Send("one")
	require.True(t, w.Hold(1))
	a.conn.Send("two")
	runUntil(t, w, 100*time.Millisecond)
	require.Len(t, b.log, 1)
	require.True(t, w.Release(1))
	runUntil(t, w, time.Second)
	require.Equal(t, []string{"1ms opened a", "101ms got one", "101ms got two"}, b.log)
	require.False(t, w.Hold(1), "it has arrived")
}

func TestADropBreaksTheConnectionAtBothEnds(t *testing.T) {
	w, _ := world(1)
	b, a := &talker{}, &talker{dials: "b"}
	w.Spawn("b", b)
	w.Spawn("a", a)
	runUntil(t, w, 10*time.Millisecond)
	a.conn.Send("one")
	a.conn.Send("two")
	require.True(t, w.Drop(1))
	runUntil(t, w, time.Second)
	require.Equal(t, []string{"1ms opened a", "10ms closed a"}, b.log)
	require.Equal(t, []string{"2ms opened b", "10ms closed b"}, a.log)
	_, ok := w.Flying(2)
	require.False(t, ok)
}

func TestTooMuchAtOneInstantIsAnError(t *testing.T) {
	w, _ := world(1)
	var again func()
	again = func() { w.At(w.Now(), again) }
	again()
	var err error
	for err == nil {
		err = w.Turn()
	}
	require.ErrorContains(t, err, "100000 events at 0s")
}

func TestEqualSeedsGiveEqualTracesAndOthersDoNot(t *testing.T) {
	hash := func(seed uint64) uint64 {
		w, log := world(seed)
		w.SetLatency(DefaultLatency, DefaultJitter)
		w.Spawn("b", &talker{echo: true})
		w.Spawn("a", &talker{dials: "b", hello: []string{"1", "2", "3"}})
		runUntil(t, w, time.Second)
		return log.Hash()
	}
	require.Equal(t, hash(7), hash(7))
	require.NotEqual(t, hash(7), hash(8))
}

func TestStreamsOfChanceDoNotDisturbEachOther(t *testing.T) {
	w, _ := world(9)
	first := w.Rand("a").Uint64()
	w2, _ := world(9)
	w2.Rand("b").Uint64()
	require.Equal(t, first, w2.Rand("a").Uint64())
}

func TestDrawsStayInsideTheirBounds(t *testing.T) {
	r := NewRand(5, "bounds")
	seen := map[int64]bool{}
	for range 2000 {
		v := r.Around(10, 3)
		require.GreaterOrEqual(t, v, int64(7))
		require.LessOrEqual(t, v, int64(13))
		seen[v] = true
	}
	require.Len(t, seen, 7)
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, r.UUID())
}

func TestAPoolHandsOutNothingTwiceUntilItIsPutBack(t *testing.T) {
	var p Pool[int]
	seen := map[*int]bool{}
	for range 3 * poolBlock {
		v := p.Get()
		require.False(t, seen[v])
		require.Zero(t, *v)
		seen[v], *v = true, 7
	}
	for v := range seen {
		p.Put(v)
	}
	for range len(seen) {
		v := p.Get()
		require.True(t, seen[v], "made anew though one was put back")
		require.Equal(t, 7, *v)
		delete(seen, v)
	}
}

func TestALostMessageIsNotHandedOutAgainWhileItStandsInTheQueue(t *testing.T) {
	w, _ := world(1)
	b, a := &talker{}, &talker{dials: "b"}
	w.Spawn("b", b)
	w.Spawn("a", a)
	runUntil(t, w, 10*time.Millisecond)
	a.conn.Send("one")
	require.True(t, w.Drop(1))
	a.dials = ""
	second := w.Process("a").Dial("b")
	runUntil(t, w, 12*time.Millisecond)
	for i := range 5 {
		second.Send(fmt.Sprint(i))
	}
	runUntil(t, w, time.Second)
	require.Equal(t, []string{"1ms opened a", "10ms closed a", "11ms opened a", "13ms got 0", "13ms got 1",
		"13ms got 2", "13ms got 3", "13ms got 4"}, b.log)
}

func TestSweepingStoppedTimersNeverChangesTheOrder(t *testing.T) {
	r := NewRand(3, "timers")
	var fired []int
	w, _ := world(3)
	p := w.Spawn("a", &talker{})
	want := map[int]Time{}
	for i := range 5000 {
		d := time.Duration(r.Below(1e9))
		tm := p.After(d, func() { fired = append(fired, i) })
		if r.Below(10) < 8 {
			tm.Stop()
		} else {
			want[i] = w.Now().Add(d)
		}
	}
	require.Less(t, w.queue.len(), 2500, "nothing was swept")
	runUntil(t, w, 2*time.Second)
	require.Len(t, fired, len(want))
	for k := 1; k < len(fired); k++ {
		require.LessOrEqual(t, want[fired[k-1]], want[fired[k]])
	}
}

func TestAQueueOfNothingButStoppedTimersIsSweptEmpty(t *testing.T) {
	w, _ := world(3)
	p := w.Spawn("a", &talker{})
	runUntil(t, w, time.Second)
	require.Zero(t, w.queue.len())
	for range sweepAt {
		p.After(time.Second, func() {}).Stop()
	}
	fired := false
	p.After(time.Second, func() { fired = true })
	require.Equal(t, 1, w.queue.len())
	runUntil(t, w, 3*time.Second)
	require.True(t, fired)
}
