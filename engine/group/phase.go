package group

import (
	"time"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// rebalanceOrComplete begins a rebalance where the state allows one, else looks whether the join
// phase under way is complete.
func (g *group) rebalanceOrComplete() {
	switch g.state {
	case trace.GroupEmpty, trace.GroupStable, trace.GroupCompletingRebalance:
		g.prepareRebalance()
	default:
		g.maybeCompleteJoin()
	}
}

// prepareRebalance begins the join phase: after the initial delay from Empty (A31), else until all
// have joined or the largest rebalance timeout is over; later joins do not extend it (A34).
func (g *group) prepareRebalance() {
	if g.state == trace.GroupCompletingRebalance {
		g.clearAssignments(wire.RebalanceInProgress)
	}
	g.stopTimer()
	initial := g.state == trace.GroupEmpty
	g.enter(trace.GroupPreparingRebalance)
	if initial {
		delay := g.c.cfg.InitialRebalanceDelay
		g.newcomer = false
		g.initialDelay(delay, max(g.rebalanceTimeout()-delay, 0))
		return
	}
	if g.allJoined() {
		g.completeJoin()
		return
	}
	g.startTimer(trace.TimerRebalance, g.rebalanceTimeout(), g.completeJoin)
}

// initialDelay waits for more members: as long as one came in the last window and the rebalance
// timeout is not used up, by one more window (A31, KIP-134).
func (g *group) initialDelay(delay, remaining time.Duration) {
	g.startTimer(trace.TimerInitialDelay, delay, func() {
		if !g.newcomer || remaining == 0 {
			g.completeJoin()
			return
		}
		g.newcomer = false
		g.initialDelay(min(g.c.cfg.InitialRebalanceDelay, remaining), max(remaining-delay, 0))
	})
}

// maybeCompleteJoin ends the join phase when all have joined, except in the initial delay (A32).
func (g *group) maybeCompleteJoin() {
	if g.state == trace.GroupPreparingRebalance && g.allJoined() && g.previous != trace.GroupEmpty {
		g.completeJoin()
	}
}

// completeJoin ends the join phase: a new generation with those who joined (A35-A37).
func (g *group) completeJoin() {
	g.stopTimer()
	for _, m := range g.members.all() {
		if m.join == nil && !m.static() {
			g.remove(m, trace.RemovedByRebalance)
		}
	}
	if !g.electJoined() && g.members.len() > 0 {
		// Only static members are left, and none of them came: wait for their sessions (A35).
		g.startTimer(trace.TimerRebalance, g.rebalanceTimeout(), g.completeJoin)
		return
	}
	g.generation++
	if g.members.len() == 0 {
		g.becomeEmpty()
		return
	}
	g.protocol = g.selectProtocol()
	g.enter(trace.GroupCompletingRebalance)
	g.emit(trace.Event{
		Kind: trace.GroupProtocol, Peer: g.c.env.Ref(g.protocol), X: int64(g.generation),
	})
	generation := g.generation
	g.startTimer(trace.TimerPendingSync, g.rebalanceTimeout(), func() { g.expireSyncs(generation) })
	for _, m := range g.members.all() {
		m.toSync, m.fresh = true, false
		g.answerJoin(m, g.joined(m, m.id == g.leader))
		g.arm(m, m.sessionTimeout, wire.KeyJoinGroup)
	}
}

// becomeEmpty: nobody is left. The empty generation is written too; a failure is not told (A36).
func (g *group) becomeEmpty() {
	g.protocol = ""
	g.enter(trace.GroupEmpty)
	g.c.write(g.shard, []wire.Record{g.record()}, func(wire.Code) {})
}

// electJoined sees to it that a member that joined leads (A35).
func (g *group) electJoined() bool {
	if g.leader == "" {
		return false
	}
	if g.members.get(g.leader).join != nil {
		return true
	}
	for _, m := range g.members.all() {
		if m.join != nil {
			g.setLeader(m.id)
			return true
		}
	}
	return false
}

// expireSyncs removes all who were told of the generation and sent no Sync, static ones too (A41).
func (g *group) expireSyncs(generation int32) {
	g.stopTimer()
	if g.generation != generation {
		return
	}
	for _, m := range g.members.all() {
		if m.toSync {
			g.remove(m, trace.RemovedBySync)
		}
	}
	g.rebalanceOrComplete()
}
