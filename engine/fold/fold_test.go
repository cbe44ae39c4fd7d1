package fold_test

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
	"rebalancelab/engine/enginetest"
	"rebalancelab/engine/fold"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// runs are runs in which much happens: members come and go, brokers die, both protocols, two groups
// on one topic.
func runs(t *testing.T) map[string]*engine.Lab {
	out := map[string]*engine.Lab{}
	options := map[string]engine.Options{
		"replicated": enginetest.Replicated(7),
	}
	all, err := enginetest.Scenarios()
	require.NoError(t, err)
	for _, c := range all {
		for _, name := range []string{"consumer_protocol", "coordinator_moves", "log_trimmed", "slow_and_fast"} {
			if strings.HasPrefix(c.Name, "library/"+name+".star") {
				options[name] = c.Options
			}
		}
	}
	require.Equal(t, 5, len(options))
	for name, o := range options {
		lab, err := enginetest.Run(o)
		require.NoError(t, err, name)
		t.Cleanup(lab.Close)
		out[name] = lab
	}
	return out
}

// directory knows the processes of a run.
func directory(lab *engine.Lab) *fold.Directory {
	v := lab.View(view.At{Index: lab.Len()})
	var cast []fold.Actor
	for _, c := range v.Clients {
		a := fold.Actor{Name: c.Name, Role: fold.RoleConsumer, Group: c.Group}
		if c.Producer {
			a.Role, a.Group = fold.RoleProducer, ""
		}
		cast = append(cast, a)
	}
	for _, b := range v.Brokers {
		cast = append(cast, fold.Actor{Name: b.Name, Role: fold.RoleBroker})
	}
	return fold.NewDirectory(lab.Trace(), cast)
}

// forward applies the events from the state's place up to event n.
func forward(s *fold.State, log *trace.Log, n int) *fold.State {
	r := log.Reader(s.Index())
	for s.Index() < n {
		e, ok := r.Next()
		if !ok {
			break
		}
		s.Apply(e)
	}
	return s
}

func TestAKeyframeAndTheEventsAfterItGiveTheStateThatAllEventsGive(t *testing.T) {
	for name, lab := range runs(t) {
		t.Run(name, func(t *testing.T) {
			log, r := lab.Trace(), rand.New(rand.NewSource(1))
			dir := directory(lab)
			for range 12 {
				n := r.Intn(lab.Len() + 1)
				key := r.Intn(n + 1)
				whole := forward(fold.New(dir), log, n)
				base := forward(fold.New(dir), log, key)
				frame := base.Clone()
				forward(base, log, min(key+r.Intn(3000), lab.Len())) // what goes on must not reach the copy
				later := forward(frame, log, n)

				require.Equal(t, whole.View(whole.At()), later.View(later.At()), "keyframe %d, event %d", key, n)
				sc := fold.NewScene(forward(fold.New(dir), log, lab.Len()))
				require.Equal(t, whole.Paint(nil, sc, whole.At()), later.Paint(nil, sc, later.At()))
			}
		})
	}
}

// The lab keeps keyframes and a cursor: in whatever order it is asked, a moment looks the same.
func TestAMomentLooksTheSameInWhateverOrderItIsAskedFor(t *testing.T) {
	for name, lab := range runs(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewSource(2))
			dir := directory(lab)
			for range 20 {
				n := r.Intn(lab.Len() + 1)
				s := forward(fold.New(dir), lab.Trace(), n)
				want := s.View(s.At())
				want.Hash = lab.HashAt(n)
				require.Equal(t, want, lab.View(view.At{Index: n}), "event %d", n)
			}
		})
	}
}
