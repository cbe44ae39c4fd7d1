package broker

import (
	"errors"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// hop is nil, or encodes and decodes every message on its way.
var hop func(sim.Message) sim.Message

// TestMain runs all tests twice: with messages that travel as structs, and as bytes.
func TestMain(m *testing.M) {
	code := m.Run()
	if flag.Lookup("test.bench").Value.String() != "" {
		os.Exit(code)
	}
	hop = func(m sim.Message) sim.Message {
		f, err := recode(m.(*wire.Frame))
		if errors.Is(err, wire.ErrUnsupported) {
			return m // a broker gets its header
		}
		if err != nil {
			panic(err)
		}
		return f
	}
	os.Exit(max(code, m.Run()))
}

func recode(f *wire.Frame) (*wire.Frame, error) {
	if f.IsResponse() {
		return wire.DecodeResponse(f.Encode(), f.Key, f.Version)
	}
	return wire.DecodeRequest(f.Encode())
}

// lab is a cluster in a simulated world, whose links take exactly 250 us.
type lab struct {
	t   *testing.T
	w   *sim.World
	log *trace.Log
	c   *Cluster
}

const oneWay = 250 * time.Microsecond

func newLab(t *testing.T, brokers int, settings ...Entry) *lab {
	l := &lab{t: t, log: trace.NewLog(), c: NewCluster(brokers)}
	l.w = sim.NewWorld(sim.Options{
		Log: l.log, Seed: 7, Label: func(sim.Message) sim.Label { return sim.Label{} }, Hop: hop,
	})
	l.w.SetLatency(oneWay, 0)
	for _, s := range settings {
		require.NoError(t, l.c.SetConfig("", s.Key, s.Value))
	}
	for id := 1; id <= brokers; id++ {
		l.w.Spawn(l.c.node(int32(id)).name, New(l.c, int32(id)))
	}
	return l
}

func (l *lab) topic(name string, partitions int32, leaders ...int32) *Topic {
	require.NoError(l.t, l.c.CreateTopic(TopicSpec{
		Name: name, Partitions: partitions, Leaders: leaders,
	}))
	t, _ := l.c.Topic(name)
	return t
}

// at runs the world to a moment after the start.
func (l *lab) at(t time.Duration) {
	end := sim.Start.Add(t)
	for next, ok := l.w.Next(); ok && next <= end; next, ok = l.w.Next() {
		require.NoError(l.t, l.w.Turn())
	}
	l.w.Forward(end)
}

func (l *lab) now() time.Duration { return time.Duration(l.w.Now().Since()) }

func (l *lab) wait(d time.Duration) { l.at(l.now() + d) }

func (l *lab) kill(name string) {
	l.w.Process(name).End(trace.EndedByKill, "")
	l.c.BrokerDown(name)
}

func (l *lab) revive(name string) { l.w.Spawn(name, l.c.Revive(name)) }

// raw is a client that sends frames as it is told and collects the answers.
type raw struct {
	l       *lab
	env     sim.Env
	conn    sim.Conn
	corr    int32
	answers []answer
	closed  bool
}

type answer struct {
	frame *wire.Frame
	at    time.Duration
}

func (r *raw) Start(env sim.Env) { r.env = env }
func (r *raw) Opened(sim.Conn)   {}
func (r *raw) Closed(sim.Conn)   { r.closed = true }
func (r *raw) Received(_ sim.Conn, m sim.Message) {
	r.answers = append(r.answers, answer{m.(*wire.Frame), r.l.now()})
}

// client starts a raw client with a connection to a broker.
func (l *lab) client(name, broker string) *raw {
	r := &raw{l: l}
	l.w.Spawn(name, r)
	r.conn = r.env.Dial(broker)
	l.wait(2 * oneWay)
	return r
}

// send sends a request and does not wait.
func (r *raw) send(req kmsg.Request) {
	r.corr++
	r.conn.Send(wire.NewRequest(r.corr, "raw", req))
}

// ask sends a request and waits up to 10 s for its answer.
func (r *raw) ask(req kmsg.Request) kmsg.Response {
	r.send(req)
	n := len(r.answers)
	for end := r.l.now() + 10*time.Second; len(r.answers) == n && r.l.now() < end; {
		r.l.wait(oneWay)
	}
	require.Len(r.l.t, r.answers, n+1, "no answer")
	a := r.answers[n]
	require.Equal(r.l.t, r.corr, a.frame.Corr)
	return a.frame.Resp
}

func (r *raw) last() answer { return r.answers[len(r.answers)-1] }

func produceRequest(topic string, part int32, acks int16, batch []byte) *kmsg.ProduceRequest {
	p := kmsg.NewProduceRequestTopicPartition()
	p.Partition, p.Records = part, batch
	t := kmsg.NewProduceRequestTopic()
	t.Topic, t.Partitions = topic, []kmsg.ProduceRequestTopicPartition{p}
	r := kmsg.NewPtrProduceRequest()
	r.Version, r.Acks, r.Topics = 11, acks, []kmsg.ProduceRequestTopic{t}
	return r
}

func (l *lab) batch(values ...string) []byte {
	return wire.EncodeBatch(wire.PlainHeader(), l.records(values...))
}

func (l *lab) records(values ...string) []wire.Record {
	var records []wire.Record
	for _, v := range values {
		records = append(records, wire.Record{Timestamp: l.w.Now().Millis(), Value: []byte(v)})
	}
	return records
}

func (r *raw) produce(
	topic string, part int32, values ...string,
) *kmsg.ProduceResponseTopicPartition {
	resp := r.ask(produceRequest(topic, part, -1, r.l.batch(values...))).(*kmsg.ProduceResponse)
	return &resp.Topics[0].Partitions[0]
}

// want is a partition to be fetched.
type want struct {
	part   int32
	offset int64
	max    int32
	epoch  int32
}

// fetchRequest asks for partitions of a topic; epoch -1 is a fetch without session.
func fetchRequest(topic string, wants ...want) *kmsg.FetchRequest {
	r := kmsg.NewPtrFetchRequest()
	r.Version, r.MinBytes, r.MaxWaitMillis, r.MaxBytes = 12, 1, 500, 50<<20
	r.SessionEpoch = -1
	t := kmsg.NewFetchRequestTopic()
	t.Topic = topic
	for _, w := range wants {
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.FetchOffset, p.PartitionMaxBytes = w.part, w.offset, 1<<20
		if w.max > 0 {
			p.PartitionMaxBytes = w.max
		}
		p.CurrentLeaderEpoch = w.epoch
		if w.epoch == 0 {
			p.CurrentLeaderEpoch = -1
		}
		t.Partitions = append(t.Partitions, p)
	}
	if len(wants) > 0 {
		r.Topics = append(r.Topics, t)
	}
	return r
}

// session makes a request part of a session.
func session(r *kmsg.FetchRequest, id, epoch int32) *kmsg.FetchRequest {
	r.SessionID, r.SessionEpoch = id, epoch
	return r
}

func (r *raw) fetch(q *kmsg.FetchRequest) *kmsg.FetchResponse {
	return r.ask(q).(*kmsg.FetchResponse)
}

// parts flattens a fetch answer.
func parts(r *kmsg.FetchResponse) []kmsg.FetchResponseTopicPartition {
	var out []kmsg.FetchResponseTopicPartition
	for _, t := range r.Topics {
		out = append(out, t.Partitions...)
	}
	return out
}

// numbers are the partitions listed in a fetch answer.
func numbers(r *kmsg.FetchResponse) []int32 {
	var out []int32
	for _, p := range parts(r) {
		out = append(out, p.Partition)
	}
	return out
}

// offsetsIn lists the offsets of the records in a run of batches.
func offsetsIn(t *testing.T, run []byte) []int64 {
	var out []int64
	for {
		b, rest, err := wire.NextBatch(run)
		require.NoError(t, err)
		if b == nil {
			return out
		}
		_, records, err := wire.DecodeBatch(b)
		require.NoError(t, err)
		for _, r := range records {
			out = append(out, r.Offset)
		}
		run = rest
	}
}

// events lists the events of a kind.
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
