package clients

import (
	"context"
	"time"

	"github.com/IBM/sarama"
	"github.com/stretchr/testify/require"
)

func saramaConfig() *sarama.Config {
	c := sarama.NewConfig()
	c.Producer.Return.Successes = true
	c.Producer.RequiredAcks = sarama.WaitForAll
	c.Producer.Partitioner = sarama.NewRoundRobinPartitioner
	c.Consumer.Offsets.Initial = sarama.OffsetOldest
	c.Consumer.Offsets.AutoCommit.Interval = 50 * time.Millisecond
	c.Consumer.MaxWaitTime = 100 * time.Millisecond
	c.Consumer.Group.Session.Timeout = sessionTimeout
	c.Consumer.Group.Heartbeat.Interval = heartbeat
	c.Consumer.Group.Rebalance.Retry.Backoff = 50 * time.Millisecond
	return c
}

var saramaCodecs = map[string]sarama.CompressionCodec{
	"none": sarama.CompressionNone, "gzip": sarama.CompressionGZIP, "zstd": sarama.CompressionZSTD,
	"snappy": sarama.CompressionSnappy, "lz4": sarama.CompressionLZ4,
}

func saramaProduce(l *lab, topic, codec string, values []string) {
	c := saramaConfig()
	c.Producer.Compression = saramaCodecs[codec]
	c.Producer.Idempotent, c.Net.MaxOpenRequests = true, 1
	p, err := sarama.NewSyncProducer(l.addrs, c)
	require.NoError(l.t, err)
	var messages []*sarama.ProducerMessage
	for _, v := range values {
		messages = append(messages, &sarama.ProducerMessage{
			Topic: topic, Value: sarama.StringEncoder(v)})
	}
	require.NoError(l.t, p.SendMessages(messages))
	require.NoError(l.t, p.Close())
}

// saramaMember is a ConsumerGroup; it is the handler of its claims, too.
type saramaMember struct {
	wires  wires
	group  sarama.ConsumerGroup
	m      membership
	cancel context.CancelFunc
	done   chan struct{}
}

var saramaStrategies = map[string]func() sarama.BalanceStrategy{
	"range": sarama.NewBalanceStrategyRange, "sticky": sarama.NewBalanceStrategySticky,
}

func saramaJoin(strategy string) func(*lab, membership) member {
	return func(l *lab, m membership) member {
		s := &saramaMember{m: m, done: make(chan struct{})}
		c := saramaConfig()
		c.ClientID = m.name
		c.Net.Proxy.Enable, c.Net.Proxy.Dialer = true, &s.wires
		c.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{
			saramaStrategies[strategy]()}
		var err error
		s.group, err = sarama.NewConsumerGroup(l.addrs, m.group, c)
		require.NoError(l.t, err)
		ctx, cancel := context.WithCancel(context.Background())
		s.cancel = cancel
		go func() {
			defer close(s.done)
			for ctx.Err() == nil {
				s.group.Consume(ctx, []string{m.topic}, s)
			}
		}()
		l.t.Cleanup(func() { s.kill() })
		return s
	}
}

func (s *saramaMember) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (s *saramaMember) Cleanup(sarama.ConsumerGroupSession) error { return nil }

// ConsumeClaim marks what it was given; the library commits what is marked, again and again until a
// coordinator takes it.
func (s *saramaMember) ConsumeClaim(
	session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim,
) error {
	for {
		select {
		case r, ok := <-claim.Messages():
			if !ok {
				return nil
			}
			s.m.got(string(r.Value))
			session.MarkMessage(r, "")
		case <-session.Context().Done():
			return nil
		}
	}
}

func (s *saramaMember) leave() {
	s.cancel()
	s.group.Close()
	<-s.done
}

func (s *saramaMember) kill() {
	s.wires.kill()
	s.leave()
}
