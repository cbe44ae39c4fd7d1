package client

import (
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// role says what a connection is for. Java keeps a connection of its own to the coordinator, as
// node id 2^31-1 minus the broker's, since a broker answers one request of a connection at a time;
// the bootstrap connection too is apart from that of the broker it leads to.
type role uint8

const (
	roleNode role = iota
	roleCoordinator
	roleBootstrap
)

type linkState uint8

const (
	linkIdle     linkState = iota // no connection; the next may be tried at retryAt
	linkDialing                   // asked for
	linkGreeting                  // stands; ApiVersions is under way
	linkReady
)

// setupTimeout is socket.connection.setup.timeout.ms.
const setupTimeout = 10 * time.Second

// highestKey bounds the api keys that versions are kept for.
const highestKey = 128

// link is one connection of a client, over all the times that it is made anew.
type link struct {
	base     *base
	node     int32 // broker id; the index of the bootstrap server for roleBootstrap
	role     role
	peer     string
	conn     sim.Conn
	state    linkState
	versions [highestKey]int16 // highest common version by api key, -1 for none
	sent     []flight          // in order; a broker answers in order
	waiting  []flight          // for the connection
	failures int
	retryAt  sim.Time
	setupEnd sim.Time
	clock    *sim.Timer // wakes for the earliest deadline
	clockAt  sim.Time
}

// flight is a request under way.
type flight struct {
	corr     int32
	deadline sim.Time
	req      kmsg.Request
	frame    *wire.Frame // for req, if the sender has one
	silent   bool        // no answer will come (Produce with acks=0)
	done     func(kmsg.Response, error)
}

func nodeName(id int32) string { return "broker-" + strconv.Itoa(int(id)) }

// link finds or makes the connection to a node.
func (b *base) link(node int32, r role) *link {
	if l := b.findLink(node, r); l != nil {
		return l
	}
	l := &link{base: b, node: node, role: r, peer: nodeName(node)}
	if r == roleBootstrap {
		l.peer = b.opt.bootstrap[node]
	}
	b.links = append(b.links, l)
	b.proc.ends = append(b.proc.ends, l)
	return l
}

func (b *base) findLink(node int32, r role) *link {
	for _, l := range b.links {
		if l.node == node && l.role == r {
			return l
		}
	}
	return nil
}

// forget takes l out of the process.
func (l *link) forget() {
	ends := l.base.proc.ends
	for i := range ends {
		if ends[i] == l {
			l.base.proc.ends = append(ends[:i], ends[i+1:]...)
			return
		}
	}
}

// resting says whether the last try failed and the next is not due yet.
func (l *link) resting() bool { return l.state == linkIdle && l.base.now() < l.retryAt }

// send puts req on its way, connecting first if need be. done is called once, never from inside
// send, with the answer or with errDisconnect or a timeout.
//
// The answer is lent: a done that keeps some of it keeps copies, or bytes of records.
func (l *link) send(req kmsg.Request, timeout time.Duration, done func(kmsg.Response, error)) {
	l.enqueue(flight{req: req, deadline: l.base.now().Add(timeout), done: done})
}

func (l *link) enqueue(f flight) {
	if l.state == linkReady {
		l.transmit(f)
		return
	}
	l.waiting = append(l.waiting, f)
	l.tick(f.deadline)
	l.connect()
}

func (l *link) connect() {
	if l.state != linkIdle || l.base.gone {
		return
	}
	if l.resting() {
		l.tick(l.retryAt)
		return
	}
	l.state = linkDialing
	l.setupEnd = l.base.now().Add(setupTimeout)
	l.conn = l.base.env.Dial(l.peer)
	l.tick(l.setupEnd)
}

func (l *link) transmit(f flight) {
	key := f.req.Key()
	if v := l.versions[key]; f.req.GetVersion() > v || f.req.GetVersion() <= 0 {
		f.req.SetVersion(v)
	}
	f.corr = l.base.proc.nextCorr()
	if f.frame == nil {
		f.frame = new(wire.Frame)
	}
	f.frame.Ask(f.corr, l.base.clientID, f.req)
	l.conn.Send(f.frame)
	if f.silent {
		return
	}
	l.sent = append(l.sent, f)
	l.tick(f.deadline)
}

// opened: the connection stands. The first thing a Java client asks is which versions there are.
func (l *link) opened() {
	if l.state != linkDialing {
		return
	}
	l.state = linkGreeting
	for key := range l.versions {
		l.versions[key] = wire.Pick(int16(key))
	}
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "apache-kafka-java", "4.3.0"
	l.transmit(flight{
		req: req, deadline: l.base.now().Add(l.base.opt.requestTimeout), done: l.greeted,
	})
	l.base.wake()
}

// greeted reads the ApiVersions answer and sends what has waited.
func (l *link) greeted(resp kmsg.Response, err error) {
	if err != nil {
		return
	}
	r := resp.(*kmsg.ApiVersionsResponse)
	for _, k := range r.ApiKeys {
		if k.ApiKey >= 0 && k.ApiKey < highestKey {
			l.versions[k.ApiKey] = min(wire.Pick(k.ApiKey), k.MaxVersion)
			if own, ok := l.base.opt.versions[k.ApiKey]; ok {
				l.versions[k.ApiKey] = min(l.versions[k.ApiKey], own)
			}
		}
	}
	l.state, l.failures = linkReady, 0
	waiting := l.waiting
	l.waiting = nil
	for _, f := range waiting {
		l.transmit(f)
	}
}

func (l *link) received(m sim.Message) {
	f := m.(*wire.Frame)
	i := 0 // a broker answers in order, but a scenario may answer in its place
	for i < len(l.sent) && l.sent[i].corr != f.Corr {
		i++
	}
	if i == len(l.sent) {
		panic("client: " + l.peer + " answered a request that was not asked")
	}
	done := l.sent[i].done
	n := i + copy(l.sent[i:], l.sent[i+1:])
	l.sent[n] = flight{}
	l.sent = l.sent[:n]
	done(f.Resp, nil)
	f.Release()
	l.base.wake()
}

// closed: the connection is gone or was refused.
func (l *link) closed() {
	l.conn = nil
	l.fail()
	l.base.dropped(l)
	l.base.wake()
}

// hangUp closes the connection from this side; what is under way fails.
func (l *link) hangUp() {
	if l.conn != nil {
		l.conn.Close()
		l.conn = nil
	}
	l.fail()
}

// fail ends everything under way and, if there was a connection or a try at one, sets the time of the
// next try: reconnect.backoff.ms, which doubles with each failure. [ClusterConnectionStates.disconnected]
func (l *link) fail() {
	if l.state != linkIdle {
		l.state = linkIdle
		opt := &l.base.opt
		l.retryAt = l.base.now().Add(l.base.backoff(opt.reconnect, opt.reconnectMax, l.failures))
		l.failures++
	}
	ended := append(l.sent, l.waiting...)
	l.sent, l.waiting = nil, nil
	if l.base.gone { // nobody waits any more
		return
	}
	for _, f := range ended {
		if f.done != nil {
			f.done(nil, errDisconnect)
		}
	}
}

// tick makes sure that the clock goes off at t or before.
func (l *link) tick(t sim.Time) {
	if l.clock.Pending() && l.clockAt <= t {
		return
	}
	l.clock.Stop()
	l.clockAt = t
	l.clock = l.base.env.After(t.Sub(l.base.now()), l.ticked)
}

// ticked looks for what has waited too long. A request without an answer costs the connection, as
// in NetworkClient.handleTimedOutRequests.
func (l *link) ticked() {
	if l.base.gone {
		return
	}
	now := l.base.now()
	if l.overdue(now) {
		l.hangUp()
		l.base.dropped(l)
		l.base.wake()
		return
	}
	if n := l.expireWaiting(now); n > 0 {
		l.base.wake()
	}
	if l.state == linkIdle && len(l.waiting) > 0 {
		l.connect()
	}
	if t, ok := l.nextDeadline(); ok {
		l.tick(t)
	}
}

func (l *link) overdue(now sim.Time) bool {
	if (l.state == linkDialing || l.state == linkGreeting) && now >= l.setupEnd {
		return true
	}
	for i := range l.sent {
		if now >= l.sent[i].deadline {
			return true
		}
	}
	return false
}

func (l *link) expireWaiting(now sim.Time) int {
	var late []flight
	kept := l.waiting[:0]
	for _, f := range l.waiting {
		if now >= f.deadline {
			late = append(late, f)
		} else {
			kept = append(kept, f)
		}
	}
	l.waiting = kept
	for _, f := range late {
		if f.done != nil {
			f.done(nil, timeoutError("no connection to %s in time", l.peer))
		}
	}
	return len(late)
}

func (l *link) nextDeadline() (sim.Time, bool) {
	t := sim.Time(1<<63 - 1)
	if l.state == linkDialing || l.state == linkGreeting {
		t = l.setupEnd
	}
	if l.state == linkIdle && len(l.waiting) > 0 {
		t = max(l.retryAt, l.base.now()+1)
	}
	for i := range l.sent {
		t = min(t, l.sent[i].deadline)
	}
	for i := range l.waiting {
		t = min(t, l.waiting[i].deadline)
	}
	return t, t != 1<<63-1
}
