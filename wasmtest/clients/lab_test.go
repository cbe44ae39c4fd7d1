package clients

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/tcp"
)

const (
	// patience is how long a state may take to come about.
	patience = 30 * time.Second
	// look is the time between two looks for a state that nothing tells of.
	look = 5 * time.Millisecond
	// sessionTimeout is short, so that a dead member is missed soon, and heartbeat lets a living one
	// learn of a rebalance soon.
	sessionTimeout = 2 * time.Second
	heartbeat      = 100 * time.Millisecond
)

// lab is three brokers with an administrator.
type lab struct {
	t      *testing.T
	server *tcp.Server
	addrs  []string
	admin  *kadm.Client
}

// newLab starts brokers that wait for no one: groups settle as soon as their members are there.
func newLab(t *testing.T, settings ...broker.Entry) *lab {
	settings = append([]broker.Entry{
		{Key: "group.initial.rebalance.delay.ms", Value: "0"},
		{Key: "group.min.session.timeout.ms", Value: "100"},
		{Key: "group.consumer.min.heartbeat.interval.ms", Value: "100"},
		{Key: "group.consumer.heartbeat.interval.ms", Value: "100"},
		{Key: "group.consumer.min.session.timeout.ms", Value: "2000"},
		{Key: "group.consumer.session.timeout.ms", Value: "2000"},
	}, settings...)
	server, err := tcp.Start(tcp.Options{
		Listen: "127.0.0.1:0", Brokers: 3, Settings: settings,
		Log: func(line string) { t.Log(line) },
	})
	require.NoError(t, err)
	client, err := kgo.NewClient(kgo.SeedBrokers(server.Addrs()...))
	require.NoError(t, err)
	l := &lab{t: t, server: server, addrs: server.Addrs(), admin: kadm.NewClient(client)}
	t.Cleanup(func() {
		client.Close()
		server.Close()
	})
	return l
}

func (l *lab) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	l.t.Cleanup(cancel)
	return ctx
}

func (l *lab) topic(name string, partitions int32) {
	r, err := l.admin.CreateTopic(l.ctx(), partitions, 1, nil, name)
	require.NoError(l.t, err)
	require.NoError(l.t, r.Err)
}

// until waits for a state. why says what there is instead.
func (l *lab) until(state func() bool, why func() string) {
	l.t.Helper()
	for end := time.Now().Add(patience); !state(); {
		if time.Now().After(end) {
			require.Fail(l.t, "it never came to this", why())
		}
		<-time.After(look)
	}
}

// shares are the numbers of partitions that the members of a group have, in order, once the group is
// stable; nil before.
func (l *lab) shares(group string) []int {
	all, err := l.admin.DescribeGroups(l.ctx(), group)
	g := all[group]
	if err == nil && errors.Is(g.Err, kerr.GroupIDNotFound) {
		return l.consumerShares(group)
	}
	if err != nil || g.Err != nil || g.State != "Stable" {
		return nil
	}
	var counts []int
	for _, m := range g.Members {
		n := 0
		if a, ok := m.Assigned.AsConsumer(); ok {
			for _, t := range a.Topics {
				n += len(t.Partitions)
			}
		}
		counts = append(counts, n)
	}
	slices.Sort(counts)
	return counts
}

// consumerShares is shares for a group of the consumer protocol.
func (l *lab) consumerShares(group string) []int {
	all, err := l.admin.DescribeConsumerGroups(l.ctx(), group)
	g := all[group]
	if err != nil || g.Err != nil || g.State != "Stable" {
		return nil
	}
	var counts []int
	for _, m := range g.Members {
		n := 0
		for _, partitions := range m.Assignment {
			n += len(partitions)
		}
		counts = append(counts, n)
	}
	slices.Sort(counts)
	return counts
}

// settled waits until a group is stable with these shares.
func (l *lab) settled(group string, want ...int) {
	l.t.Helper()
	var got []int
	l.until(func() bool {
		got = l.shares(group)
		return slices.Equal(want, got)
	}, func() string { return fmt.Sprintf("the shares of %s are %v, not %v", group, got, want) })
}

// committed waits until a group has committed n records of a topic.
func (l *lab) committed(group string, n int) {
	l.t.Helper()
	var got int64
	l.until(func() bool {
		got = 0
		all, err := l.admin.FetchOffsets(l.ctx(), group)
		if err != nil {
			return false
		}
		all.Each(func(o kadm.OffsetResponse) { got += max(o.At, 0) })
		return got >= int64(n)
	}, func() string { return fmt.Sprintf("%s has committed %d of %d", group, got, n) })
	require.EqualValues(l.t, n, got)
}

// ledger notes which member was given what, and how often.
type ledger struct {
	mu   sync.Mutex
	seen map[string][]string
}

func newLedger() *ledger { return &ledger{seen: map[string][]string{}} }

func (l *ledger) note(member, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[value] = append(l.seen[value], member)
}

func (l *ledger) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.seen)
}

// by counts the records that a member was given.
func (l *ledger) by(member string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, members := range l.seen {
		if slices.Contains(members, member) {
			n++
		}
	}
	return n
}

// requireOnce checks that each value was given to one member, once.
func (l *ledger) requireOnce(t *testing.T, values []string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range values {
		require.Len(t, l.seen[v], 1, "record %s", v)
	}
	require.Len(t, l.seen, len(values))
}

// values are n texts that differ.
func values(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s-%04d", prefix, i)
	}
	return out
}

// wires are the sockets of one client. Cutting them is what its brokers see of a kill -9.
type wires struct {
	mu   sync.Mutex
	cut  bool
	open []net.Conn
}

var errCut = errors.New("this client is dead")

func (w *wires) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		c.Close()
		return nil, errCut
	}
	w.open = append(w.open, c)
	return c, nil
}

// Dial is how sarama wants it.
func (w *wires) Dial(network, addr string) (net.Conn, error) {
	return w.dial(context.Background(), network, addr)
}

func (w *wires) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	for _, c := range w.open {
		c.Close()
	}
}
