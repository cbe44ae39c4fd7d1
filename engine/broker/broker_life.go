package broker

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// heartbeatEvery is broker.heartbeat.interval.ms; a broker that is fenced or going asks more often.
const (
	heartbeatEvery = 2 * time.Second
	heartbeatSoon  = 10 * time.Millisecond
	shutdownCheck  = 50 * time.Millisecond
)

// life is a broker's standing with the controller.
type life struct {
	begun       bool // it has taken up its logs
	registering bool
	epoch       int64  // of the registration, -1: none
	ready       bool   // it has caught up and is not fenced: clients are served
	stopping    func() // to be called when the controlled shutdown is through; nil: it stays
}

// boot takes up the logs on the disk by the metadata that has been caught up with. The high
// watermarks are those last written to the disk; logs of topics that are gone go, too.
func (b *Broker) boot() {
	b.life.begun = true
	n := b.node()
	for key := range n.disk {
		t := b.cluster.byID[key.topic]
		if s := b.image.state(b.image.partition(t, key.part)); s == nil || !hosts(s, b.id) {
			delete(n.disk, key)
		}
	}
	for _, t := range b.cluster.topics {
		for i := range b.image.statesOf(t) {
			b.restoreMark(t.Partitions[i])
		}
	}
	b.adopt(b.image)
}

// restoreMark lets the log of a partition go on with the high watermark that was last written to the
// disk, which may be an older one.
func (b *Broker) restoreMark(p *Partition) {
	log := b.node().disk[p.place()]
	if log == nil {
		return
	}
	before := log.HW()
	log.RestoreHW(b.node().marks[p.place()])
	if log.HW() != before {
		b.env.Trace(trace.Event{
			Kind: trace.FollowerWatermark, Name: p.Topic.ref, Part: p.Index, X: log.HW(),
		})
	}
}

// caughtUp is called when the broker has the newest metadata that the controller has told.
func (b *Broker) caughtUp() {
	if !b.cluster.settles() && b.life.epoch < 0 && !b.life.registering {
		b.registerSelf()
	}
}

// registerSelf asks the controller to take the broker in.
func (b *Broker) registerSelf() {
	b.life.registering = true
	q := kmsg.NewPtrBrokerRegistrationRequest()
	q.Version, q.BrokerID, q.ClusterID = wire.Pick(wire.KeyBrokerRegistration), b.id, clusterID
	q.PreviousBrokerEpoch = -1
	if n := b.node(); n.rack != "" {
		q.Rack = &n.rack
	}
	b.askController("lifecycle", q, func(resp kmsg.Response) {
		b.life.registering = false
		r, ok := resp.(*kmsg.BrokerRegistrationResponse)
		if !ok || r.ErrorCode != 0 {
			b.env.After(registerBackoff, b.caughtUp)
			return
		}
		b.life.epoch = r.BrokerEpoch
		b.beat()
	})
}

const registerBackoff = 100 * time.Millisecond

// beat sends the next BrokerHeartbeat, and goes on with it as long as the process runs.
func (b *Broker) beat() {
	q := kmsg.NewPtrBrokerHeartbeatRequest()
	q.Version, q.BrokerID, q.BrokerEpoch = wire.Pick(wire.KeyBrokerHeartbeat), b.id, b.life.epoch
	q.CurrentMetadataOffset = b.image.offset - 1
	q.WantShutdown = b.life.stopping != nil
	b.askController("lifecycle", q, func(resp kmsg.Response) {
		r, ok := resp.(*kmsg.BrokerHeartbeatResponse)
		next := heartbeatEvery
		switch {
		case !ok || r.ErrorCode == int16(wire.NotController):
			next = registerBackoff
		case r.ErrorCode != 0:
			b.life.epoch = -1
			b.caughtUp()
			return
		case r.ShouldShutdown && b.life.stopping != nil:
			stop := b.life.stopping
			b.life.stopping = func() {}
			stop()
			return
		case b.life.stopping != nil && q.WantShutdown:
			next = shutdownCheck
		case r.IsFenced:
			next = heartbeatSoon
		case !b.life.ready:
			b.serve()
		}
		b.heart.Stop()
		b.heart = b.env.After(next, b.beat)
	})
}

// serve lets the requests in that have waited for the broker to be ready.
func (b *Broker) serve() {
	b.life.ready = true
	for _, l := range b.lineList() {
		l.pump()
	}
}

// Shutdown ends the broker's work in good order: its leaderships move to other replicas first. done
// is called when the process may end, at once in an unreplicated cluster.
func (b *Broker) Shutdown(done func()) {
	if b.cluster.settles() || b.life.epoch < 0 {
		done()
		return
	}
	if before := b.life.stopping; before != nil {
		b.life.stopping = func() {
			before()
			done()
		}
		return
	}
	b.life.stopping = func() {
		b.mark()
		done()
	}
	b.heart.Stop()
	b.beat()
}

// scheduleMarking writes the high watermarks to the disk every
// replica.high.watermark.checkpoint.interval.ms.
func (b *Broker) scheduleMarking() {
	b.env.After(markEvery, func() {
		b.mark()
		b.scheduleMarking()
	})
}
