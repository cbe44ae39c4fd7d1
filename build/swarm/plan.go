package swarm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Plan is one scenario in parts that can be left out one by one.
type Plan struct {
	Seed    uint64
	Brokers int
	// Settings are those of every broker, as Starlark's keyword arguments.
	Settings []string
	Topics   []Topic
	Groups   []Group
	Faults   []Fault
	// Unclean says that a replica may lead that was not in sync: then records may be lost.
	Unclean bool
}

// Topic is a topic and the producer that fills it.
type Topic struct {
	Name       string
	Partitions int
	Replicas   int
	// Rate is records a second, until Quiet.
	Rate int
	// Producer are the producer's settings.
	Producer []string
}

// Group is a consumer group. Its members share topics and protocol.
type Group struct {
	Name   string
	Topics []string
	// Protocol is one of [Protocols], and Settings what it asks of each member.
	Protocol string
	Settings []string
	Members  []Member
}

// Member is a consumer process.
type Member struct {
	Name    string
	Program string // one of programs
	Start   time.Duration
	// Settings are those that differ from the group's.
	Settings []string
}

// Fault is something that happens once and is over, or healed, before [Quiet].
type Fault struct {
	// Kind names it in the census, as "kill".
	Kind string
	At   time.Duration
	// On, Group and Topic are the client process, the group and the topic that it happens to, or empty: without
	// them the fault cannot happen.
	On, Group, Topic string
	// Text is the statement of the scenario.
	Text string
}

// The phases of every plan: faults begin between Calm and Quiet, and what they did is undone by then; producers
// stop at Quiet; at Horizon all must be in order again.
const (
	Calm    = 6 * time.Second
	Quiet   = 45 * time.Second
	Horizon = 90 * time.Second

	lastFault = Quiet - 14*time.Second
)

// dice draws from one seed. The swarm is a test: it may change between versions.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 0x5eed))} }

// between draws a number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// in says yes once in n times.
func (d dice) in(n int) bool { return d.IntN(n) == 0 }

func (d dice) duration(low, high time.Duration) time.Duration {
	const step = 100 * time.Millisecond
	return low + time.Duration(d.IntN(int((high-low)/step)+1))*step
}

func one[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

// Draw makes the plan of a seed.
func Draw(seed uint64) Plan {
	d := newDice(seed)
	p := Plan{Seed: seed, Brokers: one(d, []int{1, 3, 3, 3, 4})}
	th := one(d, themes)
	if th.unclean {
		p.Brokers, p.Unclean = 3, true
	}
	p.Settings = append(p.Settings, `offsets_topic_replication_factor = `+fmt.Sprint(min(3, p.Brokers)))
	p.Settings[0] += ", " + fmt.Sprintf(consumerSettings, one(d, []string{"6s", "6s", "9s"}))
	if p.Unclean {
		p.Settings[0] += ", unclean_leader_election_enable = True"
	}
	if d.in(2) {
		p.Settings = append(p.Settings, `group_initial_rebalance_delay = "0s"`)
	}
	for i := range max(d.between(1, 2), th.topics) {
		p.Topics = append(p.Topics, p.drawTopic(d, i))
	}
	for i := range d.between(1, 2) {
		p.Groups = append(p.Groups, p.drawGroup(d, i, th))
		th = theme{unclean: th.unclean, faults: th.faults}
	}
	if th.faults != nil {
		p.Faults = th.faults(d, p)
	}
	for range d.between(1, 5) {
		if f, ok := p.drawFault(d); ok {
			p.Faults = append(p.Faults, f)
		}
	}
	return p
}

func (p Plan) drawTopic(d dice, i int) Topic {
	t := Topic{
		Name: fmt.Sprintf("t%d", i), Partitions: d.between(1, 7), Rate: d.between(1, 5), Replicas: 1,
	}
	switch {
	case p.Unclean:
		t.Replicas = 2
	case p.Brokers >= 3 && d.in(2):
		t.Replicas = 3
	}
	t.Producer = one(d, [][]string{
		nil, nil, {`acks = "all"`}, {`acks = "1"`, `enable_idempotence = False`}, {`linger = "200ms"`},
	})
	return t
}

func (p Plan) drawGroup(d dice, i int, th theme) Group {
	g := Group{Name: fmt.Sprintf("g%d", i), Protocol: one(d, Protocols)}
	if th.protocol != "" {
		g.Protocol = th.protocol
	}
	for _, t := range p.Topics {
		if len(g.Topics) == 0 || th.topics > 0 || !d.in(3) {
			g.Topics = append(g.Topics, t.Name)
		}
	}
	g.Settings = append([]string{`metadata_max_age = "4s", fetch_max_wait = "2s"`}, protocolSettings[g.Protocol]...)
	switch {
	case th.settings != "":
		g.Settings = append(g.Settings, th.settings)
	case g.Protocol != "consumer":
		session := one(d, []string{"6s", "6s", "9s"})
		g.Settings = append([]string{
			fmt.Sprintf(`session_timeout = %q, heartbeat_interval = "2s"`, session),
		}, g.Settings...)
	}
	// A static member that slept through a cooperative rebalance and comes back under another id starts none
	// (A43): what it was to pass on has no owner until something else does. That is Kafka's own hole.
	static := d.in(4) && g.Protocol != "cooperative" || th.static
	for m := range d.between(2, 4) {
		program := one(d, programNames)
		switch {
		case m == 0 && th.program != "":
			program = th.program
		case program == byServer && g.Protocol != "consumer", !th.suits(program):
			program = plainest
		}
		g.Members = append(g.Members, drawMember(d, g, m, program, static))
	}
	return g
}

func drawMember(d dice, g Group, i int, program string, static bool) Member {
	m := Member{Name: fmt.Sprintf("%s%c", g.Name, 'A'+i), Program: program}
	if i > 1 && d.in(2) {
		m.Start = d.duration(Calm, Quiet-10*time.Second)
	}
	if static {
		m.Settings = append(m.Settings, fmt.Sprintf("group_instance_id = %q", "static-"+m.Name))
	}
	if d.in(4) {
		m.Settings = append(m.Settings, `max_poll_records = `+fmt.Sprint(d.between(5, 20)))
	}
	m.Settings = append(m.Settings, programs[m.Program].settings...)
	if static && g.Protocol == "consumer" && !slices.Contains(m.Settings, restart) {
		// Until the session of its last life is over a static member is refused, which is fatal (F18).
		m.Settings = append(m.Settings, restart)
	}
	return m
}

// consumerSettings are those of the consumer protocol, whose sessions are the broker's. By default they last 45 s,
// and longer than a plan is quiet: a static member that crashed keeps its partitions for so long (F18).
const consumerSettings = `group_consumer_min_session_timeout = "6s", group_consumer_session_timeout = %q, ` +
	`group_consumer_min_heartbeat_interval = "2s", group_consumer_heartbeat_interval = "2s"`

// Protocols are the ways in which a group shares its partitions. The consumer protocol has the most reasons to
// rebalance, so it is drawn more often.
var Protocols = []string{"eager", "roundrobin", "cooperative", "sticky", "consumer", "consumer"}

var protocolSettings = map[string][]string{
	"eager":       {`partition_assignment_strategy = ["range"]`},
	"roundrobin":  {`partition_assignment_strategy = ["roundrobin"]`},
	"sticky":      {`partition_assignment_strategy = ["sticky"]`},
	"cooperative": {`partition_assignment_strategy = ["cooperative-sticky"]`},
	"consumer":    {`group_protocol = "consumer"`},
}
