package client

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/fold"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// picture is what the trace of a cluster tells by now.
type picture struct {
	k     *cluster
	state *fold.State
	r     *trace.Reader
}

func newPicture(k *cluster, names []string) *picture {
	cast := []fold.Actor{{Name: "orders", Role: fold.RoleProducer}}
	for _, n := range names {
		cast = append(cast, fold.Actor{Name: n, Role: fold.RoleConsumer, Group: "g"})
	}
	for id := int32(1); id <= 3; id++ {
		cast = append(cast, fold.Actor{Name: nodeName(id), Role: fold.RoleBroker})
	}
	return &picture{k, fold.New(fold.NewDirectory(k.log, cast)), k.log.Reader(0)}
}

func (w *picture) view() view.View {
	for {
		e, ok := w.r.Next()
		if !ok {
			return w.state.View(int64(w.k.at()))
		}
		w.state.Apply(e)
	}
}

// agree compares what is told of a living member with what it holds: who it is in the group, its
// partitions, its positions, and what it has fetched and not yet returned.
func (w *picture) agree(m *member) {
	t, v := w.k.t, w.view()
	owners := map[string]view.Reader{}
	for _, p := range v.Parts {
		for _, r := range p.Readers {
			owners[fmt.Sprintf("%s-%d", p.Topic, p.Number)] = r
		}
	}
	for _, o := range v.Clients {
		if o.Name != m.name {
			continue
		}
		require.Equal(t, trace.ConsumerStateNames[m.c.grp.state], o.State, m.name)
		require.Equal(t, m.c.grp.memberID, o.MemberID, m.name)
		for _, name := range o.Owned {
			tp := TopicPartition{Topic: "t"}
			_, err := fmt.Sscanf(name, "t-%d", &tp.Partition)
			require.NoError(t, err)
			require.NotNil(t, m.c.sub.find(tp), "%s is told to own %s", m.name, name)
		}
	}
	for _, p := range m.c.sub.parts {
		r := owners[p.tp.String()]
		if r.Owner != m.name {
			require.NotEmpty(t, r.Owner, "nobody is told to own %s of %s", p.tp, m.name)
			continue // another one has taken it, and this member does not know
		}
		if p.phase == positionValid {
			require.Equal(t, p.position, r.Position, "position of %s in %s", m.name, p.tp)
			require.GreaterOrEqual(t, r.Fetched, r.Position)
			if p.buffered == 0 {
				require.Equal(t, r.Position, r.Fetched, "%s has nothing of %s left", m.name, p.tp)
			}
		}
	}
}

// trouble lets something happen to a member.
func (k *cluster) trouble(r *rand.Rand, m *member) {
	p := k.w.Process(m.name)
	switch r.Intn(6) {
	case 0:
		p.End(trace.EndedByKill, "")
	case 1:
		p.Freeze(time.Duration(r.Intn(60)) * time.Second)
	case 2:
		m.handler = time.Duration(r.Intn(3000)) * time.Millisecond
	case 3:
		m.closing = true
	}
}

func TestTheTraceTellsWhatConsumersHold(t *testing.T) {
	for name, change := range map[string]func(*member){
		"eager":       func(*member) {},
		"cooperative": func(m *member) { m.cfg.PartitionAssignmentStrategy = []string{"cooperative-sticky"} },
		"consumer":    func(m *member) { m.cfg.GroupProtocol = "consumer" },
	} {
		for seed := range int64(8) {
			t.Run(fmt.Sprint(name, " seed ", seed), func(t *testing.T) {
				r := rand.New(rand.NewSource(seed))
				k := newCluster(t, false, topicT(5))
				var names []string
				for i := range 6 {
					names = append(names, fmt.Sprint("M", i))
				}
				w := newPicture(k, names)
				k.w.Spawn("orders", &feed{rate: 40, topic: "t", until: 150 * time.Second})
				var ms []*member
				for i, n := range names {
					ms = append(ms, k.join(time.Duration(i*r.Intn(20))*time.Second, n, func(m *member) {
						m.cfg.MaxPollRecords, m.handler = 1+r.Intn(50), time.Duration(r.Intn(40))*time.Millisecond
						change(m)
					}))
				}
				for step := 1; step <= 40; step++ {
					k.run(time.Duration(step*4000+r.Intn(3000)) * time.Millisecond)
					m := ms[r.Intn(len(ms))]
					if p := k.w.Process(m.name); p.Running() {
						w.agree(m)
						if step > 8 && r.Intn(3) == 0 {
							k.trouble(r, m)
						}
					}
				}
			})
		}
	}
}
