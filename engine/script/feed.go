package script

import (
	"math/bits"
	"strconv"
	"strings"
	"time"

	"rebalancelab/engine/client"
	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/sim"
)

// Feed is the process of one producer: it sends records at an even rate.
type Feed struct {
	client.Process
	spec     *ProducerSpec
	cfg      client.ProducerConfig
	thing    *neighbour.Thing // in the place of a topic
	env      sim.Env
	producer sender
	near     *publisher // the sender to a neighbour, or nil
	started  sim.Time
	sent     int64
	stopped  bool
	tick     func()
	values   [][]byte // of the records, in turn; empty: each says its number
}

// sender is where records go: Kafka's producer, or the client of a neighbour.
type sender interface {
	Send(topic string, key, value []byte, partition int32, done func(int32, int64, error))
	Close(done func(error))
}

// NewFeed makes the process of spec; settings were changed since the start.
func NewFeed(sc *Scenario, spec *ProducerSpec, settings []Setting) (*Feed, error) {
	own := *spec
	own.Settings = append(append([]Setting(nil), spec.Settings...), settings...)
	cfg, err := own.Config()
	if err != nil {
		return nil, errorAt(spec.Place, "%s: %v", spec.Name, err)
	}
	f := &Feed{spec: spec, cfg: cfg, values: fill(spec.Values, spec.Size)}
	f.tick = f.send
	f.thing = sc.Neighbour(spec.To)
	return f, nil
}

// fill gives each text at least size bytes; without texts but with a size there is one.
func fill(texts []string, size int) [][]byte {
	if len(texts) == 0 && size > 0 {
		texts = []string{""}
	}
	values := make([][]byte, len(texts))
	for i, v := range texts {
		values[i] = []byte(v + strings.Repeat("x", max(0, size-len(v))))
	}
	return values
}

// Start implements [sim.Node].
func (f *Feed) Start(env sim.Env) {
	f.Process.Start(env)
	f.env = env
	f.started = env.Now()
	if f.thing != nil {
		f.near = newPublisher(env, f.thing)
		f.producer = f.near
	} else {
		f.producer = client.NewProducer(&f.Process, f.cfg)
	}
	f.plan()
}

// plan waits for the moment of the next record.
func (f *Feed) plan() {
	if f.stopped || f.spec.Count > 0 && f.sent >= f.spec.Count {
		return
	}
	f.env.After(f.due(f.sent).Sub(f.env.Now()), f.tick)
}

// due is the moment of record i: exactly i/rate periods after the start.
func (f *Feed) due(i int64) sim.Time {
	hi, lo := bits.Mul64(uint64(i), uint64(f.spec.Per))
	if hi >= uint64(f.spec.Rate) {
		return f.started.Add(maxDuration)
	}
	q, _ := bits.Div64(hi, lo, uint64(f.spec.Rate))
	return f.started.Add(time.Duration(min(q, uint64(maxDuration))))
}

func (f *Feed) send() {
	if f.stopped {
		return
	}
	var key []byte
	if n := int64(len(f.spec.Keys)); n > 0 {
		key = []byte(f.spec.Keys[f.sent%n])
	}
	f.producer.Send(f.spec.Topic, key, f.value(), f.spec.Partition, nil)
	f.sent++
	f.plan()
}

// value is that of the next record. Nobody writes to the values.
func (f *Feed) value() []byte {
	if n := int64(len(f.values)); n > 0 {
		return f.values[f.sent%n]
	}
	return strconv.AppendInt([]byte("record "), f.sent, 10)
}

// Stop is SIGTERM: no more records are begun; done is called once those under way are acknowledged
// and the producer is closed.
func (f *Feed) Stop(done func()) {
	if f.stopped {
		return
	}
	f.stopped = true
	f.producer.Close(func(error) { done() })
}
