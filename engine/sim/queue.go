package sim

// item is one entry of the event queue: a timer, or something that reaches a process. Exactly one
// of timer, fn and msg.conn is set.
type item struct {
	at   Time
	seq  uint64
	proc *Process // whose event it is; nil: the world's own
	todo todo
	tm   *Timer
	fn   func()
	del  *Delivery
}

type todo uint8

const (
	doTimer todo = iota
	doFunc
	doDeliver
)

func (a *item) before(b *item) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

// queue is a four-way heap ordered by (time, sequence). Stopped timers stay in it until they come up
// or become the greater part: a consumer starts a timer of minutes at every poll and stops it
// milliseconds later.
type queue struct {
	items []item
	stale int
}

// sweepAt is the length from which stopped timers are swept out.
const sweepAt = 256

func (q *queue) len() int { return len(q.items) }

// sweep takes stopped timers out. The order of the rest does not change: it is total.
func (q *queue) sweep() {
	kept := q.items[:0]
	for _, it := range q.items {
		if it.tm == nil || it.tm.fn != nil {
			kept = append(kept, it)
		}
	}
	clear(q.items[len(kept):])
	q.items, q.stale = kept, 0
	for i := (len(kept) - 2) / 4; i >= 0; i-- {
		q.down(i, kept[i])
	}
}

func (q *queue) push(it item) {
	if len(q.items) >= sweepAt && q.stale > len(q.items)/2 {
		q.sweep()
	}
	q.items = append(q.items, it)
	i := len(q.items) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !it.before(&q.items[parent]) {
			break
		}
		q.items[i] = q.items[parent]
		i = parent
	}
	q.items[i] = it
}

func (q *queue) pop() item {
	top := q.items[0]
	if top.tm != nil && top.tm.fn == nil {
		q.stale--
	}
	n := len(q.items) - 1
	last := q.items[n]
	q.items[n] = item{}
	q.items = q.items[:n]
	if n > 0 {
		q.down(0, last)
	}
	return top
}

// down puts it in place of item i and lets it sink to where it belongs.
func (q *queue) down(i int, it item) {
	n := len(q.items)
	for {
		first := 4*i + 1
		if first >= n {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, n); c++ {
			if q.items[c].before(&q.items[least]) {
				least = c
			}
		}
		if !q.items[least].before(&it) {
			break
		}
		q.items[i] = q.items[least]
		i = least
	}
	q.items[i] = it
}
