package group

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/fold"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
	"rebalancelab/engine/wire"
)

// told is what the trace of a lab tells by now.
type told struct {
	l     *lab
	state *fold.State
	r     *trace.Reader
}

func newTold(l *lab) *told {
	cast := []fold.Actor{{Name: "broker-1", Role: fold.RoleBroker}}
	return &told{l, fold.New(fold.NewDirectory(l.log, cast)), l.log.Reader(0)}
}

func (w *told) view() view.View {
	for {
		e, ok := w.r.Next()
		if !ok {
			return w.state.View(int64(w.l.now()))
		}
		w.state.Apply(e)
	}
}

// agree compares what is told of the group with what the coordinator holds of it: state, members and
// what they wait for, who has which partition, and the offsets.
func (w *told) agree() {
	l, g := w.l, w.l.group()
	v := w.view()
	if g == nil || g.shard.loading {
		for _, o := range v.Groups {
			require.Empty(l.t, o.Members, "nobody is left of a group that is gone")
		}
		return
	}
	require.Len(l.t, v.Groups, 1)
	o := v.Groups[0]
	require.Equal(l.t, trace.GroupStateNames[g.state], o.State)
	require.Equal(l.t, g.c.Partition(testGroup), o.OffsetsPart)
	if g.consumer != nil {
		w.agreeConsumer(g, o)
	} else {
		w.agreeClassic(g, o)
	}
	w.agreeOffsets(g, v)
}

func (w *told) agreeClassic(g *group, o view.Group) {
	t := w.l.t
	require.Equal(t, int64(g.generation), o.Generation)
	require.Equal(t, g.timerKind != trace.TimerNone, o.Timer != "", "a timer of the group")
	var pending []string
	seen := 0
	for _, told := range o.Members {
		if told.Pending {
			pending = append(pending, told.ID)
			continue
		}
		m := g.members.get(told.ID)
		require.NotNil(t, m, "told of member %s", told.ID)
		seen++
		waits := ""
		switch {
		case m.join != nil:
			waits = "JoinGroup"
		case m.sync != nil:
			waits = "SyncGroup"
		}
		require.Equal(t, waits, told.Waits, told.ID)
		require.Equal(t, m.client.ID, told.Client)
		require.Equal(t, m.sessionTimeout, time.Duration(told.Session))
		require.Equal(t, m.deadline.Since(), told.Deadline)
		if told.ID == g.leader {
			require.Equal(t, told.Client, o.Leader)
		}
		if g.state == trace.GroupStable {
			require.Equal(t, planned(m.assignment), sorted(told.Assigned))
		}
	}
	require.Equal(t, g.members.len(), seen)
	for _, p := range g.pending {
		require.Contains(t, pending, p.id)
	}
	require.Len(t, pending, len(g.pending))
}

func (w *told) agreeConsumer(g *group, o view.Group) {
	t := w.l.t
	require.Equal(t, "consumer", o.Type)
	require.Equal(t, int64(g.consumer.epoch), o.Generation, "group epoch")
	if len(g.consumer.targets) > 0 {
		require.Equal(t, int64(g.consumer.targetEpoch), o.TargetEpoch)
	}
	require.Len(t, o.Members, len(g.consumer.byID))
	for _, told := range o.Members {
		m := g.consumer.byID[told.ID]
		require.NotNil(t, m, "told of member %s", told.ID)
		require.Equal(t, int64(m.epoch), told.Epoch)
		require.Equal(t, trace.MemberStateNames[m.state], told.State)
		require.Equal(t, w.names(held(m.assigned)), sorted(told.Assigned), "%s has", m.id)
		require.Equal(t, w.names(held(m.revoking)), sorted(told.Revoking), "%s gives up", m.id)
		require.Equal(t, w.names(g.consumer.targets[m.id]), sorted(told.Target), "%s shall have", m.id)
	}
}

func (w *told) agreeOffsets(g *group, v view.View) {
	got := map[string]int64{}
	for _, p := range v.Parts {
		for _, r := range p.Readers {
			if r.Committed >= 0 {
				got[fmt.Sprintf("%s-%d", p.Topic, p.Number)] = r.Committed
			}
		}
	}
	want := map[string]int64{}
	for _, c := range g.offsets.list {
		want[c.tp.String()] = c.offset
	}
	require.Equal(w.l.t, want, got, "committed")
}

func held(list []holding) []assign.TopicIDPartition {
	var out []assign.TopicIDPartition
	for _, h := range list {
		out = append(out, h.partition)
	}
	return out
}

func (w *told) names(list []assign.TopicIDPartition) []string {
	var out []string
	for _, p := range list {
		out = append(out, w.l.name(p))
	}
	return sorted(out)
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// planned are the partitions of an assignment.
func planned(assignment []byte) []string {
	a, _ := wire.DecodeAssignment(assignment)
	var out []string
	for _, tp := range a.Partitions {
		out = append(out, tp.String())
	}
	return sorted(out)
}

// tally counts events by kind, so that a random run cannot agree because nothing happened in it.
type tally map[trace.Kind]int

func (c tally) count(l *lab) {
	r := l.log.Reader(0)
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		c[e.Kind]++
	}
}

func (c tally) require(t *testing.T, kinds ...trace.Kind) {
	for _, k := range kinds {
		require.Greater(t, c[k], 10, "kind %d happened too seldom to say anything", k)
	}
}

// topicsInTrace makes the topics known to the trace, as the brokers do.
func (l *lab) topicsInTrace(partitions int32) {
	l.w.Process("broker-1").Trace(trace.Event{
		Kind: trace.TopicCreated, Name: l.w.Ref("t"), Part: partitions, X: 1,
	})
}

func TestTheTraceTellsWhatTheCoordinatorHoldsOfAClassicGroup(t *testing.T) {
	seen := tally{}
	for seed := range int64(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			l := newLab(t)
			l.topicsInTrace(20)
			w := newTold(l)
			r := rand.New(rand.NewSource(seed))
			var ids []string
			for range 100 {
				if l.fail = wire.None; r.Intn(12) == 0 {
					l.fail = wire.NotEnoughReplicas
				}
				switch g := l.group(); {
				case r.Intn(12) == 0:
					l.join("s", static(fmt.Sprint("i", r.Intn(2))), timeouts(
						time.Duration(10+r.Intn(5))*time.Second, 20*time.Second))
				case r.Intn(25) == 0:
					l.reload()
				case r.Intn(10) == 0:
					l.join("p", version(9))
				case g != nil && g.members.len() > 0 && r.Intn(4) == 0:
					all := g.members.all()
					m := all[r.Intn(len(all))]
					if m.id != g.leader || r.Intn(2) == 0 {
						l.c.OffsetCommit(commitRequest(m.id, g.generation, int64(r.Intn(50))), func([]wire.Code) {})
						break
					}
					for _, other := range all {
						if other.id != m.id {
							l.sync(other.id, g.generation)
						}
					}
					l.sync(m.id, g.generation, share(m.id, 0, 1, 2), share(all[0].id, 3, 4))
				default:
					ids = l.disturb(r, ids)
				}
				w.agree()
			}
			seen.count(l)
		})
	}
	seen.require(t, trace.MemberPending, trace.MemberAdded, trace.MemberTimeouts, trace.MemberRemoved,
		trace.PartitionAssigned, trace.GenerationStable, trace.OffsetCommitted, trace.CoordinatorLoaded)
}

func TestTheTraceTellsWhatTheCoordinatorHoldsOfAConsumerGroup(t *testing.T) {
	seen := tally{}
	for seed := range int64(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewSource(seed))
			l := newConsumerLab(t, 1+r.Int31n(9))
			l.topicsInTrace(40)
			w := newTold(l)
			actors := []*actor{{id: "A"}, {id: "B"}, {id: "C"}, {id: "D"}}
			for range 120 {
				a := actors[r.Intn(len(actors))]
				switch r.Intn(14) {
				case 0:
					l.beat(a.id, -1)
					a.epoch = 0
				case 1:
					l.at(l.now() + time.Duration(r.Intn(40))*time.Second)
				case 2:
					l.meta.set("t", l.meta.list[0].Partitions+r.Int31n(2))
				case 3:
					l.reload()
					l.at(l.now() + time.Second)
				case 4:
					if a.epoch > 0 {
						l.c.OffsetCommit(commitRequest(a.id, a.epoch, int64(r.Intn(50))), func([]wire.Code) {})
					}
				default:
					a.beat(l)
				}
				w.agree()
			}
			seen.count(l)
		})
	}
	seen.require(t, trace.MemberEpoch, trace.MemberTarget, trace.PartitionAssigned, trace.MemberRemoved,
		trace.PartitionRevoking, trace.PartitionReleased, trace.OffsetCommitted, trace.CoordinatorLoaded)
}
