package tcp

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/wire"
)

// patience is how long a test waits for something that should be there at once.
const patience = 10 * time.Second

// lines collects what a server tells its owner.
type lines struct {
	mu   sync.Mutex
	text []string
}

func (l *lines) add(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, s)
}

func (l *lines) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.text, "\n")
}

// serve starts a server that ends with the test and leaves no goroutine behind.
func serve(t *testing.T, opt Options) *Server {
	before := runtime.NumGoroutine()
	if opt.Listen == "" {
		opt.Listen = "127.0.0.1:0"
	}
	if opt.Brokers == 0 {
		opt.Brokers = 1
	}
	s, err := Start(opt)
	require.NoError(t, err)
	t.Cleanup(func() {
		s.Close()
		requireGoroutines(t, before)
	})
	return s
}

func requireGoroutines(t *testing.T, want int) {
	t.Helper()
	eventually(t, func() bool { return runtime.NumGoroutine() <= want }, func() string {
		all := make([]byte, 1<<20)
		return string(all[:runtime.Stack(all, true)])
	})
}

// eventually waits for a state that no channel tells of.
func eventually(t *testing.T, ok func() bool, why func() string) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); runtime.Gosched() {
		if time.Now().After(end) {
			require.Fail(t, "it never came to this", why())
		}
	}
}

// client is one connection that sends what it is told.
type client struct {
	t    *testing.T
	sock net.Conn
	corr int32
}

func dial(t *testing.T, addr string) *client {
	sock, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { sock.Close() })
	require.NoError(t, sock.SetDeadline(time.Now().Add(patience)))
	return &client{t: t, sock: sock}
}

func (c *client) frame(req kmsg.Request) []byte {
	c.corr++
	return wire.NewRequest(c.corr, "raw", req).Encode()
}

func (c *client) write(b []byte) {
	_, err := c.sock.Write(b)
	require.NoError(c.t, err)
}

func (c *client) send(req kmsg.Request) { c.write(c.frame(req)) }

// read reads the answer to a request of that kind.
func (c *client) read(req kmsg.Request) *wire.Frame {
	c.t.Helper()
	b := make([]byte, 4)
	_, err := io.ReadFull(c.sock, b)
	require.NoError(c.t, err)
	b = append(b, make([]byte, binary.BigEndian.Uint32(b))...)
	_, err = io.ReadFull(c.sock, b[4:])
	require.NoError(c.t, err)
	f, err := wire.DecodeResponse(b, req.Key(), req.GetVersion())
	require.NoError(c.t, err)
	return f
}

func (c *client) ask(req kmsg.Request) kmsg.Response {
	c.t.Helper()
	c.send(req)
	f := c.read(req)
	require.Equal(c.t, c.corr, f.Corr)
	return f.Resp
}

// requireClosed waits until the server closes the connection without another word.
func (c *client) requireClosed() {
	c.t.Helper()
	n, err := c.sock.Read(make([]byte, 1))
	require.Zero(c.t, n)
	require.NotErrorIs(c.t, err, net.ErrClosed)
	var late net.Error
	if isTimeout := err != io.EOF && errors.As(err, &late) && late.Timeout(); isTimeout {
		require.Fail(c.t, "the server keeps the connection open")
	}
}

func (s *Server) topic(t *testing.T, name string, partitions int32) {
	require.True(t, s.Do(func(c *broker.Cluster) {
		require.NoError(t, c.CreateTopic(broker.TopicSpec{Name: name, Partitions: partitions}))
	}))
}

func produceRequest(topic string, acks int16, value []byte) *kmsg.ProduceRequest {
	p := kmsg.NewProduceRequestTopicPartition()
	p.Records = wire.EncodeBatch(wire.PlainHeader(), []wire.Record{{
		Timestamp: time.Now().UnixMilli(), Value: value,
	}})
	t := kmsg.NewProduceRequestTopic()
	t.Topic, t.Partitions = topic, []kmsg.ProduceRequestTopicPartition{p}
	r := kmsg.NewPtrProduceRequest()
	r.Version, r.Acks, r.TimeoutMillis = 11, acks, 5000
	r.Topics = []kmsg.ProduceRequestTopic{t}
	return r
}

func fetchRequest(topic string, offset int64, maxWait time.Duration) *kmsg.FetchRequest {
	p := kmsg.NewFetchRequestTopicPartition()
	p.FetchOffset, p.PartitionMaxBytes, p.CurrentLeaderEpoch = offset, 1<<20, -1
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.Partitions = topic, []kmsg.FetchRequestTopicPartition{p}
	r := kmsg.NewPtrFetchRequest()
	r.Version, r.MinBytes, r.MaxBytes, r.SessionEpoch = 12, 1, 50<<20, -1
	r.MaxWaitMillis = int32(maxWait.Milliseconds())
	r.Topics = []kmsg.FetchRequestTopic{t}
	return r
}
