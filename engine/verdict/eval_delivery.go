package verdict

import "rebalancelab/engine/trace"

// delivery answers what became of records.
func (a *ask) delivery() (Value, error) {
	switch a.q.Name {
	case "lost":
		return a.offsets(func(rd *reading) []Span { return rd.lost(a.f) })
	case "duplicates":
		return a.offsets((*reading).duplicates)
	case "in_work":
		return a.offsets(func(rd *reading) []Span {
			var open []Span
			for _, s := range rd.inWork(a.f) {
				open = append(open, without(s, spansOf(rd.runs, 0))...)
			}
			return open
		})
	case "processed":
		return a.processed()
	case "completions":
		return a.completions()
	case "first_record":
		return a.firstRecord()
	case "resumed":
		return a.resumed()
	case "delay_max", "delay_mean":
		return a.delay()
	case "out_of_order":
		return a.outOfOrder()
	}
	return Value{}, errElsewhere
}

// offsets is a set of offsets of each partition asked for.
func (a *ask) offsets(of func(rd *reading) []Span) (Value, error) {
	readings, err := a.readings()
	if err != nil {
		return Value{}, err
	}
	if !a.whole() {
		var spans []Span
		for _, rd := range readings {
			spans = append(spans, of(rd)...)
		}
		return Offsets(spans...), nil
	}
	var entries []Entry
	for _, rd := range readings {
		entries = append(entries, Entry{Name: a.partName(rd.part), Spans: of(rd)})
	}
	return ByPartition(entries...), nil
}

// workOf calls see with the readings that a process or group has, of the topic asked for or of all;
// who is 0 for a group.
func (a *ask) workOf(name string, see func(rd *reading, who trace.Ref)) error {
	var who, group trace.Ref
	if p := a.procNamed(name); p != nil {
		who = p.ref
	} else {
		group = a.ref(name)
	}
	use := func(p *partition) {
		for _, rd := range p.readings {
			if who != 0 || rd.group.ref == group {
				see(rd, who)
			}
		}
	}
	if a.q.Topic != "" {
		parts, err := a.partitions()
		for _, p := range parts {
			use(p)
		}
		return err
	}
	for _, t := range a.f.topicList {
		for _, p := range t.parts {
			if p != nil {
				use(p)
			}
		}
	}
	return nil
}

func (a *ask) processed() (Value, error) {
	return a.worked(a.q.Who, func(rd *reading) []run { return rd.runs })
}

// worked is the offsets of runs of a process or group by partition.
func (a *ask) worked(name string, runs func(rd *reading) []run) (Value, error) {
	var entries []Entry
	err := a.workOf(name, func(rd *reading, who trace.Ref) {
		entries = append(entries, Entry{Name: a.partName(rd.part), Spans: spansOf(runs(rd), who)})
	})
	if err != nil || a.whole() {
		return ByPartition(entries...), err
	}
	var spans []Span
	for _, e := range entries {
		spans = append(spans, e.Spans...)
	}
	return Offsets(spans...), nil
}

func (a *ask) completions() (Value, error) {
	if a.q.Since.Set || a.q.Until.Set {
		return a.completionsBetween()
	}
	n := int64(0)
	err := a.workOf(a.q.Who, func(rd *reading, who trace.Ref) {
		n += countSpans(spansOf(rd.runs, who))
	})
	return Number(n), err
}

func (a *ask) completionsBetween() (Value, error) {
	var in []*reading
	var who trace.Ref
	err := a.workOf(a.q.Who, func(rd *reading, w trace.Ref) {
		in, who = append(in, rd), w
	})
	n := a.count(func(e trace.Event) bool {
		return e.Kind == trace.WorkEnded && (who == 0 || e.Node == who) && a.reads(in, e)
	})
	return Number(n), err
}

// reads says whether e is about one of the readings.
func (a *ask) reads(in []*reading, e trace.Event) bool {
	group := e.Peer
	if group == 0 {
		if p := a.f.knownProcess(e.Node); p != nil {
			group = p.group
		}
	}
	for _, rd := range in {
		if rd.part.topic == e.Name && rd.part.part == e.Part && rd.group.ref == group {
			return true
		}
	}
	return false
}

// inTopic says whether e is about the topic or partition asked for, or none was.
func (a *ask) inTopic() (func(e trace.Event) bool, error) {
	if a.q.Topic == "" {
		return func(trace.Event) bool { return true }, nil
	}
	parts, err := a.partitions()
	return func(e trace.Event) bool {
		for _, p := range parts {
			if p.topic == e.Name && p.part == e.Part {
				return true
			}
		}
		return false
	}, err
}

func (a *ask) firstRecord() (Value, error) {
	node := a.ref(a.q.Node)
	in, err := a.inTopic()
	if err != nil {
		return Value{}, err
	}
	return a.first(func(e trace.Event) bool {
		return e.Kind == trace.Delivered && e.Node == node && e.Y > 0 && in(e)
	}), nil
}

func (a *ask) resumed() (Value, error) {
	readings, err := a.readings()
	if err != nil {
		return Value{}, err
	}
	return a.first(func(e trace.Event) bool {
		return e.Kind == trace.WorkEnded && a.reads(readings, e)
	}), nil
}

// arrivals is what came into one partition's log, and how far the group has read it.
type arrivals struct {
	rd    *reading
	base  []int64 // first offset of each append
	at    []int64
	first int   // the append that holds next
	next  int64 // first offset not yet returned to the group
}

// delay is the time from append to delivery, the longest or the mean, over records that were
// delivered for the first time in the time asked about.
func (a *ask) delay() (Value, error) {
	readings, err := a.readings()
	if err != nil {
		return Value{}, err
	}
	logs := make([]arrivals, len(readings))
	for i, rd := range readings {
		logs[i].rd = rd
	}
	longest, sum, n := int64(0), int64(0), int64(0)
	a.f.scan(0, a.to, func(e trace.Event) bool {
		switch e.Kind {
		case trace.Appended:
			for i := range logs {
				logs[i].append(e)
			}
		case trace.Delivered:
			for i := range logs {
				if a.reads(readings[i:i+1], e) {
					logs[i].deliver(e, func(wait int64) {
						if e.At >= a.from {
							longest, sum, n = max(longest, wait), sum+wait, n+1
						}
					})
				}
			}
		}
		return true
	})
	switch {
	case n == 0:
		return None("no records"), nil
	case a.q.Name == "delay_mean":
		return Duration(sum / n), nil
	}
	return Duration(longest), nil
}

func (l *arrivals) append(e trace.Event) {
	p := l.rd.part
	if p.topic == e.Name && p.part == e.Part && p.ledBy(&e) {
		l.base, l.at = append(l.base, e.X), append(l.at, e.At)
	}
}

func (l *arrivals) deliver(e trace.Event, wait func(ns int64)) {
	for o := max(e.X, l.next); o < e.X+e.Y; o++ {
		for l.first+1 < len(l.base) && l.base[l.first+1] <= o {
			l.first++
		}
		if l.first < len(l.base) && l.base[l.first] <= o {
			wait(e.At - l.at[l.first])
		}
	}
	l.next = max(l.next, e.X+e.Y)
}
