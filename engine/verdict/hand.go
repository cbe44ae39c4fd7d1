package verdict

// hand is what one living process holds of one partition: records that poll returned to it and that
// its handler has not come to yet, and records that the handler works on. A kill empties it.
//
// A program says nothing when it skips a record, so a record counts as skipped once the handler
// starts a later one of the same stretch, or once poll returns the partition from an earlier offset
// again.
type hand struct {
	rd      *reading
	waiting []Span // never empty spans, in order of delivery
	working []int64
}

func (h *hand) delivered(offset, records int64) {
	if records <= 0 {
		return
	}
	last := offset + records - 1
	if n := len(h.waiting); n > 0 {
		end := &h.waiting[n-1]
		switch {
		case offset == end.Last+1:
			end.Last = last
			return
		case offset <= end.Last:
			h.waiting = h.waiting[:0]
		}
	}
	h.waiting = append(h.waiting, Span{offset, last})
}

func (h *hand) started(offset int64) {
	h.working = append(h.working, offset)
	for i := range h.waiting {
		s := &h.waiting[i]
		if offset < s.First || offset > s.Last {
			continue
		}
		s.First = offset + 1
		if s.First > s.Last {
			h.waiting = append(h.waiting[:i], h.waiting[i+1:]...)
		}
		return
	}
}

// over: the handler finished or failed on a record.
func (h *hand) over(offset int64) {
	for i, o := range h.working {
		if o == offset {
			h.working = append(h.working[:i], h.working[i+1:]...)
			return
		}
	}
}

func (h *hand) held() []Span {
	held := append([]Span(nil), h.waiting...)
	for _, o := range h.working {
		held = append(held, Span{o, o})
	}
	return held
}
