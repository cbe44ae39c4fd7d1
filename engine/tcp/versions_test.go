package tcp

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/wire"
)

// Whatever a client negotiates is answered, in a form that it can read; a request that names nothing
// must not bring a broker down.
func TestEveryAdvertisedVersionOfEveryRequestIsAnswered(t *testing.T) { // 0.2
	s := serve(t, Options{Brokers: 2, Topics: []broker.TopicSpec{{Name: "t", Partitions: 2}}})
	answers := 0
	for _, r := range wire.Supported() {
		for v := r.Min; v <= r.Max; v++ {
			if !wire.Serves(r.Key, v) {
				continue // Produce 0-2 are only shown (KAFKA-18659)
			}
			req := kmsg.RequestForKey(r.Key)
			req.SetVersion(v)
			if p, ok := req.(*kmsg.ProduceRequest); ok {
				p.Acks = 1
			}
			c := dial(t, s.Addrs()[0])
			c.send(req)
			f := c.read(req) // which decodes it
			require.Equal(t, c.corr, f.Corr, "%s v%d", r.Name, v)
			require.NoError(t, c.sock.Close())
			answers++
		}
	}
	require.Greater(t, answers, 100)
	require.True(t, s.Do(func(*broker.Cluster) {}), "it still runs")
}

func TestAnUnknownVersionOfApiVersionsIsAnsweredInTheOldestForm(t *testing.T) { // KIP-511
	s := serve(t, Options{})
	c := dial(t, s.Addrs()[0])
	f := wire.NewRequest(7, "new", kmsg.NewPtrApiVersionsRequest())
	f.Version = 99
	c.write(f.Encode())
	r := c.read(kmsg.NewPtrApiVersionsRequest()).Resp.(*kmsg.ApiVersionsResponse)
	require.Equal(t, wire.UnsupportedVersion, wire.Code(r.ErrorCode))
	require.Len(t, r.ApiKeys, 1)
	require.Equal(t, wire.KeyApiVersions, r.ApiKeys[0].ApiKey)
}
