package broker

import (
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// parked is a fetch that waits for data: Kafka's purgatory. A connection has at most one, again and
// again, so it keeps its place and its timer: set anew only when it goes off, since most fetches are
// answered long before.
type parked struct {
	fetching
	broker *Broker
	corr   int64
	until  sim.Time
	timer  *sim.Timer
	timeAt sim.Time // when timer goes off
	ring   func()   // timeUp, as one value
}

// park lets f wait, for at most wait, until one of its partitions has something.
func (b *Broker) park(f fetching, wait time.Duration) {
	w := &f.line.wait
	f.line.parked = w
	w.fetching, w.broker, w.corr = f, b, int64(f.line.now.Corr)
	w.until = b.env.Now().Add(wait)
	for _, p := range f.parts {
		if r := b.replica(b.image.partition(p.topic, p.index)); r != nil {
			r.waiting = append(r.waiting, w)
		}
	}
	w.startTimer()
	if f.replica >= 0 {
		return // followers always wait somewhere; it is no news
	}
	b.env.Trace(trace.Event{
		Kind: trace.FetchParked, Peer: f.line.peer, X: w.until.Since(), Y: w.corr,
	})
}

// startTimer makes sure that the timer goes off by the end of the wait.
func (w *parked) startTimer() {
	if w.timer.Pending() && w.timeAt <= w.until {
		return
	}
	if w.ring == nil {
		w.ring = w.timeUp
	}
	w.timer.Stop()
	w.timeAt = w.until
	w.timer = w.broker.env.After(w.until.Sub(w.broker.env.Now()), w.ring)
}

func (w *parked) timeUp() {
	switch {
	case w.line.parked == nil:
	case w.broker.env.Now() < w.until:
		w.startTimer()
	default:
		w.answer()
	}
}

// ready says whether the wait is over before its time: enough bytes below the high watermark, for a
// follower below the log's end, or a partition that must be reported (E3).
func (w *parked) ready() bool {
	var bytes int64
	for _, p := range w.parts {
		part := w.broker.image.partition(p.topic, p.index)
		if part == nil {
			continue // not known yet; it does not end a long poll (E1)
		}
		r, code := w.broker.readable(&w.fetching, part, p.epoch)
		if code != wire.None || p.offset > r.log.LEO() {
			return true
		}
		upTo := r.log.HW()
		if w.replica >= 0 {
			upTo = r.log.LEO()
		}
		if p.offset < upTo && r.log.InNewerSegment(p.offset, upTo) {
			return true
		}
		bytes += min(r.log.Size(p.offset, upTo), p.maxBytes)
	}
	return bytes >= w.minBytes
}

// answer ends the wait: everything is read again.
func (w *parked) answer() {
	w.withdraw()
	w.broker.read(&w.fetching)
	w.broker.answerFetch(&w.fetching, w.broker.progressOf(&w.fetching))
}

// withdraw takes the fetch out of the purgatory.
func (w *parked) withdraw() {
	w.line.parked = nil
	for _, p := range w.parts {
		if p.topic == nil || int(p.index) >= len(p.topic.Partitions) {
			continue
		}
		if r := w.broker.replica(p.topic.Partitions[p.index]); r != nil {
			r.forget(w)
		}
	}
	if w.replica >= 0 {
		return
	}
	w.broker.env.Trace(trace.Event{Kind: trace.FetchAnswered, Peer: w.line.peer, Y: w.corr})
}
