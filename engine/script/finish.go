package script

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"rebalancelab/engine/neighbour"
)

// finish checks every name now that the whole file has run, and fills the scenario in.
func (l *loader) finish() error {
	for _, step := range []func() error{
		l.finishVariants, l.finishEditables, l.finishTopics, l.finishProcesses, l.finishOffsets,
		l.finishActions, l.finishChecks, l.finishPredictions,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	l.finishHorizon()
	return nil
}

func (l *loader) finishVariants() error {
	sc := l.sc
	if l.opt.Variant != "" && len(sc.Variants) == 0 {
		return errorAt(Place{File: sc.File}, "there is no variant %q: the file has none", l.opt.Variant)
	}
	for _, c := range l.checks {
		for _, v := range c.variants {
			if !contains(sc.Variants, v) {
				return errorAt(c.place, "%s(): no such variant %q%s", c.fn, v, suggest(v, sc.Variants))
			}
		}
	}
	return nil
}

func (l *loader) finishTopics() error {
	topics := append([]*Topic(nil), l.find.topics...)
	for i := range l.sc.Topics {
		topics = append(topics, &l.sc.Topics[i])
	}
	for _, t := range topics {
		for _, id := range t.Leaders {
			if err := l.find.broker(id); err != nil {
				return errorAt(t.Place, "topic %q: leaders: %v", t.Name, err)
			}
		}
		for _, ids := range t.Replicas {
			for _, id := range ids {
				if err := l.find.broker(id); err != nil {
					return errorAt(t.Place, "topic %q: replicas: %v", t.Name, err)
				}
			}
		}
		if len(t.Replicas) > 0 && len(t.Replicas) != t.Partitions {
			return errorAt(t.Place, "topic %q: replicas of %d partitions are given, there are %d",
				t.Name, len(t.Replicas), t.Partitions)
		}
		if t.ReplicationFactor > l.sc.Brokers {
			return errorAt(t.Place, "topic %q: replication_factor = %d needs as many brokers; there are %d",
				t.Name, t.ReplicationFactor, l.sc.Brokers)
		}
	}
	for _, p := range l.preloads {
		topic, part, err := l.find.onePartition(p.partition)
		if err != nil {
			return errorAt(p.place, "preload(): %v", err)
		}
		l.addPreload(p, topic, part)
	}
	for _, k := range l.sc.Links {
		for _, n := range []string{k.A, k.B} {
			if err := l.find.anyProcess(n); err != nil {
				return errorAt(Place{File: l.sc.File}, "link(): %v", err)
			}
		}
	}
	return nil
}

// addPreload cuts a preload into its batches.
func (l *loader) addPreload(p pendingPreload, topic string, part int32) {
	for i := 0; i < len(p.values); i += p.batch {
		end := min(i+p.batch, len(p.values))
		batch := Preload{Topic: topic, Partition: part, Values: p.values[i:end]}
		if len(p.keys) > 0 {
			batch.Keys = p.keys[i:end]
		}
		l.sc.Preloads = append(l.sc.Preloads, batch)
	}
}

func (l *loader) finishProcesses() error {
	var assignors []string
	for _, a := range l.sc.Assignors {
		assignors = append(assignors, a.Name)
	}
	assignors = append(assignors, assignorNames...)
	for _, c := range append(append([]*ConsumerSpec(nil), l.sc.Consumers...), l.find.consumers...) {
		if c.Of != "" {
			if err := l.finishReader(c); err != nil {
				return err
			}
			continue
		}
		l.override(c.Run, &c.Settings)
		if err := checkConsumer(c, assignors); err != nil {
			return err
		}
	}
	return l.finishProducers()
}

func (l *loader) finishProducers() error {
	for _, p := range l.sc.Producers {
		if p.To != "" {
			if err := l.thingOf(p.Place, p.To, len(p.Settings)); err != nil {
				return err
			}
			continue
		}
		if err := l.find.topic(p.Topic); err != nil {
			return errorAt(p.Place, "producer(): %v", err)
		}
		if n := l.find.partitions(p.Topic); int(p.Partition) >= n {
			return errorAt(p.Place, "producer(): %s has no partition %d; it has 0 to %d", p.Topic,
				p.Partition, n-1)
		}
		l.override(nil, &p.Settings)
		if _, err := p.Config(); err != nil {
			return errorAt(p.Place, "producer(): %v", err)
		}
	}
	return nil
}

// checkConsumer finds settings that contradict each other.
func checkConsumer(c *ConsumerSpec, assignors []string) error {
	for _, s := range c.Settings {
		for _, name := range s.List {
			if s.Name == "partition_assignment_strategy" && !contains(assignors, name) {
				return errorAt(s.Place, "consumer(): no such assignor %q%s", name, suggest(name, assignors))
			}
		}
	}
	if _, err := c.Config(); err != nil {
		return errorAt(c.Place, "consumer(): %v", err)
	}
	return nil
}

// finishOffsets takes what is committed before the start: each committed() that is no trigger.
func (l *loader) finishOffsets() error {
	for _, v := range l.committed {
		if v.used {
			continue
		}
		t := v.trigger
		err := l.find.resolve(&t)
		if err != nil {
			return errorAt(v.place, "committed(): %v", err)
		}
		l.sc.Committed = append(l.sc.Committed, Committed{
			Group: t.Group, Topic: t.Topic, Partition: t.Partition, Offset: t.Offset,
		})
	}
	return nil
}

func (l *loader) finishActions() error {
	for _, p := range l.actions {
		t := p.trigger.trigger
		if err := l.find.resolve(&t); err != nil {
			return errorAt(p.place, "%s: %v", p.trigger.text, err)
		}
		steps, _, err := l.find.steps(p.values, 0)
		if err != nil {
			return err
		}
		if err := checkMessages(t, steps); err != nil {
			return errorAt(p.place, "%v", err)
		}
		l.sc.Actions = append(l.sc.Actions, Action{
			Trigger: t, Steps: steps, Text: p.text, Place: p.place,
		})
		for _, s := range steps {
			if t.Kind == TriggerAt {
				l.lastTimed = max(l.lastTimed, t.At+s.Delay)
			}
		}
	}
	return nil
}

// checkMessages refuses an act on "the message" where no message is at hand.
func checkMessages(t Trigger, steps []Step) error {
	switch t.Kind {
	case TriggerSent, TriggerArrived, TriggerAnswered:
		return checkResponds(t, steps)
	}
	for _, s := range steps {
		if id, ok := messageNumber(s.Do); ok && id == 0 {
			return fmt.Errorf("%s: which message? use on(sent(\"A\", \"JoinGroup\"), %s), or give its number",
				s.Text, s.Text)
		}
	}
	return nil
}

// checkResponds refuses Kafka's errors as answers to what is no request of Kafka.
func checkResponds(t Trigger, steps []Step) error {
	for _, s := range steps {
		if _, ok := s.Do.(Respond); ok && t.API >= int32(neighbour.OpSubscribe) {
			return fmt.Errorf("%s: only requests of Kafka can be answered so; use drop() or hold()", s.Text)
		}
	}
	return nil
}

// messageNumber is the number of the message that an act is about.
func messageNumber(do Act) (id int64, ok bool) {
	switch do := do.(type) {
	case Hold:
		return do.Message, true
	case Release:
		return do.Message, true
	case Drop:
		return do.Message, true
	case Respond:
		return do.Message, true
	}
	return 0, false
}

func (l *loader) finishChecks() error {
	for _, p := range l.checks {
		if len(p.variants) > 0 && !contains(p.variants, l.sc.Variant) {
			if _, err := l.find.settle(p); err != nil && !p.unresolved {
				return err
			}
			continue
		}
		if p.unresolved {
			text := fmt.Sprintf("changed lines at most %d", p.lines)
			l.sc.Pars = append(l.sc.Pars, Par{Text: text, ChangedLines: p.lines, Place: p.place})
			continue
		}
		c, err := l.find.settle(p)
		if err != nil {
			return err
		}
		switch p.kind {
		case checkExpect:
			l.sc.Expectations = append(l.sc.Expectations, c)
		case checkGoal:
			l.sc.Goals = append(l.sc.Goals, c)
		case checkPar:
			l.sc.Pars = append(l.sc.Pars, Par{Text: c.Text, ChangedLines: -1, Check: &c, Place: p.place})
		}
	}
	return nil
}

func (l *loader) finishPredictions() error {
	for _, p := range l.predicts {
		out := Prediction{Key: p.key, Place: p.place}
		for _, o := range p.options {
			option := Option{Key: o.key}
			for _, c := range o.checks {
				settled, err := l.find.settle(c)
				if err != nil {
					var e *Error
					if errors.As(err, &e) {
						e.Msg = fmt.Sprintf("option %q: %s", o.key, e.Msg)
					}
					return err
				}
				option.Checks = append(option.Checks, settled)
			}
			out.Options = append(out.Options, option)
		}
		l.sc.Predictions = append(l.sc.Predictions, out)
	}
	return nil
}

// finishHorizon settles when the run ends.
func (l *loader) finishHorizon() {
	sc := l.sc
	if l.runFor > 0 {
		sc.Horizon, sc.HorizonText = l.runFor, fmt.Sprintf("run_for(%q)", formatDuration(l.runFor))
		return
	}
	last := l.lastTimed
	for _, c := range sc.Consumers {
		last = max(last, c.Start, c.Stop)
	}
	for _, p := range sc.Producers {
		last = max(last, p.Start, p.Stop)
	}
	sc.Horizon = last + defaultTail
	sc.HorizonText = fmt.Sprintf("no run_for() is given, so the run lasts %s: %s",
		formatDuration(sc.Horizon), tailText(last))
}

func tailText(last time.Duration) string {
	if last == 0 {
		return "nothing happens at a given time"
	}
	return "60 s more than the last thing that happens at a given time"
}

func joinNames(names []string) string { return strings.Join(names, ", ") }
