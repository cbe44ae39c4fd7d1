package verdict

// stall is the history of whether anybody could process a partition.
type stall struct {
	// firstAssigned is the time and generation of the coordinator's first assignment; the clock
	// starts there, or when the member took the partition up, if that was in the same generation.
	assigned      bool
	firstAssigned int64
	firstGen      int64

	running bool // the clock runs since start
	start   int64
	able    bool
	spans   []idle // closed stretches in which nobody could
	since   int64  // start of the open one while not able
}

// idle is a stretch of time in which no member could process the partition.
type idle struct{ from, to int64 }

func (s *stall) assign(at, gen int64) {
	if !s.assigned && !s.running {
		s.assigned, s.firstAssigned, s.firstGen = true, at, gen
	}
}

func (s *stall) begin(at, gen int64) {
	if s.running {
		return
	}
	s.running, s.start, s.since = true, at, at
	if s.assigned && s.firstGen != gen {
		s.start, s.since = s.firstAssigned, s.firstAssigned
	}
}

// set notes at time at whether the partition can be processed. Being able for no time at all, as
// between a callback and the revocation that it was about, does not end a stretch.
func (s *stall) set(at int64, able bool) {
	if !s.running || able == s.able {
		return
	}
	s.able = able
	if !able {
		s.since = at
		if n := len(s.spans); n > 0 && s.spans[n-1].to == at {
			s.since = s.spans[n-1].from
			s.spans = s.spans[:n-1]
		}
		return
	}
	if at > s.since {
		s.spans = append(s.spans, idle{s.since, at})
	}
}

// idles calls see with every stretch of standing still between since and end, the last of which may
// be open: to is then end and open is true.
func (s *stall) idles(since, end int64, see func(from, to int64, open bool)) {
	if !s.running {
		if !s.assigned { // never anybody's
			return
		}
		see(max(since, s.firstAssigned), max(since, s.firstAssigned, end), true)
		return
	}
	for _, i := range s.spans {
		if i.to > since && i.from < end {
			see(max(i.from, since), min(i.to, end), false)
		}
	}
	if from := max(s.since, since); !s.able && end > from {
		see(from, end, true)
	}
}

// total is the time of standing still from since to end.
func (s *stall) total(since, end int64) int64 {
	sum := int64(0)
	s.idles(since, end, func(from, to int64, _ bool) { sum += to - from })
	return sum
}

// longest is the longest single stretch and the time it ended (-1: not yet).
func (s *stall) longest(since, end int64) (length, until int64) {
	until = -1
	s.idles(since, end, func(from, to int64, open bool) {
		if to-from <= length {
			return
		}
		length, until = to-from, to
		if open {
			until = -1
		}
	})
	return length, until
}

// reconsider notes whether any holder can process the partition now: it runs, does not stand still,
// is in no rebalance callback and holds the partition in the current generation.
func (rd *reading) reconsider(at int64) {
	able := false
	for i := range rd.owners {
		o := &rd.owners[i]
		able = able || o.proc.running && !o.proc.frozen && o.proc.callbacks == 0 && rd.valid(o)
	}
	rd.stall.set(at, able)
}
