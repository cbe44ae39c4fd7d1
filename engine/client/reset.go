package client

import "time"

// resetKind is what auto.offset.reset asks for.
type resetKind uint8

const (
	resetNone resetKind = iota
	resetEarliest
	resetLatest
	resetByDuration
)

// resetPolicy is auto.offset.reset; back is how far by_duration goes (KIP-1106).
type resetPolicy struct {
	kind resetKind
	back time.Duration
}

const durationPrefix = "by_duration:"

func parseReset(s string) (resetPolicy, error) {
	switch s {
	case "none":
		return resetPolicy{kind: resetNone}, nil
	case "earliest":
		return resetPolicy{kind: resetEarliest}, nil
	case "latest":
		return resetPolicy{kind: resetLatest}, nil
	}
	if len(s) > len(durationPrefix) && s[:len(durationPrefix)] == durationPrefix {
		if d, ok := parseISODuration(s[len(durationPrefix):]); ok {
			return resetPolicy{kind: resetByDuration, back: d}, nil
		}
		return resetPolicy{}, bad("auto.offset.reset", s,
			"the duration must look like PT1H30M or P1DT2H (ISO 8601)")
	}
	return resetPolicy{}, bad("auto.offset.reset", s,
		"must be earliest, latest, none or by_duration:<ISO-8601>, as by_duration:PT1H")
}

// parseISODuration reads PnDTnHnMnS with whole numbers, as java.time.Duration does.
func parseISODuration(s string) (time.Duration, bool) {
	if len(s) < 3 || s[0] != 'P' {
		return 0, false
	}
	var total time.Duration
	number, digits, inTime, seen := time.Duration(0), 0, false, false
	for _, ch := range []byte(s[1:]) {
		switch {
		case ch >= '0' && ch <= '9' && digits < 9:
			number, digits = number*10+time.Duration(ch-'0'), digits+1
			continue
		case ch == 'T' && !inTime && digits == 0:
			inTime = true
			continue
		}
		unit, ok := isoUnit(ch, inTime)
		if !ok || digits == 0 {
			return 0, false
		}
		total += number * unit
		if total < 0 {
			return 0, false
		}
		number, digits, seen = 0, 0, true
	}
	return total, seen && digits == 0
}

func isoUnit(ch byte, inTime bool) (time.Duration, bool) {
	switch {
	case ch == 'D' && !inTime:
		return 24 * time.Hour, true
	case ch == 'H' && inTime:
		return time.Hour, true
	case ch == 'M' && inTime:
		return time.Minute, true
	case ch == 'S' && inTime:
		return time.Second, true
	}
	return 0, false
}
