package script

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"
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
		"release":      onMessage(func(id int64) Act { return Release{id} }),
		"drop":         onMessage(func(id int64) Act { return Drop{id} }),
		"kill_broker":  onBroker(func(id int) Act { return KillBroker{id} }),
		"stop_broker":  onBroker(func(id int) Act { return StopBroker{id} }),
		"start_broker": onBroker(func(id int) Act { return StartBroker{id} }),
		"move_leader":  moveLeaderAct, "elect": electAct, "delete_topic": deleteTopicAct,
		"delete_records":   deleteRecordsAct,
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
	if contains(serverNames, name) {
		switch do.(type) {
		case Freeze, Thaw:
			return do, nil
		}
		return nil, fmt.Errorf("%q is the model of a server; it can be frozen or cut off, nothing else", name)
	}
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
