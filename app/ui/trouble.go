package ui

import (
	"strconv"
	"strings"

	"rebalancelab/engine/view"
)

// Trouble is what is wrong with a program or a scenario.
type Trouble struct {
	Place string // "loop:3", or empty when it is about no line
	Line  int    // of the text; 0: none
	Text  string // empty: nothing is wrong
}

// TroubleOf takes the place out of a problem's text.
func TroubleOf(p *view.Problem) Trouble {
	t := TroubleIn(p.Text)
	if t.Place == "" && p.Line > 0 {
		t.Place, t.Line = p.File+":"+strconv.Itoa(p.Line), p.Line
	}
	return t
}

// TroubleIn is a sentence that may begin with its place: "loop:3:9: no such name".
func TroubleIn(sentence string) Trouble {
	place, rest, ok := strings.Cut(sentence, ": ")
	file, numbers, _ := strings.Cut(place, ":")
	number, _, _ := strings.Cut(numbers, ":")
	line, err := strconv.Atoi(number)
	if !ok || err != nil || line <= 0 {
		return Trouble{Text: Sentence(sentence)}
	}
	return Trouble{Place: file + ":" + number, Line: line, Text: Sentence(rest)}
}

// CrashOf is why the program of a client ended, if it failed.
func CrashOf(v *view.View, client string) Trouble {
	for i := range v.Clients {
		c := &v.Clients[i]
		if c.Name == client && c.Life == "crashed" && c.LifeText != "" {
			t := TroubleIn(c.LifeText)
			t.Text = client + " has crashed at " + Clock(c.LifeAt) + ". " + t.Text
			return t
		}
	}
	return Trouble{}
}
