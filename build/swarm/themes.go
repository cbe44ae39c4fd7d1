package swarm

import (
	"fmt"
	"time"
)

// theme shapes a plan so that something happens that chance alone would seldom bring about. What it leaves
// empty is drawn as in any other plan.
type theme struct {
	// topics is how many there are, protocol that of the first group, settings more that it asks of each member.
	topics             int
	protocol, settings string
	// static says that the members of the first group are, program what its first member does.
	static  bool
	program string
	// unclean says that a replica may lead that was not in sync, so records may be lost.
	unclean bool
	faults  func(d dice, p Plan) []Fault
}

// themes are all themes, each as likely as the next. The empty ones are plans without one.
var themes = []theme{
	{}, {}, {},
	{unclean: true, faults: uncleanly},
	{protocol: "eager", settings: tardy, program: "careful", faults: missedJoin},
	{protocol: "cooperative", settings: tardy, program: "careful", faults: missedJoin},
	{protocol: "consumer", settings: `max_poll_interval = "4s"`, program: "careful", faults: missedRevocation},
	{protocol: "consumer", static: true, program: "careful", faults: shortStop},
	{protocol: "consumer", topics: 2, program: "changing"},
	{protocol: "consumer", program: byServer, faults: newTopic},
}

// tardy has a member of the classic protocol miss a rebalance long before its session is over.
const tardy = `session_timeout = "12s", heartbeat_interval = "2s", max_poll_interval = "4s"`

// suits says whether a program goes with a theme's settings: they may not set the same.
func (t theme) suits(program string) bool { return t.settings == "" || program != "dawdling" }

func (p Plan) first() Member { return p.Groups[0].Members[0] }

// uncleanly: the follower of the first partition dies, is counted out, and is back just after its leader
// has died. So the only replica that lives was not in sync.
func uncleanly(dice, Plan) []Fault {
	return []Fault{
		{Kind: "broker killed", At: 7 * time.Second,
			Text: `at("7s", kill_broker(2), then_after("11500ms", start_broker(2)))`},
		{Kind: "broker killed", At: 18 * time.Second,
			Text: `at("18s", kill_broker(1), then_after("14s", start_broker(1)))`},
	}
}

// missedJoin freezes a member just before another one joins.
func missedJoin(d dice, p Plan) []Fault {
	m := p.first()
	p.Groups[0].Members[1].Start = 20 * time.Second
	return []Fault{{
		Kind: "freeze", At: 19 * time.Second, On: m.Name,
		Text: fmt.Sprintf(`at("19900ms", freeze(%q, %q))`, m.Name, text(d.duration(6*time.Second, 9*time.Second))),
	}}
}

// missedRevocation cuts a member off as soon as it was told to give partitions up.
func missedRevocation(_ dice, p Plan) []Fault {
	m := p.first()
	p.Groups[0].Members[1].Start = 10 * time.Second
	return []Fault{{
		Kind: "client cut off", On: m.Name,
		Text: fmt.Sprintf(`on(log(%q, "Revoke previously assigned"), partition([%q], ["broker-*"], heal_after = "6s"))`,
			m.Name, m.Name),
	}}
}

// shortStop has a static member come back while its partitions are kept.
func shortStop(d dice, p Plan) []Fault {
	m, f := p.first(), Fault{Kind: "stop", At: d.duration(Calm, lastFault)}
	f.On = m.Name
	f.Text = at(&f, fmt.Sprintf(`stop(%q), then_after("3s", start(%q))`, m.Name, m.Name))
	return []Fault{f}
}

func newTopic(d dice, _ Plan) []Fault {
	f := Fault{Kind: "topic created", At: d.duration(Calm, lastFault)}
	f.Text = at(&f, createLate)
	return []Fault{f}
}

// createLate creates a topic that the program [byServer] asks for.
const createLate = `create_topic("late", partitions = 2)`
