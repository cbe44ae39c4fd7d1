package broker

import (
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// parked is a fetch that waits for data: Kafka's purgatory.
type parked struct {
	fetching
	broker *Broker
	corr   int64
	timer  *sim.Timer
}

// park lets f wait, for at most wait, until one of its partitions has something.
func (b *Broker) park(f fetching, wait time.Duration) {
	w := &parked{fetching: f, broker: b, corr: int64(f.line.now.Corr)}
	f.line.parked = w
	for _, p := range f.parts {
		if r := b.replica(p.topic.partition(p.index)); r != nil {
			r.waiting = append(r.waiting, w)
		}
	}
	w.timer = b.env.After(wait, w.answer)
	b.env.Trace(trace.Event{
		Kind: trace.FetchParked, Peer: f.line.peer, X: b.env.Now().Add(wait).Since(), Y: w.corr,
	})
}

// ready says whether the wait is over before its time: enough bytes below the high watermark, or a
// partition that must be reported (E3).
func (w *parked) ready() bool {
	var bytes int64
	for _, p := range w.parts {
		part := p.topic.partition(p.index)
		if part == nil {
			continue // not known yet; it does not end a long poll (E1)
		}
		r, code := w.broker.check(part, p.epoch)
		if code != wire.None || p.offset > r.log.LEO() {
			return true
		}
		hw := r.log.HW()
		if p.offset < hw && r.log.InNewerSegment(p.offset, hw) {
			return true
		}
		bytes += min(r.log.Size(p.offset, hw), p.maxBytes)
	}
	return bytes >= w.minBytes
}

// answer ends the wait: everything is read again.
func (w *parked) answer() {
	w.withdraw()
	w.broker.read(&w.fetching)
	w.line.reply(w.broker.fetched(&w.fetching))
}

// withdraw takes the fetch out of the purgatory.
func (w *parked) withdraw() {
	w.timer.Stop()
	w.line.parked = nil
	for _, p := range w.parts {
		part := p.topic.partition(p.index)
		if part == nil {
			continue
		}
		if r := w.broker.replica(part); r != nil {
			r.forget(w)
		}
	}
	w.broker.env.Trace(trace.Event{Kind: trace.FetchAnswered, Peer: w.line.peer, Y: w.corr})
}
