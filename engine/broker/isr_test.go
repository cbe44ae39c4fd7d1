package broker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// leaderWithout3 is the leader's replica of partition 0 of "t" in a cluster where broker 3 is out of the
// in-sync replicas, with its progress there. Nothing goes on by itself any more.
func leaderWithout3(t *testing.T) (*replica, *progress) {
	l := replicated(t)
	l.client("p", "broker-1").produce("t", 0, "a", "b")
	l.wait(time.Second)
	r := l.copyOf(1)
	s := *r.state
	s.ISR = []int32{1, 2}
	r.state = &s
	return r, r.follower(3)
}

func TestTheHighWatermarkWaitsForWhoIsInSyncOrAboutToBe(t *testing.T) { // E18
	for _, c := range []struct {
		name   string
		change func(r *replica, f *progress)
		want   bool
	}{
		{"in sync", func(r *replica, f *progress) {
			f.end, f.caughtUp, r.state.ISR = 0, 0, []int32{1, 2, 3}
		}, true},
		{"asked for, and not confirmed yet", func(r *replica, f *progress) {
			f.end, f.caughtUp, r.asked = 0, 0, []int32{1, 2, 3}
		}, true},
		{"out, at the log's end", func(r *replica, f *progress) { f.end, f.caughtUp = r.log.LEO(), 0 }, true},
		{"out, caught up a moment ago", func(r *replica, f *progress) {
			f.end, f.caughtUp = 0, r.broker.env.Now()
		}, true},
		{"out, and behind for too long", func(r *replica, f *progress) {
			f.end, f.caughtUp = 0, r.broker.env.Now().Add(-r.lagMax()-1)
		}, false},
		{"out, never caught up", func(r *replica, f *progress) { f.end, f.caughtUp = 0, 0 }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, f := leaderWithout3(t)
			c.change(r, f)
			require.Equal(t, c.want, r.counts(f))
		})
	}
}

func TestWhoIsTakenIntoTheInSyncReplicas(t *testing.T) { // E21
	for _, c := range []struct {
		name   string
		change func(r *replica, f *progress)
		want   bool
	}{
		{"at the high watermark", func(r *replica, f *progress) { f.end = r.log.HW() }, true},
		{"below it", func(r *replica, f *progress) { f.end = r.log.HW() - 1 }, false},
		{"before the leader's epoch", func(r *replica, f *progress) {
			f.end, r.epochStart = r.log.HW(), r.log.HW()+1
		}, false},
		{"its broker is counted out", func(r *replica, f *progress) {
			f.end = r.log.LEO()
			r.broker.image.broker(3).fenced = true
		}, false},
		{"in already", func(r *replica, f *progress) { r.state.ISR = []int32{1, 2, 3} }, false},
		{"the controller has been asked and has not answered", func(r *replica, f *progress) {
			f.end, r.asked = r.log.LEO(), []int32{1}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, f := leaderWithout3(t)
			c.change(r, f)
			before := len(r.asked)
			r.expandISR(f)
			require.Equal(t, c.want, len(r.asked) > before)
		})
	}
}

func TestAFollowerThatHasEverythingStaysInSyncThoughItIsSilent(t *testing.T) { // E20
	l := replicated(t)
	require.NoError(t, l.c.MoveLeader("t", 0, 2)) // broker 1, the controller, still hears of broker 3
	l.wait(time.Second)
	c := l.client("p", "broker-2")
	c.produce("t", 0, "a")
	l.wait(time.Second)
	l.w.Cut("broker-2", "broker-3")
	l.wait(2 * time.Minute)
	require.Equal(t, []int32{1, 2, 3}, l.state().ISR, "it lacks nothing")
	c.send(produceRequest("t", 0, 1, l.batch("b")))
	l.wait(46 * time.Second)
	require.Equal(t, []int32{1, 2}, l.state().ISR)
}

func TestAFollowerFetchesWithKafkasSettings(t *testing.T) { // E22
	l := replicated(t)
	l.client("p", "broker-1").produce("t", 0, "a", "b")
	l.wait(time.Second)
	r := l.copyOf(2)
	q := r.fetcher.request()
	require.Equal(t, []int32{500, 1, 10 << 20}, []int32{q.MaxWaitMillis, q.MinBytes, q.MaxBytes})
	require.Equal(t, int32(2), q.ReplicaState.ID)

	r.raiseHW(100)
	require.Equal(t, int64(2), r.log.HW(), "no further than the own log")

	failed := kmsg.NewFetchResponseTopicPartition()
	failed.ErrorCode = int16(wire.UnknownServerError)
	r.fetched(&failed)
	require.True(t, r.delayed)
	l.wait(time.Second - 1)
	require.True(t, r.delayed, "replica.fetch.backoff.ms")
	l.wait(1)
	require.False(t, r.delayed)
}
