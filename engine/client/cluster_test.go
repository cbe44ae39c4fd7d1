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
	"rebalancelab/engine/pattern"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// cluster is a world with real brokers and any number of client processes.
type cluster struct {
	t   testing.TB
	w   *sim.World
	log *trace.Log
	c   *broker.Cluster

	msgs []seen
	// instead may answer a request in the broker's place.
	instead func(from string, f *wire.Frame) (sim.Message, bool)
}

type seen struct {
	at       time.Duration
	from, to string
	f        *wire.Frame
}

func newCluster(t testing.TB, hops bool, topics ...broker.TopicSpec) *cluster {
	k := &cluster{t: t, log: trace.NewLog()}
	opt := sim.Options{Seed: 3, Log: k.log, Label: func(m sim.Message) sim.Label {
		f := m.(*wire.Frame)
		l := sim.Label{API: int32(f.Key), Info: trace.MessageInfo(f.Corr, f.Version, f.IsResponse())}
		if code := wire.ErrorCode(f); code != 0 {
			l.Err = wire.Code(code).Name()
		}
		return l
	}}
	if hops {
		opt.Hop = hop
		opt.Intercept = func(d *sim.Delivery) (sim.Message, bool) {
			f := d.Msg.(*wire.Frame)
			k.msgs = append(k.msgs, seen{k.at(), d.From, d.To, f})
			if k.instead != nil && !f.IsResponse() {
				return k.instead(d.From, f)
			}
			return nil, false
		}
	}
	k.w = sim.NewWorld(opt)
	k.c = broker.NewCluster(3)
	for id := int32(1); id <= 3; id++ {
		k.w.Spawn(nodeName(id), broker.New(k.c, id))
	}
	for _, spec := range topics {
		require.NoError(t, k.c.CreateTopic(spec))
	}
	return k
}

func (k *cluster) at() time.Duration { return time.Duration(k.w.Now().Since()) }

func (k *cluster) run(d time.Duration) {
	k.t.Helper()
	for {
		next, ok := k.w.Next()
		if !ok || next > sim.Start.Add(d) {
			k.w.Forward(sim.Start.Add(d))
			return
		}
		if err := k.w.Turn(); err != nil {
			k.t.Fatal(err)
		}
	}
}

func (k *cluster) events(kind trace.Kind, node string) []trace.Event {
	l := &lab{log: k.log}
	ref, _ := k.log.Lookup(node)
	return slices.DeleteFunc(l.events(kind), func(e trace.Event) bool {
		return node != "" && e.Node != ref
	})
}

// member is a consumer process that polls and works.
type member struct {
	Process
	k       *cluster
	name    string
	cfg     ConsumerConfig
	topics  []string
	pattern *pattern.Pattern // in place of topics
	server  string           // an expression that the coordinator matches, in place of both
	told    Listener
	timeout time.Duration
	handler time.Duration // for each record
	commit  bool          // commitSync after each batch
	c       *Consumer
	records []Record
	batch   []Record
	errs    []error
	polled  func([]Record, error)
	next    func()
	closing bool
}

func (m *member) Start(env sim.Env) {
	m.Process.Start(env)
	m.c = NewConsumer(&m.Process, m.cfg)
	switch {
	case m.server != "":
		require.NoError(m.k.t, m.c.SubscribeServerPattern(m.server, m.told))
	case m.pattern != nil:
		require.NoError(m.k.t, m.c.SubscribePattern(m.pattern, m.told))
	default:
		require.NoError(m.k.t, m.c.Subscribe(m.topics, m.told))
	}
	m.polled = m.got
	m.next = m.work
	env.After(0, m.poll)
}

func (m *member) poll() {
	if m.closing {
		m.c.Close(func(error) {})
		return
	}
	m.c.Poll(m.timeout, m.polled)
}

func (m *member) got(records []Record, err error) {
	if err != nil {
		m.errs = append(m.errs, err)
	}
	m.batch = records
	m.work()
}

// work handles one record after the other.
func (m *member) work() {
	if len(m.batch) > 0 {
		m.records = append(m.records, m.batch[0])
		m.batch = m.batch[1:]
		m.env.After(m.handler, m.next)
		return
	}
	if m.commit {
		m.c.CommitSync(nil, func(err error) {
			if err != nil {
				m.errs = append(m.errs, err)
			}
			m.poll()
		})
		return
	}
	m.poll()
}

// join spawns a member called name at time at.
func (k *cluster) join(at time.Duration, name string, change func(*member)) *member {
	cfg := DefaultConsumerConfig()
	cfg.ClientID, cfg.GroupID, cfg.AutoOffsetReset = name, "g", "earliest"
	m := &member{
		k: k, name: name, cfg: cfg, topics: []string{"t"}, timeout: 500 * time.Millisecond,
		handler: 5 * time.Millisecond,
	}
	if change != nil {
		change(m)
	}
	k.w.At(sim.Start.Add(at), func() { k.w.Spawn(name, m) })
	return m
}

// feed sends rate records a second, round robin.
type feed struct {
	Process
	rate  int64
	topic string
	until time.Duration
	sent  int64
	p     *Producer
	tick  func()
}

func (f *feed) Start(env sim.Env) {
	f.Process.Start(env)
	cfg := DefaultProducerConfig()
	cfg.ClientID, cfg.Linger, cfg.Partitioner = "orders", 0, "round_robin"
	f.p = NewProducer(&f.Process, cfg)
	f.tick = f.send
	f.send()
}

func (f *feed) send() {
	f.p.Send(f.topic, nil, []byte("order 42 paid 100 rub"), -1, nil)
	f.sent++
	due := time.Duration(f.sent * int64(time.Second) / f.rate)
	if due < f.until {
		f.env.After(due-time.Duration(f.env.Now().Since()), f.tick)
	}
}

func (k *cluster) apis(from string, without ...string) string {
	var out []string
	for _, s := range k.msgs {
		if s.from == from && !s.f.IsResponse() && !slices.Contains(without, s.f.APIName()) {
			out = append(out, s.f.APIName())
		}
	}
	return strings.Join(out, " ")
}

func TestTheOrderOfTheFirstRequestsAgainstRealBrokers(t *testing.T) { // S33, A5, A18, A31
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 2})
	a := k.join(0, "A", nil)
	k.run(4 * time.Second)
	require.Empty(t, a.errs)
	got := k.apis("A", "ApiVersions", "Fetch", "Metadata")
	// The first FindCoordinator creates __consumer_offsets and is answered
	// COORDINATOR_NOT_AVAILABLE.
	require.Regexp(t, "^FindCoordinator FindCoordinator JoinGroup JoinGroup "+
		"SyncGroup OffsetFetch ListOffsets( ListOffsets)?( Heartbeat)?$", got)
	stable := k.events(trace.GenerationStable, "")
	require.Len(t, stable, 1)
	require.Equal(t, int64(1), stable[0].X)
	require.InDelta(t, float64(3*time.Second), float64(stable[0].At), float64(200*time.Millisecond))
	require.Len(t, a.c.Assignment(), 2)
}

func TestThreeMembersThatStartTogetherShareAfterSixSeconds(t *testing.T) { // S33, A32, S40
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 6})
	var ms []*member
	for _, n := range []string{"A", "B", "C"} {
		ms = append(ms, k.join(0, n, nil))
	}
	k.run(10 * time.Second)
	for i, m := range ms {
		require.Empty(t, m.errs)
		require.Equal(t, fmt.Sprintf("[t-%d, t-%d]", 2*i, 2*i+1), partsText(m.c.Assignment()))
	}
	stable := k.events(trace.GenerationStable, "")
	require.Len(t, stable, 1)
	require.InDelta(t, float64(6*time.Second), float64(stable[0].At), float64(200*time.Millisecond))
}

func TestOneHeldFetchThenOnlyWhatHasChanged(t *testing.T) { // S04, S05
	k := newCluster(t, true, broker.TopicSpec{
		Name: "t", Partitions: 6, Leaders: []int32{1, 1, 2, 2, 3, 3},
	})
	v := func(n int) []wire.Record {
		out := make([]wire.Record, n)
		for i := range out {
			out[i].Value = []byte("v")
		}
		return out
	}
	require.NoError(t, k.c.Preload("t", 0, v(15)))
	require.NoError(t, k.c.Preload("t", 1, v(8)))
	require.NoError(t, k.c.CommitOffset("g", "t", 0, 15))
	require.NoError(t, k.c.CommitOffset("g", "t", 1, 8))
	a := k.join(0, "A", func(m *member) { m.cfg.FetchMaxWait = time.Minute; m.cfg.RequestTimeout = 2 * time.Minute })
	k.w.At(sim.Start.Add(6*time.Second), func() { k.batch(0, 8) })
	k.run(7 * time.Second)
	require.Empty(t, a.errs)
	require.Len(t, a.records, 8)
	require.Equal(t, int64(15), a.records[0].Offset)
	var f []*kmsg.FetchRequest
	var times []time.Duration
	for _, s := range k.msgs {
		if r, ok := s.f.Req.(*kmsg.FetchRequest); ok && s.to == "broker-1" {
			f, times = append(f, r), append(times, s.at)
		}
	}
	require.Len(t, f, 2)
	require.Len(t, f[0].Topics[0].Partitions, 2)
	require.Equal(t, int64(15), f[0].Topics[0].Partitions[0].FetchOffset)
	require.Equal(t, int64(8), f[0].Topics[0].Partitions[1].FetchOffset)
	require.Len(t, f[1].Topics[0].Partitions, 1)
	require.Equal(t, int64(23), f[1].Topics[0].Partitions[0].FetchOffset)
	require.Greater(t, times[1], 6*time.Second)
}

// batch produces n records as one batch from a process of its own.
func (k *cluster) batch(part int32, n int) {
	b := &burst{part: part, n: n}
	k.w.Spawn("burst", b)
}

type burst struct {
	Process
	part int32
	n    int
}

func (b *burst) Start(env sim.Env) {
	b.Process.Start(env)
	p := NewProducer(&b.Process, DefaultProducerConfig())
	for range b.n {
		p.Send("t", nil, []byte("v"), b.part, nil)
	}
}

func (k *cluster) removed() trace.Event {
	e := k.events(trace.MemberRemoved, "")
	require.Len(k.t, e, 1)
	return e[0]
}

func TestADeadMemberIsRemovedOneSessionAfterItsLastSign(t *testing.T) { // S18, A62, A63
	for _, commit := range []bool{true, false} {
		k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 6})
		var ms []*member
		for _, n := range []string{"A", "B", "C"} {
			ms = append(ms, k.join(0, n, func(m *member) { m.commit, m.cfg.EnableAutoCommit = commit, false }))
		}
		k.w.Spawn("orders", &feed{rate: 150, topic: "t", until: 130 * time.Second})
		k.w.At(sim.Start.Add(61*time.Second), func() { k.w.Process("B").End(trace.EndedByKill, "") })
		k.run(120 * time.Second)
		for _, m := range ms {
			require.Empty(t, m.errs)
		}
		r := k.removed()
		require.Equal(t, trace.RemovedBySession, r.X)
		require.Equal(t, int64(45*time.Second), r.At-r.Y, "R - L")
		require.Equal(t, "[t-0, t-1, t-2]", partsText(ms[0].c.Assignment()))
		require.Equal(t, "[t-3, t-4, t-5]", partsText(ms[2].c.Assignment()))
		if commit {
			require.InDelta(t, float64(106*time.Second), float64(r.At), float64(100*time.Millisecond))
			resume := k.events(trace.GenerationStable, "")
			// J is 6.0 and some ms, so the beat is at 108.0 and some ms.
			require.InDelta(t, float64(108*time.Second), float64(resume[len(resume)-1].At), float64(200*time.Millisecond))
		}
	}
}

func TestBatchesThatTakeTooLongMakeTheMemberLeaveAgainAndAgain(t *testing.T) { // S20-S21a
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 1})
	v := make([]wire.Record, 500)
	for i := range v {
		v[i].Value = []byte("v")
	}
	require.NoError(t, k.c.Preload("t", 0, v))
	a := k.join(0, "A", func(m *member) {
		m.handler, m.commit, m.cfg.EnableAutoCommit = time.Second, true, false
	})
	k.run(1800 * time.Second)
	exp := k.events(trace.PollExpired, "A")
	require.Len(t, exp, 3)
	require.InDelta(t, float64(503*time.Second), float64(exp[1].At-exp[0].At), float64(time.Second))
	require.Len(t, a.errs, 3)
	for _, err := range a.errs {
		require.ErrorContains(t, err, ErrCommitFailed)
	}
	require.Empty(t, k.events(trace.OffsetCommitted, ""))
	require.InDelta(t, 1791, len(a.records), 4)
}

func TestACleanStopHandsPartitionsOverAtTheNextBeat(t *testing.T) { // S34, S37
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 6})
	a := k.join(0, "A", nil)
	d := k.join(0, "D", nil)
	k.w.Spawn("orders", &feed{rate: 150, topic: "t", until: 60 * time.Second})
	k.w.At(sim.Start.Add(20*time.Second), func() { d.closing = true })
	k.run(40 * time.Second)
	require.Empty(t, append(a.errs, d.errs...))
	require.Len(t, a.c.Assignment(), 6)
	require.Empty(t, d.p().ends)
	last := map[int32]int64{}
	for _, r := range append(d.records, a.records...) {
		if o, ok := last[r.Partition]; ok {
			require.Equal(t, o+1, r.Offset, "nothing lost, nothing twice: partition %d", r.Partition)
		}
		last[r.Partition] = r.Offset
	}
}

func (m *member) p() *Process { return &m.Process }

func TestAFrozenMemberLosesItsPartitionsAndFinishesItsBatch(t *testing.T) { // S19, S61, C34
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 2})
	b := k.join(0, "B", func(m *member) {
		m.cfg.SessionTimeout = 10 * time.Second
		m.commit = true
		m.cfg.EnableAutoCommit = false
	})
	k.join(0, "A", func(m *member) { m.cfg.SessionTimeout = 10 * time.Second })
	k.w.Spawn("orders", &feed{rate: 50, topic: "t", until: 60 * time.Second})
	k.w.At(sim.Start.Add(20*time.Second), func() { k.w.Process("B").Freeze(13 * time.Second) })
	k.run(50 * time.Second)
	require.Equal(t, trace.RemovedBySession, k.removed().X)
	lost := k.events(trace.Unowned, "B")
	require.Equal(t, trace.UnownedByLoss, lost[len(lost)-1].X)
	require.Len(t, b.c.Assignment(), 1)
}

func TestABrokerThatComesBackIsFoundAgain(t *testing.T) {
	k := newCluster(t, true, broker.TopicSpec{Name: "t", Partitions: 3})
	a := k.join(0, "A", nil)
	k.w.Spawn("orders", &feed{rate: 30, topic: "t", until: 40 * time.Second})
	for id := int32(1); id <= 3; id++ {
		name := nodeName(id)
		k.w.At(sim.Start.Add(10*time.Second), func() {
			k.w.Process(name).End(trace.EndedByKill, "")
			k.c.BrokerDown(name)
		})
		k.w.At(sim.Start.Add(14*time.Second), func() { k.w.Spawn(name, k.c.Revive(name)) })
	}
	k.run(50 * time.Second)
	require.Empty(t, a.errs)
	got := map[TopicPartition]map[int64]bool{}
	for _, r := range a.records {
		tp := TopicPartition{Topic: r.Topic, Partition: r.Partition}
		if got[tp] == nil {
			got[tp] = map[int64]bool{}
		}
		got[tp][r.Offset] = true
	}
	n := 0
	for _, offsets := range got {
		n += len(offsets)
	}
	require.Equal(t, 1200, n)
}

// BenchmarkCanonical is the canonical run without scripts and checkers: clients, brokers, trace.
func BenchmarkCanonical(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		k := newCluster(b, false, broker.TopicSpec{Name: "t", Partitions: 6})
		for _, n := range []string{"A", "B", "C"} {
			k.join(0, n, nil)
		}
		d := k.join(20*time.Second, "D", nil)
		k.w.At(sim.Start.Add(40*time.Second), func() { d.closing = true })
		k.w.Spawn("orders", &feed{rate: 150, topic: "t", until: 60 * time.Second})
		k.run(75 * time.Second)
	}
	b.ReportMetric(float64(b.N)*75/b.Elapsed().Seconds(), "virtual-s/wall-s")
}
