package script

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"rebalancelab/engine/sim"
)

// maxDuration bounds every duration of a scenario: more is a slip of the pen.
const maxDuration = 10_000 * time.Hour

// durationUnits are in the order in which they may follow each other.
var durationUnits = []struct {
	name string
	len  time.Duration
}{
	{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second},
	{"ms", time.Millisecond}, {"us", time.Microsecond}, {"ns", time.Nanosecond},
}

// ParseDuration reads "500ms", "45s", "1m30s", "1.5s", "2h" or "10us" by integer arithmetic. A
// duration is never negative; the error says what to write instead.
func ParseDuration(s string) (time.Duration, error) {
	text := strings.TrimSpace(s)
	if text == "" {
		return 0, fmt.Errorf("%q is no duration; write one as \"20s\" or \"500ms\"", s)
	}
	if text[0] == '-' {
		return 0, fmt.Errorf("%q is negative; a duration is at least \"0s\"", s)
	}
	total, last := time.Duration(0), -1
	for text != "" {
		whole, frac, rest := number(text)
		if whole == "" {
			return 0, fmt.Errorf("%q is no duration; write one as \"20s\" or \"1m30s\"", s)
		}
		unit, rest := unitName(rest)
		if unit == "" {
			return 0, noUnit(s, whole, frac)
		}
		at := unitIndex(unit)
		if at < 0 {
			return 0, fmt.Errorf("%q has no unit %q; units are h, m, s, ms, us and ns", s, unit)
		}
		if at <= last {
			return 0, fmt.Errorf("%q is out of order; write large units first, as \"1m30s\"", s)
		}
		d, ok := scale(whole, frac, durationUnits[at].len)
		if total += d; !ok || total > maxDuration {
			return 0, fmt.Errorf("%q is longer than %d hours; is the unit right?", s, maxDuration/time.Hour)
		}
		text, last = strings.TrimSpace(rest), at
	}
	return total, nil
}

func noUnit(s, whole, frac string) error {
	n := whole
	if frac != "" {
		n += "." + frac
	}
	return fmt.Errorf("%q has no unit; did you mean \"%ss\"?", s, n)
}

// number splits off the digits that s starts with, and those behind a point.
func number(s string) (whole, frac, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	whole, rest = s[:i], s[i:]
	if i > 0 && len(rest) > 1 && rest[0] == '.' {
		j := 1
		for j < len(rest) && rest[j] >= '0' && rest[j] <= '9' {
			j++
		}
		frac, rest = rest[1:j], rest[j:]
	}
	return whole, frac, rest
}

func unitName(s string) (unit, rest string) {
	i := 0
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z') {
		i++
	}
	return s[:i], s[i:]
}

func unitIndex(unit string) int {
	for i, u := range durationUnits {
		if u.name == unit {
			return i
		}
	}
	return -1
}

// scale is whole.frac times unit; false when that is too much.
func scale(whole, frac string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseUint(whole, 10, 63)
	if err != nil {
		return 0, false
	}
	hi, lo := bits.Mul64(n, uint64(unit))
	if hi != 0 || lo > uint64(maxDuration) {
		return 0, false
	}
	d := time.Duration(lo)
	for part := unit; frac != "" && part > 0; frac = frac[1:] {
		part /= 10
		d += part * time.Duration(frac[0]-'0')
	}
	return d, true
}

// formatDuration writes d in its largest unit that needs no fraction, as "90s" or "1500ms".
func formatDuration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	for _, u := range durationUnits {
		if d%u.len == 0 && (d/u.len > 1 || u.len <= time.Second || d == time.Hour || d == time.Minute) {
			return strconv.FormatInt(int64(d/u.len), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(d), 10) + "ns"
}

// spread is a length of time: fixed, or drawn anew each time it is used.
type spread struct {
	kind spreadKind
	a, b time.Duration
}

type spreadKind uint8

const (
	spreadFixed   spreadKind = iota // a
	spreadUniform                   // from a to b
	spreadNormal                    // mean a, standard deviation b, never below 0
)

// draw gives one length from the stream r, which a fixed one does not need.
func (s spread) draw(r *sim.Rand) time.Duration {
	switch s.kind {
	case spreadUniform:
		return s.a + time.Duration(r.Below(int64(s.b-s.a)+1))
	case spreadNormal:
		u := r.Uint64()
		i, part := u>>56, int64(u>>40&0xffff)
		low, high := quantile(int(i)), quantile(int(i)+1)
		z := low + (high-low)*part>>16
		return max(0, s.a+time.Duration(int64(s.b)/1000*z/10+int64(s.b)%1000*z/10_000))
	}
	return s.a
}

func (s spread) String() string {
	a, b := strconv.Quote(formatDuration(s.a)), strconv.Quote(formatDuration(s.b))
	switch s.kind {
	case spreadUniform:
		return "uniform(" + a + ", " + b + ")"
	case spreadNormal:
		return "normal(" + a + ", " + b + ")"
	}
	return a
}

// quantile is the i-th of 256 quantiles of the standard normal distribution in units of 1/10,000,
// cut at 3.5 deviations.
func quantile(i int) int64 {
	if i >= 128 {
		return int64(normalTable[i-128])
	}
	return -int64(normalTable[128-i])
}
