package course

import (
	"strconv"
	"strings"
	"time"
)

// Moment reads a time of a lesson: "01:46.000" or a duration as scenarios write it ("106s").
// Nanoseconds since the start of the run; false when it is neither.
func Moment(text string) (int64, bool) {
	minutes, rest, clock := strings.Cut(strings.TrimSpace(text), ":")
	if !clock {
		d, err := time.ParseDuration(minutes)
		return int64(d), err == nil && d >= 0
	}
	m, err := strconv.ParseUint(minutes, 10, 16)
	if err != nil {
		return 0, false
	}
	s, err := time.ParseDuration(rest + "s")
	if err != nil || s < 0 || s >= time.Minute {
		return 0, false
	}
	return int64(m)*int64(time.Minute) + int64(s), true
}
