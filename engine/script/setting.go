package script

import (
	"strconv"
	"strings"
	"time"
)

// Setting is a setting of a consumer, a producer, a topic or the brokers.
type Setting struct {
	// Name is its name in the scenario, Key its name in Kafka: session_timeout, session.timeout.ms.
	Name string
	Key  string
	Type SettingType
	// N is a number, 0 or 1, or nanoseconds; Text a text; List a list.
	N    int64
	Text string
	List []string
	Place
}

// SettingType says which field of a [Setting] holds its value.
type SettingType uint8

const (
	// SettingNumber: N is a whole number.
	SettingNumber SettingType = iota
	// SettingBool: N is 0 or 1.
	SettingBool
	// SettingDuration: N is in nanoseconds.
	SettingDuration
	// SettingText: Text.
	SettingText
	// SettingList: List.
	SettingList
)

// Duration is the value of a [SettingDuration].
func (s Setting) Duration() time.Duration { return time.Duration(s.N) }

// Kafka is the value as a Kafka configuration file has it; durations are in milliseconds (or in the
// unit that the key ends in).
func (s Setting) Kafka() string {
	switch s.Type {
	case SettingNumber:
		return strconv.FormatInt(s.N, 10)
	case SettingBool:
		return strconv.FormatBool(s.N != 0)
	case SettingDuration:
		unit := int64(time.Millisecond)
		if strings.HasSuffix(s.Key, ".minutes") {
			unit = int64(time.Minute)
		} else if strings.HasSuffix(s.Key, ".hours") {
			unit = int64(time.Hour)
		}
		return strconv.FormatInt(s.N/unit, 10)
	case SettingList:
		return strings.Join(s.List, ",")
	}
	return s.Text
}

// String is the value as the scenario has it.
func (s Setting) String() string {
	switch s.Type {
	case SettingNumber:
		return strconv.FormatInt(s.N, 10)
	case SettingBool:
		if s.N != 0 {
			return "True"
		}
		return "False"
	case SettingDuration:
		return strconv.Quote(formatDuration(time.Duration(s.N)))
	case SettingList:
		var q []string
		for _, l := range s.List {
			q = append(q, strconv.Quote(l))
		}
		return "[" + strings.Join(q, ", ") + "]"
	}
	return strconv.Quote(s.Text)
}
