package group

import (
	"slices"
	"time"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// group is one group: its name, its state and its offsets, and what the protocol of its members
// adds. The fields from generation on are those of the classic protocol.
type group struct {
	c     *Coordinator
	shard *shard
	id    string
	ref   trace.Ref

	state    int64 // a trace.Group value
	previous int64
	stateAt  sim.Time
	// consumer is set while the group is one of the consumer protocol (KIP-848).
	consumer *consumerGroup

	generation   int32  // the group epoch in a group of the consumer protocol
	protocolType string // empty for a group that only commits
	protocol     string
	leader       string
	members      roster
	pending      []pendingID
	waiting      int  // members with a parked Join
	newcomer     bool // a member was added inside the initial delay (A32)

	// timer is the join phase's or that of the missing Syncs: one ends before the other begins.
	timer     *sim.Timer
	timerKind int64

	offsets offsets
}

func (g *group) emit(e trace.Event) {
	e.Name = g.ref
	g.c.env.Trace(e)
}

// enter changes the state.
func (g *group) enter(state int64) {
	g.previous, g.state, g.stateAt = g.state, state, g.c.env.Now()
	g.emitState()
}

func (g *group) emitState() {
	g.emit(trace.Event{
		Kind: trace.GroupState, X: g.state, Y: int64(g.generation), Z: int64(g.shard.partition),
	})
}

func (g *group) setLeader(id string) {
	if g.leader == id {
		return
	}
	g.leader = id
	g.emit(trace.Event{Kind: trace.GroupLeader, Peer: g.c.env.Ref(id)})
}

// startTimer replaces the group's timer.
func (g *group) startTimer(kind int64, d time.Duration, fn func()) {
	g.timer.Stop()
	g.timerKind = kind
	g.timer = g.c.env.After(d, fn)
	g.emit(trace.Event{
		Kind: trace.GroupTimer, X: kind, Y: g.c.env.Now().Add(d).Since(),
	})
}

func (g *group) stopTimer() {
	g.timer.Stop()
	if g.timerKind != trace.TimerNone {
		g.emit(trace.Event{Kind: trace.GroupTimer, X: g.timerKind})
		g.timerKind = trace.TimerNone
	}
}

// rebalanceTimeout is the largest of the members' (A34, A41).
func (g *group) rebalanceTimeout() time.Duration {
	var d time.Duration
	for _, m := range g.members.joined {
		d = max(d, m.rebalanceTimeout)
	}
	return d
}

// allJoined says that every member waits in Join and no id that was given out is missing (A19).
func (g *group) allJoined() bool { return g.waiting == g.members.len() && len(g.pending) == 0 }

// static finds a static member by its instance id.
func (g *group) static(instance string) *member {
	for _, m := range g.members.joined {
		if m.instance == instance && m.static() {
			return m
		}
	}
	return nil
}

// validate checks the identity of who asks, in Kafka's order (A20).
func (g *group) validate(id string, instance *string) wire.Code {
	if instance != nil {
		m := g.static(*instance)
		if m == nil {
			return wire.UnknownMemberID
		}
		if m.id != id {
			return wire.FencedInstanceID
		}
	}
	if g.members.get(id) == nil {
		return wire.UnknownMemberID
	}
	return wire.None
}

// add takes m in; the first member leads (A39).
func (g *group) add(m *member) {
	g.members.put(m)
	g.removePending(m.id)
	g.emit(trace.Event{
		Kind: trace.MemberAdded, Peer: m.ref, X: int64(m.sessionTimeout),
		Y: int64(m.rebalanceTimeout), Z: int64(g.c.env.Ref(m.client.ID)),
	})
	if g.leader == "" {
		g.setLeader(m.id)
	}
}

// remove takes m out; if it led, the next one in the map's order leads (A39).
func (g *group) remove(m *member, by int64) {
	if m.join != nil {
		m.join = nil
		g.waiting--
	}
	m.sync = nil
	m.timer.Stop()
	g.members.remove(m)
	g.emit(trace.Event{
		Kind: trace.MemberRemoved, Peer: m.ref, X: by, Y: m.heard.Since(),
	})
	if g.leader == m.id {
		next := ""
		if all := g.members.all(); len(all) > 0 {
			next = all[0].id
		}
		g.setLeader(next)
	}
}

func (g *group) isPending(id string) bool {
	return slices.ContainsFunc(g.pending, func(p pendingID) bool { return p.id == id })
}

func (g *group) removePending(id string) bool {
	i := slices.IndexFunc(g.pending, func(p pendingID) bool { return p.id == id })
	if i < 0 {
		return false
	}
	g.pending[i].timer.Stop()
	g.pending = slices.Delete(g.pending, i, i+1)
	return true
}

// dropPending forgets an id that was given out and not used.
func (g *group) dropPending(id string, by int64) {
	g.removePending(id)
	g.emit(trace.Event{Kind: trace.MemberRemoved, Peer: g.c.env.Ref(id), X: by})
}

// forgetPending drops all ids that were given out and not used.
func (g *group) forgetPending(by int64) {
	for len(g.pending) > 0 {
		g.dropPending(g.pending[0].id, by)
	}
}

// candidates are the protocols that every member supports.
func (g *group) candidates(names func(yield func(string) bool)) []string {
	var out []string
	for name := range names {
		if !slices.ContainsFunc(g.members.joined, func(m *member) bool { return !m.supports(name) }) {
			out = append(out, name)
		}
	}
	return out
}

// selectProtocol lets each member vote for the first candidate of its own list. A tie falls to the
// order of a Java map (A40).
func (g *group) selectProtocol() string {
	members := g.members.all()
	if len(members) == 0 {
		return ""
	}
	candidates := g.candidates(func(yield func(string) bool) {
		for i := range members[0].protocols {
			if !yield(members[0].protocols[i].Name) {
				return
			}
		}
	})
	var ballot []string
	votes := map[string]int{}
	for _, m := range members {
		for i := range m.protocols {
			if name := m.protocols[i].Name; slices.Contains(candidates, name) {
				if votes[name]++; votes[name] == 1 {
					ballot = append(ballot, name)
				}
				break
			}
		}
	}
	best := ""
	for _, name := range javaOrder(ballot, 16, func(s string) string { return s }) {
		if best == "" || votes[name] > votes[best] {
			best = name
		}
	}
	return best
}
