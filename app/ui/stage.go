package ui

import (
	"strconv"
	"strings"

	"rebalancelab/engine/view"
)

// StageView is the picture of a moment without the canvases that the painter fills.
type StageView struct {
	Groups  []GroupCard
	Brokers []BrokerCard
	Clients []ClientCard
	Stores  []StoreCard
	Servers []ServerCard
	Dense   bool // many clients: cards show only what is needed to tell them apart
}

// Who names a client with its colour; Color is -1 for who is none of the consumers.
type Who struct {
	Name  string
	Color int
}

// Bar is a time that runs down: the painter sets its length and what is left in words from Span
// ("from,to" in ns), so that it is the same one as long as its timer runs.
type Bar struct {
	Label string
	Span  string
	Calm  bool // running out is what it is for
}

// Names shortens names of partitions and colours names of clients.
type Names struct {
	oneTopic string
	colors   map[string]int
}

// NamesOf looks through a view.
func NamesOf(v *view.View) Names {
	n := Names{colors: map[string]int{}}
	for i, p := range v.Parts {
		if i == 0 {
			n.oneTopic = p.Topic
		} else if p.Topic != n.oneTopic {
			n.oneTopic = ""
		}
	}
	for _, c := range v.Clients {
		if !c.Producer {
			n.colors[c.Name] = c.Color
		}
	}
	return n
}

// Who is a process with its colour.
func (n Names) Who(name string) Who {
	c, ok := n.colors[name]
	if !ok {
		c = -1
	}
	return Who{Name: name, Color: c}
}

// Part is the short name of a partition: "p0" while there is one topic.
func (n Names) Part(name string) string {
	if n.oneTopic != "" {
		if number, ok := strings.CutPrefix(name, n.oneTopic+"-"); ok {
			return "p" + number
		}
	}
	return name
}

// dense is the number of consumers from which cards are short.
const dense = 7

// StageOf makes the stage of a view. selected is the client whose card is marked.
func StageOf(v *view.View, selected string) StageView {
	names := NamesOf(v)
	s := StageView{Dense: len(names.colors) >= dense}
	for i := range v.Groups {
		s.Groups = append(s.Groups, groupCard(v, &v.Groups[i], names))
	}
	s.Brokers = brokerCards(v, names)
	for i := range v.Clients {
		c := clientCard(v, &v.Clients[i], names)
		c.Selected = c.Who.Name == selected
		s.Clients = append(s.Clients, c)
	}
	for _, st := range v.Stores {
		s.Stores = append(s.Stores, StoreCard{
			Name: st.Name, Effects: Num(st.Effects), Last: strings.Join(st.Last, ", "),
		})
	}
	s.Servers = serverCards(v, names)
	return s
}

// timer is a bar from one time to another.
func timer(label string, from, to int64) Bar {
	return Bar{
		Label: label, Span: strconv.FormatInt(from, 10) + "," + strconv.FormatInt(to, 10),
	}
}

// StoreCard is an outside store that handlers write to.
type StoreCard struct{ Name, Effects, Last string }

// BrokerCard is one broker with the partitions that it leads.
type BrokerCard struct {
	Name   string
	Tags   []string
	Down   bool
	Frozen bool
	Waits  string // fetches parked at it
	Parts  []PartRow
}

// PartRow is one partition: a tape and three numbers.
type PartRow struct {
	Part, Label                 string
	Owner                       Who
	Dead                        bool
	Committed, Position, HighWM string
	Behind                      bool // its owner is dead and what it did is not committed
	// Others are the groups that the numbers are not of, Copies the followers: what pins on the tape
	// stand for.
	Others []PartGroup
	Copies []string
}

// PartGroup is where another group is in a partition.
type PartGroup struct{ Name, Committed, Position string }

// brokerCards lists the brokers; partitions without a leader stand on a card of their own.
func brokerCards(v *view.View, names Names) []BrokerCard {
	var out []BrokerCard
	for i := range v.Brokers {
		out = append(out, brokerCard(v, &v.Brokers[i], names))
	}
	orphans := BrokerCard{Name: "no leader", Down: true, Parts: partRows(v, "", names)}
	if len(orphans.Parts) > 0 {
		out = append(out, orphans)
	}
	return out
}

func brokerCard(v *view.View, b *view.Broker, names Names) BrokerCard {
	c := BrokerCard{
		Name: b.Name, Down: !b.Up, Frozen: b.Frozen, Parts: partRows(v, b.Name, names),
	}
	if b.Controller {
		c.Tags = append(c.Tags, "controller")
	}
	if len(b.Coordinates) > 0 {
		c.Tags = append(c.Tags, "coordinator")
	}
	if n := len(b.Waiting); n == 1 {
		w := b.Waiting[0]
		c.Waits = w.Client + " waits for data, " + Millis((w.Deadline-v.At)/1e6)
	} else if n > 1 {
		c.Waits = strconv.Itoa(n) + " fetches wait for data"
	}
	return c
}

func partRows(v *view.View, leader string, names Names) []PartRow {
	var out []PartRow
	for _, p := range v.Parts {
		if p.Leader != leader {
			continue
		}
		full := p.Topic + "-" + strconv.Itoa(int(p.Number))
		row := PartRow{
			Part: full, Label: names.Part(full), Owner: Who{Color: -1}, Committed: Offset(-1),
			Position: Offset(-1), HighWM: Offset(p.HighWater),
		}
		if len(p.Readers) > 0 {
			r := p.Readers[0]
			if r.Owner != "" {
				row.Owner = names.Who(r.Owner)
			}
			row.Dead = r.OwnerDead
			row.Committed, row.Position = Offset(r.Committed), Offset(r.Position)
			row.Behind = r.OwnerDead && max(r.Committed, 0) < r.Position
			for _, o := range p.Readers[1:] {
				row.Others = append(row.Others, PartGroup{o.Group, Offset(o.Committed), Offset(o.Position)})
			}
		}
		row.Copies = copies(&p)
		out = append(out, row)
	}
	return out
}

// copies tells of a partition's followers, in Kafka's terms: "broker-2: LEO 85, ISR".
func copies(p *view.Partition) []string {
	var out []string
	for _, r := range p.Replicas {
		if r.Broker == p.Leader {
			continue
		}
		text := r.Broker + ": LEO " + Offset(r.LogEnd)
		if r.InSync {
			text += ", ISR"
		}
		out = append(out, text)
	}
	return out
}
