package client

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/pattern"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func mustParse(t testing.TB, text string) *pattern.Pattern {
	p, err := pattern.Parse(text, pattern.Java)
	require.NoError(t, err)
	return p
}

// startPattern makes a consumer that subscribes to a pattern and polls from d on.
func (l *lab) startPattern(d time.Duration, cfg ConsumerConfig, text string, li Listener) *app {
	a := &app{l: l, timeout: 500 * time.Millisecond}
	p := mustParse(l.t, text)
	l.do(d, func() {
		a.c = NewConsumer(l.p, cfg)
		require.NoError(l.t, a.c.SubscribePattern(p, li))
		a.poll()
	})
	return a
}

// subscribed are the topics of each JoinGroup that was sent.
func (l *lab) subscribed() [][]string {
	var all [][]string
	for _, f := range l.asked {
		if r, ok := f.Req.(*kmsg.JoinGroupRequest); ok {
			s, err := wire.DecodeSubscription(r.Protocols[0].Metadata)
			require.NoError(l.t, err)
			all = append(all, s.Topics)
		}
	}
	return all
}

func TestAPatternIsMatchedWithAllTopicsBeforeTheFirstJoin(t *testing.T) { // C9
	l := newLab(t, 1)
	l.topics = []string{"orders", "payments", "orders-dlq"}
	a := l.startPattern(0, testConfig(), "orders.*", nil)
	l.run(time.Second)
	require.True(t, strings.HasPrefix(l.requests("ApiVersions"), "Metadata FindCoordinator JoinGroup"))
	require.Nil(t, l.asked[1].Req.(*kmsg.MetadataRequest).Topics, "no list asks for all topics")
	for _, topics := range l.subscribed() {
		require.Equal(t, []string{"orders", "orders-dlq"}, topics)
	}
	require.Equal(t, []string{"orders", "orders-dlq"}, a.c.Subscription())
	require.Empty(t, a.errs)
}

func TestInternalTopicsMatchOnlyIfTheyAreNotExcluded(t *testing.T) { // C3
	for excluded, want := range map[bool][]string{
		true: {"orders"}, false: {"__consumer_offsets", "orders"},
	} {
		l := newLab(t, 1)
		l.topics = []string{"__consumer_offsets", "orders"}
		cfg := testConfig()
		cfg.ExcludeInternalTopics = excluded
		a := l.startPattern(0, cfg, ".*", nil)
		l.run(time.Second)
		require.Equal(t, want, a.c.Subscription())
		require.Len(t, a.c.Assignment(), len(want))
	}
}

func TestANewTopicIsNoticedWhenMetadataIsAsOldAsItMayBe(t *testing.T) { // C9, C37, S34, S55
	l := newLab(t, 1)
	l.topics = []string{"orders"}
	cfg := testConfig()
	cfg.MetadataMaxAge = 20 * time.Second
	li := &listener{l: l}
	a := l.startPattern(0, cfg, "orders.*", li)
	l.do(5*time.Second, func() { l.topics = []string{"orders", "orders-eu", "payments"} })
	l.run(20 * time.Second)
	require.Equal(t, []string{"assigned[orders-0]"}, li.calls)
	l.run(21 * time.Second)
	require.Equal(t, []string{
		"assigned[orders-0]", "revoked[orders-0]", "assigned[orders-0, orders-eu-0]",
	}, li.calls)
	require.Equal(t, 1, l.logged("subscription has changed"))
	joins := l.subscribed()
	require.Equal(t, []string{"orders", "orders-eu"}, joins[len(joins)-1])
	// A topic that goes is noticed in the same way.
	l.do(25*time.Second, func() { l.topics = []string{"orders"} })
	l.run(42 * time.Second)
	require.Equal(t, "assigned[orders-0]", li.calls[len(li.calls)-1])
	require.Equal(t, []string{"orders"}, a.c.Subscription())
	require.Empty(t, a.errs)
}

func TestAPatternThatMatchesNothingIsStillAMember(t *testing.T) { // C9
	l := newLab(t, 1)
	li := &listener{l: l}
	a := l.startPattern(0, testConfig(), "nothing-yet", li)
	l.run(10 * time.Second)
	require.Equal(t, []string{"assigned[]"}, li.calls)
	require.Empty(t, a.c.Subscription())
	require.Len(t, l.times(wire.KeyHeartbeat), 3)
	require.Empty(t, a.errs)
}

func TestMetadataIsRefreshedBeforeEachRejoinOfAPattern(t *testing.T) { // C9 (e)
	l := newLab(t, 1)
	l.topics = []string{"orders"}
	a := l.startPattern(0, testConfig(), "orders.*", nil)
	l.do(5*time.Second, func() {
		l.topics = []string{"orders", "orders-eu"}
		require.NoError(t, a.c.EnforceRebalance(""))
	})
	l.run(6 * time.Second)
	joins := l.subscribed()
	require.Equal(t, []string{"orders", "orders-eu"}, joins[len(joins)-1],
		"the new topic rides on this rebalance and needs none of its own")
	require.Len(t, joins, 3)
}

func TestAMemberObeysALeaderThatHasSeenMoreTopics(t *testing.T) { // C36
	l := newLab(t, 1)
	l.topics = []string{"orders"}
	li := &listener{l: l}
	l.instead = func(f *wire.Frame) (sim.Message, bool) {
		if r, ok := f.Req.(*kmsg.SyncGroupRequest); ok {
			l.topics = []string{"orders", "orders-eu"}
			for i := range r.GroupAssignment {
				r.GroupAssignment[i].MemberAssignment = wire.EncodeAssignment(wire.Assignment{
					Partitions: []TopicPartition{{Topic: "orders-eu"}},
				})
			}
		}
		return nil, false
	}
	a := l.startPattern(0, testConfig(), "orders.*", li)
	l.run(2 * time.Second)
	require.Equal(t, []string{"assigned[orders-eu-0]"}, li.calls)
	require.Equal(t, []string{"orders", "orders-eu"}, a.c.Subscription())
	l.run(5 * time.Second)
	require.Len(t, l.subscribed(), 2, "no rejoin: the subscription counts as joined")
}

func TestOneWayOfSubscribingExcludesTheOthers(t *testing.T) {
	p := mustParse(t, "t")
	ways := map[string]func(*Consumer) error{
		"topics":     func(c *Consumer) error { return c.Subscribe([]string{"t"}, nil) },
		"pattern":    func(c *Consumer) error { return c.SubscribePattern(p, nil) },
		"partitions": func(c *Consumer) error { return c.Assign([]TopicPartition{{Topic: "t"}}) },
	}
	for first, do := range ways {
		for second, again := range ways {
			l := newLab(t, 1)
			l.do(0, func() {
				c := NewConsumer(l.p, testConfig())
				require.NoError(t, do(c))
				if first == second {
					require.NoError(t, again(c))
					return
				}
				require.ErrorContains(t, again(c), "mutually exclusive", "%s, then %s", first, second)
				c.Unsubscribe(func(error) { require.NoError(t, again(c)) })
			})
			l.run(time.Second)
		}
	}
}

func TestAnyMemberOfAGroupMayNoticeANewTopic(t *testing.T) { // C37, S55
	k := newCluster(t, true, broker.TopicSpec{Name: "orders", Partitions: 2})
	orders := mustParse(t, "orders.*")
	byPattern := func(age time.Duration) func(*member) {
		return func(m *member) { m.pattern, m.cfg.MetadataMaxAge = orders, age }
	}
	leader := k.join(0, "A", byPattern(time.Hour))
	follower := k.join(0, "B", byPattern(30*time.Second))
	k.w.At(sim.Start.Add(40*time.Second), func() {
		require.NoError(t, k.c.CreateTopic(broker.TopicSpec{Name: "orders-eu", Partitions: 2}))
	})
	k.run(59 * time.Second)
	require.Len(t, leader.c.Assignment(), 1)
	k.run(70 * time.Second)
	require.Equal(t, []TopicPartition{{Topic: "orders"}, {Topic: "orders-eu"}}, leader.c.Assignment())
	require.Equal(t, []TopicPartition{
		{Topic: "orders", Partition: 1}, {Topic: "orders-eu", Partition: 1},
	}, follower.c.Assignment())
	joined := 0
	for _, e := range k.events(trace.GroupState, "") {
		if e.X == trace.GroupPreparingRebalance && time.Duration(e.At) > 40*time.Second {
			joined++
		}
	}
	require.Equal(t, 1, joined, "both refresh before they join, so one rebalance is enough")
}
