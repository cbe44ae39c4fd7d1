package broker

import (
	"slices"
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// ack waits until the high watermark has reached an offset: somebody appended with acks = all.
type ack struct {
	replica *replica
	offset  int64 // the log's end after the append
	timer   *sim.Timer
	done    func(wire.Code)
	// late is called if the offset is reached after done was told that the time is over; nil: nobody
	// cares.
	late func()
}

// await calls done once, when everything below offset is replicated or timeout has passed. done may
// be called before await returns. In every case the data is in the log (E26).
func (r *replica) await(offset int64, timeout time.Duration, done func(wire.Code)) {
	r.awaitLate(offset, timeout, done, nil)
}

// awaitLate is await for who wants to know of what comes late, too: after REQUEST_TIMED_OUT late is
// called if everything below offset is replicated while this broker still leads.
func (r *replica) awaitLate(offset int64, timeout time.Duration, done func(wire.Code), late func()) {
	if r.log.HW() >= offset {
		done(r.enough())
		return
	}
	a := &ack{replica: r, offset: offset, done: done, late: late}
	a.timer = r.broker.env.After(timeout, func() {
		if i := slices.Index(r.acks, a); i >= 0 && late == nil {
			r.acks = slices.Delete(r.acks, i, i+1)
		}
		a.finish(wire.RequestTimedOut)
	})
	r.acks = append(r.acks, a)
}

// enough: the high watermark has passed, but maybe with too few replicas in sync.
func (r *replica) enough() wire.Code {
	if max(len(r.state.ISR), len(r.asked)) < r.minISR() {
		return wire.NotEnoughReplicasAfterAppend
	}
	return wire.None
}

// settle answers those whose offset the high watermark has reached.
func (r *replica) settle() {
	for len(r.acks) > 0 && r.acks[0].offset <= r.log.HW() {
		a := r.acks[0]
		r.acks = r.acks[1:]
		a.finish(r.enough())
	}
}

func (a *ack) finish(code wire.Code) {
	if a.done == nil { // its time was over before
		if code == wire.None || code == wire.NotEnoughReplicasAfterAppend {
			a.late()
		}
		return
	}
	a.timer.Stop()
	done := a.done
	a.done = nil
	done(code)
}

// appendOffsets writes for the group coordinator, with acks = all (B11). As [group.Options] wants it,
// done is called once more for what is replicated after its time.
func (b *Broker) appendOffsets(partition int32, records []wire.Record, done func(wire.Code)) {
	r, code := b.check(b.image.partition(b.cluster.byName[OffsetsTopic], partition), -1)
	switch {
	case code == wire.None && len(records) == 0 && r.log.HW() == r.log.LEO():
		done(wire.None)
		return
	case code == wire.None && len(records) == 0:
		r.await(r.log.LEO(), b.cluster.cfg.commitTimeout, done)
		return
	case code == wire.None && len(r.state.ISR) < r.minISR():
		code = wire.NotEnoughReplicas
	}
	if code != wire.None {
		done(code)
		return
	}
	end := r.appendRecords(records, b.ref)
	b.cluster.seed(r)
	r.awaitLate(end, b.cluster.cfg.commitTimeout, done, func() { done(wire.None) })
}

// seed brings the followers of a partition to its leader's state without a message: what is written
// before the story begins has long been replicated when it does.
func (c *Cluster) seed(r *replica) {
	if c.open {
		return
	}
	for i := range r.followers {
		f := &r.followers[i]
		n := c.node(f.id)
		if n.broker == nil {
			continue
		}
		copied := n.broker.replica(r.part)
		for copied.log.LEO() < r.log.LEO() {
			copied.copy(r.log.Read(copied.log.LEO(), 1<<40, r.log.LEO(), true), r.broker.ref)
		}
		f.end = copied.log.LEO()
	}
	r.moved()
	for i := range r.followers {
		if n := c.node(r.followers[i].id); n.broker != nil {
			n.broker.replica(r.part).raiseHW(r.log.HW())
		}
	}
}
