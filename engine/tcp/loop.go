package tcp

import (
	"sync"
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// loop is the one goroutine in which nodes run. Everything here but the inbox belongs to it.
type loop struct {
	begun  time.Time // wall clock and monotonic clock of the start
	now    sim.Time
	timers timers
	ended  bool

	mu    sync.Mutex
	inbox []news
	wake  chan struct{} // holds one token while the inbox has something
}

// news is one thing that the loop learns from outside.
type news struct {
	what  what
	conn  *conn
	frame *wire.Frame
	call  func()
}

type what uint8

const (
	hasOpened what = iota
	hasReceived
	hasClosed
	shallCall
)

func newLoop() *loop { return &loop{begun: time.Now(), wake: make(chan struct{}, 1)} }

// post puts news into the inbox; any goroutine may.
func (l *loop) post(n news) {
	l.mu.Lock()
	l.inbox = append(l.inbox, n)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// do runs fn in the loop and waits for it. It returns false if the loop has ended without it.
func (l *loop) do(done <-chan struct{}, fn func()) bool {
	ran := make(chan struct{})
	l.post(news{what: shallCall, call: func() { fn(); close(ran) }})
	select {
	case <-ran:
		return true
	case <-done:
		return false
	}
}

// run is the loop itself.
func (l *loop) run() {
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	var batch []news
	for {
		l.now = sim.Time(l.begun.UnixNano()).Add(time.Since(l.begun))
		l.timers.fire(l.now)
		batch = l.take(batch)
		for i := range batch {
			l.handle(&batch[i])
			if l.ended {
				return
			}
		}
		if len(batch) == 0 {
			l.rest(alarm)
		}
	}
}

// take empties the inbox and leaves it the memory of the batch before.
func (l *loop) take(before []news) []news {
	clear(before)
	l.mu.Lock()
	batch := l.inbox
	l.inbox = before[:0]
	l.mu.Unlock()
	return batch
}

// rest waits until something arrives or the next timer is due.
func (l *loop) rest(alarm *time.Timer) {
	d := time.Hour
	if at, ok := l.timers.next(); ok {
		now := sim.Time(l.begun.UnixNano()).Add(time.Since(l.begun))
		if d = at.Sub(now); d <= 0 {
			return
		}
	}
	alarm.Reset(d)
	select {
	case <-l.wake:
	case <-alarm.C:
	}
}

func (l *loop) handle(n *news) {
	switch n.what {
	case hasOpened:
		n.conn.opened()
	case hasReceived:
		n.conn.received(n.frame)
	case hasClosed:
		n.conn.closed()
	case shallCall:
		n.call()
	}
}
