package tcp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/sim"
)

func TestTimersFireInOrderOfTimeThenStart(t *testing.T) {
	var ts timers
	p := &process{}
	var fired []int
	start := func(at sim.Time, n int) *sim.Timer {
		timer := sim.NewTimer(func() { fired = append(fired, n) })
		ts.add(at, p, timer)
		return timer
	}
	start(30, 3)
	start(10, 1)
	start(30, 4)
	start(20, 2).Stop()
	start(40, 5)
	ts.fire(30)
	require.Equal(t, []int{1, 3, 4}, fired)
	at, ok := ts.next()
	require.True(t, ok)
	require.Equal(t, sim.Time(40), at)
	p.dead = true
	ts.fire(40)
	require.Equal(t, []int{1, 3, 4}, fired, "timers end with their process")
	_, ok = ts.next()
	require.False(t, ok)
}

func TestATimerThatIsStartedByAnotherWaitsForTheNextTurn(t *testing.T) {
	var ts timers
	p := &process{}
	n := 0
	var again func()
	again = func() { n++; ts.add(0, p, sim.NewTimer(again)) }
	again()
	for want := 2; want < 5; want++ {
		ts.fire(100)
		require.Equal(t, want, n)
	}
}

func TestStoppedTimersDoNotPileUp(t *testing.T) {
	var ts timers
	p := &process{}
	kept := 0
	for i := range 100_000 {
		timer := sim.NewTimer(func() { kept-- })
		ts.add(sim.Time(i), p, timer)
		if i%100 == 0 {
			kept++
		} else {
			timer.Stop()
		}
		require.Less(t, len(ts.list), 4*leastSweep)
	}
	ts.fire(100_000)
	require.Zero(t, kept)
}

func TestTheLoopFiresTimersOnTime(t *testing.T) {
	s := serve(t, Options{})
	fired := make(chan time.Duration)
	begun := time.Now()
	s.loop.do(nil, func() {
		s.procs[0].After(30*time.Millisecond, func() { fired <- time.Since(begun) })
		s.procs[0].After(time.Hour, func() { panic("an hour has not passed") })
	})
	d := within(t, fired)
	require.GreaterOrEqual(t, d, 30*time.Millisecond)
	require.Less(t, d, time.Second)
}
