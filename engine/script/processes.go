package script

import (
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"
)

func consumerStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	c, err := l.consumerOf(a, at)
	if err != nil || a.err != nil {
		return nil, err
	}
	l.sc.Consumers = append(l.sc.Consumers, c.threads()...)
	return starlark.String(c.Name), nil
}

// consumerOf reads the arguments of consumer() and add_consumer().
func (l *loader) consumerOf(a *arguments, at Place) (*ConsumerSpec, error) {
	c := &ConsumerSpec{Name: a.mustText("name", "the consumer's name"), Place: at}
	c.Group = a.text("group", "")
	c.Of = a.text("of", "")
	if v, ok := a.named("run"); ok {
		c.Run = a.function("run", v)
	} else {
		a.fail("run is missing: the program, a function such as def loop(c)")
	}
	c.Profile = profileOf(a)
	c.OnError = onErrorOf(a)
	c.Start, c.Stop = startAndStop(a)
	if a.err == nil {
		l.checkName(a, c.Name)
	}
	if fn, ok := c.Run.(*starlark.Function); a.err == nil && ok && fn.NumParams() < 1 {
		a.fail("run = %s: the program needs one parameter, the consumer: def %s(c)", fn.Name(), fn.Name())
	}
	var err error
	if c.Settings, err = parseSettings(a.fn, ConsumerSettings, a, at); err != nil {
		return nil, err
	}
	for i := range c.Settings {
		c.Settings[i].Text = strings.ReplaceAll(c.Settings[i].Text, "{name}", c.Name)
	}
	return c, nil
}

func onErrorOf(a *arguments) OnError {
	words := []string{"crash", "close", "restart"}
	word := a.text("on_error", "crash")
	after, given := a.named("restart_after")
	e := OnError{After: time.Second}
	switch word {
	case "crash":
	case "close":
		e.Kind = OnErrorClose
	case "restart":
		e.Kind = OnErrorRestart
	default:
		a.fail("on_error = %q%s", word, suggest(word, words))
	}
	if given {
		e.After = a.asDuration("restart_after", after)
		if word != "restart" {
			a.fail("restart_after needs on_error = \"restart\"")
		}
	}
	return e
}

// startAndStop reads start (None: not by itself) and the time of a stop, also called until.
func startAndStop(a *arguments) (from, to time.Duration) {
	for _, k := range a.kw {
		if string(k[0].(starlark.String)) == "start" && k[1] == starlark.None {
			from = -1
		}
	}
	if v, ok := a.named("start"); ok {
		from = a.asDuration("start", v)
	}
	to = a.duration("until", a.duration("stop", 0))
	if a.err == nil && to > 0 && to <= from {
		a.fail("stop = %q comes before start = %q", formatDuration(to), formatDuration(from))
	}
	return from, to
}

// checkName refuses a name that is taken or that brokers have.
func (l *loader) checkName(a *arguments, name string) {
	switch _, broker := brokerID(name); {
	case name == "" || strings.ContainsAny(name, "*\n\"'"):
		a.fail("%q is no name for a process", name)
	case broker:
		a.fail("%q is the name of a broker; choose another", name)
	case contains(serverNames, name):
		a.fail("%q is the name of a server; choose another", name)
	case contains(l.find.clients(), name):
		a.fail("there is a process %q already; each needs a name of its own", name)
	}
}

func producerStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	p := &ProducerSpec{Name: a.mustText("name", "the producer's name"), Place: at}
	p.Topic, p.To = a.text("topic", ""), a.text("to", "")
	switch {
	case p.Topic == "" && p.To == "":
		a.fail("topic is missing: where it writes to")
	case p.Topic != "" && p.To != "":
		a.fail("it writes to a topic or, with to, to a neighbour: give one of the two")
	}
	p.Rate = a.number("rate", 150, 1, 1_000_000)
	per := a.duration("per", time.Second)
	p.Partition = int32(a.number("partition", -1, -1, maxPartitions))
	if v, ok := a.named("keys"); ok {
		p.Keys = a.asTexts("keys", v)
	}
	if v, ok := a.named("values"); ok {
		p.Values = a.asTexts("values", v)
	}
	p.Size = int(a.number("size", 0, 0, maxElements))
	p.Count = a.number("count", 0, 0, 1<<40)
	p.Start, p.Stop = startAndStop(a)
	if a.err == nil {
		l.checkName(a, p.Name)
	}
	if a.err == nil && per <= 0 {
		a.fail("per = \"0s\": must be longer")
	}
	p.Per = per
	var err error
	if p.Settings, err = parseSettings(a.fn, ProducerSettings, a, at); err != nil {
		return nil, err
	}
	if a.err == nil {
		l.sc.Producers = append(l.sc.Producers, p)
	}
	return starlark.String(p.Name), nil
}

// parseSettings takes what is left of the arguments as settings of one table.
func parseSettings(fn string, table []SettingDef, a *arguments, at Place) ([]Setting, error) {
	if a.err != nil {
		return nil, nil
	}
	var all []Setting
	for _, k := range a.left() {
		name := string(k[0].(starlark.String))
		def, ok := lookupSetting(table, name)
		if !ok {
			return nil, fmt.Errorf("%s(): no such setting %s%s", fn, name,
				suggest(name, settingNames(table, a.known...)))
		}
		if k[1] == starlark.None {
			continue
		}
		s, err := def.value(k[1])
		if err != nil {
			return nil, fmt.Errorf("%s(): %s = %s: %w", fn, name, brief(k[1]), err)
		}
		s.Place = at
		all = append(all, s)
	}
	return all, nil
}

// value reads the value of a setting.
func (d *SettingDef) value(v starlark.Value) (Setting, error) {
	s := Setting{Name: d.Name, Key: d.Key, Type: d.Type}
	switch d.Type {
	case SettingDuration:
		n, err := toDuration(v)
		if err != nil {
			return s, err
		}
		s.N = int64(n)
		if s.N < d.Min {
			return s, fmt.Errorf("must be longer than \"0s\"")
		}
		if n%time.Millisecond != 0 {
			return s, fmt.Errorf("Kafka knows whole milliseconds only")
		}
	case SettingNumber:
		i, ok := v.(starlark.Int)
		if s.N, ok = int64Of(i, ok); !ok {
			return s, fmt.Errorf("must be a whole number")
		}
		if s.N < d.Min {
			return s, fmt.Errorf("must be at least %d", d.Min)
		}
	case SettingBool:
		b, ok := v.(starlark.Bool)
		if !ok {
			return s, fmt.Errorf("must be True or False")
		}
		if b {
			s.N = 1
		}
	case SettingText:
		return d.textValue(s, v)
	case SettingList:
		return d.listValue(s, v)
	}
	return s, nil
}

func int64Of(i starlark.Int, ok bool) (int64, bool) {
	if !ok {
		return 0, false
	}
	return i.Int64()
}

func (d *SettingDef) textValue(s Setting, v starlark.Value) (Setting, error) {
	switch v := v.(type) {
	case starlark.String:
		s.Text = string(v)
	case starlark.Int:
		s.Text = v.String()
	default:
		return s, fmt.Errorf("must be a text in quotes")
	}
	return s, d.checkWord(s.Text)
}

func (d *SettingDef) listValue(s Setting, v starlark.Value) (Setting, error) {
	a := newArguments(d.Name, nil, nil)
	s.List = a.asTexts(d.Name, v)
	if a.err != nil || len(s.List) == 0 {
		return s, fmt.Errorf("must be a list of texts, as [%q]", d.Words[0])
	}
	for _, w := range s.List {
		if err := d.checkWord(w); err != nil && d.Name != "partition_assignment_strategy" {
			return s, err
		}
	}
	return s, nil
}

func (d *SettingDef) checkWord(w string) error {
	if len(d.Words) == 0 {
		return nil
	}
	for _, known := range d.Words {
		if w == known || strings.HasSuffix(known, ":") && strings.HasPrefix(w, known) {
			return nil
		}
	}
	return fmt.Errorf("no such value %q%s", w, suggest(w, d.Words))
}
