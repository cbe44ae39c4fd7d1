package broker

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// Settings of the controller, as Kafka has them.
const (
	sessionTimeout   = 9 * time.Second   // broker.session.timeout.ms
	contactTimeout   = 3 * time.Second   // one and a half fetch timeouts
	rebalanceLeaders = 300 * time.Second // leader.imbalance.check.interval.seconds
)

// duty is what the active controller keeps in memory: the sessions of the brokers, and who is in
// contact.
type duty struct {
	broker   *Broker
	sessions []*sim.Timer // by broker id - 1
	until    []sim.Time   // when the session runs out
	contacts []sim.Time   // by voter id - 1: its last fetch of the metadata log
	applied  []int64      // by broker id - 1: the metadata that its heartbeats say it has
	leaving  []int64      // by broker id - 1: the metadata that others must have before it may go; 0: it stays
	waits    []*metadataWait
	over     bool
}

// takeDuty begins: every broker that is not fenced has a whole session.
func (b *Broker) takeDuty() {
	n := len(b.cluster.nodes)
	d := &duty{
		broker: b, sessions: make([]*sim.Timer, n), until: make([]sim.Time, n),
		contacts: make([]sim.Time, n), applied: make([]int64, n), leaving: make([]int64, n),
	}
	b.duty = d
	for i := range d.contacts {
		d.contacts[i] = b.env.Now()
	}
	for id := int32(1); int(id) <= n; id++ {
		if id != b.id && b.cluster.committed.unfenced(id) {
			d.heartbeat(id)
		}
	}
	d.checkQuorum()
	d.scheduleBalancing()
	b.cluster.electUnclean()
	b.caughtUp()
}

// stepDown ends it: another controller is known, or a majority is out of reach.
func (b *Broker) stepDown() {
	d := b.duty
	if d == nil {
		return
	}
	b.duty = nil
	d.over = true
	if b.quorum.leader == b.id {
		b.quorum.leader = 0
	}
	for _, t := range d.sessions {
		t.Stop()
	}
	for _, w := range d.waits {
		b.answerMetadata(w)
	}
}

func (d *duty) contact(id int32) {
	if id >= 1 && int(id) <= len(d.contacts) {
		d.contacts[id-1] = d.broker.env.Now()
	}
}

// inContact counts the voters that fetched within the last while, the controller itself included.
func (d *duty) inContact(within time.Duration) int32 {
	n := int32(1)
	for id := int32(1); id <= d.broker.cluster.voters(); id++ {
		if id != d.broker.id && d.broker.env.Now().Sub(d.contacts[id-1]) <= within {
			n++
		}
	}
	return n
}

// checkQuorum makes the controller step down that a majority does not follow any more.
func (d *duty) checkQuorum() {
	d.broker.env.After(time.Second, func() {
		b := d.broker
		if d.over {
			return
		}
		if d.inContact(contactTimeout) < b.cluster.majority() {
			b.stepDown()
			b.awaitController()
			b.pull()
			return
		}
		d.checkQuorum()
	})
}

// writes says whether the controller can change something: it is in contact with a majority now.
func (d *duty) writes() bool {
	b := d.broker
	return b.controls() && d.inContact(time.Second) >= b.cluster.majority()
}

// heartbeat gives a broker a new session.
func (d *duty) heartbeat(id int32) {
	d.sessions[id-1].Stop()
	d.until[id-1] = d.broker.env.Now().Add(sessionTimeout)
	d.sessions[id-1] = d.broker.env.After(sessionTimeout, func() { d.expire(id) })
}

// mayGo says whether a broker that shuts down and leads nothing may end: every other one that is
// alive knows by its heartbeats who leads now.
func (d *duty) mayGo(id int32) bool {
	c := d.broker.cluster
	if c.leadsAny(id) {
		return false
	}
	if d.leaving[id-1] == 0 {
		d.leaving[id-1] = c.log.LEO() - 1
	}
	d.applied[d.broker.id-1] = d.broker.image.offset - 1
	for other := int32(1); int(other) <= len(d.applied); other++ {
		if other != id && c.committed.unfenced(other) && d.applied[other-1] < d.leaving[id-1] {
			return false
		}
	}
	return true
}

// expire counts a broker out that was silent for broker.session.timeout.ms. A controller without a
// majority tries again later: it may have one by then, or step down.
func (d *duty) expire(id int32) {
	if !d.writes() {
		d.sessions[id-1] = d.broker.env.After(time.Second, func() { d.expire(id) })
		return
	}
	if d.broker.cluster.committed.unfenced(id) {
		d.broker.cluster.fence(id)
	}
}

// sessionOf says whether a broker's session still runs.
func (d *duty) sessionOf(id int32) bool { return d.until[id-1] > d.broker.env.Now() }

// scheduleBalancing gives partitions back to their preferred leaders now and then
// (auto.leader.rebalance.enable).
func (d *duty) scheduleBalancing() {
	d.broker.env.After(rebalanceLeaders, func() {
		c := d.broker.cluster
		if d.over {
			return
		}
		if d.writes() && c.cfg.balanceLeaders {
			c.elect(func(s *State) bool {
				return s.Leader != s.Replicas[0] && c.canLead(s, s.Replicas[0])
			}, election{preferred: true})
		}
		d.scheduleBalancing()
	})
}

// askController sends a request to the controller that the broker knows; done gets nil when there
// is none or it cannot be reached. The broker that is the controller itself is answered without a
// message, a moment later.
func (b *Broker) askController(purpose string, req kmsg.Request, done func(kmsg.Response)) {
	switch id := b.quorum.leader; id {
	case 0:
		b.env.After(retryBackoff, func() { done(nil) })
	case b.id:
		b.env.After(0, func() { done(b.control(req)) })
	default:
		b.channel(id, purpose).send(req, controllerTimeout, done)
	}
}

// administer answers what only the controller decides, or passes it on to the one that the broker
// knows (KIP-590).
func (b *Broker) administer(l *line, req kmsg.Request) {
	if b.cluster.settles() || b.quorum.leader == b.id || b.quorum.leader == 0 {
		l.reply(b.control(req))
		return
	}
	b.askController("forwarding", req, func(resp kmsg.Response) {
		if resp == nil {
			resp = wire.ErrorReply(l.now, wire.RequestTimedOut).Resp
		}
		l.reply(resp)
	})
}

// controllerTimeout is how long a broker waits for the controller's answer: half a session.
const controllerTimeout = sessionTimeout / 2

// control answers what only the active controller may answer.
func (b *Broker) control(req kmsg.Request) kmsg.Response {
	switch r := req.(type) {
	case *kmsg.AlterPartitionRequest:
		return b.alterPartitions(r)
	case *kmsg.BrokerRegistrationRequest:
		return b.brokerRegistration(r)
	case *kmsg.BrokerHeartbeatRequest:
		return b.brokerHeartbeat(r)
	case *kmsg.CreateTopicsRequest:
		return b.createTopics(r)
	case *kmsg.DeleteTopicsRequest:
		return b.deleteTopics(r)
	case *kmsg.CreatePartitionsRequest:
		return b.createPartitions(r)
	case *kmsg.ElectLeadersRequest:
		return b.electLeaders(r)
	}
	panic("broker: not for a controller: " + wire.KeyName(req.Key()))
}

// decides says whether this broker is a controller that can change something now. Where everything is
// settled at once, every broker speaks for the controller.
func (b *Broker) decides() bool {
	if b.cluster.settles() {
		return b.cluster.alive(b.cluster.controller)
	}
	return b.duty != nil && b.duty.writes()
}
