package ui

import (
	"slices"
	"strconv"

	"rebalancelab/engine/view"
)

// Classes are the kinds of events one can choose, with their bits.
var Classes = []struct {
	ID, Label string
	Bit       int
}{
	{"state", "State", view.ClassState},
	{"commit", "Commits", view.ClassCommit},
	{"error", "Errors", view.ClassError},
	{"fault", "Faults", view.ClassFault},
	{"message", "Messages", view.ClassMessage},
	{"beat", "Heartbeats", view.ClassBeat},
	{"fetch", "Fetches", view.ClassFetch},
	{"work", "Work", view.ClassWork},
	{"call", "Calls", view.ClassCall},
	{"log", "Log", view.ClassLog},
	{"timer", "Timers", view.ClassTimer},
	{"internal", "Internal", view.ClassInternal},
	{"replication", "Replication", view.ClassReplication},
}

// talkClasses are those that choose among messages.
const talkClasses = view.ClassMessage | view.ClassBeat | view.ClassFetch | view.ClassError |
	view.ClassReplication

// ChipsOf are the filters of a tab.
func ChipsOf(tab string, classes int) []Chip {
	var out []Chip
	for _, c := range Classes {
		if tab == "messages" && c.Bit&talkClasses == 0 {
			continue
		}
		out = append(out, Chip{ID: c.ID, Label: t(c.Label), On: classes&c.Bit != 0})
	}
	return out
}

// EventsOf are rows of events around the moment after index events. What lies beyond seen (ns) is
// left out: nobody has looked there yet.
func EventsOf(rows []view.Line, index int, seen int64, names Names) []EventRow {
	var out []EventRow
	now := -1
	for _, r := range rows {
		next := r.Index > index
		if next && r.At > seen {
			break
		}
		if !next {
			now = len(out)
		}
		out = append(out, EventRow{
			Act: "index:" + strconv.Itoa(r.Index), Time: Clock(r.At), Who: names.Who(r.Who),
			Text: r.Text, Bad: r.Bad, OK: r.OK, Next: next,
		})
	}
	if now >= 0 {
		out[now].Now = true
	}
	return out
}

// TalkOf are rows of the conversation at a moment. chosen is the message shown below.
func TalkOf(rows []view.MessageRow, now, chosen int64, names Names) []TalkRow {
	var out []TalkRow
	for _, m := range rows {
		row := TalkRow{
			Act: "message:" + Num(m.ID), Time: Clock(m.SentAt), From: names.Who(m.From),
			To: names.Who(m.To), Name: m.Name, Response: m.Response, Error: m.Error, On: m.ID == chosen,
		}
		switch {
		case m.Lost:
			row.State = "lost"
		case m.ArriveAt == 0 || m.ArriveAt > now:
			row.State = "on its way"
		}
		out = append(out, row)
	}
	return out
}

// ConfigOf are settings, changed ones first.
func ConfigOf(rows []view.Setting) []ConfigRow {
	var out []ConfigRow
	for _, r := range rows {
		out = append(out, ConfigRow(r))
	}
	slices.SortStableFunc(out, func(a, b ConfigRow) int {
		switch {
		case a.Changed == b.Changed:
			return 0
		case a.Changed:
			return -1
		}
		return 1
	})
	return out
}
