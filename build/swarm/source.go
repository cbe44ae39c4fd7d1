package swarm

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Source is the plan as a scenario file.
func (p Plan) Source() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Drawn from seed %d.\n", p.Seed)
	fmt.Fprintf(&b, "cluster(brokers = %d%s)\n", p.Brokers, more(p.Settings))
	for _, t := range p.Topics {
		fmt.Fprintf(&b, "topic(%q, partitions = %d, replication_factor = %d)\n", t.Name, t.Partitions, t.Replicas)
		fmt.Fprintf(&b, "producer(%q, topic = %q, rate = %d, stop = %q%s)\n", "to-"+t.Name, t.Name, t.Rate,
			text(Quiet), more(t.Producer))
	}
	for _, name := range p.programs() {
		b.WriteString(programs[name].source)
	}
	for _, g := range p.Groups {
		b.WriteString("\n")
		for _, m := range g.Members {
			b.WriteString(g.consumer(m))
		}
	}
	b.WriteString("\n")
	for _, f := range p.Faults {
		b.WriteString(f.Text + "\n")
	}
	fmt.Fprintf(&b, "run_for(%q)\n\n", text(Horizon))
	for _, t := range p.Topics {
		if t.exact() && !p.Unclean {
			fmt.Fprintf(&b, "expect(produced(%q), equals = %d)\n", t.Name, t.records())
		}
	}
	for _, g := range p.Groups {
		b.WriteString(g.expectations())
	}
	return b.String()
}

// exact says that the log holds each record once, whatever happened: the producer is idempotent and waits for
// all replicas, and gives nothing up. Of an unclean election that is not asked.
func (t Topic) exact() bool { return !slices.Contains(t.Producer, `enable_idempotence = False`) }

// records is what the producer sends: the first at once, the last at [Quiet].
func (t Topic) records() int { return t.Rate*int(Quiet/time.Second) + 1 }

func more(settings []string) string {
	var b strings.Builder
	for _, s := range settings {
		b.WriteString(", " + s)
	}
	return b.String()
}

// programs are the names of those that members run, each once.
func (p Plan) programs() []string {
	var names []string
	for _, g := range p.Groups {
		for _, m := range g.Members {
			names = append(names, m.Program)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (g Group) consumer(m Member) string {
	topics := make([]string, len(g.Topics))
	for i, t := range g.Topics {
		topics[i] = fmt.Sprintf("%q", t)
	}
	start := ""
	if m.Start > 0 {
		start = fmt.Sprintf(", start = %q", text(m.Start))
	}
	return fmt.Sprintf("consumer(%q, group = %q, run = %s([%s]), auto_offset_reset = \"earliest\"%s%s%s)\n",
		m.Name, g.Name, m.Program, strings.Join(topics, ", "), start, more(g.Settings), more(m.Settings))
}

// expectations say that the group is in order again: settled, caught up, with nothing lost on the way
// and no partition standing still at the end.
func (g Group) expectations() string {
	var b strings.Builder
	fmt.Fprintf(&b, "expect(group_state(%q), equals = \"Stable\")\n", g.Name)
	for _, t := range g.Topics {
		fmt.Fprintf(&b, "expect(lost(%q, group = %q), equals = [])\n", t, g.Name)
		fmt.Fprintf(&b, "expect(lag(%q, group = %q), equals = 0)\n", t, g.Name)
		fmt.Fprintf(&b, "expect(stalled(%q, group = %q, since = %q), equals = \"0s\")\n", t, g.Name,
			text(Horizon-10_000_000_000))
	}
	return b.String()
}
