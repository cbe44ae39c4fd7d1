package swarm

import (
	"iter"
	"slices"
)

// Shrink leaves out what the failure does not need, part by part, for as long as a smaller plan
// fails alike. It tries at most so many runs.
func Shrink(failed Outcome, run func(Plan) Outcome, tries int) Outcome {
	for smaller := true; smaller; {
		smaller = false
		for p := range failed.Plan.smaller() {
			if tries--; tries < 0 {
				return failed
			}
			if out := run(p); out.Kind == failed.Kind {
				failed, smaller = out, true
				break
			}
		}
	}
	return failed
}

// smaller are the plans that have one part less, the largest parts first. Each is well-formed: a
// group keeps a member, and a fault goes with its process.
func (p Plan) smaller() iter.Seq[Plan] {
	return func(yield func(Plan) bool) {
		for _, cuts := range []func(func(Plan) bool) bool{
			p.withoutGroups, p.withoutTopics, p.withoutFaults, p.withoutMembers, p.simpler,
		} {
			if !cuts(yield) {
				return
			}
		}
	}
}

func (p Plan) withoutGroups(yield func(Plan) bool) bool {
	for i := range p.Groups {
		if len(p.Groups) > 1 && !yield(p.keep(slices.Delete(slices.Clone(p.Groups), i, i+1))) {
			return false
		}
	}
	return true
}

// keep is the plan with these groups and the faults that can still happen.
func (p Plan) keep(groups []Group) Plan {
	gone := map[string]bool{}
	for _, g := range p.Groups {
		gone[g.Name] = true
		for _, m := range g.Members {
			gone[m.Name] = true
		}
	}
	for _, g := range groups {
		delete(gone, g.Name)
		for _, m := range g.Members {
			delete(gone, m.Name)
		}
	}
	p.Groups = groups
	p.Faults = slices.DeleteFunc(slices.Clone(p.Faults), func(f Fault) bool { return gone[f.On] || gone[f.Group] })
	return p
}

func (p Plan) withoutTopics(yield func(Plan) bool) bool {
	for i, t := range p.Topics {
		used := slices.ContainsFunc(p.Groups, func(g Group) bool { return slices.Equal(g.Topics, []string{t.Name}) })
		touched := slices.ContainsFunc(p.Faults, func(f Fault) bool { return f.Topic == t.Name })
		if used || touched {
			continue
		}
		q := p
		q.Topics = slices.Delete(slices.Clone(p.Topics), i, i+1)
		q.Groups = slices.Clone(p.Groups)
		for j, g := range q.Groups {
			q.Groups[j].Topics = slices.DeleteFunc(slices.Clone(g.Topics), func(n string) bool { return n == t.Name })
		}
		if !yield(q) {
			return false
		}
	}
	return true
}

func (p Plan) withoutFaults(yield func(Plan) bool) bool {
	for i := range p.Faults {
		q := p
		q.Faults = slices.Delete(slices.Clone(p.Faults), i, i+1)
		if !yield(q) {
			return false
		}
	}
	return true
}

func (p Plan) withoutMembers(yield func(Plan) bool) bool {
	for i, g := range p.Groups {
		for j := range g.Members {
			if len(g.Members) == 1 {
				break
			}
			groups := slices.Clone(p.Groups)
			groups[i].Members = slices.Delete(slices.Clone(g.Members), j, j+1)
			if !yield(p.keep(groups)) {
				return false
			}
		}
	}
	return true
}

// simpler offers plainer programs, fewer partitions and replicas, and default settings.
func (p Plan) simpler(yield func(Plan) bool) bool {
	for i := range p.Topics {
		for _, change := range []func(t *Topic) bool{
			func(t *Topic) bool { t.Partitions--; return t.Partitions > 0 },
			func(t *Topic) bool { was := t.Replicas; t.Replicas = 1; return was > 1 },
			func(t *Topic) bool { was := t.Producer; t.Producer = nil; return was != nil },
		} {
			q := p
			q.Topics = slices.Clone(p.Topics)
			if change(&q.Topics[i]) && !yield(q) {
				return false
			}
		}
	}
	for i, g := range p.Groups {
		for j := range g.Members {
			q := p
			q.Groups = slices.Clone(p.Groups)
			q.Groups[i].Members = slices.Clone(g.Members)
			if q.Groups[i].Members[j].simplify() && !yield(q) {
				return false
			}
		}
	}
	if len(p.Settings) > 1 {
		q := p
		q.Settings = p.Settings[:1]
		return yield(q)
	}
	return true
}

// simplify gives the member the plainest program, then the earliest start; it reports a change.
func (m *Member) simplify() bool {
	switch {
	case m.Program != plainest:
		m.Program, m.Settings = plainest, programs[plainest].settings
	case m.Start > 0:
		m.Start = 0
	default:
		return false
	}
	return true
}
