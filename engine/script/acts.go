package script

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"rebalancelab/engine/wire"
)

// acts are the built-ins that name something to be done. They are also what a person may type; see
// [ParseCommand].
var acts map[string]statement

// The table is filled here since add_consumer and the table refer to each other.
func init() {
	acts = map[string]statement{
		"kill": each(func(n string) Act { return Kill{n} }), "stop": each(func(n string) Act { return Stop{n} }),
		"start": each(func(n string) Act { return Start{n} }), "thaw": each(func(n string) Act { return Thaw{n} }),
		"restart": restartAct, "freeze": freezeAct, "throttle": throttleAct,
		"slow_handler": slowHandlerAct, "reconfigure": reconfigureAct, "add_consumer": addConsumerAct,
		"rolling_deploy": rollingDeployAct,
		"partition":      partitionAct, "heal": healAct, "hold": holdAct, "respond": respondAct,
		"release":          onMessage(func(id int64) Act { return Release{id} }),
		"drop":             onMessage(func(id int64) Act { return Drop{id} }),
		"kill_broker":      onBroker(func(id int) Act { return KillBroker{id} }),
		"stop_broker":      onBroker(func(id int) Act { return StopBroker{id} }),
		"start_broker":     onBroker(func(id int) Act { return StartBroker{id} }),
		"move_coordinator": moveCoordinatorAct, "add_partitions": addPartitionsAct,
		"create_topic": createTopicAct, "set_config": setConfigAct,
	}
}

// newAct is the value of an act that build works out once all names are known.
func newAct(text string, at Place, build func(f *finder) ([]Step, error)) *actValue {
	return &actValue{text: text, place: at, build: build}
}

// oneAct is the value of an act that needs no names, or has had them checked by check.
func oneAct(a *arguments, at Place, do Act, check func(f *finder) error) *actValue {
	text := a.original()
	return newAct(text, at, func(f *finder) ([]Step, error) {
		if check != nil {
			if err := check(f); err != nil {
				return nil, err
			}
		}
		return []Step{{Do: do, Text: text}}, nil
	})
}

// each makes an act on one or more processes, which may be patterns.
func each(of func(name string) Act) statement {
	return func(_ *loader, a *arguments, at Place) (starlark.Value, error) {
		return onProcesses(a, at, of), nil
	}
}

func onProcesses(a *arguments, at Place, of func(name string) Act) *actValue {
	names := a.asTexts("name", a.must("name", `a process, as "A"`))
	fn, rest := a.fn, a.originalAfterFirst()
	return newAct(a.original(), at, func(f *finder) ([]Step, error) {
		var steps []Step
		for _, pattern := range names {
			found, err := f.matching(pattern)
			if err != nil {
				return nil, err
			}
			for _, n := range found {
				do, err := forBroker(n, of(n))
				if err != nil {
					return nil, err
				}
				steps = append(steps, Step{Do: do, Text: fmt.Sprintf("%s(%q%s)", fn, n, rest)})
			}
		}
		return steps, nil
	})
}

// forBroker turns acts on the process of a broker into acts on the broker.
func forBroker(name string, do Act) (Act, error) {
	id, ok := brokerID(name)
	if !ok {
		return do, nil
	}
	switch do.(type) {
	case Kill:
		return KillBroker{id}, nil
	case Stop:
		return StopBroker{id}, nil
	case Start:
		return StartBroker{id}, nil
	case Freeze, Thaw:
		return do, nil
	}
	return nil, fmt.Errorf("%q is a broker; only clients can be treated so", name)
}

func restartAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	down := a.duration("down_for", 0)
	return onProcesses(a, at, func(n string) Act { return Restart{n, down} }), nil
}

func freezeAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	length := time.Duration(0)
	v := onProcesses(a, at, func(n string) Act { return Freeze{n, length} })
	if d, ok := a.next("lasting"); ok {
		length = a.asDuration("lasting", d)
	}
	return v, nil
}

func throttleAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	percent, lasting := int64(0), time.Duration(0)
	v := onProcesses(a, at, func(n string) Act { return Throttle{n, percent, lasting} })
	percent = a.mustNumber("percent", "what is left of its speed, 1 to 100", 1, 100)
	lasting = a.duration("lasting", 0)
	return v, nil
}

func slowHandlerAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	h := SlowHandler{
		Factor: a.number("factor", 1, 1, 1_000_000), Extra: a.duration("extra", 0),
		For: a.duration("lasting", 0),
	}
	return onProcesses(a, at, func(n string) Act { h.Node = n; return h }), nil
}

func reconfigureAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	name := a.mustText("name", `a process, as "A"`)
	kw := a.left()
	if a.err == nil && len(kw) == 0 {
		a.fail("no setting is given")
	}
	return newAct(text, at, func(f *finder) ([]Step, error) {
		if err := f.process(name); err != nil {
			return nil, err
		}
		table := ConsumerSettings
		if _, ok := f.sc.Producer(name); ok {
			table = ProducerSettings
		}
		settings, err := parseSettings("reconfigure", table, newArguments("reconfigure", nil, kw), at)
		return []Step{{Do: Reconfigure{name, settings}, Text: text}}, err
	}), nil
}

func addConsumerAct(l *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	c, err := l.consumerOf(a, at)
	if err != nil || a.err != nil {
		return nil, err
	}
	l.find.consumers = append(l.find.consumers, c)
	return newAct(text, at, func(*finder) ([]Step, error) {
		return []Step{{Do: AddConsumer{c}, Text: text}}, nil
	}), nil
}

// rollingDeployAct stops the processes one after another and starts each again.
func rollingDeployAct(_ *loader, a *arguments, at Place) (starlark.Value, error) {
	text := a.original()
	names := a.asTexts("names", a.must("names", `a pattern such as "pod-*", or a list`))
	down, every := a.duration("down_for", 10*time.Second), a.duration("every", 20*time.Second)
	hard := false
	if v, ok := a.named("kill"); ok {
		hard = bool(v.Truth())
	}
	return newAct(text, at, func(f *finder) ([]Step, error) {
		var steps []Step
		at := time.Duration(0)
		for _, pattern := range names {
			found, err := f.matching(pattern)
			if err != nil {
				return nil, err
			}
			for _, n := range found {
				steps = append(steps, deploySteps(n, at, down, hard)...)
				at += every
			}
		}
		return steps, nil
	}), nil
}

func deploySteps(name string, at, down time.Duration, kill bool) []Step {
	end := Step{Delay: at, Do: Stop{name}, Text: fmt.Sprintf("stop(%q)", name)}
	if kill {
		end.Do, end.Text = Kill{name}, fmt.Sprintf("kill(%q)", name)
	}
	return []Step{end, {Delay: at + down, Do: Start{name}, Text: fmt.Sprintf("start(%q)", name)}}
}

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
	topic, table := a.text("topic", ""), BrokerSettings
	if topic != "" {
		table = TopicSettings
	}
	settings, err := parseSettings("set_config", table, a, at)
	if err == nil && a.err == nil && len(settings) == 0 {
		err = fmt.Errorf("set_config(): no setting is given")
	}
	return newAct(text, at, func(f *finder) ([]Step, error) {
		var steps []Step
		for _, s := range settings {
			steps = append(steps, Step{Do: SetConfig{topic, s}, Text: text})
		}
		if topic == "" {
			return steps, nil
		}
		return steps, f.topic(topic)
	}), err
}
