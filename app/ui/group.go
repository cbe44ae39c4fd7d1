package ui

import (
	"strconv"

	"rebalancelab/engine/view"
)

// GroupCard is what the group coordinator knows.
type GroupCard struct {
	Name, Coordinator, Offsets string
	States                     []StatePill
	Generation, Protocol       string
	Leader                     Who
	Members                    []MemberChip
	Timer                      Bar // no Span: none runs
}

// StatePill is one state of the flow.
type StatePill struct {
	Name string
	On   bool
	Kind string // class of its colour: ok, warn, idle
}

// MemberChip is a member as the coordinator sees it.
type MemberChip struct {
	Who   Who
	Text  string
	Ghost bool // no living process has this member id
	Wait  bool
	Bar   Bar // session of a ghost
}

var stateKinds = map[string]string{
	"Stable": "ok", "PreparingRebalance": "warn", "CompletingRebalance": "warn",
	"Assigning": "warn", "Reconciling": "warn",
}

// flow is the way of a group's state, with the present one marked. Empty and Dead stand where
// Stable stands: it is what the group comes from.
func flow(state, protocol string) []StatePill {
	first := "Stable"
	names := []string{"PreparingRebalance", "CompletingRebalance"}
	if protocol == "consumer" {
		names = []string{"Assigning", "Reconciling"}
	}
	switch state {
	case "Stable", "Assigning", "Reconciling", "PreparingRebalance", "CompletingRebalance":
	default:
		first = state
	}
	var out []StatePill
	for _, n := range append([]string{first}, names...) {
		kind := stateKinds[n]
		if kind == "" {
			kind = "idle"
		}
		out = append(out, StatePill{Name: n, On: n == state, Kind: kind})
	}
	return out
}

func groupCard(v *view.View, g *view.Group, names Names) GroupCard {
	c := GroupCard{
		Name: g.Name, Coordinator: g.Coordinator, States: flow(g.State, g.Type),
		Offsets:    "__consumer_offsets-" + strconv.Itoa(int(g.OffsetsPart)),
		Generation: Num(g.Generation), Protocol: g.Protocol, Leader: names.Who(g.Leader),
	}
	if g.Timer != "" {
		c.Timer = timer(g.Timer, g.TimerFrom, g.TimerDeadline)
	}
	for i := range g.Members {
		c.Members = append(c.Members, memberChip(v, g, &g.Members[i], names))
	}
	return c
}

func memberChip(v *view.View, g *view.Group, m *view.Member, names Names) MemberChip {
	c := MemberChip{Who: names.Who(m.Client), Ghost: isGhost(v, m)}
	switch {
	case c.Ghost:
		c.Text = "ghost"
		if m.Deadline > 0 {
			c.Bar = timer("session", m.Deadline-m.Session, m.Deadline)
		}
	case m.Pending:
		c.Text = "has an id, not joined"
	case m.Waits != "":
		c.Text, c.Wait = "in "+m.Waits, true
	case g.Type == "consumer":
		c.Text, c.Wait = epochOf(m), m.State != "STABLE"
	case g.State == "PreparingRebalance":
		c.Text = "not yet rejoined"
	default:
		c.Text = "member"
	}
	return c
}

// epochOf is where a member of the consumer protocol stands.
func epochOf(m *view.Member) string {
	text := "epoch " + strconv.FormatInt(m.Epoch, 10)
	switch m.State {
	case "UNREVOKED_PARTITIONS":
		text += ", gives up " + strconv.Itoa(len(m.Revoking))
	case "UNRELEASED_PARTITIONS":
		text += ", waits for partitions"
	}
	return text
}

// isGhost says that no running process goes by this member id.
func isGhost(v *view.View, m *view.Member) bool {
	for i := range v.Clients {
		c := &v.Clients[i]
		if c.Name == m.Client && (c.Life == "running" || c.Life == "frozen") {
			return c.MemberID != "" && c.MemberID != m.ID
		}
	}
	return true
}
