package client

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// fake is a broker that plays a one-member group and short logs, and does what a test tells it.
type fake struct {
	env sim.Env
	w   *lab
	id  int32
	// queues holds what a connection has asked while an earlier request of it waits.
	queues map[sim.Conn][]*wire.Frame
	// parked fetches wait for data.
	parked   []parkedFetch
	sessions int32
	session  map[int32][]fakePart
}

type parkedFetch struct {
	conn    sim.Conn
	f       *wire.Frame
	open    bool
	session int32
}

type fakePart struct {
	id     [16]byte
	part   int32
	offset int64
}

// lab is a world with fake brokers and one client process.
type lab struct {
	t         *testing.T
	w         *sim.World
	log       *trace.Log
	brokers   []*fake
	processes map[int32]*sim.Process
	topics    []string
	parts     int32
	logs      map[TopicPartition][][]byte // batches
	ends      map[TopicPartition]int64
	committed map[TopicPartition]int64
	// answers override the next answers to a kind of request.
	answers map[int16][]wire.Code
	silent  map[int16]bool
	// instead may answer a request in the broker's place.
	instead func(*wire.Frame) (sim.Message, bool)
	joinFor time.Duration // how long a Join is held
	gen     int32
	leader  func(p int32) int32
	racks   map[int32]string // of the brokers
	epoch   int32            // of every leader
	// epochEnd answers OffsetForLeaderEpoch: which epoch and where it has ended.
	epochEnd func(p, epoch int32) (int32, int64)
	// commitEpoch is the leader epoch of every committed offset, -1 for none.
	commitEpoch int32
	seen        []string // requests: "1.5s A>broker-1 Fetch"
	asked       []*wire.Frame
	askedAt     []time.Duration
	askedOf     []int32
	p           *Process
}

func (b *fake) Start(env sim.Env) {
	b.env, b.session, b.queues = env, map[int32][]fakePart{}, map[sim.Conn][]*wire.Frame{}
}
func (b *fake) Opened(c sim.Conn)  {}
func (b *fake) Closed(c sim.Conn)  {}
func (l *lab) at() time.Duration   { return time.Duration(l.w.Now().Since()) }
func topicID(name string) [16]byte { return [16]byte{1, byte(len(name)), name[0]} }

func newLab(t *testing.T, parts int32) *lab {
	l := &lab{
		t: t, log: trace.NewLog(), topics: []string{"t"}, parts: parts,
		logs: map[TopicPartition][][]byte{}, ends: map[TopicPartition]int64{},
		committed: map[TopicPartition]int64{}, answers: map[int16][]wire.Code{},
		processes: map[int32]*sim.Process{},
		silent:    map[int16]bool{}, leader: func(p int32) int32 { return 1 }, epoch: 3, commitEpoch: -1,
	}
	l.w = sim.NewWorld(sim.Options{Seed: 1, Log: l.log, Label: func(m sim.Message) sim.Label {
		f := m.(*wire.Frame)
		return sim.Label{API: int32(f.Key), Info: trace.MessageInfo(f.Corr, f.Version, f.IsResponse())}
	}, Hop: hop, Intercept: func(d *sim.Delivery) (sim.Message, bool) {
		f := d.Msg.(*wire.Frame)
		if l.instead == nil || f.IsResponse() {
			return nil, false
		}
		return l.instead(f)
	}})
	l.w.SetLatency(time.Millisecond, 0)
	for id := int32(1); id <= 2; id++ {
		b := &fake{w: l, id: id}
		l.brokers = append(l.brokers, b)
		l.processes[id] = l.w.Spawn(nodeName(id), b)
	}
	l.p = &Process{}
	l.w.Spawn("A", l.p)
	return l
}

// hop proves that every message of a test survives its real encoding.
func hop(m sim.Message) sim.Message {
	f := m.(*wire.Frame)
	b := f.Encode()
	var out *wire.Frame
	var err error
	if f.IsResponse() {
		out, err = wire.DecodeResponse(b, f.Key, f.Version)
	} else {
		out, err = wire.DecodeRequest(b)
	}
	if err != nil {
		panic(err)
	}
	return out
}

func (b *fake) Received(c sim.Conn, m sim.Message) {
	b.queues[c] = append(b.queues[c], m.(*wire.Frame))
	if len(b.queues[c]) == 1 {
		b.handle(c, b.queues[c][0])
	}
}

// reply answers the request at the head of c's queue and takes the next.
func (b *fake) reply(c sim.Conn, f *wire.Frame) {
	c.Send(f)
	b.queues[c] = b.queues[c][1:]
	if len(b.queues[c]) > 0 {
		b.handle(c, b.queues[c][0])
	}
}

func (b *fake) handle(c sim.Conn, f *wire.Frame) {
	l := b.w
	l.seen = append(l.seen, f.APIName())
	l.asked = append(l.asked, f)
	l.askedAt = append(l.askedAt, l.at())
	l.askedOf = append(l.askedOf, b.id)
	if l.silent[f.Key] {
		return
	}
	if codes := l.answers[f.Key]; len(codes) > 0 {
		l.answers[f.Key] = codes[1:]
		if codes[0] != wire.None {
			r := wire.ErrorReply(f, codes[0])
			if fetch, ok := r.Resp.(*kmsg.FetchResponse); ok && len(fetch.Topics) > 0 {
				fetch.ErrorCode = 0
			}
			if j, ok := r.Resp.(*kmsg.JoinGroupResponse); ok && codes[0] == wire.MemberIDRequired {
				j.MemberID = "A-1"
			}
			b.reply(c, r)
			return
		}
	}
	switch req := f.Req.(type) {
	case *kmsg.FetchRequest:
		b.fetch(c, f, req)
	case *kmsg.JoinGroupRequest:
		if req.MemberID == "" && req.InstanceID == nil {
			r := wire.ErrorReply(f, wire.MemberIDRequired)
			r.Resp.(*kmsg.JoinGroupResponse).MemberID = fmt.Sprintf("A-%d", l.gen+1)
			b.reply(c, r)
			return
		}
		b.env.After(l.joinFor, func() { b.reply(c, f.Reply(l.join(req))) })
	default:
		b.reply(c, f.Reply(b.answer(f)))
	}
}

func (l *lab) join(req *kmsg.JoinGroupRequest) *kmsg.JoinGroupResponse {
	l.gen++
	r := kmsg.NewPtrJoinGroupResponse()
	r.Generation, r.MemberID = l.gen, req.MemberID
	if r.MemberID == "" {
		r.MemberID = "static-1"
	}
	r.LeaderID = r.MemberID
	r.Protocol, r.ProtocolType = &req.Protocols[0].Name, &req.ProtocolType
	m := kmsg.NewJoinGroupResponseMember()
	m.MemberID, m.ProtocolMetadata = r.MemberID, req.Protocols[0].Metadata
	r.Members = append(r.Members, m)
	return r
}

func (b *fake) answer(f *wire.Frame) kmsg.Response {
	l := b.w
	switch req := f.Req.(type) {
	case *kmsg.ApiVersionsRequest:
		r := kmsg.NewPtrApiVersionsResponse()
		for _, k := range wire.Supported() {
			r.ApiKeys = append(r.ApiKeys, kmsg.ApiVersionsResponseApiKey{
				ApiKey: k.Key, MinVersion: k.Min, MaxVersion: k.Max})
		}
		return r
	case *kmsg.MetadataRequest:
		return l.metadata(req)
	case *kmsg.FindCoordinatorRequest:
		r := kmsg.NewPtrFindCoordinatorResponse()
		if r.NodeID = 1; req.Version < 4 {
			return r
		}
		k := kmsg.NewFindCoordinatorResponseCoordinator()
		k.Key, k.NodeID = req.CoordinatorKeys[0], 1
		r.Coordinators = append(r.Coordinators, k)
		return r
	case *kmsg.SyncGroupRequest:
		r := kmsg.NewPtrSyncGroupResponse()
		for _, a := range req.GroupAssignment {
			if a.MemberID == req.MemberID {
				r.MemberAssignment = a.MemberAssignment
			}
		}
		return r
	case *kmsg.HeartbeatRequest:
		return kmsg.NewPtrHeartbeatResponse()
	case *kmsg.LeaveGroupRequest:
		return kmsg.NewPtrLeaveGroupResponse()
	case *kmsg.InitProducerIDRequest:
		r := kmsg.NewPtrInitProducerIDResponse()
		r.ProducerID, r.ProducerEpoch = 7, 0
		return r
	case *kmsg.OffsetCommitRequest:
		return l.commit(req)
	case *kmsg.OffsetFetchRequest:
		return l.offsets(req)
	case *kmsg.ListOffsetsRequest:
		return l.list(req)
	case *kmsg.OffsetForLeaderEpochRequest:
		return l.epochEnds(req)
	case *kmsg.ProduceRequest:
		return b.produce(req)
	}
	panic("fake: " + f.APIName())
}

func (l *lab) metadata(req *kmsg.MetadataRequest) *kmsg.MetadataResponse {
	r := kmsg.NewPtrMetadataResponse()
	for _, b := range l.brokers {
		known := kmsg.MetadataResponseBroker{NodeID: b.id, Host: "h", Port: 9092}
		if rack := l.racks[b.id]; rack != "" {
			known.Rack = &rack
		}
		r.Brokers = append(r.Brokers, known)
	}
	wanted := req.Topics
	if wanted == nil { // every topic
		for i := range l.topics {
			wanted = append(wanted, kmsg.MetadataRequestTopic{Topic: &l.topics[i]})
		}
	}
	for _, want := range wanted {
		t := kmsg.NewMetadataResponseTopic()
		t.Topic = want.Topic
		t.TopicID = topicID(*want.Topic)
		t.IsInternal = strings.HasPrefix(*want.Topic, "__")
		if !slices.Contains(l.topics, *want.Topic) {
			t.ErrorCode = int16(wire.UnknownTopicOrPartition)
			t.TopicID = [16]byte{}
		} else {
			for p := range l.parts {
				q := kmsg.NewMetadataResponseTopicPartition()
				q.Partition, q.Leader, q.LeaderEpoch = p, l.leader(p), l.epoch
				q.Replicas = []int32{q.Leader}
				t.Partitions = append(t.Partitions, q)
			}
		}
		r.Topics = append(r.Topics, t)
	}
	return r
}

func (l *lab) commit(req *kmsg.OffsetCommitRequest) *kmsg.OffsetCommitResponse {
	r := kmsg.NewPtrOffsetCommitResponse()
	for _, t := range req.Topics {
		rt := kmsg.NewOffsetCommitResponseTopic()
		rt.Topic, rt.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			l.committed[TopicPartition{Topic: "t", Partition: p.Partition}] = p.Offset
			rt.Partitions = append(rt.Partitions,
				kmsg.OffsetCommitResponseTopicPartition{Partition: p.Partition})
		}
		r.Topics = append(r.Topics, rt)
	}
	return r
}

func (l *lab) offsets(req *kmsg.OffsetFetchRequest) *kmsg.OffsetFetchResponse {
	r := kmsg.NewPtrOffsetFetchResponse()
	if req.Version < 8 {
		for _, t := range req.Topics {
			rt := kmsg.NewOffsetFetchResponseTopic()
			rt.Topic = t.Topic
			for _, p := range t.Partitions {
				q := kmsg.NewOffsetFetchResponseTopicPartition()
				q.Partition, q.Offset = p, -1
				if o, ok := l.committed[TopicPartition{Topic: "t", Partition: p}]; ok {
					q.Offset = o
				}
				rt.Partitions = append(rt.Partitions, q)
			}
			r.Topics = append(r.Topics, rt)
		}
		return r
	}
	g := kmsg.NewOffsetFetchResponseGroup()
	g.Group = req.Groups[0].Group
	for _, t := range req.Groups[0].Topics {
		rt := kmsg.NewOffsetFetchResponseGroupTopic()
		rt.Topic, rt.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			q := kmsg.NewOffsetFetchResponseGroupTopicPartition()
			q.Partition, q.Offset, q.LeaderEpoch = p, -1, l.commitEpoch
			if o, ok := l.committed[TopicPartition{Topic: "t", Partition: p}]; ok {
				q.Offset = o
			}
			rt.Partitions = append(rt.Partitions, q)
		}
		g.Topics = append(g.Topics, rt)
	}
	r.Groups = append(r.Groups, g)
	return r
}

func (l *lab) list(req *kmsg.ListOffsetsRequest) *kmsg.ListOffsetsResponse {
	r := kmsg.NewPtrListOffsetsResponse()
	for _, t := range req.Topics {
		rt := kmsg.NewListOffsetsResponseTopic()
		rt.Topic = t.Topic
		for _, p := range t.Partitions {
			q := kmsg.NewListOffsetsResponseTopicPartition()
			q.Partition, q.Offset = p.Partition, l.ends[TopicPartition{Topic: "t", Partition: p.Partition}]
			if p.Timestamp == -2 {
				q.Offset = 0
			}
			rt.Partitions = append(rt.Partitions, q)
		}
		r.Topics = append(r.Topics, rt)
	}
	return r
}

func (l *lab) epochEnds(req *kmsg.OffsetForLeaderEpochRequest) *kmsg.OffsetForLeaderEpochResponse {
	r := kmsg.NewPtrOffsetForLeaderEpochResponse()
	for _, t := range req.Topics {
		rt := kmsg.NewOffsetForLeaderEpochResponseTopic()
		rt.Topic = t.Topic
		for _, p := range t.Partitions {
			q := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
			q.Partition = p.Partition
			q.LeaderEpoch, q.EndOffset = p.LeaderEpoch, l.ends[TopicPartition{Topic: t.Topic, Partition: p.Partition}]
			if l.epochEnd != nil {
				q.LeaderEpoch, q.EndOffset = l.epochEnd(p.Partition, p.LeaderEpoch)
			}
			rt.Partitions = append(rt.Partitions, q)
		}
		r.Topics = append(r.Topics, rt)
	}
	return r
}

func (b *fake) produce(req *kmsg.ProduceRequest) *kmsg.ProduceResponse {
	r := kmsg.NewPtrProduceResponse()
	for _, t := range req.Topics {
		rt := kmsg.NewProduceResponseTopic()
		rt.Topic, rt.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			q := kmsg.NewProduceResponseTopicPartition()
			q.Partition = p.Partition
			q.BaseOffset = b.w.store(p.Partition, p.Records)
			rt.Partitions = append(rt.Partitions, q)
		}
		r.Topics = append(r.Topics, rt)
	}
	return r
}

// store appends one batch and answers parked fetches.
func (l *lab) store(part int32, batch []byte) int64 {
	tp := TopicPartition{Topic: "t", Partition: part}
	base := l.ends[tp]
	batch = slices.Clone(batch)
	wire.SetBase(batch, base, 3)
	h, err := wire.ReadHeader(batch)
	require.NoError(l.t, err)
	l.logs[tp] = append(l.logs[tp], batch)
	l.ends[tp] = h.NextOffset()
	for _, b := range l.brokers {
		b.retryParked()
	}
	return base
}

// write appends n records in one batch.
func (l *lab) write(part int32, n int) {
	records := make([]wire.Record, n)
	for i := range records {
		records[i] = wire.Record{Timestamp: l.w.Now().Millis(), Value: []byte("v")}
	}
	l.store(part, wire.EncodeBatch(wire.PlainHeader(), records))
}

func (b *fake) fetch(c sim.Conn, f *wire.Frame, req *kmsg.FetchRequest) {
	id := req.SessionID
	if req.SessionEpoch == 0 {
		b.sessions++
		id = b.sessions
		b.session[id] = nil
	}
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			b.session[id] = slices.DeleteFunc(b.session[id], func(q fakePart) bool {
				return q.part == p.Partition
			})
			b.session[id] = append(b.session[id], fakePart{t.TopicID, p.Partition, p.FetchOffset})
		}
	}
	for _, t := range req.ForgottenTopics {
		b.session[id] = slices.DeleteFunc(b.session[id], func(q fakePart) bool {
			return slices.Contains(t.Partitions, q.part)
		})
	}
	pf := parkedFetch{conn: c, f: f, open: true, session: id}
	if req.SessionEpoch == -1 || b.tryFetch(&pf, false) {
		if req.SessionEpoch == -1 {
			b.reply(c, f.Reply(kmsg.NewPtrFetchResponse()))
		}
		return
	}
	b.parked = append(b.parked, pf)
	i := len(b.parked) - 1
	b.env.After(time.Duration(req.MaxWaitMillis)*time.Millisecond, func() {
		b.tryFetch(&b.parked[i], true)
	})
}

func (b *fake) retryParked() {
	for i := range b.parked {
		b.tryFetch(&b.parked[i], false)
	}
}

func (b *fake) tryFetch(pf *parkedFetch, late bool) bool {
	if !pf.open {
		return true
	}
	r := kmsg.NewPtrFetchResponse()
	r.SessionID = pf.session
	for _, p := range b.session[r.SessionID] {
		tp := TopicPartition{Topic: "t", Partition: p.part}
		var data []byte
		for _, batch := range b.w.logs[tp] {
			if h, _ := wire.ReadHeader(batch); h.NextOffset() > p.offset {
				data = append(data, batch...)
			}
		}
		if len(data) == 0 {
			continue
		}
		if len(r.Topics) == 0 {
			t := kmsg.NewFetchResponseTopic()
			t.Topic, t.TopicID = "t", p.id
			r.Topics = append(r.Topics, t)
		}
		q := kmsg.NewFetchResponseTopicPartition()
		q.Partition, q.RecordBatches, q.HighWatermark = p.part, data, b.w.ends[tp]
		r.Topics[0].Partitions = append(r.Topics[0].Partitions, q)
	}
	if len(r.Topics) == 0 && !late {
		return false
	}
	pf.open = false
	b.reply(pf.conn, pf.f.Reply(r))
	return true
}

// run lets the world go on until d since the start.
func (l *lab) run(d time.Duration) {
	l.t.Helper()
	for {
		next, ok := l.w.Next()
		if !ok || next > sim.Start.Add(d) {
			l.w.Forward(sim.Start.Add(d))
			return
		}
		require.NoError(l.t, l.w.Turn())
	}
}

// do runs fn as the process at time d.
func (l *lab) do(d time.Duration, fn func()) { l.w.At(sim.Start.Add(d), fn) }

// requests are the kinds asked for so far, without those named.
func (l *lab) requests(without ...string) string {
	var out []string
	for _, s := range l.seen {
		if !slices.Contains(without, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, " ")
}

// times is when requests of a kind arrived.
func (l *lab) times(key int16) []time.Duration {
	var at []time.Duration
	for i, f := range l.asked {
		if f.Key == key {
			at = append(at, l.askedAt[i])
		}
	}
	return at
}

// events are the trace's events of a kind.
func (l *lab) events(kind trace.Kind) []trace.Event {
	var out []trace.Event
	r := l.log.Reader(0)
	for {
		e, ok := r.Next()
		if !ok {
			return out
		}
		if e.Kind == kind {
			out = append(out, e)
		}
	}
}

// name is the text of a reference.
func (l *lab) name(r trace.Ref) string { return l.log.String(r) }

// logs that a client wrote which contain text.
func (l *lab) logged(text string) int {
	n := 0
	for _, e := range l.events(trace.LogLine) {
		if strings.Contains(l.name(e.Name), text) {
			n++
		}
	}
	return n
}

// app polls for ever, each time handling what it gets for a while.
type app struct {
	l       *lab
	c       *Consumer
	timeout time.Duration
	work    time.Duration // after a poll that returned records
	records []Record
	errs    []error
	stopped bool
	polls   []time.Duration
	after   func(records []Record, next func()) // in place of work
}

func (a *app) poll() {
	if a.stopped {
		return
	}
	a.polls = append(a.polls, a.l.at())
	a.c.Poll(a.timeout, func(records []Record, err error) {
		a.records = append(a.records, records...)
		if err != nil {
			a.errs = append(a.errs, err)
		}
		if a.after != nil {
			a.after(records, a.poll)
			return
		}
		if len(records) > 0 && a.work > 0 {
			a.l.p.env.After(a.work, a.poll)
			return
		}
		a.poll()
	})
}

// start makes a consumer of topic t that polls from d on.
func (l *lab) start(d time.Duration, cfg ConsumerConfig, li Listener) *app {
	a := &app{l: l, timeout: 500 * time.Millisecond}
	l.do(d, func() {
		a.c = NewConsumer(l.p, cfg)
		a.c.Subscribe(l.topics, li)
		a.poll()
	})
	return a
}

func testConfig() ConsumerConfig {
	cfg := DefaultConsumerConfig()
	cfg.GroupID, cfg.ClientID, cfg.Bootstrap = "g", "A", []string{"broker-1"}
	cfg.AutoOffsetReset = "earliest"
	return cfg
}

// listener writes down its calls and may do something in them.
type listener struct {
	l     *lab
	calls []string
	in    func(call string, done func(error))
}

func (li *listener) note(name string, parts []TopicPartition, done func(error)) {
	li.calls = append(li.calls, name+partsText(parts))
	if li.in != nil {
		li.in(name, done)
		return
	}
	li.l.p.env.After(0, func() { done(nil) })
}

func (li *listener) OnRevoked(p []TopicPartition, done func(error))  { li.note("revoked", p, done) }
func (li *listener) OnLost(p []TopicPartition, done func(error))     { li.note("lost", p, done) }
func (li *listener) OnAssigned(p []TopicPartition, done func(error)) { li.note("assigned", p, done) }
