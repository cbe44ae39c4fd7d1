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
	w := watch{plan: p, log: log, seen: Sights{}, stable: map[trace.Ref]bool{}, inSync: map[part]int64{}}
	for _, g := range p.Groups {
		w.seen["protocol: "+g.Protocol] = true
	}
	for _, f := range p.Faults {
		if strings.HasPrefix(f.Text, "at(") {
			w.seen["fault: "+f.Kind] = true
		}
	}
	r := log.Reader(0)
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		for _, what := range []string{w.group(e), w.consumerGroup(e), w.replicas(e)} {
			if what != "" {
				w.seen[what] = true
			}
		}
	}
	return w.seen
}

// watch goes through one trace.
type watch struct {
	plan   Plan
	log    *trace.Log
	seen   Sights
	stable map[trace.Ref]bool // groups that are settled
	inSync map[part]int64     // how many replicas are
	led    bool               // a controller was seen
}

type part struct {
	topic  trace.Ref
	number int32
}

// removals are the reasons to lose a member that start a rebalance.
var removals = map[int64]string{
	trace.RemovedByLeave:     "rebalance: a member left",
	trace.RemovedBySession:   "rebalance: a session ran out",
	trace.RemovedByRebalance: "rebalance: a member missed the rebalance",
}

// group names what an event shows of any group, or of the scenario.
func (w *watch) group(e trace.Event) string {
	switch e.Kind {
	case trace.Commanded:
		return w.triggered(w.log.String(e.Name))
	case trace.GroupState:
		w.stable[e.Name] = e.X == trace.GroupStable
	case trace.MemberAdded:
		if w.stable[e.Name] {
			return "rebalance: a member joined"
		}
	case trace.MemberJoining:
		if w.stable[e.Name] {
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

// triggered names the fault that waited for its moment and now acts.
func (w *watch) triggered(act string) string {
	for _, f := range w.plan.Faults {
		if strings.HasPrefix(f.Text, "on(") && strings.Contains(f.Text, act) {
			return "fault: " + f.Kind
		}
	}
	return ""
}

// consumerGroup names what only groups of the consumer protocol have (KIP-848).
func (w *watch) consumerGroup(e trace.Event) string {
	switch {
	case e.Kind == trace.MemberEpoch && e.X == -2:
		return "consumer protocol: a static member left for a while"
	case e.Kind == trace.PartitionRevoking:
		return "consumer protocol: a living member had to give up a partition"
	case e.Kind == trace.GroupState && e.X == trace.GroupReconciling:
		return "consumer protocol: members waited for each other"
	case e.Kind == trace.GroupState && e.X == trace.GroupAssigning:
		return "consumer protocol: a new target was due"
	}
	return ""
}

// replicas names what an event shows of replication.
func (w *watch) replicas(e trace.Event) string {
	switch e.Kind {
	case trace.Controller:
		again := w.led
		w.led = true
		if again {
			return "replication: the controller moved"
		}
	case trace.LeaderElected:
		if e.X >= 0 && e.Y > 0 {
			return "replication: another leader"
		}
	case trace.Truncated:
		if e.X < e.Y {
			return "replication: a copy was cut"
		}
	case trace.ISRChanged:
		p := part{e.Name, e.Part}
		before := w.inSync[p]
		w.inSync[p] = e.X
		if before > 0 && e.X > before {
			return "replication: a copy came into sync"
		}
		return "replication: a copy fell out of sync"
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
