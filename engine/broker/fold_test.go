package broker

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/fold"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// told is what the trace of a lab tells by now.
type told struct {
	l     *lab
	state *fold.State
	r     *trace.Reader
}

func newTold(l *lab) *told {
	var cast []fold.Actor
	for _, n := range l.c.nodes {
		cast = append(cast, fold.Actor{Name: n.name, Role: fold.RoleBroker})
	}
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

// agree compares what is told with what the brokers have: every copy on its disk, who leads, who is
// in sync, and who is up.
func (w *told) agree() {
	l := w.l
	v := w.view()
	for i, b := range v.Brokers {
		n := l.c.nodes[i]
		require.Equal(l.t, n.broker != nil, b.Up, "%s up", n.name)
		if b.Controller {
			require.Equal(l.t, l.c.controller, n.id)
		}
		if n.id == l.c.controller && n.broker != nil && n.broker.duty != nil {
			require.True(l.t, b.Controller, "%s controls", n.name)
		}
	}
	for _, p := range v.Parts {
		part := l.c.byName[p.Topic].Partitions[p.Number]
		s := l.c.State(part)
		leader := ""
		if n := l.c.node(s.Leader); n != nil {
			leader = n.name
		}
		require.Equal(l.t, leader, p.Leader)
		require.Equal(l.t, int64(s.Epoch), p.Epoch)
		if len(s.Replicas) == 1 {
			log := l.c.node(s.Replicas[0]).log(part)
			require.Equal(l.t, [3]int64{log.LogStart(), log.HW(), log.LEO()},
				[3]int64{p.LogStart, p.HighWater, p.LogEnd}, "%s-%d", p.Topic, p.Number)
			continue
		}
		require.Len(l.t, p.Replicas, len(s.Replicas))
		for i, c := range p.Replicas {
			n := l.c.node(s.Replicas[i])
			log := n.log(part)
			require.Equal(l.t, n.name, c.Broker)
			require.Equal(l.t, slices.Contains(s.ISR, n.id), c.InSync, "%s in sync", n.name)
			require.Equal(l.t, [3]int64{log.LogStart(), log.HW(), log.LEO()},
				[3]int64{c.LogStart, c.HighWater, c.LogEnd}, "%s-%d on %s: start, high watermark, end",
				p.Topic, p.Number, n.name)
			if c.Broker == p.Leader {
				require.Equal(l.t, [3]int64{c.LogStart, c.HighWater, c.LogEnd},
					[3]int64{p.LogStart, p.HighWater, p.LogEnd}, "what is shown is the leader's copy")
			}
		}
	}
}

// disturb does one thing to the cluster.
func disturb(l *lab, r *rand.Rand, writers []*raw) {
	id := int32(1 + r.Intn(3))
	name := l.c.node(id).name
	other := l.c.node(1 + id%3).name
	switch r.Intn(9) {
	case 0:
		if l.c.node(id).broker != nil && r.Intn(2) == 0 {
			l.kill(name)
		} else if l.c.node(id).broker == nil {
			l.revive(name)
		}
	case 1:
		l.w.Cut(name, other)
	case 2:
		l.w.HealAll()
	case 3:
		_ = l.c.MoveLeader("t", 0, id) // refused if it cannot lead
	case 4:
		_ = l.c.DeleteRecords([]string{"t", "one"}[r.Intn(2)], 0, int64(r.Intn(20)))
	default:
		w := writers[r.Intn(len(writers))]
		if !w.closed {
			w.send(produceRequest([]string{"t", "one"}[r.Intn(2)], 0, int16(r.Intn(2)*2-1), l.batch("a", "b", "c")))
		}
	}
	l.wait(time.Duration(r.Intn(3000)) * time.Millisecond)
}

func TestTheTraceTellsWhatTheBrokersHave(t *testing.T) {
	seen := map[trace.Kind]int{}
	for seed := range int64(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			l := newLab(t, 3, Entry{"unclean.leader.election.enable", fmt.Sprint(seed%2 == 1)})
			require.NoError(t, l.c.CreateTopic(TopicSpec{Name: "t", Partitions: 1, ReplicationFactor: 3}))
			l.topic("one", 2)
			w := newTold(l)
			w.agree()
			l.c.Open()
			l.wait(time.Second)
			r := rand.New(rand.NewSource(seed))
			var writers []*raw
			for range 80 {
				if len(writers) < 4 || r.Intn(10) == 0 {
					id := int32(1 + r.Intn(3))
					if l.c.node(id).broker != nil {
						writers = append(writers, l.client(fmt.Sprint("p", len(writers)), l.c.node(id).name))
					}
				}
				if len(writers) > 0 {
					disturb(l, r, writers)
				}
				w.agree()
			}
			for _, kind := range eventful {
				seen[kind] += len(l.events(kind))
			}
		})
	}
	for _, kind := range eventful {
		require.Greater(t, seen[kind], 3, "kind %d happened too seldom to say anything", kind)
	}
}

// eventful are the kinds without which a copy's state would be dull.
var eventful = []trace.Kind{
	trace.ProcessEnded, trace.LeaderElected, trace.ISRChanged, trace.Truncated, trace.LogStart,
	trace.FollowerWatermark, trace.Controller,
}
