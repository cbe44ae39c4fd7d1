package group

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/wire"
)

// actor is a well-behaved member of the consumer protocol: what it was given it takes, and what it
// was not given any more it gives up.
type actor struct {
	id    string
	epoch int32
	has   []string
	lost  bool // an answer did not come: everything is sent again
}

func (a *actor) beat(l *lab) {
	options := []beatOption{owns(a.has...)}
	if a.lost {
		options = []beatOption{full, owns(a.has...)}
		a.lost = false
	}
	if a.epoch == 0 {
		a.has = nil
		options = []beatOption{full}
	}
	r := l.beat(a.id, a.epoch, options...)
	switch r.code {
	case wire.None:
		a.epoch = r.epoch
		if r.parts != "-" {
			a.has = l.split(r.parts)
		}
	case wire.UnknownMemberID, wire.FencedMemberEpoch, wire.GroupIDNotFound:
		a.epoch = 0
	default:
		l.t.Fatal(r.code.Name())
	}
}

func (l *lab) split(parts string) []string {
	var out []string
	for _, p := range l.parse(strings.Fields(parts)) {
		out = append(out, l.name(p))
	}
	return out
}

// checkOwners: no partition is held by two members, and owners say so.
func (l *lab) checkOwners() {
	if l.group() == nil || l.consumers() == nil {
		return
	}
	held := map[assign.TopicIDPartition]string{}
	for _, m := range l.consumers().members() {
		for _, list := range [][]holding{m.assigned, m.revoking} {
			for _, h := range list {
				require.Empty(l.t, held[h.partition], "%s is held twice", l.name(h.partition))
				held[h.partition] = m.id
				require.Equal(l.t, m.epoch, l.consumers().owners[h.partition])
			}
		}
	}
	require.Len(l.t, l.consumers().owners, len(held))
}

// Whatever members do, a partition has one owner, a reload changes nothing, and when they keep
// still everybody has its target.
func TestRandomMembersShareTheirPartitions(t *testing.T) { // F10-F14, invariant "one owner"
	for seed := range int64(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewSource(seed))
			l := newConsumerLab(t, 1+r.Int31n(9))
			actors := []*actor{{id: "A"}, {id: "B"}, {id: "C"}, {id: "D"}}
			for range 150 {
				a := actors[r.Intn(len(actors))]
				switch r.Intn(12) {
				case 0:
					l.beat(a.id, -1)
					a.epoch = 0
				case 1:
					l.at(l.now() + time.Duration(r.Intn(20))*time.Second)
				case 2: // the answer is lost
					was := *a
					a.beat(l)
					a.epoch, a.has, a.lost = was.epoch, was.has, true
				case 3:
					l.meta.set("t", l.meta.list[0].Partitions+r.Int31n(2))
				case 4:
					l.reload()
					l.at(l.now() + time.Second)
				default:
					a.beat(l)
				}
				l.checkOwners()
			}
			for range 8 {
				for _, a := range actors {
					a.beat(l)
				}
			}
			require.Equal(t, "Stable", l.state())
			total := 0
			for _, m := range l.consumers().members() {
				total += len(m.assigned)
			}
			require.Equal(t, int(l.meta.list[0].Partitions), total)
		})
	}
}
