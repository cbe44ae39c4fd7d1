package verdict_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/verdict"
)

// story writes a trace by hand. Every method adds events at the present time, which at moves.
// Processes are members of group g; the member id of A is A-1, of its next incarnation A-2.
type story struct {
	t      *testing.T
	log    *trace.Log
	facts  *verdict.Facts
	inv    *verdict.Invariants
	broken []string
	now    int64
	end    int64
	starts map[string]int64
	gen    int64
	msg    int64
	holds  map[string][]string
}

const group = "g"

func newStory(t *testing.T) *story {
	s := &story{t: t, log: trace.NewLog(), starts: map[string]int64{}, holds: map[string][]string{}}
	s.facts = verdict.NewFacts(s.log)
	s.inv = verdict.NewInvariants(s.log)
	return s
}

func (s *story) ns(text string) int64 {
	d, err := time.ParseDuration(text)
	require.NoError(s.t, err)
	return int64(d)
}

func (s *story) at(text string) *story {
	s.now = s.ns(text)
	s.end = s.now
	return s
}

func (s *story) until(text string) *story {
	s.end = s.ns(text)
	return s
}

func (s *story) emit(e trace.Event) *story {
	e.At = s.now
	s.log.Append(&e)
	s.facts.Observe(&e)
	if b := s.inv.Observe(&e); b != nil {
		s.broken = append(s.broken, b.Rule)
		require.ErrorContains(s.t, b, "is broken at")
	}
	return s
}

func (s *story) ref(name string) trace.Ref { return s.log.Ref(name) }

func (s *story) event(kind trace.Kind, node, peer, name string, x, y, z int64) *story {
	e := trace.Event{
		Kind: kind, Node: s.ref(node), Peer: s.ref(peer), Name: s.ref(name), X: x, Y: y, Z: z,
	}
	if topic, part, ok := verdict.SplitPartition(name); ok && kind != trace.MemberID {
		e.Name, e.Part = s.ref(topic), part
	}
	return s.emit(e)
}

func (s *story) topic(name string, parts int32) *story {
	return s.emit(trace.Event{Kind: trace.TopicCreated, Name: s.ref(name), Part: parts, X: 1})
}

// append writes n records from base on broker-1 and lets the high watermark follow.
func (s *story) append(tp string, base, n int64) *story {
	s.event(trace.Appended, "broker-1", "orders", tp, base, n, 100)
	return s.event(trace.HighWatermark, "broker-1", "", tp, base+n, 0, 0)
}

func (s *story) id(node string) string {
	return node + "-" + verdict.Number(s.starts[node]).String()
}

// start begins an incarnation that is a member at once.
func (s *story) start(nodes ...string) *story {
	for _, node := range nodes {
		s.starts[node]++
		s.event(trace.ProcessStarted, node, "", "", s.starts[node], 0, 0)
		s.event(trace.MemberAdded, "broker-1", s.id(node), group, s.ns("45s"), s.ns("300s"),
			int64(s.ref(node)))
		s.event(trace.MemberID, node, group, s.id(node), 0, 0, 0)
	}
	return s
}

func (s *story) ended(node string, by int64) *story {
	delete(s.holds, node)
	return s.event(trace.ProcessEnded, node, "", "", by, 0, 0)
}

func (s *story) kill(node string) *story { return s.ended(node, trace.EndedByKill) }

func (s *story) freeze(node string) *story {
	return s.event(trace.ProcessFrozen, node, "", "", 0, 0, 0)
}

func (s *story) thaw(node string) *story {
	return s.event(trace.ProcessThawed, node, "", "", 0, 0, 0)
}

func (s *story) state(state int64) *story {
	return s.event(trace.GroupState, "broker-1", "", group, state, s.gen, 7)
}

func (s *story) heard(node string) *story {
	return s.event(trace.MemberSession, "broker-1", s.id(node), group, s.now+s.ns("45s"), 12, 0)
}

func (s *story) remove(id string, reason int64, heard string) *story {
	return s.event(trace.MemberRemoved, "broker-1", id, group, reason, s.ns(heard), 0)
}

// revoke takes all partitions from a process, as at an eager rebalance.
func (s *story) revoke(nodes ...string) *story {
	for _, node := range nodes {
		for _, tp := range s.holds[node] {
			s.event(trace.Unowned, node, group, tp, trace.UnownedByRevoke, 0, 0)
		}
		delete(s.holds, node)
	}
	return s
}

// assign begins and completes the next generation: lines such as "A t-0 t-1" give member ids by
// process. Members named with a * are given partitions that they do not take up.
func (s *story) assign(lines ...string) *story {
	s.gen++
	s.state(trace.GroupCompletingRebalance)
	for _, line := range lines {
		f := strings.Fields(strings.Replace(line, "*", "", 1))
		for _, tp := range f[1:] {
			s.event(trace.PartitionAssigned, "broker-1", s.id(f[0]), tp, s.gen, int64(s.ref(group)), 0)
		}
	}
	s.event(trace.GenerationStable, "broker-1", "", group, s.gen, 0, 0)
	s.state(trace.GroupStable)
	for _, line := range lines {
		if f := strings.Fields(line); !strings.HasSuffix(f[0], "*") {
			for _, tp := range f[1:] {
				s.event(trace.Owned, f[0], group, tp, s.gen, 0, 0)
			}
			s.holds[f[0]] = append(s.holds[f[0]], f[1:]...)
		}
	}
	return s
}

func (s *story) positioned(node, tp string, offset, why int64) *story {
	return s.event(trace.Positioned, node, "", tp, offset, why, 0)
}

func (s *story) deliver(node, tp string, first, last int64) *story {
	return s.event(trace.Delivered, node, "", tp, first, last-first+1, 0)
}

func (s *story) work(node, tp string, first, last int64) *story {
	for o := first; o <= last; o++ {
		s.begin(node, tp, o).finish(node, tp, o)
	}
	return s
}

func (s *story) begin(node, tp string, offset int64) *story {
	return s.event(trace.WorkStarted, node, "", tp, offset, 0, 0)
}

func (s *story) finish(node, tp string, offset int64) *story {
	return s.event(trace.WorkEnded, node, group, tp, offset, 0, 0)
}

func (s *story) commits(tp string, offset int64) *story {
	return s.event(trace.OffsetCommitted, "broker-1", "", tp, offset, int64(s.ref(group)), 0)
}

// sent is a message of one api; an answer when err is not "-".
func (s *story) sent(from, to string, api int32, err string) *story {
	s.msg++
	e := trace.Event{Kind: trace.MessageSent, Node: s.ref(from), Peer: s.ref(to), Part: api, X: s.msg}
	if err != "-" {
		e.Name, e.Y = s.ref(err), 1
	}
	return s.emit(e)
}

func (s *story) arrives(at string, api int32, answer int64) *story {
	return s.emit(trace.Event{
		Kind: trace.MessageArrived, Node: s.ref(at), Part: api, X: s.msg, Y: answer,
	})
}

func (s *story) eval(q verdict.Query) verdict.Value {
	v, err := s.facts.Eval(q, s.end)
	require.NoError(s.t, err)
	return v
}

// ask answers a query written as name and arguments: positional ones first, then key=value.
func (s *story) ask(name string, args ...string) string {
	return s.eval(s.query(name, args...)).String()
}

func (s *story) query(name string, args ...string) verdict.Query {
	sig, ok := verdict.Lookup(name)
	require.True(s.t, ok, name)
	q := verdict.Query{Name: name}
	for i, arg := range args {
		key, value, named := strings.Cut(arg, "=")
		p := sig.Params[min(i, len(sig.Params)-1)]
		if named {
			p = param(s.t, sig, key)
			arg = value
		}
		require.NoError(s.t, q.Bind(*p, s.value(p, arg)))
	}
	return q
}

func param(t *testing.T, sig *verdict.Signature, name string) *verdict.Param {
	for _, p := range sig.Params {
		if p.Name == name {
			return p
		}
	}
	require.Fail(t, "no parameter", "%s of %s", name, sig.Name)
	return nil
}

func (s *story) value(p *verdict.Param, arg string) verdict.Value {
	switch p.Type {
	case verdict.ParamTime:
		if d, err := time.ParseDuration(arg); err == nil {
			return verdict.Duration(int64(d))
		}
	case verdict.ParamNumber:
		return verdict.Number(s.ns(arg + "ns"))
	case verdict.ParamBool:
		return verdict.Bool(arg == "True")
	case verdict.ParamAPIs:
		return verdict.Sequence(strings.Split(arg, ",")...)
	}
	return verdict.Text(arg)
}
