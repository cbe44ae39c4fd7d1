package broker

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// quorum is a broker's part in choosing the active controller (KIP-595, KIP-996). The first three
// brokers are voters; of two brokers only the first is, since two could not outvote each other.
//
// Left out: the replication of the metadata log among the voters. What the active controller writes
// is committed at once, if it is in contact with a majority.
type quorum struct {
	epoch   int32
	leader  int32 // 0: not known
	lost    int32 // the leader of this epoch that was silent too long; 0: none
	voted   int32 // the epoch in which this voter gave its vote
	heard   sim.Time
	pulling bool // a fetch of the metadata log is under way, to peer
	peer    int32
	asked   int32
	timer   *sim.Timer // of the fetch timeout, or of an election
}

// voters is the number of voters: brokers 1 to that.
func (c *Cluster) voters() int32 {
	if len(c.nodes) < 3 {
		return 1
	}
	return 3
}

func (c *Cluster) majority() int32 { return c.voters()/2 + 1 }

func (b *Broker) votes() bool { return b.id <= b.cluster.voters() }

// nextVoter is the voter to be asked next for the controller, this broker left out; 0 if there is
// no other.
func (b *Broker) nextVoter() int32 {
	n := b.cluster.voters()
	for range n {
		b.quorum.asked = b.quorum.asked%n + 1
		if b.quorum.asked != b.id {
			return b.quorum.asked
		}
	}
	return 0
}

// watch begins the life of a replicated cluster: brokers that have shared what is committed so far
// begin to follow the controller, and it begins to watch them.
func (c *Cluster) watch() {
	for _, n := range c.nodes {
		b := n.broker
		if b == nil {
			continue
		}
		b.quorum.epoch, b.quorum.leader, b.quorum.heard = c.controllerEpoch, c.controller, b.env.Now()
		n.epoch = c.controllerEpoch
		b.life = life{epoch: b.image.broker(b.id).epoch, begun: true, ready: true}
		if n.id == c.controller {
			b.takeDuty()
		} else if b.votes() {
			b.awaitController()
		}
		b.scheduleShrinking()
		b.scheduleMarking()
		b.pull()
		b.heart = b.env.After(heartbeatEvery, b.beat)
	}
}

// Open begins the story: from now on what happens takes its time.
func (c *Cluster) Open() {
	c.open = true
	if c.replicated {
		c.watch()
	}
}

// controls says whether the broker is the active controller, and so by a majority's will.
func (b *Broker) controls() bool { return b.duty != nil && b.cluster.controller == b.id }

// knownController is the controller that clients are told; 0 stands for none.
func (b *Broker) knownController() int32 {
	if b.cluster.settles() {
		return b.cluster.controller
	}
	if b.quorum.leader == 0 {
		return -1
	}
	return b.quorum.leader
}

// enlist begins the broker's life in a replicated cluster: it looks for the controller, catches up
// with the metadata, and then registers (see broker_life.go).
func (b *Broker) enlist() {
	b.quorum.epoch = b.node().epoch
	b.quorum.voted = b.quorum.epoch
	b.scheduleShrinking()
	b.scheduleMarking()
	if b.votes() {
		b.awaitController()
	}
	b.pull()
}

// awaitController lets a voter stand for election when it has not heard of the controller for the
// fetch timeout. A random part keeps voters from standing at the same time.
func (b *Broker) awaitController() {
	q := &b.quorum
	q.timer.Stop()
	if b.cluster.voters() == 1 {
		b.campaign(false)
		return
	}
	wait := fetchTimeout + time.Duration(b.env.Rand("quorum").Below(int64(electionTimeout)/2))
	q.timer = b.env.After(wait, func() { b.campaign(true) })
}

// heardOf takes in what another broker said of the quorum. from is who said it.
func (b *Broker) heardOf(epoch, leader, from int32) {
	q := &b.quorum
	switch {
	case epoch < q.epoch:
		return
	case from == leader:
		q.lost = 0
	case epoch == q.epoch && leader == q.lost:
		leader = 0 // others have not noticed yet
	}
	if leader > 0 && (epoch > q.epoch || q.leader != leader) && leader != b.id {
		b.follow(epoch, leader)
	} else if epoch > q.epoch {
		b.follow(epoch, 0)
	}
	if from != 0 && from == q.leader {
		q.heard = b.env.Now()
		if b.votes() {
			b.awaitController()
		}
	}
}

// follow recognizes an epoch and its controller, if that is known.
func (b *Broker) follow(epoch, leader int32) {
	q := &b.quorum
	b.stepDown()
	if epoch > q.epoch {
		q.lost = 0
	}
	q.epoch, q.leader = epoch, leader
	b.node().epoch = epoch
	if b.votes() {
		b.awaitController()
	}
	if q.pulling && q.peer != leader {
		b.channel(q.peer, "raft").hangUp() // what it answers is of no use any more
		return
	}
	b.pull()
}

// lose gives the controller up that has been silent too long.
func (b *Broker) lose() {
	if q := &b.quorum; q.leader != 0 {
		q.lost, q.leader = q.leader, 0
	}
}

// campaign stands for election: first it asks whether it would get the votes, so that a voter that
// was cut off does not disturb a quorum that works (KIP-996), then for the votes.
func (b *Broker) campaign(pre bool) {
	q := &b.quorum
	epoch := q.epoch + 1
	b.lose()
	if !pre {
		q.epoch, q.voted = epoch, epoch
		b.node().epoch = epoch
	}
	granted := int32(1)
	over := false
	win := func() {
		stands := q.epoch == epoch || pre && q.epoch+1 == epoch
		if over || granted < b.cluster.majority() || !stands || q.leader != 0 {
			return
		}
		over = true
		if pre {
			b.campaign(false)
		} else {
			b.reign(epoch)
		}
	}
	q.timer.Stop()
	wait := electionTimeout + time.Duration(b.env.Rand("quorum").Below(int64(electionTimeout)))
	q.timer = b.env.After(wait, func() { b.campaign(true) })
	for id := int32(1); id <= b.cluster.voters(); id++ {
		if id != b.id {
			b.channel(id, "vote").send(b.voteRequest(epoch, pre), electionTimeout,
				func(resp kmsg.Response) {
					if r, ok := resp.(*kmsg.VoteResponse); ok && len(r.Topics) > 0 {
						p := &r.Topics[0].Partitions[0]
						if p.LeaderEpoch > q.epoch {
							over = true
							b.follow(p.LeaderEpoch, max(p.LeaderID, 0))
						} else if p.VoteGranted {
							granted++
							win()
						}
					}
				})
		}
	}
	win()
}

func (b *Broker) voteRequest(epoch int32, pre bool) *kmsg.VoteRequest {
	p := kmsg.NewVoteRequestTopicPartition()
	p.CandidateEpoch, p.CandidateID, p.PreVote = epoch, b.id, pre
	p.LastOffset, p.LastOffsetEpoch = b.image.offset, b.quorum.epoch
	t := kmsg.NewVoteRequestTopic()
	t.Topic, t.Partitions = wire.MetadataTopic, []kmsg.VoteRequestTopicPartition{p}
	q := kmsg.NewPtrVoteRequest()
	q.Version, q.Topics = 2, []kmsg.VoteRequestTopic{t}
	return q
}

// reign begins the broker's time as the active controller; what is committed and it does not know
// yet it learns now.
func (b *Broker) reign(epoch int32) {
	q := &b.quorum
	q.timer.Stop()
	q.leader = b.id
	b.cluster.crown(b, epoch)
	b.catchUp(b.metadataFromAll(), b.cluster.log.LEO())
	b.takeDuty()
	for id := int32(1); id <= b.cluster.voters(); id++ {
		if id == b.id {
			continue
		}
		p := kmsg.NewBeginQuorumEpochRequestTopicPartition()
		p.LeaderID, p.LeaderEpoch = b.id, epoch
		t := kmsg.NewBeginQuorumEpochRequestTopic()
		t.Topic, t.Partitions = wire.MetadataTopic, []kmsg.BeginQuorumEpochRequestTopicPartition{p}
		r := kmsg.NewPtrBeginQuorumEpochRequest()
		r.Version, r.Topics = 1, []kmsg.BeginQuorumEpochRequestTopic{t}
		b.channel(id, "vote").send(r, electionTimeout, func(kmsg.Response) {})
	}
}

func (b *Broker) metadataFromAll() []byte {
	log := b.cluster.log
	var all []byte
	for at := b.image.offset; at < log.LEO(); {
		run := log.Read(at, 1<<40, log.HW(), true)
		all = append(all, run...)
		for batch, rest, _ := wire.NextBatch(run); batch != nil; batch, rest, _ = wire.NextBatch(rest) {
			h, _ := wire.ReadHeader(batch)
			at = h.NextOffset()
		}
	}
	return all
}
