package session

import (
	"slices"

	"rebalancelab/engine/view"
)

// Plan is what a run is made of. Equal plans give equal runs.
type Plan struct {
	File      string
	Source    string
	Seed      uint64
	Variant   string
	Overrides []view.Override
	Commands  []view.Command
}

// with is the plan with one more command at a time; commands after that time are left out, because
// they belong to a future that now is another one.
func (p Plan) with(at int64, text string) Plan {
	kept := make([]view.Command, 0, len(p.Commands)+1)
	for _, k := range p.Commands {
		if k.At <= at {
			kept = append(kept, k)
		}
	}
	p.Commands = append(kept, view.Command{At: at, Text: text})
	return p
}

// Equal says whether two plans give the same run.
func (p Plan) Equal(q Plan) bool {
	return p.File == q.File && p.Source == q.Source && p.Seed == q.Seed && p.Variant == q.Variant &&
		slices.Equal(p.Overrides, q.Overrides) && slices.Equal(p.Commands, q.Commands)
}

// Override is the learner's text of a function or setting, and whether there is one.
func (p Plan) Override(name string, setting bool) (string, bool) {
	for _, o := range p.Overrides {
		if o.Name == name && o.Setting == setting {
			return o.Text, true
		}
	}
	return "", false
}

// Branch is one run of the lab with what is known of it.
type Branch struct {
	ID   int
	Name string // what made it: empty for the lesson's own run
	Plan Plan
	From int64 // where it left Parent, ns; 0: it is a run of its own
	// Parent is the ID of the branch it left; 0: none.
	Parent int
	// Seen is how far the reader has looked, ns.
	Seen int64

	Lab      int
	Loaded   view.Loaded
	Progress view.Progress
	Scene    view.Scene
	Verdict  view.Verdict
	// Failed is why the run ended early; nil when it reached its horizon. What happened until then
	// can be looked at.
	Failed *Problem
}

// End is where the run ends, in ns.
func (b *Branch) End() int64 {
	if b.Failed != nil {
		return b.Progress.At
	}
	return b.Loaded.Horizon
}

// Shipped says whether this is the lesson's own run: nothing was changed.
func (b *Branch) Shipped() bool { return len(b.Plan.Overrides)+len(b.Plan.Commands) == 0 }

// Moment is a place in a branch as a view tells it.
type Moment struct {
	At    int64
	Index int
	Hash  uint64
}
