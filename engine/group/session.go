package group

import (
	"time"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// arm starts the session of m anew; api is the request that did it (A63).
//
// A member is heard of far more often than it dies, so the timer is left running when the deadline
// only moves on, and looks at the deadline when it fires.
func (g *group) arm(m *member, d time.Duration, api int16) {
	now := g.c.env.Now()
	m.heard, m.deadline = now, now.Add(d)
	g.emit(trace.Event{
		Kind: trace.MemberSession, Peer: m.ref, X: m.deadline.Since(), Y: int64(api),
	})
	if m.timer.Pending() && m.timerAt <= m.deadline {
		return
	}
	m.timer.Stop()
	g.startSession(m, d)
}

func (g *group) startSession(m *member, d time.Duration) {
	m.timerAt = g.c.env.Now().Add(d)
	m.timer = g.c.env.After(d, func() { g.sessionFired(m) })
}

func (g *group) sessionFired(m *member) {
	if rest := m.deadline.Sub(g.c.env.Now()); rest > 0 {
		g.startSession(m, rest)
		return
	}
	if !m.alive() {
		g.expire(m)
	}
}

// expire removes a member that was not heard of in time. A new one may still be parked (A60).
func (g *group) expire(m *member) {
	g.answerJoin(m, failedJoin(m.id, wire.UnknownMemberID))
	g.remove(m, trace.RemovedBySession)
	switch g.state {
	case trace.GroupStable, trace.GroupCompletingRebalance:
		g.rebalanceOrComplete()
	case trace.GroupPreparingRebalance: // even inside the initial delay (A33)
		if g.allJoined() {
			g.completeJoin()
		}
	}
}

// expirePending drops an id that nobody used (A59).
func (g *group) expirePending(id string) {
	g.dropPending(id, trace.RemovedBySession)
	if g.state == trace.GroupPreparingRebalance && g.allJoined() {
		g.completeJoin()
	}
}
