package tcp

import (
	"encoding/binary"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

func TestEachBrokerIsToldWithAPortOfItsOwn(t *testing.T) {
	s := serve(t, Options{Brokers: 3, Topics: []broker.TopicSpec{{Name: "t", Partitions: 6}}})
	for _, addr := range s.Addrs() {
		c := dial(t, addr)
		versions := kmsg.NewPtrApiVersionsRequest()
		versions.Version, versions.ClientSoftwareName, versions.ClientSoftwareVersion = 4, "raw", "1"
		require.Len(t, c.ask(versions).(*kmsg.ApiVersionsResponse).ApiKeys, len(wire.Supported()))
		q := kmsg.NewPtrMetadataRequest()
		q.Version = 12
		m := c.ask(q).(*kmsg.MetadataResponse)
		var told []string
		for _, b := range m.Brokers {
			told = append(told, net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port))))
		}
		require.Equal(t, s.Addrs(), told)
		require.Len(t, m.Topics, 1)
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(s.Addrs()))), 3)
}

func TestWhatIsProducedIsFetched(t *testing.T) {
	s := serve(t, Options{})
	s.topic(t, "t", 1)
	c := dial(t, s.Addrs()[0])
	c.send(fetchRequest("t", 0, patience)) // waits for data
	p := dial(t, s.Addrs()[0])
	r := p.ask(produceRequest("t", -1, []byte("hello"))).(*kmsg.ProduceResponse)
	require.Zero(t, r.Topics[0].Partitions[0].ErrorCode)
	f := c.read(fetchRequest("t", 0, 0)).Resp.(*kmsg.FetchResponse)
	_, records, err := wire.DecodeBatch(f.Topics[0].Partitions[0].RecordBatches)
	require.NoError(t, err)
	require.Equal(t, "hello", string(records[0].Value))
}

func TestABrokersTimeIsTheWallClock(t *testing.T) { // E29: a timestamp an hour ahead is refused
	s := serve(t, Options{})
	s.topic(t, "t", 1)
	before := time.Now().UnixNano()
	var now sim.Time
	s.loop.do(nil, func() { now = s.procs[0].Now() })
	require.GreaterOrEqual(t, int64(now), before)
	require.LessOrEqual(t, int64(now), time.Now().UnixNano())
}

func TestAFrameThatComesInPiecesIsReadAsOne(t *testing.T) {
	s := serve(t, Options{})
	c := dial(t, s.Addrs()[0])
	q := kmsg.NewPtrMetadataRequest()
	q.Version = 12
	b := c.frame(q)
	for i := range b {
		c.write(b[i : i+1])
	}
	require.Equal(t, int32(1), c.read(q).Corr)
}

func TestRequestsOfAConnectionAreAnsweredInOrder(t *testing.T) {
	s := serve(t, Options{})
	s.topic(t, "t", 1)
	c := dial(t, s.Addrs()[0])
	q := kmsg.NewPtrMetadataRequest()
	q.Version = 12
	var b []byte
	b = append(b, c.frame(fetchRequest("t", 0, 50*time.Millisecond))...)
	for range 20 { // more than may be read ahead
		b = append(b, c.frame(q)...)
	}
	c.write(b)
	require.Equal(t, int32(1), c.read(fetchRequest("t", 0, 0)).Corr)
	for i := range int32(20) {
		require.Equal(t, i+2, c.read(q).Corr)
	}
}

func TestBadBytesCloseTheConnectionAndAreReported(t *testing.T) {
	size := func(n int32) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
	unserved := kmsg.NewPtrProduceRequest()
	unserved.Version = 2
	for _, tt := range []struct {
		name string
		sent []byte
		told string
	}{
		{"an oversized frame", size(100<<20 + 1), "frame of 104857601 bytes: is this a Kafka client?"},
		{"a negative size", size(-1), "frame of -1 bytes"},
		{"an HTTP request", []byte("GET / HTTP/1.1\r\n\r\n"), "is this a Kafka client?"},
		{"a body that ends too early", append(size(10), 0, 3, 0, 9, 0, 0, 0, 1, 0, 9), "too early"},
		{"a version that is not served", wire.NewRequest(1, "", unserved).Encode(), "Produce v2"}, // 0.2
		{"an unknown request", append(size(10), 0, 99, 0, 0, 0, 0, 0, 1, 0, 0), "Key99 v0"},
		{"a client id of a wrong length", append(size(10), 0, 3, 0, 9, 0, 0, 0, 1, 0, 1), "too early"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var told lines
			s := serve(t, Options{Log: told.add})
			c := dial(t, s.Addrs()[0])
			c.write(tt.sent)
			c.requireClosed()
			s.Close() // whatever it has to say is said now
			require.Contains(t, told.all(), tt.told)
			require.Contains(t, told.all(), "127.0.0.1")
		})
	}
}

func TestAConnectionThatEndsInTheMiddleOfAFrameIsForgotten(t *testing.T) {
	var told lines
	s := serve(t, Options{Log: told.add})
	c := dial(t, s.Addrs()[0])
	b := c.frame(kmsg.NewPtrMetadataRequest())
	c.write(b[:len(b)-1])
	eventually(t, func() bool { return s.count() == 1 }, func() string { return "not accepted" })
	require.NoError(t, c.sock.Close())
	eventually(t, func() bool { return s.count() == 0 }, func() string { return "not forgotten" })
	s.Close()
	require.Contains(t, told.all(), "unexpected EOF")
}

func TestAConnectionThatEndsBetweenFramesIsNothingToReport(t *testing.T) {
	var told lines
	s := serve(t, Options{Log: told.add})
	c := dial(t, s.Addrs()[0])
	q := kmsg.NewPtrMetadataRequest()
	c.ask(q)
	require.NoError(t, c.sock.Close())
	eventually(t, func() bool { return s.count() == 0 }, func() string { return "not forgotten" })
	s.Close()
	require.Empty(t, told.all())
}

// count is the number of connections.
func (s *Server) count() (n int) {
	s.loop.do(nil, func() {
		for _, p := range s.procs {
			n += len(p.conns)
		}
	})
	return n
}

// newest is the connection of broker 1 that was accepted last.
func (s *Server) newest() (c *conn) {
	s.loop.do(nil, func() {
		for _, x := range s.procs[0].conns {
			if c == nil || x.id > c.id {
				c = x
			}
		}
	})
	return c
}

func TestAClientThatDoesNotReadIsSlowedDown(t *testing.T) {
	s := serve(t, Options{})
	s.topic(t, "t", 1)
	dial(t, s.Addrs()[0]).ask(produceRequest("t", -1, make([]byte, 1<<20-1000)))
	c := dial(t, s.Addrs()[0])
	var b []byte
	const asked = 60 // of an answer of 1 MiB each: more than any socket buffers
	for range asked {
		b = append(b, c.frame(fetchRequest("t", 0, 0))...)
	}
	go c.sock.Write(b)
	eventually(t, func() bool { return s.count() == 2 }, func() string { return "not accepted" })
	slow := s.newest()
	stalled := func() bool {
		slow.mu.Lock()
		defer slow.mu.Unlock()
		require.LessOrEqual(t, len(slow.unanswered), readAhead+1)
		require.LessOrEqual(t, len(slow.out), readAhead+1)
		return slow.full()
	}
	eventually(t, stalled, func() string { return "the server reads on and on" })
	dial(t, s.Addrs()[0]).ask(kmsg.NewPtrMetadataRequest()) // the others are not held up
	for i := range int32(asked) {                           // it goes on where it stood
		require.Equal(t, i+1, c.read(fetchRequest("t", 0, 0)).Corr)
	}
}

func TestRequestsWithoutAnswerArePassedOnWithoutALimit(t *testing.T) { // E27: acks = 0
	s := serve(t, Options{})
	s.topic(t, "t", 1)
	c := dial(t, s.Addrs()[0])
	for range 10 * readAhead {
		c.send(produceRequest("t", 0, []byte("x")))
	}
	r := c.ask(produceRequest("t", 1, []byte("x"))).(*kmsg.ProduceResponse)
	require.EqualValues(t, 10*readAhead, r.Topics[0].Partitions[0].BaseOffset)
	k := s.newest()
	k.mu.Lock()
	defer k.mu.Unlock()
	require.Empty(t, k.unanswered)
}

func TestBehindAWaitingFetchOnlyAFewRequestsAreRead(t *testing.T) {
	s := serve(t, Options{})
	s.topic(t, "t", 1)
	c := dial(t, s.Addrs()[0])
	c.send(fetchRequest("t", 0, time.Hour))
	for range 10 * readAhead {
		c.send(produceRequest("t", 0, []byte("x")))
	}
	eventually(t, func() bool { return s.count() == 1 }, func() string { return "not accepted" })
	k := s.newest()
	eventually(t, func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.full()
	}, func() string { return "never full" })
	require.LessOrEqual(t, k.read, int64(readAhead+1))
}

// listener is a node that notes what happens to its connections.
type listener struct {
	env    sim.Env
	opened chan sim.Conn
	got    chan *wire.Frame
	closed chan sim.Conn
}

func newListener() *listener {
	return &listener{
		opened: make(chan sim.Conn, 9), got: make(chan *wire.Frame, 99), closed: make(chan sim.Conn, 9),
	}
}

func (n *listener) Start(env sim.Env)                  { n.env = env }
func (n *listener) Opened(c sim.Conn)                  { n.opened <- c }
func (n *listener) Received(_ sim.Conn, m sim.Message) { n.got <- m.(*wire.Frame) }
func (n *listener) Closed(c sim.Conn)                  { n.closed <- c }

func within[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		require.Fail(t, "nothing came")
		panic("unreachable")
	}
}

// replaceFirst puts another node into the place of broker 1.
func (s *Server) replaceFirst(n *listener) {
	s.loop.do(nil, func() { s.procs[0].node = n; n.Start(s.procs[0]) })
}

func TestABrokerTalksToAnotherOne(t *testing.T) {
	s := serve(t, Options{Brokers: 2})
	s.topic(t, "t", 2)
	n := newListener()
	s.replaceFirst(n)
	s.loop.do(nil, func() {
		c := n.env.Dial("broker-2")
		require.Equal(t, "broker-2", c.Peer())
		c.Send(wire.NewRequest(1, "", kmsg.NewPtrMetadataRequest())) // before it stands
	})
	c := within(t, n.opened)
	metadata := within(t, n.got)
	require.Len(t, metadata.Resp.(*kmsg.MetadataResponse).Brokers, 2)
	s.loop.do(nil, func() {
		c.Send(wire.NewRequest(2, "", produceRequest("t", 0, nil))) // partition 0 is not its own: it hangs up
	})
	require.Equal(t, c, within(t, n.closed))
	s.loop.do(nil, func() { c.Send(wire.NewRequest(3, "", kmsg.NewPtrMetadataRequest())) })
	require.Empty(t, n.got, "lost on a closed connection")
}

func TestAnswersAreReadByTheRequestsThatAskedForThem(t *testing.T) {
	s := serve(t, Options{Brokers: 2})
	s.topic(t, "t", 2)
	n := newListener()
	s.replaceFirst(n)
	s.loop.do(nil, func() { n.env.Dial("broker-2") })
	c := within(t, n.opened)
	s.loop.do(nil, func() {
		for i := range int32(10) {
			c.Send(wire.NewRequest(2*i, "", kmsg.NewPtrMetadataRequest()))
			q := fetchRequest("t", 0, 0)
			q.Version = int16(4 + i)
			c.Send(wire.NewRequest(2*i+1, "", q))
		}
	})
	for i := range int32(20) {
		f := within(t, n.got)
		require.Equal(t, i, f.Corr)
		require.Equal(t, i%2 == 1, f.Key == wire.KeyFetch)
		if f.Key == wire.KeyFetch {
			require.Equal(t, int16(4+i/2), f.Version)
		}
	}
}

func TestDialingWhereNobodyListensIsRefused(t *testing.T) {
	s := serve(t, Options{Brokers: 2})
	n := newListener()
	s.replaceFirst(n)
	s.loop.do(nil, func() { s.procs[1].end() })
	var c sim.Conn
	s.loop.do(nil, func() { c = n.env.Dial("broker-2") })
	require.Equal(t, c, within(t, n.closed))
	require.Empty(t, n.opened)
}

func TestAConnectionClosedByItsNodeDeliversWhatWasSent(t *testing.T) {
	s := serve(t, Options{})
	n := newListener()
	s.replaceFirst(n)
	c := dial(t, s.Addrs()[0])
	q := kmsg.NewPtrMetadataRequest()
	c.send(q)
	f := within(t, n.got)
	k := within(t, n.opened)
	s.loop.do(nil, func() {
		k.Send(f.Reply(kmsg.NewPtrMetadataResponse()))
		k.Close()
		k.Send(f.Reply(kmsg.NewPtrMetadataResponse())) // too late
	})
	require.Equal(t, int32(1), c.read(q).Corr)
	c.requireClosed()
	require.Empty(t, n.closed, "it closed it itself")
}

func TestTheRingKeepsTheNewestEvents(t *testing.T) {
	s := serve(t, Options{TraceEvents: 8, Topics: []broker.TopicSpec{{Name: "t", Partitions: 3}}})
	c := dial(t, s.Addrs()[0])
	for range 5 {
		c.ask(kmsg.NewPtrMetadataRequest())
	}
	log := s.Trace()
	require.Equal(t, 8, log.Len())
	var kinds []trace.Kind
	last := int64(0)
	r := log.Reader(0)
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		require.GreaterOrEqual(t, e.At, last)
		last = e.At
		kinds = append(kinds, e.Kind)
		require.Equal(t, "broker-1", log.String(e.Node))
	}
	in, out := trace.MessageArrived, trace.MessageSent
	require.Equal(t, []trace.Kind{in, out, in, out, in, out, in, out}, kinds)
	s.Close()
	require.GreaterOrEqual(t, s.Trace().Len(), 8, "it can be read after the end")
}

func TestWithoutARingNothingIsTraced(t *testing.T) {
	s := serve(t, Options{})
	dial(t, s.Addrs()[0]).ask(kmsg.NewPtrMetadataRequest())
	require.Nil(t, s.Trace())
}

func TestCloseEndsWaitingRequestsAndHalfReadFrames(t *testing.T) {
	s := serve(t, Options{})
	s.topic(t, "t", 1)
	var open []*client
	for range 3 {
		c := dial(t, s.Addrs()[0])
		c.send(fetchRequest("t", 0, time.Hour))
		c.write([]byte{0, 0})
		open = append(open, c)
	}
	eventually(t, func() bool { return s.count() == 3 }, func() string { return "not accepted" })
	s.Close()
	for _, c := range open {
		_, err := c.sock.Read(make([]byte, 1))
		require.Error(t, err)
		require.False(t, strings.Contains(err.Error(), "timeout"))
	}
	require.False(t, s.Do(func(*broker.Cluster) {}), "nothing runs any more")
	_, err := net.Dial("tcp", s.Addrs()[0])
	require.Error(t, err)
}

func TestAPortThatIsTakenIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, err = Start(Options{Listen: l.Addr().String(), Brokers: 1})
	require.ErrorContains(t, err, "broker 1 cannot listen on "+l.Addr().String())
	require.ErrorContains(t, err, "another program does")
	port := l.Addr().(*net.TCPAddr).Port
	_, err = Start(Options{Listen: net.JoinHostPort("127.0.0.1", strconv.Itoa(port-1)), Brokers: 2})
	require.ErrorContains(t, err, "broker 2 cannot listen on")
	free, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port-1)))
	require.NoError(t, err, "what was opened before is closed again")
	free.Close()
}

func TestBadOptionsAreExplained(t *testing.T) {
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{Listen: "127.0.0.1:0"}, "at least 1 is needed"},
		{Options{Listen: "here", Brokers: 1}, `"here" is no address`},
		{Options{Listen: "127.0.0.1:x", Brokers: 1}, `port "x"`},
		{Options{Listen: "127.0.0.1:65535", Brokers: 2}, "2 ports exist"},
		{Options{Listen: "127.0.0.1:0", Brokers: 1, Settings: []broker.Entry{{Key: "no"}}}, `"no"`},
		{Options{Listen: "127.0.0.1:0", Brokers: 1, Topics: []broker.TopicSpec{{Name: "a b"}}}, `"a b"`},
	} {
		_, err := Start(tt.opt)
		require.ErrorContains(t, err, tt.want)
	}
}

func TestWhereEveryAddressIsListenedOnAWorkingOneIsTold(t *testing.T) {
	s := serve(t, Options{Listen: "0.0.0.0:0"})
	require.Contains(t, s.Addrs()[0], "localhost:")
	s = serve(t, Options{Advertise: "lab.example"})
	require.Contains(t, s.Addrs()[0], "lab.example:")
}
