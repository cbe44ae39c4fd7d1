package tcp

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/broker"
)

// The brokers of a server replicate over sockets as any brokers do: acks = all is answered when the
// two followers have fetched the record (E18).
func TestBrokersOfAServerReplicateToEachOther(t *testing.T) {
	s := serve(t, Options{Brokers: 3, Topics: []broker.TopicSpec{{
		Name: "t", Partitions: 1, ReplicationFactor: 3,
		Configs: []broker.Entry{{Key: "min.insync.replicas", Value: "3"}},
	}}})
	p := dial(t, s.Addrs()[0])
	for range 3 {
		r := p.ask(produceRequest("t", -1, []byte("hello"))).(*kmsg.ProduceResponse)
		require.Zero(t, r.Topics[0].Partitions[0].ErrorCode)
	}
	f := dial(t, s.Addrs()[0]).ask(fetchRequest("t", 2, patience)).(*kmsg.FetchResponse)
	require.EqualValues(t, 3, f.Topics[0].Partitions[0].HighWatermark)
	require.NotEmpty(t, f.Topics[0].Partitions[0].RecordBatches)
}
