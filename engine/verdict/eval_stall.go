package verdict

import "rebalancelab/engine/trace"

// standing answers who stood still, and who worked where he should not have.
func (a *ask) standing() (Value, error) {
	switch a.q.Name {
	case "stalled", "stalled_total", "longest_stall":
		return a.stalled()
	case "zombies":
		return a.zombies()
	case "zombie_records":
		return a.worked(a.q.Node, func(rd *reading) []run { return rd.zombies })
	case "poll_gap":
		return a.pollGap()
	}
	return Value{}, errElsewhere
}

func (a *ask) stalled() (Value, error) {
	readings, err := a.readings()
	if err != nil {
		return Value{}, err
	}
	sum, worst, any := int64(0), int64(0), false
	for _, rd := range readings {
		any = any || rd.stall.running || rd.stall.assigned
		n := rd.stall.total(a.from, a.end)
		if a.q.Name == "longest_stall" {
			n, _ = rd.stall.longest(a.from, a.end)
		}
		sum, worst = sum+n, max(worst, n)
	}
	switch {
	case !any:
		return None("never assigned"), nil
	case a.q.Name == "stalled_total":
		return Duration(sum), nil
	}
	return Duration(worst), nil
}

func (a *ask) zombies() (Value, error) {
	var names []string
	for _, t := range a.f.topicList {
		for _, p := range t.parts {
			if p == nil {
				continue
			}
			for _, rd := range p.readings {
				if a.q.Group != "" && a.f.name(rd.group.ref) != a.q.Group {
					continue
				}
				for _, z := range rd.zombies {
					names = append(names, a.f.name(z.who))
				}
			}
		}
	}
	return unique(names), nil
}

func (a *ask) pollGap() (Value, error) {
	node, poll := a.ref(a.q.Node), a.ref("poll")
	last, gap := int64(-1), int64(-1)
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		switch {
		case e.Node != node:
		case e.Kind == trace.ProcessStarted:
			last = -1
		case e.Kind == trace.CallStarted && e.Name == poll:
			if last >= 0 {
				gap = max(gap, e.At-last)
			}
			last = e.At
		}
		return true
	})
	if gap < 0 {
		return None("fewer than two polls"), nil
	}
	return Duration(gap), nil
}
