package swarm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rebalancelab/engine/trace"
)

// Sights are the things that a run really had, by the trace: acts of the scenario that took effect,
// reasons of a rebalance, protocols.
type Sights map[string]bool

// look reads what happened in a run.
func look(p Plan, log *trace.Log) Sights {
	s := Sights{}
	for _, g := range p.Groups {
		s["protocol: "+g.Protocol] = true
	}
	stable := map[trace.Ref]bool{}
	r := log.Reader(0)
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		if what := sight(e, log, stable); what != "" {
			s[what] = true
		}
	}
	return s
}

// removals are the reasons to lose a member that start a rebalance.
var removals = map[int64]string{
	trace.RemovedByLeave:     "rebalance: a member left",
	trace.RemovedBySession:   "rebalance: a session ran out",
	trace.RemovedByRebalance: "rebalance: a member missed the rebalance",
}

// sight names what an event shows, if it is something that the census counts. stable says which groups are
// settled.
func sight(e trace.Event, log *trace.Log, stable map[trace.Ref]bool) string {
	switch e.Kind {
	case trace.Commanded:
		act, _, _ := strings.Cut(log.String(e.Name), "(")
		return "fault: " + act
	case trace.GroupState:
		stable[e.Name] = e.X == trace.GroupStable
	case trace.MemberAdded:
		if stable[e.Name] {
			return "rebalance: a member joined"
		}
	case trace.MemberJoining:
		if stable[e.Name] {
			return "rebalance: a member joined again"
		}
	case trace.MemberRemoved:
		return removals[e.X]
	case trace.PollExpired:
		return "rebalance: the poll interval ran out"
	case trace.CoordinatorLoaded:
		if e.X > 0 {
			return "the coordinator was loaded from its log"
		}
	}
	return ""
}

// Census counts the runs that had each thing.
type Census struct {
	Runs   int
	Events int
	Counts map[string]int
}

// Add counts a run.
func (c *Census) Add(o Outcome) {
	if c.Counts == nil {
		c.Counts = map[string]int{}
	}
	c.Runs++
	c.Events += o.Event
	for what := range o.Seen {
		c.Counts[what]++
	}
}

// Rare are the things that fewer than percent of the runs had.
func (c *Census) Rare(percent int) []string {
	var rare []string
	for _, what := range c.things() {
		if c.Counts[what]*100 < percent*c.Runs {
			rare = append(rare, what)
		}
	}
	return rare
}

func (c *Census) things() []string { return slices.Sorted(maps.Keys(c.Counts)) }

// String is a table of the census.
func (c *Census) String() string {
	var b strings.Builder
	for _, what := range c.things() {
		n := c.Counts[what]
		fmt.Fprintf(&b, "%6d  %5.1f %%  %s\n", n, 100*float64(n)/float64(c.Runs), what)
	}
	return b.String()
}
