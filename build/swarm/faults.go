package swarm

import (
	"fmt"
	"slices"
	"time"
)

// drawer draws the statement of a fault for a plan; empty: the plan has no place for it.
type drawer func(d dice, p Plan, f *Fault) string

// faultKinds are all kinds, each as likely as the next.
var faultKinds = []struct {
	name string
	draw drawer
}{
	{"kill", onMember(func(d dice, m string) string {
		return fmt.Sprintf(`kill(%q), then_after(%q, start(%q))`, m, upTo(d, 8), m)
	})},
	{"stop", onMember(func(d dice, m string) string {
		return fmt.Sprintf(`stop(%q), then_after(%q, start(%q))`, m, upTo(d, 8), m)
	})},
	{"freeze", onMember(func(d dice, m string) string {
		return fmt.Sprintf(`freeze(%q, %q)`, m, upTo(d, 12))
	})},
	{"throttle", onWorker(func(d dice, m string) string {
		return fmt.Sprintf(`throttle(%q, percent = %d, lasting = %q)`, m, d.between(5, 60), upTo(d, 8))
	})},
	{"slow handler", onWorker(func(d dice, m string) string {
		return fmt.Sprintf(`slow_handler(%q, factor = %d, lasting = %q)`, m, d.between(2, 50), upTo(d, 8))
	})},
	{"client cut off", onMember(func(d dice, m string) string {
		return fmt.Sprintf(`partition([%q], ["broker-*"], heal_after = %q)`, m, upTo(d, 12))
	})},
	{"deploy", func(d dice, p Plan, f *Fault) string {
		f.At = d.duration(Calm, 15*time.Second)
		f.Group = one(d, p.Groups).Name
		return at(f, fmt.Sprintf(`rolling_deploy(%q, down_for = "2s", every = "5s")`, f.Group+"*"))
	}},
	{"error answered", onRequest(groupRequests, func(d dice) string {
		return fmt.Sprintf(`respond(error = %q)`, one(d, []string{
			"COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR",
		}))
	})},
	{"message held", onRequest(allRequests, func(d dice) string {
		return fmt.Sprintf(`hold(%q)`, upTo(d, 8))
	})},
	{"message dropped", onRequest(allRequests, func(dice) string { return `drop()` })},
	{"answer dropped", onAnswer(func(d dice) string { return `drop()` })},
	{"answer held", onAnswer(func(d dice) string { return fmt.Sprintf(`hold(%q)`, upTo(d, 8)) })},
	{"producer cut off", func(d dice, p Plan, f *Fault) string {
		t := one(d, p.Topics)
		f.Topic = t.Name
		return at(f, fmt.Sprintf(`partition(["to-%s"], ["broker-*"], heal_after = %q)`, t.Name, upTo(d, 12)))
	}},
	{"coordinator moves", func(d dice, p Plan, f *Fault) string {
		if p.Brokers == 1 || p.has("broker killed") || p.has("broker stopped") {
			return "" // with a broker down the group may have no coordinator that could move
		}
		f.Group = one(d, p.Groups).Name
		return at(f, fmt.Sprintf(`move_coordinator(%q)`, f.Group))
	}},
	{"broker killed", onBroker("kill_broker")},
	{"broker stopped", onBroker("stop_broker")},
	{"brokers apart", func(d dice, p Plan, f *Fault) string {
		if p.Brokers == 1 {
			return ""
		}
		a := d.between(1, p.Brokers)
		return at(f, fmt.Sprintf(`partition(["broker-%d"], ["broker-%d"], heal_after = %q)`, a, a%p.Brokers+1,
			upTo(d, 12)))
	}},
	{"broker alone", func(d dice, p Plan, f *Fault) string {
		if p.Brokers == 1 {
			return ""
		}
		id, others := d.between(1, p.Brokers), ""
		for other := 1; other <= p.Brokers; other++ {
			if other != id {
				others += fmt.Sprintf(", \"broker-%d\"", other)
			}
		}
		return at(f, fmt.Sprintf(`partition(["broker-%d"], [%s], heal_after = %q)`, id, others[2:],
			text(d.duration(10*time.Second, 13*time.Second))))
	}},
	{"topic created", func(_ dice, p Plan, f *Fault) string {
		if p.has(f.Kind) {
			return ""
		}
		return at(f, createLate)
	}},
	{"partitions added", func(d dice, p Plan, f *Fault) string {
		if p.has(f.Kind) {
			return "" // partitions only grow: once a plan keeps the numbers plain
		}
		t := one(d, p.Topics)
		f.Topic = t.Name
		return at(f, fmt.Sprintf(`add_partitions(%q, %d)`, t.Name, t.Partitions+d.between(1, 3)))
	}},
}

var (
	groupRequests = []string{"Heartbeat", "OffsetCommit", "JoinGroup", "SyncGroup", "ConsumerGroupHeartbeat"}
	allRequests   = append([]string{"Fetch", "FindCoordinator", "Metadata"}, groupRequests...)
)

// drawFault draws one more fault.
func (p Plan) drawFault(d dice) (Fault, bool) {
	k := one(d, faultKinds)
	f := Fault{Kind: k.name, At: d.duration(Calm, lastFault)}
	f.Text = k.draw(d, p, &f)
	return f, f.Text != ""
}

func (p Plan) has(kind string) bool {
	return slices.ContainsFunc(p.Faults, func(f Fault) bool { return f.Kind == kind })
}

// upTo is a length from 0.2 s to so many seconds, as a scenario writes it.
func upTo(d dice, seconds int) string {
	return text(d.duration(200*time.Millisecond, time.Duration(seconds)*time.Second))
}

func text(t time.Duration) string { return fmt.Sprintf("%dms", t.Milliseconds()) }

func at(f *Fault, acts string) string { return fmt.Sprintf("at(%q, %s)", text(f.At), acts) }

func onMember(acts func(d dice, name string) string) drawer {
	return func(d dice, p Plan, f *Fault) string {
		f.On = one(d, one(d, p.Groups).Members).Name
		return at(f, acts(d, f.On))
	}
}

// onWorker is a fault that makes each record's work longer: that of a dawdler would outlast the plan.
func onWorker(acts func(d dice, name string) string) drawer {
	return func(d dice, p Plan, f *Fault) string {
		m := one(d, one(d, p.Groups).Members)
		if m.Program == "dawdling" {
			return ""
		}
		f.On = m.Name
		return at(f, acts(d, m.Name))
	}
}

func onRequest(apis []string, act func(d dice) string) drawer {
	return func(d dice, p Plan, f *Fault) string {
		f.On = one(d, one(d, p.Groups).Members).Name
		return fmt.Sprintf("on(sent(%q, %q, nth = %d), %s)", f.On, one(d, apis), d.between(1, 6), act(d))
	}
}

// onAnswer is about an answer to a member or to a producer.
func onAnswer(act func(d dice) string) drawer {
	return func(d dice, p Plan, f *Fault) string {
		if d.in(2) {
			f.Topic = one(d, p.Topics).Name
			return fmt.Sprintf("on(answered(%q, \"Produce\", nth = %d), %s)", "to-"+f.Topic, d.between(1, 40), act(d))
		}
		f.On = one(d, one(d, p.Groups).Members).Name
		return fmt.Sprintf("on(answered(%q, %q, nth = %d), %s)", f.On, one(d, allRequests), d.between(1, 6), act(d))
	}
}

func onBroker(act string) drawer {
	return func(d dice, p Plan, f *Fault) string {
		if p.has("coordinator moves") {
			return ""
		}
		id := d.between(1, p.Brokers)
		return at(f, fmt.Sprintf(`%s(%d), then_after(%q, start_broker(%d))`, act, id, upTo(d, 8), id))
	}
}
