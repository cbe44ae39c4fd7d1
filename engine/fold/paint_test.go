package fold_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/fold"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// block is a paint block taken apart.
type block struct{ tapes, dots, pins [][]int32 }

func parse(t *testing.T, b []int32) block {
	t.Helper()
	require.Equal(t, int32(view.PaintVersion), b[0])
	var out block
	tapes, dots := int(b[3]), int(b[4])
	take := func(list *[][]int32, n, size int) {
		for range n {
			*list = append(*list, b[:size])
			b = b[size:]
		}
	}
	b = b[view.PaintHead:]
	take(&out.tapes, tapes, view.TapeSize)
	take(&out.dots, dots, view.DotSize)
	n := int(b[0])
	b = b[1:]
	take(&out.pins, n, view.PinSize)
	require.Empty(t, b)
	return out
}

func (y *story) paint(t *testing.T) block {
	return parse(t, y.s.Paint(nil, fold.NewScene(y.s), y.at))
}

func TestATapeShowsOneGroupAndPinsWhatTheOthersHave(t *testing.T) { // S17
	y := newStory()
	y.begin("")
	y.tell("broker-1", y.about(trace.Appended, "orders", 0, 10))
	for i, group := range []string{"g", "h", "audit"} {
		commit := y.about(trace.OffsetCommitted, "", int64(2+i), int64(y.ref(group)))
		y.tell("broker-1", commit)
	}
	y.tell("B", trace.Event{Kind: trace.ConsumerState, Name: y.ref("h"), X: trace.ConsumerStable, Y: 1})
	y.tell("B", y.about(trace.Owned, "h", 1, 0))
	y.tell("B", y.about(trace.Positioned, "", 6, 0))
	b := y.paint(t)
	require.Len(t, b.tapes, 1)
	require.Equal(t, []int32{0, -1, 0, 0, 10, 0, 2}, b.tapes[0][:7], "the first group's commit, and no owner")
	require.Equal(t, [][]int32{
		{0, view.PinCommitted, 1, 3}, {0, view.PinPosition, 1, 6}, // h, owned by B
		{0, view.PinCommitted, -1, 4}, // audit, which nobody reads for now
	}, b.pins)
	y.tell("B", trace.Event{Kind: trace.ProcessEnded, X: trace.EndedByKill})
	require.Len(t, y.paint(t).pins, 2, "what was in its memory is nowhere")
}

func TestATapePinsTheLogEndsOfFollowers(t *testing.T) {
	y := newStory()
	y.begin("1,2")
	y.tell("broker-1", y.about(trace.Appended, "orders", 0, 10))
	y.tell("broker-2", y.about(trace.Replicated, "broker-1", 0, 7))
	require.Equal(t, [][]int32{{0, view.PinInSync, -1, 7}}, y.paint(t).pins)
	y.tell("broker-1", y.about(trace.ISRChanged, "1", 1, 1))
	require.Equal(t, [][]int32{{0, view.PinBehind, -1, 7}}, y.paint(t).pins)
	y.tell("broker-1", y.about(trace.LeaderElected, "broker-2", 2, 1))
	require.Equal(t, [][]int32{{0, view.PinInSync, -1, 10}}, y.paint(t).pins, "the other one is the follower now")
}

// What is painted is what the view says, at any moment of runs with several groups and replicas.
func TestThePaintBlockSaysWhatTheViewSays(t *testing.T) { // S17
	for name, lab := range runs(t) {
		t.Run(name, func(t *testing.T) {
			groups, copies := 0, 0
			for n := 0; n <= lab.Len(); n += lab.Len()/25 + 1 {
				at := view.At{Index: n}
				v, b := lab.View(at), parse(t, lab.Paint(nil, at))
				pins := map[int32]map[int32]int{}
				for _, p := range b.pins {
					if pins[p[0]] == nil {
						pins[p[0]] = map[int32]int{}
					}
					pins[p[0]][p[1]]++
				}
				require.Len(t, b.dots, len(v.Flying))
				for i, p := range v.Parts {
					tape := b.tapes[i]
					require.Equal(t, []int32{int32(p.LogStart), int32(p.LogEnd), int32(p.HighWater)}, tape[3:6])
					want := map[int32]int{}
					for j, r := range p.Readers {
						if j == 0 {
							require.Equal(t, []int32{int32(r.Committed), int32(r.Position)}, tape[6:8])
						} else if r.Committed >= 0 {
							want[view.PinCommitted]++
						}
					}
					for _, c := range p.Replicas {
						if c.Broker != p.Leader && c.InSync {
							want[view.PinInSync]++
						}
					}
					require.Equal(t, want[view.PinCommitted], pins[int32(i)][view.PinCommitted])
					if n > lab.Len()/10 { // every follower has copied something
						require.Equal(t, want[view.PinInSync], pins[int32(i)][view.PinInSync])
					}
					groups += want[view.PinCommitted]
					copies += want[view.PinInSync]
				}
			}
			require.Equal(t, name == "replicated", copies > 0)
			require.Equal(t, name == "slow_and_fast", groups > 0)
		})
	}
}
