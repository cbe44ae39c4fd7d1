package group

import (
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// consumerTimers are the timers of one member. They are no part of the group's records: after a
// fail-over they start anew.
type consumerTimers struct {
	heard    sim.Time // what last re-armed the session
	session  *sim.Timer
	revoke   *sim.Timer // a member that was told to give partitions up must say so in time (F12)
	join     *sim.Timer // a classic member that was told to rejoin must (F27)
	sync     *sim.Timer // and then must send Sync
	revokeAt sim.Time
	why      int64 // trace.RemovedBy value of the removal under way
}

func (t *consumerTimers) stop() {
	for _, timer := range []*sim.Timer{t.session, t.revoke, t.join, t.sync} {
		timer.Stop()
	}
}

func (cg *consumerGroup) timersOf(id string) *consumerTimers {
	t := cg.timers[id]
	if t == nil {
		t = &consumerTimers{}
		cg.timers[id] = t
	}
	return t
}

// sessionTimeout is the group's, or what a classic member asked for.
func (cg *consumerGroup) sessionTimeout(m *consumerMember) time.Duration {
	if m.classic != nil {
		return millis(m.classic.SessionTimeoutMillis)
	}
	return cg.c.cfg.consumerSession(cg.id)
}

// armConsumer starts the session of a member anew; api is the request that did it. Commits do not
// count, unlike in the classic protocol.
func (g *group) armConsumer(m *consumerMember, d time.Duration, api int16) {
	t := g.consumer.timersOf(m.id)
	now := g.c.env.Now()
	t.heard = now
	g.emit(trace.Event{
		Kind: trace.MemberSession, Peer: m.ref, X: now.Add(d).Since(), Y: int64(api),
	})
	t.session.Stop()
	t.session = g.c.env.After(d, func() { g.fence(m.id, trace.RemovedBySession) })
}

// watchRevocation runs the rebalance timeout of a member while it must give partitions up: it is
// removed if it is still in the same epoch then (F12). A classic member has the timers of Join and
// Sync instead.
func (g *group) watchRevocation(m *consumerMember) {
	t := g.consumer.timersOf(m.id)
	t.revoke.Stop()
	if m.state != trace.MemberUnrevoked || m.classic != nil {
		if t.revokeAt != 0 {
			t.revokeAt = 0
			g.emit(trace.Event{Kind: trace.MemberRevocation, Peer: m.ref})
		}
		return
	}
	t.revokeAt = g.c.env.Now().Add(m.rebalanceTimeout)
	g.emit(trace.Event{Kind: trace.MemberRevocation, Peer: m.ref, X: t.revokeAt.Since()})
	epoch := m.epoch
	t.revoke = g.c.env.After(m.rebalanceTimeout, func() {
		if n := g.consumer.byID[m.id]; n != nil && n.epoch == epoch {
			g.fence(m.id, trace.RemovedByRebalance)
		}
	})
}

// expectJoin gives a classic member the rebalance timeout to rejoin, from when it was first told.
func (g *group) expectJoin(m *consumerMember) {
	t := g.consumer.timersOf(m.id)
	if t.join.Pending() {
		return
	}
	t.join = g.c.env.After(m.rebalanceTimeout, func() { g.fence(m.id, trace.RemovedByRebalance) })
}

// expectSync gives a classic member the rebalance timeout to send Sync.
func (g *group) expectSync(m *consumerMember) {
	t := g.consumer.timersOf(m.id)
	t.sync.Stop()
	t.sync = g.c.env.After(m.rebalanceTimeout, func() { g.fence(m.id, trace.RemovedBySync) })
}

// fenceRetry is how soon a removal that could not be written is tried again. [CoordinatorRuntime]
const fenceRetry = 500 * time.Millisecond

// fence removes a member whose time is over, if it still is in the group. It is not tried again on one that
// was heard of since: a removal whose replication took too long stands, and the member may be back.
func (g *group) fence(id string, why int64) {
	if g.consumer == nil {
		return
	}
	m := g.consumer.byID[id]
	if m == nil {
		return
	}
	t := g.consumer.timersOf(id)
	heard := t.heard
	g.fenceMembers([]*consumerMember{m}, why, func(code wire.Code) {
		if code == wire.None || g.shard.gone {
			return
		}
		g.c.env.After(fenceRetry, func() {
			if g.consumer != nil && g.consumer.timers[id] == t && t.heard == heard {
				g.fence(id, why)
			}
		})
	})
}
