package verdict

import "rebalancelab/engine/trace"

// commits answers questions about offsets: committed, position, high watermark, and the lag.
func (a *ask) commits() (Value, error) {
	switch a.q.Name {
	case "committed":
		return a.committed()
	case "position":
		return a.position()
	case "position_after":
		return a.positionAfter()
	case "commits":
		return a.commitCount()
	case "commit_errors":
		return a.commitErrors()
	case "lag":
		return a.lag()
	case "lag_max":
		return a.lagMax()
	case "hw", "leo":
		return a.logEnd()
	case "leader", "leader_epoch", "isr", "leader_changes", "truncated":
		return a.replication()
	case "log_start":
		return a.logStart()
	case "produced":
		return a.produced()
	}
	return Value{}, errElsewhere
}

func (a *ask) committed() (Value, error) {
	readings, err := a.readings()
	if err != nil {
		return Value{}, err
	}
	for _, rd := range readings {
		if offset, ok := rd.committedAt(a.at); ok {
			return Number(offset), nil
		}
	}
	return None("none"), nil
}

func (a *ask) position() (Value, error) {
	node := a.ref(a.q.Node)
	in, err := a.inTopic()
	v := None("none")
	a.f.scan(0, a.at, func(e trace.Event) bool {
		switch {
		case e.Node != node:
		case e.Kind == trace.Positioned && in(e):
			v = Number(e.X)
		case e.Kind == trace.ProcessEnded: // it lived in the process's memory
			v = None("none")
		}
		return true
	})
	return v, err
}

func (a *ask) positionAfter() (Value, error) {
	in, err := a.inTopic()
	v := None("none")
	a.f.scan(a.from, a.end, func(e trace.Event) bool {
		if e.Kind == trace.Positioned && in(e) && (a.q.Node == "" || e.Node == a.ref(a.q.Node)) {
			v = Number(e.X)
		}
		return v.Kind == KindNone
	})
	return v, err
}

// commitCount counts commits, not their partitions: a commit's number is the same for all of them.
func (a *ask) commitCount() (Value, error) {
	node := a.ref(a.q.Node)
	last := int64(-1)
	n := a.count(func(e trace.Event) bool {
		if e.Node != node {
			return false
		}
		switch e.Kind {
		case trace.ProcessStarted:
			last = -1
		case trace.CommitSent:
			fresh := e.Y != last
			last = e.Y
			return fresh && a.q.Accepted == Either
		case trace.CommitDone:
			return a.q.Accepted == Yes && e.Name == 0 || a.q.Accepted == No && e.Name != 0
		case trace.CommitRefused:
			return a.q.Accepted != Yes
		}
		return false
	})
	return Number(n), nil
}

func (a *ask) commitErrors() (Value, error) {
	node := a.ref(a.q.Node)
	var names []string
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		if e.Node == node && e.Name != 0 &&
			(e.Kind == trace.CommitDone || e.Kind == trace.CommitRefused) {
			names = append(names, a.f.name(e.Name))
		}
		return true
	})
	return unique(names), nil
}

// behind is the lag of one reading at a time, or -1 when the group never read the partition.
func (rd *reading) behind(hw, at int64) int64 {
	n := len(rd.commits)
	for n > 0 && rd.commits[n-1].at > at {
		n--
	}
	return rd.behindAfter(n, hw)
}

// behindAfter is the lag after the first n commits; without any it counts from where the group
// began to read.
func (rd *reading) behindAfter(n int, hw int64) int64 {
	switch {
	case n > 0 && rd.commits[n-1].offset >= 0:
		return max(0, hw-rd.commits[n-1].offset)
	case rd.begun:
		return max(0, hw-rd.base)
	}
	return -1
}

func (a *ask) lag() (Value, error) {
	readings, err := a.readings()
	if err != nil {
		return Value{}, err
	}
	hws := a.watermarks(readings)
	sum := int64(-1)
	for i, rd := range readings {
		if lag := rd.behind(hws[i], a.at); lag >= 0 {
			sum = max(sum, 0) + lag
		}
	}
	if sum < 0 {
		return None("none"), nil
	}
	return Number(sum), nil
}

// watermarks are the high watermarks of the readings' partitions at a.at.
func (a *ask) watermarks(readings []*reading) []int64 {
	hws := make([]int64, len(readings))
	if a.at >= a.end {
		for i, rd := range readings {
			hws[i] = rd.part.hw
		}
		return hws
	}
	a.f.scan(0, a.at, func(e trace.Event) bool {
		if e.Kind == trace.HighWatermark {
			for i, rd := range readings {
				if rd.part.topic == e.Name && rd.part.part == e.Part && rd.part.ledBy(&e) {
					hws[i] = e.X
				}
			}
		}
		return true
	})
	return hws
}

// lagMax replays high watermarks and commits of each partition and keeps the largest distance. The
// lag only grows at a high watermark, so it is enough to look there and where the time begins.
func (a *ask) lagMax() (Value, error) {
	readings, err := a.readings()
	if err != nil {
		return Value{}, err
	}
	worst := int64(-1)
	a.at = a.from
	for i, hw := range a.watermarks(readings) {
		worst = max(worst, readings[i].behind(hw, a.from))
	}
	reached := make([]int, len(readings)) // commits up to here
	for i, rd := range readings {
		for reached[i] < len(rd.commits) && rd.commits[reached[i]].at < a.from {
			reached[i]++
		}
	}
	a.f.scan(a.from, a.to, func(e trace.Event) bool {
		for i, rd := range readings {
			switch {
			case rd.part.topic != e.Name || rd.part.part != e.Part:
			case e.Kind == trace.HighWatermark && rd.part.ledBy(&e):
				worst = max(worst, rd.behindAfter(reached[i], e.X))
			case e.Kind == trace.OffsetCommitted, e.Kind == trace.OffsetRemoved:
				if trace.Ref(e.Y) == rd.group.ref {
					reached[i]++
				}
			}
		}
		return true
	})
	if worst < 0 {
		return None("none"), nil
	}
	return Number(worst), nil
}

// logEnd is the high watermark or the log end offset at a time.
func (a *ask) logEnd() (Value, error) {
	parts, err := a.partitions()
	if err != nil {
		return Value{}, err
	}
	p := a.partitionAt(parts[0])
	hw, leo := p.hw, p.leo
	if a.q.Node != "" {
		if p.placed == 0 && p.leader != a.ref(a.q.Node) {
			return None("no copy on " + a.q.Node), nil
		}
		if p.placed != 0 {
			c := p.copyOf(a.ref(a.q.Node))
			hw, leo = c.hw, c.leo
		}
	}
	if a.q.Name == "hw" {
		return Number(hw), nil
	}
	return Number(leo), nil
}

func (a *ask) logStart() (Value, error) {
	parts, err := a.partitions()
	if err != nil {
		return Value{}, err
	}
	v := Number(0)
	a.f.scan(0, a.at, func(e trace.Event) bool {
		p := parts[0]
		if e.Kind == trace.LogStart && e.Name == p.topic && e.Part == p.part && p.ledBy(&e) {
			v.N = e.X
		}
		return true
	})
	return v, nil
}

func (a *ask) produced() (Value, error) {
	parts, err := a.partitions()
	if err != nil {
		return Value{}, err
	}
	n := int64(0)
	if !a.q.Since.Set && !a.q.Until.Set {
		for _, p := range parts {
			n += p.produced
		}
		return Number(n), nil
	}
	logs := make([]growth, len(parts))
	a.f.scan(0, a.to, func(e trace.Event) bool {
		if e.Kind != trace.Appended {
			return true
		}
		for i, p := range parts {
			if p.topic == e.Name && p.part == e.Part {
				if more := logs[i].by(&e, p.ledBy(&e)); e.At >= a.from {
					n += more
				}
			}
		}
		return true
	})
	return Number(n), nil
}
