package swarm

import (
	"slices"
	"strconv"
	"strings"

	"rebalancelab/engine/trace"
)

// Sights are the things that a run really had, by the trace: acts of the scenario that took effect,
// reasons of a rebalance, changes of leaders and replicas, protocols.
type Sights map[string]bool

// Wanted are the reasons to rebalance and the changes in a cluster that a swarm must have shown. Faults and
// protocols are counted besides, as they come.
var Wanted = []string{
	"cluster: a clean election",
	"cluster: a coordinator failed over",
	"cluster: a follower truncated its log",
	"cluster: an unclean election",
	"cluster: replicas in sync grew",
	"cluster: replicas in sync shrank",
	"cluster: the controller moved",
	"rebalance (classic): a member joined",
	"rebalance (classic): a member joined again",
	"rebalance (classic): a member left",
	"rebalance (classic): a member missed the rebalance",
	"rebalance (classic): a session ran out",
	"rebalance (classic): a static member came back",
	"rebalance (classic): a subscription changed",
	"rebalance (classic): the poll interval ran out",
	"rebalance (consumer): a member joined",
	"rebalance (consumer): a member left",
	"rebalance (consumer): a member missed the rebalance",
	"rebalance (consumer): a member was fenced",
	"rebalance (consumer): a session ran out",
	"rebalance (consumer): a static member came back",
	"rebalance (consumer): a static member left for a while",
	"rebalance (consumer): a subscription changed",
	"rebalance (consumer): an expression matched a new topic",
	"rebalance (consumer): the poll interval ran out",
}

// observer reads what happened in a run.
type observer struct {
	plan Plan
	log  *trace.Log
	seen Sights
	// modern are the groups and processes that speak the consumer protocol.
	modern  map[string]bool
	stable  map[trace.Ref]bool
	late    map[trace.Ref]bool // topics that came when the run was under way
	inSync  map[place]string   // as "1,3"
	keepers map[int32]trace.Ref
	loaded  int64 // when a coordinator was loaded last: members that it tells of are not new
}

// place is a partition of a topic.
type place struct {
	topic trace.Ref
	part  int32
}

// look reads what happened in a run.
func look(p Plan, log *trace.Log) Sights {
	o := &observer{
		plan: p, log: log, seen: Sights{}, modern: map[string]bool{}, stable: map[trace.Ref]bool{},
		late: map[trace.Ref]bool{}, inSync: map[place]string{}, keepers: map[int32]trace.Ref{}, loaded: -1,
	}
	for _, g := range p.Groups {
		o.seen["protocol: "+g.Protocol] = true
		o.modern[g.Name] = g.Protocol == "consumer"
		for _, m := range g.Members {
			o.modern[m.Name] = g.Protocol == "consumer"
		}
	}
	for _, f := range p.Faults {
		if strings.HasPrefix(f.Text, "at(") {
			o.seen["fault: "+f.Kind] = true
		}
	}
	r := log.Reader(0)
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		o.clients(e)
		o.group(e)
		o.cluster(e)
	}
	return o.seen
}

// rebalance notes a reason to rebalance of a group, or of the one that a process is in.
func (o *observer) rebalance(of trace.Ref, why string) {
	protocol := "classic"
	if o.modern[o.log.String(of)] {
		protocol = "consumer"
	}
	o.seen["rebalance ("+protocol+"): "+why] = true
}

func (o *observer) clients(e trace.Event) {
	switch e.Kind {
	case trace.Commanded:
		o.triggered(o.log.String(e.Name))
	case trace.PollExpired:
		o.rebalance(e.Node, "the poll interval ran out")
	case trace.ConsumerState:
		if e.X == trace.ConsumerFenced {
			o.rebalance(e.Node, "a member was fenced")
		}
	case trace.LogLine:
		if o.log.String(e.Name) == resubscribes {
			o.rebalance(e.Node, "a subscription changed")
		}
	}
}

// triggered notes the fault that waited for its moment and now acts.
func (o *observer) triggered(act string) {
	for _, f := range o.plan.Faults {
		if strings.HasPrefix(f.Text, "on(") && strings.Contains(f.Text, act) {
			o.seen["fault: "+f.Kind] = true
			return
		}
	}
}

// removals are the reasons to lose a member that start a rebalance.
var removals = map[int64]string{
	trace.RemovedByLeave:     "a member left",
	trace.RemovedBySession:   "a session ran out",
	trace.RemovedByRebalance: "a member missed the rebalance",
	trace.RemovedByReplace:   "a static member came back",
}

// leftForNow is the member epoch of a static member that will be back.
const leftForNow = -2

func (o *observer) group(e trace.Event) {
	switch e.Kind {
	case trace.GroupState:
		o.stable[e.Name] = e.X == trace.GroupStable
	case trace.MemberAdded:
		if o.stable[e.Name] && e.At != o.loaded {
			o.rebalance(e.Name, "a member joined")
		}
	case trace.MemberJoining:
		if o.stable[e.Name] {
			o.rebalance(e.Name, "a member joined again")
		}
	case trace.MemberRemoved:
		if why := removals[e.X]; why != "" {
			o.rebalance(e.Name, why)
		}
	case trace.MemberEpoch:
		if e.X == leftForNow {
			o.rebalance(e.Name, "a static member left for a while")
		}
	case trace.TargetPartition:
		if o.late[e.Name] {
			o.rebalance(trace.Ref(e.Y), "an expression matched a new topic")
		}
	}
}

func (o *observer) cluster(e trace.Event) {
	at := place{e.Name, e.Part}
	switch e.Kind {
	case trace.TopicCreated:
		o.late[e.Name] = e.At > 0 && !strings.HasPrefix(o.log.String(e.Name), "__")
	case trace.CoordinatorLoaded:
		o.loaded = e.At
		if before := o.keepers[e.Part]; before != 0 && before != e.Node {
			o.seen["cluster: a coordinator failed over"] = true
		}
		o.keepers[e.Part] = e.Node
	case trace.Controller:
		if e.At > 0 {
			o.seen["cluster: the controller moved"] = true
		}
	case trace.ReplicasPlaced:
		o.inSync[at] = o.log.String(e.Peer)
	case trace.ISRChanged:
		o.replicas(at, o.log.String(e.Peer))
	case trace.LeaderElected:
		o.elected(at, e)
	case trace.Truncated:
		o.seen["cluster: a follower truncated its log"] = true
	}
}

// replicas notes how the replicas in sync changed.
func (o *observer) replicas(at place, now string) {
	before := len(brokers(o.inSync[at]))
	switch after := len(brokers(now)); {
	case after < before:
		o.seen["cluster: replicas in sync shrank"] = true
	case after > before:
		o.seen["cluster: replicas in sync grew"] = true
	}
	o.inSync[at] = now
}

// elected tells a leader that was in sync from one that was not.
func (o *observer) elected(at place, e trace.Event) {
	replicas, known := o.inSync[at]
	switch {
	case e.Y == 0 || e.X < 0 || !known:
	case slices.Contains(brokers(replicas), strconv.FormatInt(e.X, 10)):
		o.seen["cluster: a clean election"] = true
	default:
		o.seen["cluster: an unclean election"] = true
	}
}

func brokers(list string) []string { return strings.Split(list, ",") }
