package engine

import (
	"fmt"
	"strings"
	"time"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/fold"
	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/script"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// cast is the processes of a run: the brokers, and the clients with what they were last told.
type cast struct {
	lab     *Lab
	stores  *script.Stores
	clients []*role // in order of appearance
	respond map[int64]wire.Code
	// stopping are the brokers whose controlled shutdown is under way.
	stopping map[string]bool
	trouble  error
}

// role is a client process over all its incarnations.
type role struct {
	name     string
	consumer *script.ConsumerSpec // nil for a producer
	producer *script.ProducerSpec
	settings []script.Setting // reconfigured: used from the next start on
	app      *script.App
	feed     *script.Feed
	pace     script.Pace
	leaving  bool   // told to stop, and not ended yet
	again    func() // what a restart waits for: called when the process has ended
}

func brokerName(id int) string { return fmt.Sprintf("broker-%d", id) }

// populate sets the stage at time 0: brokers, topics, preloads, processes, actions.
func (l *Lab) populate() error {
	sc := l.scenario
	l.cast = &cast{lab: l, stores: script.NewStores(), respond: map[int64]wire.Code{},
		stopping: map[string]bool{}}
	l.agenda.world, l.agenda.perform = l.world, l.perform
	l.world.SetLatency(sc.Latency.OneWay, sc.Latency.Spread)
	for _, k := range sc.Links {
		l.world.SetLinkLatency(k.A, k.B, k.OneWay, k.Spread)
	}
	l.dirAndFrames()
	if err := l.raiseCluster(); err != nil {
		return err
	}
	l.raiseNeighbours()
	for _, c := range sc.Consumers {
		l.cast.enter(&role{name: c.Name, consumer: c}, c.Start, c.Stop)
	}
	for _, p := range sc.Producers {
		l.cast.enter(&role{name: p.Name, producer: p}, p.Start, p.Stop)
	}
	for _, a := range sc.Actions {
		l.agenda.add(a, false, l.log)
	}
	return l.takeCommands()
}

// dirAndFrames introduces the processes of the scenario to what is folded from the trace.
func (l *Lab) dirAndFrames() {
	var actors []fold.Actor
	for _, c := range l.scenario.Consumers {
		actors = append(actors, fold.Actor{Name: c.Name, Role: fold.RoleConsumer, Group: c.Group, Of: c.Of})
	}
	for _, p := range l.scenario.Producers {
		actors = append(actors, fold.Actor{Name: p.Name, Role: fold.RoleProducer, Of: p.To})
	}
	for id := 1; id <= l.scenario.Brokers; id++ {
		actors = append(actors, fold.Actor{Name: brokerName(id), Role: fold.RoleBroker})
	}
	for _, name := range l.scenario.Servers() {
		actors = append(actors, fold.Actor{Name: name, Role: fold.RoleServer})
	}
	l.frames = newFrames(l.log, fold.NewDirectory(l.log, actors))
}

// takeCommands plans a person's acts.
func (l *Lab) takeCommands() error {
	for _, c := range l.opt.Commands {
		if c.At < 0 {
			return fmt.Errorf("command %q at %v: the time must not be negative", c.Text, time.Duration(c.At))
		}
		a, err := script.ParseCommand(l.scenario, c.Text)
		if err != nil {
			return err
		}
		a.Trigger = script.Trigger{Kind: script.TriggerAt, At: time.Duration(c.At)}
		l.agenda.add(a, true, l.log)
	}
	return nil
}

// enter brings a client on: at once, later, or only when an action starts it.
func (c *cast) enter(r *role, start, stop time.Duration) {
	c.clients = append(c.clients, r)
	now := c.lab.world.Now()
	switch {
	case start < 0:
		return
	case start <= time.Duration(now.Since()):
		c.start(r)
	default:
		c.lab.agenda.at(due{at: sim.Start.Add(start), then: func() { c.start(r) }})
	}
	if stop > 0 {
		c.lab.agenda.at(due{at: sim.Start.Add(stop), then: func() { c.stop(r) }})
	}
}

func (c *cast) find(name string) *role {
	for _, r := range c.clients {
		if r.name == name {
			return r
		}
	}
	return nil
}

// process is the present incarnation, or nil.
func (c *cast) process(name string) *sim.Process {
	if p := c.lab.world.Process(name); p.Running() {
		return p
	}
	return nil
}

// start begins a new incarnation of r, unless one runs.
func (c *cast) start(r *role) {
	if c.process(r.name) != nil {
		if r.leaving && r.again == nil { // told to start while its close() still waits for an answer
			r.again = func() { c.lab.agenda.after(0, func() { c.start(r) }) }
		}
		return
	}
	if r.producer != nil {
		feed, err := script.NewFeed(c.lab.scenario, r.producer, r.settings)
		if err != nil {
			c.fail(err)
			return
		}
		r.feed = feed
		c.lab.world.Spawn(r.name, feed)
		return
	}
	app, err := script.NewApp(r.consumer, script.AppOptions{
		Scenario: c.lab.scenario, Settings: r.settings, Stores: c.stores, Pace: &r.pace,
		Ended: func(end script.Ending) { c.ended(r, end) },
	})
	if err != nil {
		c.fail(err)
		return
	}
	r.app = app
	c.lab.world.Spawn(r.name, app)
}

// ended is called by a program that has come to its end; the process is ended between two turns,
// since its coroutine is still on the stack now.
func (c *cast) ended(r *role, end script.Ending) {
	c.lab.agenda.soon = append(c.lab.agenda.soon, due{then: func() {
		c.end(r, end.By, end.Text)
		if end.RestartAfter >= 0 {
			c.lab.agenda.after(end.RestartAfter, func() { c.start(r) })
		}
	}})
}

// end ends the present incarnation of r.
func (c *cast) end(r *role, by int64, text string) {
	p := c.process(r.name)
	if p == nil {
		return
	}
	p.End(by, text)
	r.leaving = false
	if r.app != nil {
		r.app.Kill()
		r.app = nil
	}
	if again := r.again; again != nil {
		r.again = nil
		again()
	}
}

// stop is SIGTERM.
func (c *cast) stop(r *role) {
	if c.process(r.name) == nil {
		return
	}
	r.leaving = true
	if r.app != nil {
		r.app.Stop()
		return
	}
	r.feed.Stop(func() {
		c.lab.agenda.soon = append(c.lab.agenda.soon, due{then: func() {
			c.end(r, trace.EndedByStop, "")
		}})
	})
}

// fail ends the run with an error of the scenario.
func (c *cast) fail(err error) {
	if c.trouble == nil {
		c.trouble = err
	}
}

func (c *cast) problem() error { return c.trouble }

// whereabouts says at which line each program stands: a loop that never waits is one of them.
func (c *cast) whereabouts() string {
	var at []string
	for _, r := range c.clients {
		if r.app != nil {
			if line := r.app.Line(); line > 0 {
				at = append(at, fmt.Sprintf("%s is at %s:%d", r.name, c.lab.opt.File, line))
			}
		}
	}
	if len(at) == 0 {
		return ""
	}
	return "; " + strings.Join(at, ", ")
}

// close ends every program's coroutine.
func (c *cast) close() {
	for _, r := range c.clients {
		if r.app != nil {
			r.app.Kill()
			r.app = nil
		}
	}
}

// raiseCluster starts the brokers and writes what the logs hold from the start.
func (l *Lab) raiseCluster() error {
	sc := l.scenario
	l.cluster = broker.NewCluster(sc.Brokers)
	for _, s := range sc.BrokerConfig {
		if err := l.cluster.SetConfig("", s.Key, s.Kafka()); err != nil {
			return &script.Error{Place: s.Place, Msg: err.Error()}
		}
	}
	for i, rack := range sc.Racks {
		l.cluster.SetRack(i+1, rack)
	}
	for id := 1; id <= sc.Brokers; id++ {
		l.world.Spawn(brokerName(id), broker.New(l.cluster, int32(id)))
	}
	for _, t := range sc.Topics {
		if err := l.createTopic(t); err != nil {
			return err
		}
	}
	for _, p := range sc.Preloads {
		if err := l.preload(p); err != nil {
			return err
		}
	}
	for _, c := range sc.Committed {
		if err := l.cluster.CommitOffset(c.Group, c.Topic, c.Partition, c.Offset); err != nil {
			return err
		}
	}
	l.cluster.Open()
	return nil
}

// raiseNeighbours starts the servers of other systems.
func (l *Lab) raiseNeighbours() {
	for _, name := range l.scenario.Servers() {
		l.world.Spawn(name, neighbour.NewServer(name, l.scenario.Neighbours))
	}
}

func (l *Lab) createTopic(t script.Topic) error {
	spec := broker.TopicSpec{
		Name: t.Name, Partitions: int32(t.Partitions), ReplicationFactor: int32(t.ReplicationFactor),
	}
	for _, id := range t.Leaders {
		spec.Leaders = append(spec.Leaders, int32(id))
	}
	for _, ids := range t.Replicas {
		var replicas []int32
		for _, id := range ids {
			replicas = append(replicas, int32(id))
		}
		spec.Replicas = append(spec.Replicas, replicas)
		spec.ReplicationFactor = int32(len(ids))
	}
	for _, s := range t.Configs {
		spec.Configs = append(spec.Configs, broker.Entry{Key: s.Key, Value: s.Kafka()})
	}
	return l.cluster.CreateTopic(spec)
}

func (l *Lab) preload(p script.Preload) error {
	records := make([]wire.Record, len(p.Values))
	for i, v := range p.Values {
		records[i].Value = []byte(v)
		if len(p.Keys) > 0 {
			records[i].Key = []byte(p.Keys[i])
		}
	}
	return l.cluster.Preload(p.Topic, p.Partition, records)
}
