package sim

// task is what the queue calls for when its time has come: exactly one of tm, fn and del is set.
type task struct {
	proc *Process // whose task it is; nil: the world's own
	tm   *Timer
	fn   func()
	del  *Delivery
}

// idle says that nothing would happen: the timer was stopped.
func (t *task) idle() bool { return t.tm != nil && t.tm.fn == nil }

// entry is the place of a task in the queue. It has no pointers: sorting moves it about at little
// cost, and the garbage collector passes over it.
type entry struct {
	at   Time
	seq  uint64
	task int32 // index into queue.tasks
}

func (a *entry) before(b *entry) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

// queue is a four-way heap of entries ordered by (time, sequence), beside the tasks that they stand
// for. Stopped timers stay in it until they come up or become the greater part.
type queue struct {
	heap  []entry
	tasks []task
	free  []int32 // unused places in tasks
	stale int     // entries of stopped timers
}

// sweepAt is the length from which stopped timers are swept out.
const sweepAt = 256

func (q *queue) len() int { return len(q.heap) }

// sweep takes stopped timers out. The order of the rest does not change: it is total.
func (q *queue) sweep() {
	kept := q.heap[:0]
	for _, e := range q.heap {
		if q.tasks[e.task].idle() {
			q.release(e.task)
		} else {
			kept = append(kept, e)
		}
	}
	q.heap, q.stale = kept, 0
	if len(kept) < 2 { // nothing to sort, perhaps nothing at all
		return
	}
	for i := (len(kept) - 2) / 4; i >= 0; i-- {
		q.down(i, kept[i])
	}
}

// keep finds a place for t.
func (q *queue) keep(t task) int32 {
	if n := len(q.free); n > 0 {
		i := q.free[n-1]
		q.free = q.free[:n-1]
		q.tasks[i] = t
		return i
	}
	q.tasks = append(q.tasks, t)
	return int32(len(q.tasks) - 1)
}

func (q *queue) release(i int32) {
	q.tasks[i] = task{}
	q.free = append(q.free, i)
}

func (q *queue) push(at Time, seq uint64, t task) {
	if len(q.heap) >= sweepAt && q.stale > len(q.heap)/2 {
		q.sweep()
	}
	e := entry{at: at, seq: seq, task: q.keep(t)}
	q.heap = append(q.heap, e)
	h := q.heap
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

// pop takes out the first entry, which must be there.
func (q *queue) pop() (Time, task) {
	top := q.heap[0]
	t := q.tasks[top.task]
	q.release(top.task)
	if t.idle() {
		q.stale--
	}
	n := len(q.heap) - 1
	last := q.heap[n]
	q.heap = q.heap[:n]
	if n > 0 {
		q.down(0, last)
	}
	return top.at, t
}

// down puts e in place of entry i and lets it sink to where it belongs.
func (q *queue) down(i int, e entry) {
	h := q.heap
	for {
		first := 4*i + 1
		if first >= len(h) {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, len(h)); c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&e) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
}
