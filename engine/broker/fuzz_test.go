package broker

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// Whatever a client sends that can be read at all, a broker survives it: it answers, waits or hangs
// up.
func FuzzRequests(f *testing.F) {
	topic := "t"
	seeds := []kmsg.Request{
		produceRequest("t", 0, -1, wire.EncodeBatch(wire.PlainHeader(), []wire.Record{{}})),
		fetchRequest("t", want{}), session(fetchRequest("t", want{}), 0, 0),
		metadataOf("t", "u"), findRequest("g"), createRequest(newTopic("u", 2, 1)),
		createRequest(configured("u", "retention.ms", &topic)), createRequest(assigned("u", 1)),
		deleteRequest(kmsg.DeleteTopicsRequestTopic{Topic: &topic}), initRequest(),
	}
	for _, r := range wire.Supported() {
		req := kmsg.RequestForKey(r.Key)
		req.SetVersion(r.Max)
		seeds = append(seeds, req)
	}
	for _, req := range seeds {
		f.Add(wire.NewRequest(1, "c", req).Encode())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, err := wire.DecodeRequest(b)
		if err != nil {
			return
		}
		l := newLab(t, 2)
		l.topic("t", 2)
		c := l.client("c", "broker-1")
		for range 2 { // the second finds what the first has left behind
			c.conn.Send(frame)
			l.wait(time.Second)
		}
		l.client("d", "broker-1").ask(kmsg.NewPtrMetadataRequest())
	})
}
