package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// settle lets what runs in the background come to its end.
func (l *lab) settle() { l.at(l.now()) }

func TestARegularExpressionIsLookedUpInTheBackground(t *testing.T) { // F16
	l := newConsumerLab(t, 1)
	l.meta.set("orders", 1)
	l.meta.set("orders-eu", 1)
	l.meta.set("my-orders", 1)
	a := l.enter("A", regex("orders.*"))
	require.Equal(t, "", a.parts, "the first answer comes before the look-up")
	require.Equal(t, int32(1), a.epoch)
	l.settle()
	a = l.beat("A", 0+a.epoch, full, regex("orders.*"), topics(), owns())
	require.Equal(t, "orders-0 orders-eu-0", a.parts, "whole names only")
	require.Equal(t, int32(2), a.epoch)
	require.Equal(t, int32(2), l.consumers().epoch)
}

func TestWhatAnExpressionMatches(t *testing.T) { // F16
	l := newConsumerLab(t, 1)
	for _, name := range []string{"orders", "orders.eu", "Orders", "x"} {
		l.meta.set(name, 1)
	}
	for _, c := range []struct {
		regex string
		want  []string
	}{
		{"orders", []string{"orders"}},
		{"orders.*", []string{"orders", "orders.eu"}},
		{`orders\.eu|x`, []string{"orders.eu", "x"}},
		{"(?i)orders", []string{"orders", "Orders"}},
		{"rders", []string{}},
		{"[a-z]", []string{"t", "x"}},
		{"", []string{}},
	} {
		got := lookUp([]string{c.regex}, l.meta.TopicNames(), 1, 2)
		require.Equal(t, []resolvedRegex{{c.regex, c.want, 1, 2}}, got)
	}
}

func TestABadExpressionIsRefused(t *testing.T) { // F4
	l := newConsumerLab(t, 1)
	for _, bad := range []string{"(", "a**", "[z-a]", `(?=x)`, `\1`} {
		require.Equal(t, wire.InvalidRegularExpression, l.enter("A", regex(bad)).code, bad)
	}
	require.Nil(t, l.group(), "a refused join founds no group")
}

func TestANewTopicThatMatchesIsFound(t *testing.T) { // F16
	l := newConsumerLab(t, 1)
	l.enter("A", regex("t.*"))
	l.settle()
	require.Equal(t, "t-0", l.beat("A", 0, func(l *lab, r *kmsg.ConsumerGroupHeartbeatRequest) {
		full(l, r)
		regex("t.*")(l, r)
	}).parts)
	l.meta.set("t2", 1)
	l.at(10 * time.Second) // a look-up is good for ten seconds
	l.beat("A", 2)
	l.settle()
	require.Equal(t, "-", l.beat("A", 2).parts)
	l.at(10*time.Second + time.Millisecond)
	l.beat("A", 2)
	l.settle()
	require.Equal(t, "t-0 t2-0", l.beat("A", 2).parts)
	require.Equal(t, int32(3), l.consumers().epoch)
}

func TestExpressionsAreLookedUpAgainEveryTenMinutes(t *testing.T) { // F5, F16
	l := newConsumerLab(t, 1)
	l.enter("A", regex("t.*"))
	l.settle()
	first := l.consumers().regexes[0].at
	for l.now() < 10*time.Minute {
		l.at(l.now() + 30*time.Second)
		l.beat("A", l.consumers().byID["A"].epoch)
		l.settle()
	}
	require.Equal(t, first, l.consumers().regexes[0].at)
	l.at(l.now() + 30*time.Second)
	l.beat("A", l.consumers().byID["A"].epoch)
	l.settle()
	require.Greater(t, l.consumers().regexes[0].at, first)
}

func TestAnExpressionGoesWithItsLastMember(t *testing.T) { // F16
	l := newConsumerLab(t, 1)
	l.enter("A", regex("t.*"))
	l.enter("B", regex("t.*"))
	l.settle()
	require.Len(t, l.consumers().regexes, 1)
	l.beat("A", -1)
	require.Len(t, l.consumers().regexes, 1)
	epoch := l.consumers().epoch
	l.beat("B", l.consumers().byID["B"].epoch, topics("t"), regex(""))
	require.Empty(t, l.consumers().regexes)
	require.Equal(t, epoch+1, l.consumers().epoch)
}

func TestMixedSubscriptions(t *testing.T) { // F15
	l := newConsumerLab(t, 2)
	l.meta.set("u", 2)
	l.enter("A")
	l.enter("B", regex("u"))
	l.settle()
	members := l.consumers().members()
	require.True(t, l.consumers().heterogeneous(members))
	require.Equal(t, []string{"t", "u"}, l.consumers().subscribedTopics(members, l.consumers().regexes))
	require.False(t, l.consumers().heterogeneous(members[:1]))
}
