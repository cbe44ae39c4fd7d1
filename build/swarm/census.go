package swarm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

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

// Rare are the things that fewer than percent of the runs had, and those of [Wanted] that none had.
func (c *Census) Rare(percent int) []string {
	var rare []string
	for _, what := range c.things() {
		if c.Counts[what]*100 < percent*c.Runs {
			rare = append(rare, what)
		}
	}
	return rare
}

// things are all that was seen or is wanted, in order.
func (c *Census) things() []string {
	things := slices.Concat(Wanted, slices.Collect(maps.Keys(c.Counts)))
	slices.Sort(things)
	return slices.Compact(things)
}

// String is a table of the census.
func (c *Census) String() string {
	var b strings.Builder
	for _, what := range c.things() {
		n := c.Counts[what]
		fmt.Fprintf(&b, "%6d  %5.1f %%  %s\n", n, 100*float64(n)/float64(c.Runs), what)
	}
	return b.String()
}
