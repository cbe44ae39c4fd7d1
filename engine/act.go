package engine

import (
	"errors"
	"fmt"
	"time"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/fold"
	"rebalancelab/engine/script"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// perform carries out one act. It is one switch over the acts: the switch is the story.
func (l *Lab) perform(d due) {
	e := trace.Event{Kind: trace.Commanded, Name: l.world.Ref(d.text)}
	if d.learner {
		e.X = 1
	}
	l.world.Emit(e)
	switch a := d.do.(type) {
	case script.Kill:
		l.kill(a.Node)
	case script.Stop:
		l.stop(a.Node)
	case script.Start:
		l.start(a.Node)
	case script.Restart:
		l.restart(a)
	case script.Freeze:
		if p := l.cast.process(a.Node); p != nil {
			p.Freeze(a.For)
		}
	case script.Thaw:
		if p := l.cast.process(a.Node); p != nil {
			p.Thaw()
		}
	case script.Throttle:
		l.pace(a.Node, a.For, func(p *script.Pace) { p.Percent = a.Percent }, func(p *script.Pace) { p.Percent = 0 })
	case script.SlowHandler:
		l.pace(a.Node, a.For, func(p *script.Pace) { p.Factor, p.Extra = a.Factor, a.Extra },
			func(p *script.Pace) { p.Factor, p.Extra = 0, 0 })
	case script.Reconfigure:
		if r := l.cast.find(a.Node); r != nil {
			r.settings = append(r.settings, a.Settings...)
		}
	case script.AddConsumer:
		l.frames.dir.Add(fold.Actor{Name: a.Spec.Name, Role: fold.RoleConsumer, Group: a.Spec.Group})
		l.cast.enter(&role{name: a.Spec.Name, consumer: a.Spec}, 0, a.Spec.Stop)
	case script.Partition, script.Heal, script.Hold, script.Release, script.Drop, script.Respond:
		l.performOnWire(d)
	default:
		l.performOnCluster(d)
	}
}

func (l *Lab) performOnWire(d due) {
	switch a := d.do.(type) {
	case script.Partition:
		l.links(a.A, a.B, l.world.Cut)
		if a.Heal > 0 {
			l.agenda.after(a.Heal, func() { l.links(a.A, a.B, l.world.Heal) })
		}
	case script.Heal:
		if len(a.A)+len(a.B) == 0 {
			l.world.HealAll()
		} else {
			l.links(a.A, a.B, l.world.Heal)
		}
	case script.Hold:
		id := messageOf(a.Message, d)
		if l.world.Hold(id) && a.For > 0 {
			l.agenda.after(a.For, func() { l.world.Release(id) })
		}
	case script.Release:
		l.world.Release(messageOf(a.Message, d))
	case script.Drop:
		l.world.Drop(messageOf(a.Message, d))
	case script.Respond:
		code, ok := wire.CodeNamed(a.Error)
		if !ok {
			l.cast.fail(fmt.Errorf("%s: no such Kafka error %q", l.opt.File, a.Error))
			return
		}
		l.cast.respond[messageOf(a.Message, d)] = code
	}
}

func messageOf(id int64, d due) int64 {
	if id == 0 {
		return d.message
	}
	return id
}

func (l *Lab) performOnCluster(d due) {
	var err error
	switch a := d.do.(type) {
	case script.KillBroker:
		l.kill(brokerName(a.ID))
	case script.StopBroker:
		l.stop(brokerName(a.ID))
	case script.StartBroker:
		l.start(brokerName(a.ID))
	case script.MoveCoordinator:
		err = l.cluster.MoveCoordinator(a.Group, int32(a.To))
	case script.MoveLeader:
		err = l.cluster.MoveLeader(a.Topic, a.Partition, int32(a.To))
	case script.Elect:
		if code := l.cluster.Elect(a.Topic, a.Partition, a.Unclean); code != wire.ElectionNotNeeded {
			err = code.Err()
		}
	case script.DeleteTopic:
		err = l.cluster.DeleteTopic(a.Topic)
	case script.DeleteRecords:
		err = l.cluster.DeleteRecords(a.Topic, a.Partition, a.Offset)
	case script.AddPartitions:
		err = l.cluster.AddPartitions(a.Topic, int32(a.Total))
	case script.CreateTopic:
		err = l.createTopic(a.Topic)
	case script.SetConfig:
		if a.Group != "" {
			err = l.cluster.SetGroupConfig(a.Group, a.Setting.Key, a.Setting.Kafka())
		} else {
			err = l.cluster.SetConfig(a.Topic, a.Setting.Key, a.Setting.Kafka())
		}
	default:
		panic(fmt.Sprintf("engine: no way to do %T", d.do))
	}
	switch {
	case errors.Is(err, broker.ErrNoController) && d.waited < adminTimeout:
		wait := min(max(2*d.backoff, adminBackoff), adminBackoffMax)
		d.backoff, d.waited = wait, d.waited+wait
		l.agenda.after(wait, func() { l.performOnCluster(d) })
	case err != nil:
		l.cast.fail(fmt.Errorf("%s: %s: %w", l.opt.File, d.text, err))
	}
}

// How Kafka's admin client goes on when no controller answers (AdminClientConfig: retry.backoff.ms,
// retry.backoff.max.ms, default.api.timeout.ms).
const (
	adminBackoff    = 100 * time.Millisecond
	adminBackoffMax = time.Second
	adminTimeout    = 60 * time.Second
)

// links applies fn to every pair of a process of one side and one of the other.
func (l *Lab) links(a, b []string, fn func(x, y string)) {
	for _, x := range a {
		for _, y := range b {
			fn(x, y)
		}
	}
}

// pace changes how fast a client's handlers work, for good or for a time.
func (l *Lab) pace(name string, d time.Duration, set, reset func(*script.Pace)) {
	r := l.cast.find(name)
	if r == nil {
		return
	}
	set(&r.pace)
	if d > 0 {
		l.agenda.after(d, func() { reset(&r.pace) })
	}
}

func (l *Lab) kill(name string) {
	if r := l.cast.find(name); r != nil {
		l.cast.end(r, trace.EndedByKill, "")
		return
	}
	l.endBroker(name, trace.EndedByKill)
}

func (l *Lab) stop(name string) {
	if r := l.cast.find(name); r != nil {
		l.cast.stop(r)
		return
	}
	l.stopBroker(name, func() {})
}

// stopBroker ends a broker's process when its controlled shutdown is through, and goes on with then.
func (l *Lab) stopBroker(name string, then func()) {
	if l.cast.process(name) == nil {
		then()
		return
	}
	l.cast.stopping[name] = true
	l.cluster.Shutdown(name, func() {
		l.agenda.soon = append(l.agenda.soon, due{then: func() {
			l.endBroker(name, trace.EndedByStop)
			then()
		}})
	})
}

// endBroker ends a broker's process now.
func (l *Lab) endBroker(name string, by int64) {
	if p := l.cast.process(name); p != nil {
		delete(l.cast.stopping, name)
		p.End(by, "")
		l.cluster.BrokerDown(name)
	}
}

func (l *Lab) start(name string) {
	if r := l.cast.find(name); r != nil {
		l.cast.start(r)
		return
	}
	switch {
	case !l.isBroker(name):
	case l.cast.process(name) == nil:
		l.world.Spawn(name, l.cluster.Revive(name))
	case l.cast.stopping[name]: // it starts again when its shutdown is through
		l.stopBroker(name, func() { l.start(name) })
	}
}

// isBroker is false for the name of a process that no action has brought on yet.
func (l *Lab) isBroker(name string) bool {
	for id := 1; id <= l.scenario.Brokers; id++ {
		if brokerName(id) == name {
			return true
		}
	}
	return false
}

// restart stops a process and starts it again, Down after it has ended.
func (l *Lab) restart(a script.Restart) {
	r := l.cast.find(a.Node)
	if r == nil {
		l.stopBroker(a.Node, func() {
			l.agenda.after(a.Down, func() { l.start(a.Node) })
		})
		return
	}
	if l.cast.process(a.Node) == nil {
		l.agenda.after(a.Down, func() { l.cast.start(r) })
		return
	}
	r.again = func() { l.agenda.after(a.Down, func() { l.cast.start(r) }) }
	l.cast.stop(r)
}
