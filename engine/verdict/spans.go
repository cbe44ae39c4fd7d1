package verdict

import "sort"

// normal sorts spans, joins those that touch and drops empty ones. The result is a new slice.
func normal(spans []Span) []Span {
	in := append([]Span(nil), spans...)
	sort.Slice(in, func(i, j int) bool { return in[i].First < in[j].First })
	var out []Span
	for _, s := range in {
		if s.Last < s.First {
			continue
		}
		if n := len(out); n > 0 && s.First <= out[n-1].Last+1 {
			out[n-1].Last = max(out[n-1].Last, s.Last)
			continue
		}
		out = append(out, s)
	}
	return out
}

func countSpans(spans []Span) int64 {
	n := int64(0)
	for _, s := range spans {
		n += s.Last - s.First + 1
	}
	return n
}

// coversAll says whether every offset of want, a normal list, lies in have, another.
func coversAll(have, want []Span) bool {
	i := 0
	for _, w := range want {
		for i < len(have) && have[i].Last < w.First {
			i++
		}
		if i == len(have) || have[i].First > w.First || have[i].Last < w.Last {
			return false
		}
	}
	return true
}

// naturalLess orders texts with numbers in them as people do: order_events-2 before
// order_events-10. Equal numbers of different length fall back to plain order.
func naturalLess(a, b string) bool {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if digit(a[i]) && digit(b[j]) {
			x, y := numberAt(a, i), numberAt(b, j)
			if len(x) != len(y) {
				return len(x) < len(y)
			}
			if x != y {
				return x < y
			}
			i, j = endOfNumber(a, i), endOfNumber(b, j)
			continue
		}
		if a[i] != b[j] {
			return a[i] < b[j]
		}
		i, j = i+1, j+1
	}
	if len(a)-i != len(b)-j {
		return len(a)-i < len(b)-j
	}
	return a < b
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func endOfNumber(s string, i int) int {
	for i < len(s) && digit(s[i]) {
		i++
	}
	return i
}

// numberAt is the number that starts at i, without leading zeros.
func numberAt(s string, i int) string {
	end := endOfNumber(s, i)
	for i < end-1 && s[i] == '0' {
		i++
	}
	return s[i:end]
}
