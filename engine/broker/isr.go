package broker

import (
	"slices"
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// leading is what a replica knows as the leader of its partition.
type leading struct {
	// epochStart is the log's end when the leadership began.
	epochStart int64
	followers  []progress
	// asked is the list of in-sync replicas that the controller was asked for, nil if it was not.
	// Until it answers a replica counts as in sync if either list has it.
	asked   []int32
	acks    []*ack // in order of their offsets
	deletes []*deleting
}

// progress is how far a follower has come, by what its fetches told.
type progress struct {
	id int32
	// end is the follower's log end; -1 until it has fetched from this leader.
	end int64
	// caughtUp is the last moment at which it had all that the leader had.
	caughtUp sim.Time
	start    int64 // its log start
	// fetched is the time of its last fetch, leaderEnd the leader's log end then.
	fetched   sim.Time
	leaderEnd int64
}

// begin starts a leadership with no knowledge of the followers. Those in sync have the benefit of
// the doubt for replica.lag.time.max.ms.
func (r *replica) begin() {
	r.leading = leading{epochStart: r.log.LEO(), acks: r.acks, deletes: r.deletes}
	for _, id := range r.state.Replicas {
		if id == r.broker.id {
			continue
		}
		f := progress{id: id, end: -1}
		if slices.Contains(r.state.ISR, id) {
			f.caughtUp = r.broker.env.Now()
		}
		r.followers = append(r.followers, f)
	}
}

// end gives the leadership up: what waits for followers will not be acknowledged here.
func (r *replica) end() {
	acks, deletes := r.acks, r.deletes
	r.leading = leading{}
	for _, a := range acks {
		a.finish(wire.NotLeaderOrFollower)
	}
	for _, d := range deletes {
		d.finish(wire.NotLeaderOrFollower)
	}
}

// confirm takes a new state in the same epoch: the in-sync replicas changed.
func (r *replica) confirm(s *State) {
	r.state, r.asked = s, nil
	r.moved()
}

// minISR is the effective min.insync.replicas: a partition cannot ask for more than it has (E19).
func (r *replica) minISR() int {
	return min(r.part.Topic.cfg.minISR, len(r.state.Replicas))
}

// counts says whether the high watermark must wait for a follower: it is in sync, may become so by
// the controller's next answer, or is about to (E18).
func (r *replica) counts(f *progress) bool {
	if slices.Contains(r.state.ISR, f.id) || slices.Contains(r.asked, f.id) {
		return true
	}
	lag := r.broker.env.Now().Sub(f.caughtUp)
	return r.eligible(f.id) && (f.end == r.log.LEO() || f.caughtUp > 0 && lag <= r.lagMax())
}

func (r *replica) eligible(id int32) bool { return r.broker.image.live(id) }

func (r *replica) lagMax() time.Duration { return r.broker.cluster.cfg.lagMax }

// advanceHW moves the leader's high watermark to the smallest log end of the replicas that count,
// and says whether it moved (E18). It stands still while too few are in sync (E19).
func (r *replica) advanceHW() bool {
	if len(r.state.ISR) < r.minISR() {
		return false
	}
	hw := r.log.LEO()
	for i := range r.followers {
		if f := &r.followers[i]; f.end < hw && r.counts(f) {
			hw = f.end
		}
	}
	if hw <= r.log.HW() || !r.log.SetHW(hw, r.state.Epoch) {
		return false
	}
	r.tell(trace.Event{Kind: trace.HighWatermark, X: hw})
	return true
}

// moved is called when the log or what is known of the followers has changed: the high watermark
// may follow, then fetches and acknowledgements go on that waited for it (E4).
func (r *replica) moved() {
	r.advanceHW()
	r.wake()
	r.settle()
}

func (r *replica) follower(id int32) *progress {
	for i := range r.followers {
		if r.followers[i].id == id {
			return &r.followers[i]
		}
	}
	return nil
}

// fetchedBy notes a follower's fetch from offset on, which is its log's end, while the leader's end
// was leaderEnd. A follower that asks for all there was at its last fetch was caught up then (E20).
func (r *replica) fetchedBy(id int32, offset, start, leaderEnd int64) {
	f := r.follower(id)
	if f == nil {
		return
	}
	now := r.broker.env.Now()
	if offset >= leaderEnd {
		f.caughtUp = max(f.caughtUp, now)
	} else if offset >= f.leaderEnd {
		f.caughtUp = max(f.caughtUp, f.fetched)
	}
	grown := offset != f.end
	f.end, f.start, f.fetched, f.leaderEnd = offset, start, now, leaderEnd
	r.expandISR(f)
	if grown {
		r.moved()
	}
	for _, d := range slices.Clone(r.deletes) {
		d.proceed()
	}
}

// expandISR asks the controller to count a follower in that has reached the high watermark and this
// leader's epoch (E21).
func (r *replica) expandISR(f *progress) {
	if r.asked != nil || slices.Contains(r.state.ISR, f.id) || !r.eligible(f.id) ||
		f.end < r.log.HW() || f.end < r.epochStart {
		return
	}
	r.askISR(append(slices.Clone(r.state.ISR), f.id))
}

// shrinkISR asks the controller to leave out the followers that have not been caught up for
// replica.lag.time.max.ms (E20).
func (r *replica) shrinkISR() {
	if !r.leads() || r.asked != nil {
		return
	}
	now := r.broker.env.Now()
	isr := slices.DeleteFunc(slices.Clone(r.state.ISR), func(id int32) bool {
		f := r.follower(id)
		return f != nil && f.end != r.log.LEO() && now.Sub(f.caughtUp) > r.lagMax()
	})
	if len(isr) < len(r.state.ISR) {
		r.askISR(isr)
	}
}

// askISR sends the wanted list to the controller. While it is under way no other is sent.
func (r *replica) askISR(isr []int32) {
	r.asked = isr
	r.broker.alterPartition(r)
}

// scheduleShrinking looks twice in replica.lag.time.max.ms for followers that lag: one is left out
// between one and one and a half of that time after it stopped (E20).
func (b *Broker) scheduleShrinking() {
	b.env.After(b.cluster.cfg.lagMax/2, func() {
		b.each(func(r *replica) { r.shrinkISR() })
		b.scheduleShrinking()
	})
}
