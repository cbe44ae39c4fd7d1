package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"rebalancelab/engine/wire"
)

func partitionAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	left := a.asTexts("a", a.must("a", `processes on one side, as ["A"]`))
	right := a.asTexts("b", a.must("b", `processes on the other side, as ["broker-2"]`))
	heal := a.duration("heal_after", 0)
	return newAct(text, at, func(f *finder) ([]Step, error) {
		p := Partition{Heal: heal}
		var err error
		if p.A, err = f.sides(left); err == nil {
			p.B, err = f.sides(right)
		}
		return []Step{{Do: p, Text: text}}, err
	}), nil
}

func healAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	var left, right []string
	if v, ok := a.next("a"); ok {
		left = a.asTexts("a", v)
		right = a.asTexts("b", a.must("b", "processes on the other side"))
	}
	return newAct(text, at, func(f *finder) ([]Step, error) {
		h := Heal{}
		var err error
		if h.A, err = f.sides(left); err == nil {
			h.B, err = f.sides(right)
		}
		return []Step{{Do: h, Text: text}}, err
	}), nil
}

// sides are the processes of one side of a partition.
func (f *finder) sides(patterns []string) ([]string, error) {
	var all []string
	for _, p := range patterns {
		names, err := f.matching(p)
		if p == "broker-*" {
			names, err = f.brokers(), nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, names...)
	}
	return all, nil
}

// onMessage makes an act on a message: the one with the number given, or that of the trigger.
func onMessage(of func(id int64) Act) statement {
	return func(_ *loader, a *arguments, at Place) (starlark.Value, error) {
		return oneAct(a, at, of(messageOf(a)), nil), nil
	}
}

func messageOf(a *arguments) int64 {
	if v, ok := a.next("message"); ok {
		return a.asNumber("message", v, 1, 1<<62)
	}
	return 0
}

// holdAct: hold(17), hold("4s"), hold(17, "4s") or hold().
func holdAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	h := Hold{}
	text := a.original()
	v, ok := a.next("message")
	if _, isText := v.(starlark.String); ok && isText {
		h.For = a.asDuration("lasting", v)
	} else if ok {
		h.Message = a.asNumber("message", v, 1, 1<<62)
		if d, ok := a.next("lasting"); ok {
			h.For = a.asDuration("lasting", d)
		}
	}
	return newAct(text, at, func(*finder) ([]Step, error) {
		return []Step{{Do: h, Text: text}}, nil
	}), nil
}

func respondAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	r := Respond{Message: messageOf(a), Error: a.text("error", "")}
	if a.err == nil && r.Error == "" {
		a.fail("error is missing, as error = \"COORDINATOR_LOAD_IN_PROGRESS\"")
	}
	if names := errorNames(); a.err == nil && !contains(names, r.Error) {
		a.fail("Kafka has no error %q%s", r.Error, suggest(r.Error, names))
	}
	return newAct(text, at, func(*finder) ([]Step, error) {
		return []Step{{Do: r, Text: text}}, nil
	}), nil
}

func errorNames() []string {
	var names []string
	for c := wire.Code(1); c <= wire.ShareSessionLimitReached; c++ {
		if c.Text() != "" {
			names = append(names, c.Name())
		}
	}
	return names
}

func onBroker(of func(id int) Act) statement {
	return func(_ *loader, a *arguments, at Place) (starlark.Value, error) {
		text := a.original()
		id := int(a.mustNumber("id", "a broker's number, as 2", 1, maxBrokers))
		return newAct(text, at, func(f *finder) ([]Step, error) {
			return []Step{{Do: of(id), Text: text}}, f.broker(id)
		}), nil
	}
}

func moveCoordinatorAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	m := MoveCoordinator{Group: a.mustText("group", "a group's id")}
	m.To = int(a.number("to", 0, 1, maxBrokers))
	return newAct(text, at, func(f *finder) ([]Step, error) {
		err := f.group(m.Group)
		if err == nil && m.To > 0 {
			err = f.broker(m.To)
		}
		return []Step{{Do: m, Text: text}}, err
	}), nil
}

func moveLeaderAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	name := a.mustText("partition", `as "orders-0"`)
	m := MoveLeader{To: int(a.number("to", 0, 1, maxBrokers))}
	return newAct(text, at, func(f *finder) ([]Step, error) {
		var err error
		m.Topic, m.Partition, err = f.onePartition(name)
		if err == nil && m.To > 0 {
			err = f.broker(m.To)
		}
		return []Step{{Do: m, Text: text}}, err
	}), nil
}

func electAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	name := a.mustText("partition", `as "orders-0"`)
	e := Elect{}
	if v, ok := a.named("unclean"); ok {
		e.Unclean = bool(v.Truth())
	}
	return newAct(text, at, func(f *finder) ([]Step, error) {
		var err error
		e.Topic, e.Partition, err = f.onePartition(name)
		return []Step{{Do: e, Text: text}}, err
	}), nil
}

func deleteTopicAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	topic := a.mustText("topic", "a topic")
	return oneAct(a, at, DeleteTopic{topic}, func(f *finder) error { return f.topic(topic) }), nil
}

func deleteRecordsAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	name := a.mustText("partition", `as "orders-0"`)
	d := DeleteRecords{Offset: a.mustNumber("before", "the first offset that stays", 0, 1<<62)}
	return newAct(text, at, func(f *finder) ([]Step, error) {
		var err error
		d.Topic, d.Partition, err = f.onePartition(name)
		return []Step{{Do: d, Text: text}}, err
	}), nil
}

func addPartitionsAct(l *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	p := AddPartitions{Topic: a.mustText("topic", "a topic")}
	p.Total = int(a.mustNumber("total", "the new number of partitions", 1, maxPartitions))
	l.find.totals = append(l.find.totals, p)
	return newAct(text, at, func(f *finder) ([]Step, error) {
		return []Step{{Do: p, Text: text}}, f.topic(p.Topic)
	}), nil
}

func createTopicAct(l *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	t, err := topicOf(a, at)
	if err != nil || a.err != nil {
		return nil, err
	}
	l.find.topics = append(l.find.topics, t)
	return newAct(text, at, func(f *finder) ([]Step, error) {
		if _, ok := f.sc.Topic(t.Name); ok {
			return nil, fmt.Errorf("there is a topic %q from the start", t.Name)
		}
		return []Step{{Do: CreateTopic{*t}, Text: text}}, nil
	}), nil
}

func setConfigAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	topic, group, table := a.text("topic", ""), a.text("group", ""), BrokerSettings
	switch {
	case topic != "" && group != "":
		a.fail("give a topic or a group, not both")
	case topic != "":
		table = TopicSettings
	case group != "":
		table = GroupSettings
	}
	settings, err := parseSettings("set_config", table, a, at)
	if err == nil && a.err == nil && len(settings) == 0 {
		err = fmt.Errorf("set_config(): no setting is given")
	}
	return newAct(text, at, func(f *finder) ([]Step, error) {
		var steps []Step
		for _, s := range settings {
			steps = append(steps, Step{Do: SetConfig{topic, group, s}, Text: text})
		}
		if topic == "" {
			return steps, nil
		}
		return steps, f.topic(topic)
	}), err
}
