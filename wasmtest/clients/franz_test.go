package clients

import (
	"context"
	"errors"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

var kgoCodecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

func kgoProduce(l *lab, topic, codec string, values []string) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(l.addrs...), kgo.DefaultProduceTopic(topic),
		kgo.ProducerBatchCompression(kgoCodecs[codec]),
		kgo.RecordPartitioner(kgo.RoundRobinPartitioner()),
	)
	require.NoError(l.t, err)
	defer client.Close()
	var records []*kgo.Record
	for _, v := range values {
		records = append(records, kgo.StringRecord(v))
	}
	require.NoError(l.t, client.ProduceSync(l.ctx(), records...).FirstErr())
}

// kgoMember is a member on franz-go.
type kgoMember struct {
	wires  wires
	client *kgo.Client
	cancel context.CancelFunc
	done   chan struct{}
}

// kgoJoin starts a member with the option that says who shares out partitions.
func kgoJoin(balancer kgo.GroupOpt) func(*lab, membership) member {
	return func(l *lab, m membership) member {
		k := &kgoMember{done: make(chan struct{})}
		var err error
		k.client, err = kgo.NewClient(
			kgo.SeedBrokers(l.addrs...), kgo.ClientID(m.name), kgo.Dialer(k.wires.dial),
			kgo.ConsumerGroup(m.group), kgo.ConsumeTopics(m.topic), kgo.DisableAutoCommit(),
			kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), balancer,
			kgo.SessionTimeout(sessionTimeout), kgo.HeartbeatInterval(heartbeat),
			kgo.BlockRebalanceOnPoll(), kgo.FetchMaxWait(100*time.Millisecond),
		)
		require.NoError(l.t, err)
		ctx, cancel := context.WithCancel(context.Background())
		k.cancel = cancel
		go k.run(ctx, m)
		l.t.Cleanup(func() { k.kill() })
		return k
	}
}

// run commits a batch before it allows the next rebalance.
func (k *kgoMember) run(ctx context.Context, m membership) {
	defer close(k.done)
	for {
		fetches := k.client.PollFetches(ctx)
		if fetches.IsClientClosed() || errors.Is(fetches.Err0(), context.Canceled) {
			return
		}
		fetches.EachRecord(func(r *kgo.Record) { m.got(string(r.Value)) })
		k.client.CommitUncommittedOffsets(context.WithoutCancel(ctx))
		k.client.AllowRebalance()
	}
}

func (k *kgoMember) leave() {
	k.cancel()
	<-k.done
	k.client.CloseAllowingRebalance()
}

func (k *kgoMember) kill() {
	k.wires.kill()
	k.leave()
}
