package broker

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// loop is a client that sends its next request when the last one is answered.
type loop struct {
	conn sim.Conn
	next func(kmsg.Response) kmsg.Request
	corr int32
}

func (c *loop) Start(sim.Env)   {}
func (c *loop) Closed(sim.Conn) {}
func (c *loop) Opened(conn sim.Conn) {
	c.conn = conn
	c.ask(nil)
}
func (c *loop) Received(_ sim.Conn, m sim.Message) { c.ask(m.(*wire.Frame).Resp) }
func (c *loop) ask(last kmsg.Response) {
	if req := c.next(last); req != nil {
		c.corr++
		c.conn.Send(wire.NewRequest(c.corr, "c", req))
	}
}

// BenchmarkProduceAndFetch is a record that is produced, ends a parked fetch of a session over two
// partitions, and is fetched: one of the 150 a virtual second of the common scenario.
func BenchmarkProduceAndFetch(b *testing.B) {
	log := trace.NewLog()
	w := sim.NewWorld(sim.Options{
		Log: log, Label: func(sim.Message) sim.Label { return sim.Label{} },
	})
	c := NewCluster(1)
	w.Spawn("broker-1", New(c, 1))
	if err := c.CreateTopic(TopicSpec{Name: "t", Partitions: 2}); err != nil {
		b.Fatal(err)
	}
	id, epoch, got := int32(0), int32(0), int64(0)
	consumer := &loop{next: func(last kmsg.Response) kmsg.Request {
		q := fetchRequest("t", want{part: 0, offset: got}, want{part: 1})
		if r, ok := last.(*kmsg.FetchResponse); ok {
			id = r.SessionID
			epoch++
			if p := parts(r); len(p[0].RecordBatches) > 0 {
				got = p[0].HighWatermark
			}
			q = fetchRequest("t", want{part: 0, offset: got})
		}
		return session(q, id, epoch)
	}}
	w.Spawn("c", consumer)
	batch := wire.EncodeBatch(wire.PlainHeader(), []wire.Record{{Value: []byte("value")}})
	producer := &loop{next: func(kmsg.Response) kmsg.Request { return nil }}
	w.Spawn("p", producer)
	w.Process("c").Dial("broker-1")
	w.Process("p").Dial("broker-1")
	run := func(until sim.Time) {
		for next, ok := w.Next(); ok && next <= until; next, ok = w.Next() {
			if err := w.Turn(); err != nil {
				b.Fatal(err)
			}
		}
	}
	at := sim.Start.Add(10 * time.Millisecond)
	run(at)
	b.ReportAllocs()
	for b.Loop() {
		producer.corr++
		producer.conn.Send(wire.NewRequest(producer.corr, "p", produceRequest("t", 0, -1, batch)))
		at = at.Add(2 * time.Millisecond)
		run(at)
		w.Forward(at)
	}
	if got == 0 {
		b.Fatal("nothing was fetched")
	}
}
