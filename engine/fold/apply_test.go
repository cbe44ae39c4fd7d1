package fold_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/fold"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/view"
)

// story is a state that events are told to, one by one.
type story struct {
	log *trace.Log
	s   *fold.State
	at  int64
}

func newStory() *story {
	log := trace.NewLog()
	return &story{log: log, s: fold.New(fold.NewDirectory(log, []fold.Actor{
		{Name: "A", Role: fold.RoleConsumer, Group: "g"}, {Name: "B", Role: fold.RoleConsumer, Group: "g"},
		{Name: "orders", Role: fold.RoleProducer},
		{Name: "broker-1", Role: fold.RoleBroker}, {Name: "broker-2", Role: fold.RoleBroker},
	}))}
}

func (y *story) ref(s string) trace.Ref { return y.log.Ref(s) }

// tell applies an event of node about name a millisecond later.
func (y *story) tell(node string, e trace.Event) {
	y.at += 1e6
	e.At, e.Node = y.at, y.ref(node)
	y.s.Apply(e)
}

// about is an event about partition 0 of "t".
func (y *story) about(kind trace.Kind, peer string, x, v int64) trace.Event {
	return trace.Event{Kind: kind, Name: y.ref("t"), Peer: y.ref(peer), X: x, Y: v}
}

func (y *story) view() view.View { return y.s.View(y.at) }

func (y *story) begin(replicas string) {
	y.tell("broker-1", trace.Event{Kind: trace.TopicCreated, Name: y.ref("t"), Part: 1, X: 1})
	if replicas != "" {
		y.tell("broker-1", y.about(trace.ReplicasPlaced, replicas, 2, 0))
	}
	y.tell("broker-1", y.about(trace.LeaderElected, "broker-1", 1, 0))
}

func TestAPartitionShowsItsLeadersCopyWhoeverElseWrites(t *testing.T) {
	y := newStory()
	y.begin("1,2")
	y.tell("broker-1", y.about(trace.Appended, "orders", 0, 10))
	y.tell("broker-2", y.about(trace.Replicated, "broker-1", 0, 8))
	y.tell("broker-1", y.about(trace.HighWatermark, "", 8, 0))
	y.tell("broker-2", y.about(trace.FollowerWatermark, "", 8, 0))
	p := y.view().Parts[0]
	require.Equal(t, [3]int64{0, 8, 10}, [3]int64{p.LogStart, p.HighWater, p.LogEnd})

	y.tell("broker-2", y.about(trace.LeaderElected, "broker-2", 2, 1))
	y.tell("broker-2", y.about(trace.Appended, "orders", 8, 1))
	y.tell("broker-1", y.about(trace.Appended, "orders", 10, 1)) // deposed, and does not know
	p = y.view().Parts[0]
	require.Equal(t, "broker-2", p.Leader)
	require.Equal(t, [3]int64{0, 8, 9}, [3]int64{p.LogStart, p.HighWater, p.LogEnd})
	require.Equal(t, int64(11), p.Replicas[0].LogEnd, "its own copy is longer")

	y.tell("broker-1", y.about(trace.Truncated, "", 5, 11))
	c := y.view().Parts[0].Replicas[0]
	require.Equal(t, [2]int64{5, 5}, [2]int64{c.HighWater, c.LogEnd}, "the high watermark goes down with the end")
	y.tell("broker-1", trace.Event{Kind: trace.TopicDeleted, Name: y.ref("t"), Part: 1})
	require.Empty(t, y.view().Parts)
}

func TestADeadOwnersPartitionIsUnreadFromTheMomentOfItsDeath(t *testing.T) {
	y := newStory()
	y.begin("")
	own := y.about(trace.Owned, "g", 1, 0)
	y.tell("A", trace.Event{Kind: trace.ProcessStarted, X: 1})
	y.tell("A", own)
	y.tell("A", y.about(trace.WorkStarted, "", 3, 5e6))
	require.Equal(t, int64(3), y.view().Parts[0].Readers[0].Work)
	y.tell("A", trace.Event{Kind: trace.ProcessEnded, X: trace.EndedByKill})
	r := y.view().Parts[0].Readers[0]
	require.Equal(t, []any{"A", true, y.at, int64(-1)}, []any{r.Owner, r.OwnerDead, r.Since, r.Work})
	require.Equal(t, "killed", y.view().Clients[0].Life)
	y.tell("A", trace.Event{Kind: trace.ProcessStarted, X: 2})
	require.True(t, y.view().Parts[0].Readers[0].OwnerDead, "a new process owns nothing yet")
	y.tell("B", own)
	r = y.view().Parts[0].Readers[0]
	require.Equal(t, []any{"B", false}, []any{r.Owner, r.OwnerDead})
	y.tell("A", y.about(trace.Unowned, "g", trace.UnownedByLoss, 0))
	require.Equal(t, "B", y.view().Parts[0].Readers[0].Owner, "what A gives up it no longer had")
}

func TestACoordinatorThatIsOutOfDateIsNotListenedTo(t *testing.T) {
	y := newStory()
	y.begin("")
	state := trace.Event{Kind: trace.GroupState, Name: y.ref("g"), X: trace.GroupStable, Y: 4, Z: 7}
	commit := func(offset int64) trace.Event { return y.about(trace.OffsetCommitted, "", offset, int64(y.ref("g"))) }
	y.tell("broker-1", trace.Event{Kind: trace.CoordinatorLoaded, Part: 7})
	y.tell("broker-1", state)
	y.tell("broker-1", commit(5))
	y.tell("broker-2", trace.Event{Kind: trace.CoordinatorLoaded, Part: 7})
	state.X, state.Y = trace.GroupPreparingRebalance, 5
	y.tell("broker-2", state)
	y.tell("broker-1", commit(6))
	state.X = trace.GroupEmpty
	y.tell("broker-1", state)
	v := y.view()
	require.Equal(t, "broker-2", v.Groups[0].Coordinator)
	require.Equal(t, "PreparingRebalance", v.Groups[0].State)
	require.Equal(t, int64(5), v.Parts[0].Readers[0].Committed)
	require.Equal(t, []string{"g"}, v.Brokers[1].Coordinates)
}

func TestAMessageFliesUntilItArrivesOrIsLost(t *testing.T) {
	y := newStory()
	send := func(id int64) {
		y.tell("A", trace.Event{
			Kind: trace.MessageSent, Peer: y.ref("broker-1"), Part: 12, X: id,
			Y: trace.MessageInfo(1, 4, false), Z: 250_000,
		})
	}
	send(1)
	send(2)
	y.tell("A", trace.Event{Kind: trace.MessageHeld, Peer: y.ref("broker-1"), X: 2})
	v := y.view()
	require.Len(t, v.Flying, 2)
	require.Equal(t, "Heartbeat", v.Flying[0].Name)
	require.Equal(t, int64(250_000), v.Flying[0].ArriveAt-v.Flying[0].SentAt)
	require.True(t, v.Flying[1].Held)
	y.tell("broker-1", trace.Event{Kind: trace.MessageArrived, Peer: y.ref("A"), X: 1})
	y.tell("A", trace.Event{Kind: trace.MessageReleased, Peer: y.ref("broker-1"), X: 2, Z: 1e6})
	v = y.view()
	require.Len(t, v.Flying, 1)
	require.False(t, v.Flying[0].Held)
	require.Equal(t, y.at+1e6, v.Flying[0].ArriveAt)
	y.tell("A", trace.Event{Kind: trace.MessageLost, Peer: y.ref("broker-1"), X: 2})
	require.Empty(t, y.view().Flying)
}

func TestAParkedFetchWaitsUntilItIsAnsweredOrItsBrokerDies(t *testing.T) {
	y := newStory()
	park := func(corr int64) {
		y.tell("broker-1", trace.Event{Kind: trace.FetchParked, Peer: y.ref("A"), X: 500e6, Y: corr})
	}
	park(1)
	park(2)
	require.Len(t, y.view().Brokers[0].Waiting, 2)
	y.tell("broker-1", trace.Event{Kind: trace.FetchAnswered, Peer: y.ref("A"), Y: 1})
	w := y.view().Brokers[0].Waiting
	require.Len(t, w, 1)
	require.Equal(t, int64(500e6), w[0].Deadline)
	y.tell("broker-1", trace.Event{Kind: trace.ProcessEnded, X: trace.EndedByKill})
	require.Empty(t, y.view().Brokers[0].Waiting)
}
