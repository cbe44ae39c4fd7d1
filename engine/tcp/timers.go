package tcp

import (
	"container/heap"

	"rebalancelab/engine/sim"
)

// timers are the pending timers of all processes, the earliest first; those of one moment fire in
// the order in which they were started.
type timers struct {
	list    timerHeap
	started uint64
	sweepAt int // the length at which stopped timers are taken out
}

// leastSweep is the length from which it is worth taking stopped timers out.
const leastSweep = 1024

type timerEntry struct {
	at    sim.Time
	seq   uint64
	timer *sim.Timer
	proc  *process
}

func (t *timers) add(at sim.Time, p *process, timer *sim.Timer) {
	t.started++
	if len(t.list) >= max(t.sweepAt, leastSweep) {
		t.sweep()
	}
	heap.Push(&t.list, timerEntry{at: at, seq: t.started, timer: timer, proc: p})
}

// sweep takes out the stopped timers, and those of ended processes. The next sweep comes when the
// list has doubled, so that a sweep costs little for each timer started.
func (t *timers) sweep() {
	kept := t.list[:0]
	for _, e := range t.list {
		if e.timer.Pending() && !e.proc.dead {
			kept = append(kept, e)
		}
	}
	clear(t.list[len(kept):])
	t.list = kept
	heap.Init(&t.list)
	t.sweepAt = 2 * len(kept)
}

// next is the moment of the earliest timer; false when there is none.
func (t *timers) next() (sim.Time, bool) {
	if len(t.list) == 0 {
		return 0, false
	}
	return t.list[0].at, true
}

// fire calls what is due at now. A timer that is started meanwhile waits for the next turn, even if
// it is due at once: the others get their turn first.
func (t *timers) fire(now sim.Time) {
	last := t.started
	for len(t.list) > 0 && t.list[0].at <= now && t.list[0].seq <= last {
		e := heap.Pop(&t.list).(timerEntry)
		if !e.proc.dead {
			e.timer.Fire()
		}
	}
}

type timerHeap []timerEntry

func (h timerHeap) Len() int      { return len(h) }
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h timerHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}

// Push and Pop implement heap.Interface.
func (h *timerHeap) Push(e any) { *h = append(*h, e.(timerEntry)) }

func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = timerEntry{}
	*h = (*h)[:last]
	return e
}
