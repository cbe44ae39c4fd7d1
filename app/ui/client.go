package ui

import (
	"strconv"

	"rebalancelab/engine/view"
)

// ClientCard is one client process.
type ClientCard struct {
	Who      Who
	Producer bool
	Selected bool
	Life     string // class: waiting, running, frozen, gone
	Head     string // what it is doing, or how it ended
	Bad      bool   // the head is bad news
	State    string // of membership, as the client sees it
	Bars     []Bar
	Reads    string // the neighbour that it reads, in the place of what it owns
	Owns     []string
	Notes    []string
}

// Running says whether there is a process.
func (c *ClientCard) Running() bool { return c.Life == "running" || c.Life == "frozen" }

func clientCard(v *view.View, p *view.Client, names Names) ClientCard {
	c := ClientCard{Who: names.Who(p.Name), Producer: p.Producer, Life: p.Life}
	c.Head, c.Bad = head(p)
	switch p.Life {
	case "stopped", "killed", "crashed", "exited":
		c.Life = "gone"
	}
	if p.Producer {
		c.Notes = []string{Num(p.Sent) + " sent", Num(p.Acked) + " acked"}
		if p.Of != "" {
			c.Notes = []string{Num(p.Sent) + " sent to " + p.Of}
		}
		return c
	}
	c.Reads = p.Of
	for _, part := range p.Owned {
		if c.Life == "gone" || !ownedByDead(v, part, p.Group) {
			c.Owns = append(c.Owns, names.Part(part))
		}
	}
	if c.Life == "gone" {
		c.Bars = ghostBars(v, p)
		if p.LifeText != "" {
			c.Notes = append(c.Notes, TroubleIn(p.LifeText).Text)
		}
		if p.Undone > 0 {
			c.Notes = append(c.Notes, Num(p.Undone)+" done, not committed")
		}
		return c
	}
	c.State = stateWords(p)
	c.Bars = bars(v, p)
	if p.Buffered > 0 {
		c.Notes = append(c.Notes, Num(p.Buffered)+" buffered")
	}
	if p.Undone > 0 {
		c.Notes = append(c.Notes, Num(p.Undone)+" not committed")
	}
	return c
}

// head says what a process is doing or how it ended.
func head(p *view.Client) (text string, bad bool) {
	at := ""
	if p.LifeAt > 0 {
		at = " at " + Clock(p.LifeAt)
	}
	switch p.Life {
	case "waiting":
		return "not started", false
	case "frozen":
		if p.Thaws > 0 {
			return "frozen until " + Clock(p.Thaws), true
		}
		return "frozen" + at, true
	case "killed":
		return "kill -9" + at, true
	case "crashed":
		return "crashed" + at, true
	case "stopped", "exited":
		return p.Life + at, false
	}
	return doing(p), false
}

func doing(p *view.Client) string {
	text := p.Call
	switch {
	case p.Producer:
		return "producing"
	case p.Callback != "":
		text = p.Callback
	case text == "":
		text = "running"
	}
	if p.Line > 0 {
		text += " \u00b7 line " + strconv.Itoa(p.Line)
	}
	return text
}

// stateWords are Kafka's names of the client's state, with the generation where there is one.
func stateWords(p *view.Client) string {
	if p.State == "STABLE" && p.Generation >= 0 {
		return p.State + " \u00b7 generation " + Num(p.Generation)
	}
	return p.State
}

func bars(v *view.View, p *view.Client) []Bar {
	var out []Bar
	if p.SessionTo > 0 {
		out = append(out, timer("session", p.SessionTo-p.SessionLen, p.SessionTo))
	}
	if p.PollTo > 0 {
		out = append(out, timer("poll", p.PollTo-p.PollLength, p.PollTo))
	}
	if p.BeatAt > 0 {
		beat := timer("beat", p.BeatAt-p.BeatLength, p.BeatAt)
		beat.Calm = true
		out = append(out, beat)
	}
	return out
}

// ghostBars is the session of a member whose process is gone: the coordinator does not know yet.
func ghostBars(v *view.View, p *view.Client) []Bar {
	for _, g := range v.Groups {
		for _, m := range g.Members {
			if m.Client == p.Name && m.Deadline > 0 {
				return []Bar{timer("session", m.Deadline-m.Session, m.Deadline)}
			}
		}
	}
	return nil
}

// ownedByDead says that a partition is still the one of a process that was killed, though another
// of the same name runs by now.
func ownedByDead(v *view.View, part, group string) bool {
	for i := range v.Parts {
		p := &v.Parts[i]
		if p.Topic+"-"+strconv.Itoa(int(p.Number)) != part {
			continue
		}
		for _, r := range p.Readers {
			if r.Group == group {
				return r.OwnerDead
			}
		}
	}
	return false
}
