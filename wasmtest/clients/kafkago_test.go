package clients

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
)

var kafkaGoCodecs = map[string]kafka.Compression{
	"none": 0, "gzip": kafka.Gzip, "snappy": kafka.Snappy, "lz4": kafka.Lz4, "zstd": kafka.Zstd,
}

func kafkaGoProduce(l *lab, topic, codec string, values []string) {
	w := &kafka.Writer{
		Addr: kafka.TCP(l.addrs...), Topic: topic, Balancer: &kafka.RoundRobin{},
		RequiredAcks: kafka.RequireAll, BatchTimeout: time.Millisecond,
		Transport: &kafka.Transport{}, Compression: kafkaGoCodecs[codec],
	}
	var messages []kafka.Message
	for _, v := range values {
		messages = append(messages, kafka.Message{Value: []byte(v)})
	}
	require.NoError(l.t, w.WriteMessages(l.ctx(), messages...))
	require.NoError(l.t, w.Close())
	w.Transport.(*kafka.Transport).CloseIdleConnections()
}

// kafkaGoMember is a Reader in a group.
type kafkaGoMember struct {
	wires  wires
	reader *kafka.Reader
	cancel context.CancelFunc
	done   chan struct{}
}

func kafkaGoJoin(l *lab, m membership) member {
	k := &kafkaGoMember{done: make(chan struct{})}
	k.reader = kafka.NewReader(kafka.ReaderConfig{
		Brokers: l.addrs, GroupID: m.group, GroupTopics: []string{m.topic},
		Dialer:         &kafka.Dialer{ClientID: m.name, DialFunc: k.wires.dial},
		GroupBalancers: []kafka.GroupBalancer{kafka.RangeGroupBalancer{}},
		StartOffset:    kafka.FirstOffset,
		// What a fetch may take in all: much less, and a busy machine ends good ones; much more, and a
		// rebalance waits for it.
		MaxWait:        500 * time.Millisecond,
		SessionTimeout: sessionTimeout, HeartbeatInterval: heartbeat,
		RebalanceTimeout: patience, JoinGroupBackoff: 100 * time.Millisecond,
		ReadBackoffMin: 10 * time.Millisecond, ReadBackoffMax: 100 * time.Millisecond,
	})
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	go k.run(ctx, m)
	l.t.Cleanup(func() { k.kill() })
	return k
}

// run commits record by record. ReadMessage would commit a record before it hands it out.
func (k *kafkaGoMember) run(ctx context.Context, m membership) {
	defer close(k.done)
	for {
		r, err := k.reader.FetchMessage(ctx)
		if err != nil {
			return
		}
		m.got(string(r.Value))
		k.reader.CommitMessages(context.WithoutCancel(ctx), r)
	}
}

func (k *kafkaGoMember) leave() {
	k.cancel()
	<-k.done
	k.reader.Close()
}

func (k *kafkaGoMember) kill() {
	k.wires.kill()
	k.leave()
}
