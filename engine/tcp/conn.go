package tcp

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

const (
	// readAhead is how many requests of a connection may be read beyond the oldest one that has no
	// answer yet.
	readAhead = 5
	// readBuffer is the room for reading; larger frames are read past it.
	readBuffer = 64 << 10
	// writeChunk is how much is encoded before it is written, so that small answers share a write.
	writeChunk = 64 << 10
	// keepBuffer is the largest buffer that a connection keeps for its next answer.
	keepBuffer = 4 << 20
	// lingerTime is how long a closed connection may take to deliver what was sent before.
	lingerTime = 2 * time.Second
)

// conn is one end of a socket; it implements [sim.Conn]. Unlike in the simulator the two ends have
// different ids: a broker that talks to itself has both.
type conn struct {
	id     int64
	proc   *process
	peer   string
	ref    trace.Ref
	dialed bool
	shut   bool // the loop's: the node closed it or knows that it is closed

	mu      sync.Mutex
	changed sync.Cond
	sock    net.Conn // nil until it stands
	out     []*wire.Frame
	closing bool // no more will be sent: write what is there, then close
	broken  bool // nothing can be written or read any more

	// Frames are numbered in the order in which they were read.
	read       int64
	handled    int64   // those that the node has been given
	unanswered []int64 // those that the node will answer and whose answer is not written yet
	// awaited says how to read the next answers, on a dialed connection.
	awaited []answerKind
}

type answerKind struct{ key, version int16 }

func newConn(id int64, p *process, peer string) *conn {
	c := &conn{id: id, proc: p, peer: peer, ref: p.Ref(peer)}
	c.changed.L = &c.mu
	return c
}

// ID implements sim.Conn.
func (c *conn) ID() int64 { return c.id }

// Peer implements sim.Conn: a broker's name where this end dialed, else the client's address.
func (c *conn) Peer() string { return c.peer }

// Send implements sim.Conn.
func (c *conn) Send(m sim.Message) {
	if c.shut || c.proc.dead {
		return
	}
	f := m.(*wire.Frame)
	c.traceMessage(trace.MessageSent, f)
	c.mu.Lock()
	c.out = append(c.out, f)
	c.mu.Unlock()
	c.changed.Broadcast()
}

// Close implements sim.Conn. What was sent before still goes out.
func (c *conn) Close() {
	if c.shut {
		return
	}
	c.shut = true
	delete(c.proc.conns, c.id)
	c.mu.Lock()
	c.closing = true
	if c.sock != nil {
		c.sock.SetWriteDeadline(time.Now().Add(lingerTime))
	}
	c.mu.Unlock()
	c.changed.Broadcast()
}

// abort closes the socket at once; any goroutine may call it.
func (c *conn) abort() {
	c.mu.Lock()
	c.broken = true
	if c.sock != nil {
		c.sock.Close()
	}
	c.mu.Unlock()
	c.changed.Broadcast()
}

// connect gives the connection its socket; false if it was closed before it stood.
func (c *conn) connect(sock net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing || c.broken {
		sock.Close()
		return false
	}
	c.sock = sock
	return true
}

// opened, received and closed are the loop's: the node learns what happened to the socket.
func (c *conn) opened() {
	if c.shut || c.proc.dead {
		return
	}
	c.proc.Trace(trace.Event{Kind: trace.ConnOpened, Peer: c.ref, X: c.id})
	c.proc.node.Opened(c)
}

func (c *conn) received(f *wire.Frame) {
	c.mu.Lock()
	c.handled++
	c.mu.Unlock()
	c.changed.Broadcast()
	if c.shut || c.proc.dead {
		return
	}
	c.traceMessage(trace.MessageArrived, f)
	c.proc.node.Received(c, f)
}

func (c *conn) closed() {
	if c.shut || c.proc.dead {
		return
	}
	c.shut = true
	delete(c.proc.conns, c.id)
	c.proc.Trace(trace.Event{Kind: trace.ConnClosed, Peer: c.ref, X: c.id})
	c.proc.node.Closed(c)
}

func (c *conn) traceMessage(kind trace.Kind, f *wire.Frame) {
	if c.proc.server.ring == nil {
		return
	}
	e := trace.Event{
		Kind: kind, Peer: c.ref, Part: int32(f.Key), X: c.proc.server.ring.message(),
		Y: trace.MessageInfo(f.Corr, f.Version, f.IsResponse()),
	}
	if code := wire.ErrorCode(f); code != 0 {
		e.Name = c.proc.Ref(wire.Code(code).Name())
	}
	c.proc.Trace(e)
}

// serve tells the loop that the connection stands, and reads and writes until it is gone.
func (c *conn) serve() {
	l := c.proc.server.loop
	l.post(news{what: hasOpened, conn: c})
	written := make(chan struct{})
	c.proc.server.spawn(func() {
		defer close(written)
		c.writeAll()
	})
	c.readAll()
	l.post(news{what: hasClosed, conn: c})
	<-written
	c.abort()
}

// readAll reads frames until the socket ends or sends something that cannot be read.
func (c *conn) readAll() {
	buffer := bufio.NewReaderSize(c.sock, readBuffer)
	for {
		b, err := readFrame(buffer)
		var f *wire.Frame
		if err == nil {
			f, err = c.decode(b)
		}
		if err != nil {
			c.leave(err)
			return
		}
		if !c.waitForRoom(f) {
			return
		}
		c.proc.server.loop.post(news{what: hasReceived, conn: c, frame: f})
	}
}

// leave stops reading. An answer that is under way is of no use to a peer that has gone or has lost
// the thread, so the socket is closed at once, unless it is being closed from this side.
func (c *conn) leave(err error) {
	c.mu.Lock()
	ours := c.closing || c.broken
	c.mu.Unlock()
	if ours {
		return
	}
	c.abort()
	if !isGone(err) {
		c.proc.server.logf("%s closes its connection with %s: %v", c.proc.name, c.peer, err)
	}
}

// readFrame reads one frame with its size prefix into memory of its own.
func readFrame(r *bufio.Reader) ([]byte, error) {
	prefix, err := r.Peek(4)
	if err != nil {
		if len(prefix) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	size, err := wire.FrameSize(prefix)
	if err != nil {
		return nil, fmt.Errorf("%w: is this a Kafka client?", err)
	}
	b := make([]byte, size)
	_, err = io.ReadFull(r, b)
	return b, err
}

// decode reads a request, or on a dialed connection the answer to the oldest request.
func (c *conn) decode(b []byte) (*wire.Frame, error) {
	if !c.dialed {
		f, err := wire.DecodeRequest(b)
		if errors.Is(err, wire.ErrUnsupported) {
			c.proc.server.logf("%s asks %s for %s v%d, which is not served",
				c.peer, c.proc.name, f.APIName(), f.Version)
			return f, nil // the broker hangs up when it comes to it
		}
		return f, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.awaited) == 0 {
		return nil, fmt.Errorf("answer %d was not asked for", binary.BigEndian.Uint32(b[4:]))
	}
	kind := c.awaited[0]
	c.awaited = append(c.awaited[:0], c.awaited[1:]...)
	return wire.DecodeResponse(b, kind.key, kind.version)
}

// waitForRoom notes a frame that was read, and waits until the node has come close to it. It
// returns false when the connection has ended.
func (c *conn) waitForRoom(f *wire.Frame) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.closing && !c.broken && c.full() {
		c.changed.Wait()
	}
	c.read++
	if !c.dialed && isAnswered(f) {
		c.unanswered = append(c.unanswered, c.read)
	}
	return !c.closing && !c.broken
}

// full says that the reader is far enough ahead, of the node or of the writer.
func (c *conn) full() bool {
	return c.read-c.handled >= readAhead ||
		len(c.unanswered) > 0 && c.read-c.unanswered[0] >= readAhead
}

// isAnswered says whether a request has an answer; a Produce with acks = 0 has none (E27).
func isAnswered(f *wire.Frame) bool {
	p, ok := f.Req.(*kmsg.ProduceRequest)
	return !ok || p.Acks != 0
}

// writeAll writes what the node sends until the connection is closed.
func (c *conn) writeAll() {
	var frames []*wire.Frame
	var b []byte
	for {
		var more bool
		if frames, more = c.waitForOutput(frames); !more {
			break
		}
		var err error
		if b, err = c.write(b[:0], frames); err != nil {
			c.abort()
			return
		}
		if cap(b) > keepBuffer {
			b = nil
		}
	}
	c.sock.Close()
}

// waitForOutput takes what is to be written, into the slice of the time before. It returns false
// when nothing will come any more.
func (c *conn) waitForOutput(before []*wire.Frame) ([]*wire.Frame, bool) {
	clear(before)
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.out) == 0 && !c.closing && !c.broken {
		c.changed.Wait()
	}
	if c.broken || len(c.out) == 0 {
		return nil, false
	}
	frames := c.out
	c.out = before[:0]
	return frames, true
}

// write encodes frames into b and writes them, several small ones at a time.
func (c *conn) write(b []byte, frames []*wire.Frame) ([]byte, error) {
	pending := 0
	for i, f := range frames {
		if !f.IsResponse() {
			c.expect(f)
		}
		b = f.Append(b)
		pending++
		if len(b) < writeChunk && i+1 < len(frames) {
			continue
		}
		if _, err := c.sock.Write(b); err != nil {
			return b, err
		}
		c.answered(pending)
		b, pending = b[:0], 0
	}
	return b, nil
}

// expect notes how the answer to a request will have to be read.
func (c *conn) expect(f *wire.Frame) {
	if !isAnswered(f) {
		return
	}
	c.mu.Lock()
	c.awaited = append(c.awaited, answerKind{f.Key, f.Version})
	c.mu.Unlock()
}

// answered makes room for the reader after n frames were written.
func (c *conn) answered(n int) {
	if c.dialed {
		return
	}
	c.mu.Lock()
	c.unanswered = append(c.unanswered[:0], c.unanswered[n:]...)
	c.mu.Unlock()
	c.changed.Broadcast()
}

func isClosed(err error) bool { return errors.Is(err, net.ErrClosed) }

// isGone says that the other side ended the connection between two frames or broke it, which is
// nothing to report.
func isGone(err error) bool {
	return errors.Is(err, io.EOF) || isClosed(err) || errors.Is(err, os.ErrDeadlineExceeded) ||
		isReset(err)
}

// isReset says whether the error is the network's and not that of a frame.
func isReset(err error) bool {
	var op *net.OpError
	return errors.As(err, &op)
}
