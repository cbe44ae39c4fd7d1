package client

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// heard is a listener of a member in a cluster; it writes down what it is told and when.
type heard struct {
	m     *member
	calls []string
	takes time.Duration
	fails map[string]error // by the name of the callback; taken once
}

func (h *heard) note(name string, parts []TopicPartition, done func(error)) {
	h.calls = append(h.calls, name+partsText(parts))
	err := h.fails[name]
	delete(h.fails, name)
	h.m.env.After(h.takes, func() { done(err) })
}

func (h *heard) OnRevoked(p []TopicPartition, done func(error))  { h.note("revoked", p, done) }
func (h *heard) OnLost(p []TopicPartition, done func(error))     { h.note("lost", p, done) }
func (h *heard) OnAssigned(p []TopicPartition, done func(error)) { h.note("assigned", p, done) }

// modern spawns a member of the consumer protocol with a listener.
func (k *cluster) modern(at time.Duration, name string, change func(*member)) (*member, *heard) {
	h := &heard{fails: map[string]error{}}
	m := k.join(at, name, func(m *member) {
		m.cfg.GroupProtocol, m.cfg.EnableAutoCommit = "consumer", false
		m.told = h
		if change != nil {
			change(m)
		}
		require.NoError(k.t, m.cfg.Validate())
	})
	h.m = m
	return m, h
}

// preload gives every partition n records.
func (k *cluster) preload(parts int32, n int) {
	for p := range parts {
		records := make([]wire.Record, n)
		for i := range records {
			records[i].Value = []byte("v")
		}
		require.NoError(k.t, k.c.Preload("t", p, records))
	}
}

// beats are the heartbeats of a member in short: epoch and what it says it owns, "e2 [0 1]".
func (k *cluster) beats(from string) []string {
	var out []string
	for _, s := range k.msgs {
		req, ok := s.f.Req.(*kmsg.ConsumerGroupHeartbeatRequest)
		if !ok || s.from != from {
			continue
		}
		text := fmt.Sprint("e", req.MemberEpoch)
		if req.Topics != nil {
			var parts []int32
			for _, t := range req.Topics {
				parts = append(parts, t.Partitions...)
			}
			text += fmt.Sprint(" ", parts)
		}
		if req.SubscribedTopicNames != nil {
			text += fmt.Sprint(" reads ", req.SubscribedTopicNames)
		}
		out = append(out, text)
	}
	return out
}

// states are the states that a member went through.
func (k *cluster) states(name string) []string {
	var out []string
	for _, e := range k.events(trace.ConsumerState, name) {
		s := trace.ConsumerStateNames[e.X]
		if len(out) == 0 || out[len(out)-1] != s {
			out = append(out, s)
		}
	}
	return out
}

func topicT(parts int32) broker.TopicSpec {
	return broker.TopicSpec{Name: "t", Partitions: parts}
}

func TestAMemberOfTheConsumerProtocolHasItsPartitionsAtOnce(t *testing.T) { // F1, F21, F24, F25
	k := newCluster(t, true, topicT(2))
	k.preload(2, 3)
	a, h := k.modern(0, "A", nil)
	k.run(12 * time.Second)
	require.Empty(t, a.errs)
	require.Equal(t, "FindCoordinator FindCoordinator ConsumerGroupHeartbeat ConsumerGroupHeartbeat "+
		"OffsetFetch ListOffsets ListOffsets ConsumerGroupHeartbeat ConsumerGroupHeartbeat",
		k.apis("A", "ApiVersions", "Fetch", "Metadata"))
	require.Equal(t, []string{"e0 [] reads [t]", "e2 [0 1]", "e2", "e2"}, k.beats("A"),
		"all at first, the acknowledgement at once, then only that it lives")
	require.Equal(t, []string{"JOINING", "RECONCILING", "ACKNOWLEDGING", "STABLE"}, k.states("A"))
	require.Equal(t, []string{"assigned[t-0, t-1]"}, h.calls)
	require.Len(t, a.records, 6)
	owned := k.events(trace.Owned, "A")
	require.Less(t, owned[0].At, int64(500*time.Millisecond), "no delay gathers members")
	require.Equal(t, int64(2), owned[0].X)
}

func TestMembersShareWithoutABarrier(t *testing.T) { // F6, F11, F14, S50
	k := newCluster(t, true, topicT(6))
	var ms []*member
	for _, n := range []string{"A", "B", "C"} {
		m, _ := k.modern(0, n, nil)
		ms = append(ms, m)
	}
	k.run(30 * time.Second)
	total := 0
	for _, m := range ms {
		require.Empty(t, m.errs)
		require.Len(t, m.c.Assignment(), 2)
		total += 2
	}
	require.Equal(t, 6, total)
	g := k.events(trace.GroupState, "")
	require.Equal(t, trace.GroupStable, g[len(g)-1].X)
}

func TestOnlyWhatMovesPausesWhenAMemberJoins(t *testing.T) { // F11, F14, F24
	k := newCluster(t, true, topicT(2))
	a, ha := k.modern(0, "A", nil)
	b, hb := k.modern(20*time.Second, "B", nil)
	k.run(45 * time.Second)
	require.Empty(t, a.errs)
	require.Empty(t, b.errs)
	kept, moved := a.c.Assignment(), b.c.Assignment()
	require.Len(t, kept, 1)
	require.Len(t, moved, 1)
	require.Equal(t, []string{"assigned[t-0, t-1]", "revoked" + partsText(moved), "assigned[]"}, ha.calls)
	require.Equal(t, []string{"assigned[]", "assigned" + partsText(moved)}, hb.calls,
		"first it is told that nothing is free")
	beats := k.beats("A")
	require.Contains(t, beats, fmt.Sprintf("e2 [%d]", kept[0].Partition), "revoked, still in its epoch")
	unowned := k.events(trace.Unowned, "A")
	require.Len(t, unowned, 1)
	require.LessOrEqual(t, unowned[0].At, int64(26*time.Second), "at its next heartbeat and poll")
	taken := k.events(trace.Owned, "B")
	require.Len(t, taken, 1)
	require.LessOrEqual(t, taken[0].At-unowned[0].At, int64(6*time.Second), "at B's next heartbeat")
}

func TestABusyMemberHoldsUpOnlyWhatItMustGiveUp(t *testing.T) { // S50, F24
	k := newCluster(t, true, topicT(4))
	k.preload(4, 2)
	a, _ := k.modern(0, "A", func(m *member) { m.cfg.MaxPollRecords = 2; m.handler = 20 * time.Second })
	b, _ := k.modern(10*time.Second, "B", nil)
	k.run(39 * time.Second)
	require.Empty(t, b.c.Assignment(), "A is in its batch until 40 s and heartbeats all the time")
	k.run(60 * time.Second)
	require.Len(t, b.c.Assignment(), 2)
	require.Len(t, a.c.Assignment(), 2)
	require.Empty(t, a.errs)
	for _, e := range k.events(trace.LogLine, "A") {
		text := k.log.String(e.Name)
		if strings.Contains(text, "Reconciling assignment") && !strings.Contains(text, "revoked []") {
			require.Greater(t, e.At, int64(39*time.Second), "what takes partitions away begins in a poll")
			return
		}
	}
	t.Fatal("nothing was taken away")
}

func TestWhatIsToGoIsNotReadAnyMoreWhileItsCommitIsUnderWay(t *testing.T) { // F24
	k := newCluster(t, true, topicT(2))
	k.preload(2, 400)
	a, _ := k.modern(0, "A", func(m *member) {
		m.cfg.EnableAutoCommit, m.cfg.AutoCommitInterval = true, time.Hour
		m.cfg.MaxPollRecords, m.handler = 1, 100*time.Millisecond
	})
	k.modern(10*time.Second, "B", nil)
	k.run(10 * time.Second)
	k.w.At(sim.Start.Add(10*time.Second), func() {
		k.instead = func(from string, f *wire.Frame) (sim.Message, bool) {
			if from == "A" && f.Key == wire.KeyOffsetCommit && k.at() < 25*time.Second {
				return wire.ErrorReply(f, wire.CoordinatorLoadInProgress), true
			}
			return nil, false
		}
	})
	k.run(40 * time.Second)
	require.Empty(t, a.errs)
	moved := k.events(trace.Unowned, "A")
	require.Len(t, moved, 1)
	require.Greater(t, moved[0].At, int64(25*time.Second), "not before its commit is accepted")
	var began int64
	for _, e := range k.events(trace.LogLine, "A") {
		if text := k.log.String(e.Name); strings.Contains(text, "revoked [t-") {
			began = e.At
		}
	}
	require.NotZero(t, began)
	kept := 0
	for _, e := range k.events(trace.Delivered, "A") {
		if e.At > began && e.Part == moved[0].Part {
			t.Fatalf("t-%d is read at %v", e.Part, time.Duration(e.At))
		}
		if e.At > began && e.At < moved[0].At {
			kept++
		}
	}
	require.Greater(t, kept, 20, "while the other one goes on")
}

func TestAutoCommitBeforeWhatGoes(t *testing.T) { // F24
	k := newCluster(t, true, topicT(2))
	k.preload(2, 50)
	a, _ := k.modern(0, "A", func(m *member) {
		m.cfg.EnableAutoCommit, m.cfg.AutoCommitInterval = true, time.Hour
	})
	b, _ := k.modern(20*time.Second, "B", nil)
	k.run(45 * time.Second)
	require.Len(t, b.c.Assignment(), 1)
	require.Len(t, a.records, 100)
	require.Empty(t, b.records, "A's position was committed before B got the partition")
	committed := k.events(trace.OffsetCommitted, "")
	require.Len(t, committed, 2, "all positions, not only those that go")
	require.Equal(t, int64(50), committed[0].X)
}

func TestAMemberWhoseSessionEndedLosesItsPartitionsAndJoinsAgain(t *testing.T) { // F22
	k := newCluster(t, true, topicT(2))
	a, h := k.modern(0, "A", nil)
	k.w.At(sim.Start.Add(10*time.Second), func() { k.w.Process("A").Freeze(time.Minute) })
	k.run(80 * time.Second)
	require.Empty(t, a.errs)
	require.Equal(t, []string{"assigned[t-0, t-1]", "lost[t-0, t-1]", "assigned[t-0, t-1]"}, h.calls)
	ids := k.events(trace.MemberID, "A")
	require.Equal(t, ids[0].Name, ids[len(ids)-1].Name, "with the same id")
	require.Contains(t, k.states("A"), "FENCED")
	require.Equal(t, "STABLE", k.states("A")[len(k.states("A"))-1])
}

func TestAMemberThatDoesNotPollLeavesAndComesBack(t *testing.T) { // F23
	for _, static := range []bool{false, true} {
		t.Run(fmt.Sprint("static ", static), func(t *testing.T) {
			k := newCluster(t, true, topicT(2))
			k.preload(1, 1)
			a, h := k.modern(0, "A", func(m *member) {
				m.cfg.MaxPollInterval, m.handler = 30*time.Second, time.Minute
				if static {
					m.cfg.GroupInstanceID = "i"
				}
			})
			k.run(50 * time.Second)
			require.Empty(t, a.errs)
			goodbye := "e-1 []"
			if static {
				goodbye = "e-2 []"
			}
			require.Contains(t, k.beats("A"), goodbye)
			require.Equal(t, []string{"assigned[t-0, t-1]"}, h.calls, "nothing is heard before it polls")
			require.Equal(t, "STALE", k.states("A")[len(k.states("A"))-1])
			k.run(90 * time.Second)
			require.Equal(t, "lost[t-0, t-1]", h.calls[1])
			require.Equal(t, "assigned[t-0, t-1]", h.calls[2])
		})
	}
}

func TestClosing(t *testing.T) { // C42, C43, F17
	for _, c := range []struct {
		option, instance string
		beat             string
		stays            bool
	}{
		{"default", "", "e-1 []", false},
		{"default", "i", "e-2 []", true},
		{"leave_group", "i", "e-1 []", false},
		{"remain_in_group", "", "", true},
		{"remain_in_group", "i", "e-2 []", true},
	} {
		t.Run(c.option+" "+c.instance, func(t *testing.T) {
			k := newCluster(t, true, topicT(2))
			k.preload(2, 5)
			a, h := k.modern(0, "A", func(m *member) {
				m.cfg.CloseOption, m.cfg.GroupInstanceID = c.option, c.instance
				m.cfg.EnableAutoCommit = true
			})
			k.run(4 * time.Second)
			a.closing = true
			k.run(8 * time.Second)
			require.Empty(t, a.errs)
			require.Equal(t, []string{"assigned[t-0, t-1]", "revoked[t-0, t-1]"}, h.calls)
			beats := k.beats("A")
			if c.beat == "" {
				require.NotContains(t, beats[len(beats)-1], "e-")
			} else {
				require.Equal(t, c.beat, beats[len(beats)-1])
			}
			committed := k.events(trace.OffsetCommitted, "")
			require.Len(t, committed, 2)
			require.Equal(t, c.stays, len(k.events(trace.MemberRemoved, "")) == 0)
		})
	}
}

func TestUnsubscribeLeavesAndWaitsForTheAnswer(t *testing.T) { // F21
	k := newCluster(t, true, topicT(2))
	a, h := k.modern(0, "A", nil)
	k.run(4 * time.Second)
	var done time.Duration
	left := false
	a.polled = func([]Record, error) {
		a.c.Unsubscribe(func(err error) {
			require.NoError(t, err)
			left, done = true, k.at()
		})
	}
	k.run(7 * time.Second)
	require.True(t, left)
	require.Equal(t, []string{"assigned[t-0, t-1]", "revoked[t-0, t-1]"}, h.calls)
	removed := k.events(trace.MemberRemoved, "")
	require.Len(t, removed, 1)
	require.Greater(t, int64(done), removed[0].At)
	require.Equal(t, []string{"PREPARE_LEAVING", "LEAVING", "UNSUBSCRIBED"}, k.states("A")[4:])
	changes := k.events(trace.ConsumerState, "A")
	require.Less(t, changes[len(changes)-1].At, removed[0].At, "it is out with the goodbye, before that arrives")
	require.Empty(t, a.c.Assignment())
}

// answerOnce lets a member's next request of a kind be answered with an error.
func (k *cluster) answerOnce(from string, key int16, code wire.Code) *bool {
	answered := new(bool)
	k.instead = func(sender string, f *wire.Frame) (sim.Message, bool) {
		if *answered || sender != from || f.Key != key {
			return nil, false
		}
		*answered = true
		return wire.ErrorReply(f, code), true
	}
	return answered
}

func TestErrorsOfAHeartbeat(t *testing.T) { // F22
	for _, c := range []struct {
		code  wire.Code
		state string
		calls int // of the listener, after the first assignment
		fatal bool
	}{
		{wire.NotCoordinator, "STABLE", 0, false},
		{wire.CoordinatorNotAvailable, "STABLE", 0, false},
		{wire.CoordinatorLoadInProgress, "STABLE", 0, false},
		{wire.UnknownMemberID, "FENCED", 2, false},
		{wire.FencedMemberEpoch, "FENCED", 2, false},
		{wire.UnreleasedInstanceID, "FATAL", 1, true},
		{wire.FencedInstanceID, "FATAL", 1, true},
		{wire.InvalidRequest, "FATAL", 1, true},
		{wire.GroupMaxSizeReached, "FATAL", 1, true},
		{wire.UnsupportedAssignor, "FATAL", 1, true},
		{wire.UnsupportedVersion, "FATAL", 1, true},
		{wire.InvalidRegularExpression, "FATAL", 1, true},
		{wire.GroupAuthorizationFailed, "FATAL", 1, true},
		{wire.GroupIDNotFound, "FATAL", 1, true},
		{wire.UnknownServerError, "FATAL", 1, true},
	} {
		t.Run("F22 "+c.code.Name(), func(t *testing.T) {
			k := newCluster(t, true, topicT(2))
			a, h := k.modern(0, "A", nil)
			k.run(2 * time.Second)
			answered := k.answerOnce("A", wire.KeyConsumerGroupHeartbeat, c.code)
			k.run(20 * time.Second)
			require.True(t, *answered)
			require.True(t, slices.Contains(k.states("A"), c.state), "%v", k.states("A"))
			require.Len(t, h.calls[1:], c.calls)
			if !c.fatal {
				require.Empty(t, a.errs)
				require.Len(t, a.c.Assignment(), 2)
				return
			}
			name, retriable := ErrorName(a.errs[0])
			require.Equal(t, c.code.Name(), name)
			require.False(t, retriable)
			require.Empty(t, a.c.Assignment())
		})
	}
	t.Run("F22 TOPIC_AUTHORIZATION_FAILED is thrown, and the member stays as it is", func(t *testing.T) {
		k := newCluster(t, true, topicT(2))
		a, h := k.modern(0, "A", nil)
		k.run(2 * time.Second)
		k.answerOnce("A", wire.KeyConsumerGroupHeartbeat, wire.TopicAuthorizationFailed)
		k.run(20 * time.Second)
		require.Len(t, a.errs, 1)
		require.Len(t, h.calls, 1)
		require.Equal(t, "STABLE", k.states("A")[len(k.states("A"))-1])
	})
}

func TestAfterALostAnswerEverythingIsSentAgain(t *testing.T) { // F8, F9, F25
	k := newCluster(t, true, topicT(2))
	a, h := k.modern(0, "A", nil)
	k.run(2 * time.Second)
	k.answerOnce("A", wire.KeyConsumerGroupHeartbeat, wire.CoordinatorLoadInProgress)
	k.run(9 * time.Second)
	beats := k.beats("A")
	require.Equal(t, "e2 [0 1] reads [t]", beats[len(beats)-1])
	require.Len(t, h.calls, 1, "the whole assignment comes back, and is the one it has")
	require.Empty(t, a.errs)
}

func TestAStaleEpochIsNoReasonToForgetOffsets(t *testing.T) { // R18
	k := newCluster(t, true, topicT(1))
	k.preload(1, 8)
	require.NoError(t, k.c.CommitOffset("g", "t", 0, 5))
	answered := k.answerOnce("A", wire.KeyOffsetFetch, wire.StaleMemberEpoch)
	a, _ := k.modern(0, "A", func(m *member) { m.cfg.AutoOffsetReset = "latest" })
	k.run(5 * time.Second)
	require.True(t, *answered)
	require.Empty(t, a.errs)
	require.Len(t, a.records, 3, "from the committed offset, not from the end")
}

func TestCommitsWithAStaleEpoch(t *testing.T) { // R18, F19
	t.Run("before a rebalance it is tried again with the present one", func(t *testing.T) {
		k := newCluster(t, true, topicT(2))
		k.preload(2, 5)
		_, h := k.modern(0, "A", func(m *member) {
			m.cfg.EnableAutoCommit, m.cfg.AutoCommitInterval = true, time.Hour
		})
		k.run(9 * time.Second)
		answered := k.answerOnce("A", wire.KeyOffsetCommit, wire.StaleMemberEpoch)
		k.modern(10*time.Second, "B", nil)
		k.run(30 * time.Second)
		require.True(t, *answered)
		require.Len(t, k.events(trace.OffsetCommitted, ""), 2)
		require.Len(t, h.calls, 3)
	})
	t.Run("one that the application waits for fails", func(t *testing.T) {
		k := newCluster(t, true, topicT(2))
		k.preload(2, 5)
		answered := k.answerOnce("A", wire.KeyOffsetCommit, wire.StaleMemberEpoch)
		a, _ := k.modern(0, "A", func(m *member) { m.commit = true })
		k.run(3 * time.Second)
		require.True(t, *answered)
		name, retriable := ErrorName(a.errs[0])
		require.Equal(t, ErrCommitFailed, name)
		require.False(t, retriable)
	})
}

func TestAFailedCallbackIsThrownAndTheRebalanceTriedAgain(t *testing.T) { // F24, C35
	boom := fmt.Errorf("boom")
	k := newCluster(t, true, topicT(2))
	k.preload(2, 2)
	a, h := k.modern(0, "A", nil)
	h.fails["assigned"] = boom
	k.run(5 * time.Second)
	require.Len(t, a.errs, 1)
	require.ErrorIs(t, a.errs[0], boom)
	require.Equal(t, []string{"assigned[t-0, t-1]", "assigned[]"}, h.calls)
	require.Len(t, a.records, 4)
	require.Equal(t, "STABLE", k.states("A")[len(k.states("A"))-1])
}

func TestAPatternThatTheBrokerMatches(t *testing.T) { // F16, F24
	k := newCluster(t, true, topicT(2), broker.TopicSpec{Name: "other", Partitions: 1})
	a, h := k.modern(0, "A", func(m *member) { m.server = "t.*" })
	k.run(10 * time.Second)
	require.Empty(t, a.errs)
	require.Equal(t, []string{"assigned[]", "assigned[t-0, t-1]"}, h.calls, "it takes a look-up")
	k.w.At(sim.Start.Add(20*time.Second), func() {
		require.NoError(t, k.c.CreateTopic(broker.TopicSpec{Name: "t2", Partitions: 1}))
	})
	k.run(40 * time.Second)
	require.Equal(t, "[t-0, t-1, t2-0]", partsText(a.c.Assignment()), "not at metadata.max.age")
	require.Empty(t, a.errs)
	t.Run("a bad one is fatal", func(t *testing.T) {
		k := newCluster(t, true, topicT(2))
		a, _ := k.modern(0, "A", func(m *member) { m.server = "(" })
		k.run(3 * time.Second)
		name, _ := ErrorName(a.errs[0])
		require.Equal(t, "INVALID_REGULAR_EXPRESSION", name)
	})
}

func TestEnforceRebalanceIsNotSupported(t *testing.T) {
	k := newCluster(t, true, topicT(2))
	a, h := k.modern(0, "A", nil)
	k.run(3 * time.Second)
	require.NoError(t, a.c.EnforceRebalance("why not"))
	k.run(20 * time.Second)
	require.Len(t, h.calls, 1)
}

func TestAGroupChangesItsProtocolWhileItRuns(t *testing.T) { // F26-F28
	k := newCluster(t, true, topicT(4))
	old := k.join(0, "A", func(m *member) { m.cfg.EnableAutoCommit = false })
	k.run(10 * time.Second)
	require.Len(t, old.c.Assignment(), 4)
	b, _ := k.modern(10*time.Second, "B", nil)
	k.run(40 * time.Second)
	require.Empty(t, old.errs)
	require.Empty(t, b.errs)
	require.Len(t, old.c.Assignment(), 2)
	require.Len(t, b.c.Assignment(), 2)
	b.closing = true
	k.run(70 * time.Second)
	require.Empty(t, old.errs)
	require.Len(t, old.c.Assignment(), 4, "the last member of the new protocol takes it along")
}
