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

// queue is a four-way heap ordered by (time, sequence).
type queue struct{ items []item }

func (q *queue) len() int { return len(q.items) }

func (q *queue) push(it item) {
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
	n := len(q.items) - 1
	last := q.items[n]
	q.items[n] = item{}
	q.items = q.items[:n]
	if n == 0 {
		return top
	}
	i := 0
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
		if !q.items[least].before(&last) {
			break
		}
		q.items[i] = q.items[least]
		i = least
	}
	q.items[i] = last
	return top
}
