package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// AlterPartition, key 56, versions 2-3: a leader asks the controller for other in-sync replicas
// (KIP-497, KIP-903).
//
// Checked in this order: the topic and partition, the leader and its epoch, the state that the
// leader knew, and whether each replica may be in sync. The leader epoch stays, the partition epoch
// counts on (E21).
func (b *Broker) alterPartitions(req *kmsg.AlterPartitionRequest) *kmsg.AlterPartitionResponse {
	r := kmsg.NewPtrAlterPartitionResponse()
	c := b.cluster
	switch {
	case !b.decides():
		r.ErrorCode = int16(wire.NotController)
		return r
	case c.committed.broker(req.BrokerID).epoch != req.BrokerEpoch:
		r.ErrorCode = int16(wire.StaleBrokerEpoch)
		return r
	}
	for i := range req.Topics {
		q := &req.Topics[i]
		t := kmsg.NewAlterPartitionResponseTopic()
		t.TopidID = q.TopicID
		for j := range q.Partitions {
			t.Partitions = append(t.Partitions, c.alter(req.BrokerID, q.TopicID, &q.Partitions[j]))
		}
		r.Topics = append(r.Topics, t)
	}
	return r
}

func (c *Cluster) alter(
	leader int32, topic [16]byte, q *kmsg.AlterPartitionRequestTopicPartition,
) kmsg.AlterPartitionResponseTopicPartition {
	o := kmsg.NewAlterPartitionResponseTopicPartition()
	o.Partition = q.Partition
	p := c.committed.partition(c.byID[topic], q.Partition)
	isr := q.NewISR
	for _, m := range q.NewEpochISR {
		isr = append(isr, m.BrokerID)
	}
	if code := c.mayAlter(leader, p, q, isr); code != wire.None {
		o.ErrorCode = int16(code)
		return o
	}
	if !slices.Equal(isr, c.State(p).ISR) {
		c.commit(wire.MetadataRecord{
			Type: wire.PartitionChangeRecord, TopicID: topic, Partition: q.Partition, ISR: isr,
			Leader: wire.SameLeader,
		})
	}
	s := c.State(p)
	o.LeaderID, o.LeaderEpoch, o.ISR, o.PartitionEpoch = s.Leader, s.Epoch, s.ISR, s.PartitionEpoch
	return o
}

func (c *Cluster) mayAlter(
	leader int32, p *Partition, q *kmsg.AlterPartitionRequestTopicPartition, isr []int32,
) wire.Code {
	s := c.State(p)
	switch {
	case s == nil:
		return wire.UnknownTopicID
	case q.LeaderEpoch > s.Epoch || q.PartitionEpoch > s.PartitionEpoch:
		return wire.NotController // the leader knows more than this controller
	case q.LeaderEpoch < s.Epoch:
		return wire.FencedLeaderEpoch
	case s.Leader != leader:
		return wire.InvalidRequest
	case q.PartitionEpoch < s.PartitionEpoch:
		return wire.InvalidUpdateVersion
	case !slices.Contains(isr, leader):
		return wire.InvalidRequest
	}
	for _, id := range isr {
		if !hosts(s, id) {
			return wire.InvalidRequest
		}
		if !c.committed.live(id) {
			return wire.IneligibleReplica
		}
	}
	return wire.None
}

// alterPartition sends what a leader wants for one partition. Requests go one at a time; what comes
// up meanwhile goes with the next.
func (b *Broker) alterPartition(r *replica) {
	b.isr.wants = append(b.isr.wants, r)
	b.sendAlter()
}

// altering are the partitions whose leaders wait for the controller.
type altering struct {
	wants []*replica
	busy  bool
}

func (b *Broker) sendAlter() {
	a := &b.isr
	if a.busy || len(a.wants) == 0 {
		return
	}
	if b.cluster.settles() { // there is no follower that could lag
		a.wants = nil
		return
	}
	a.busy = true
	sent := a.wants
	a.wants = nil
	b.askController("alter-partition", b.alterRequest(sent), func(resp kmsg.Response) {
		a.busy = false
		r, ok := resp.(*kmsg.AlterPartitionResponse)
		if !ok || r.ErrorCode != 0 {
			// Not the controller, or the broker must register first: ask again in a while.
			b.env.After(alterBackoff, func() {
				a.wants = append(slices.DeleteFunc(sent, func(r *replica) bool { return r.asked == nil }), a.wants...)
				b.sendAlter()
			})
			return
		}
		for i := range r.Topics {
			for j := range r.Topics[i].Partitions {
				b.altered(r.Topics[i].TopidID, &r.Topics[i].Partitions[j])
			}
		}
		b.sendAlter()
	})
}

func (b *Broker) alterRequest(wants []*replica) *kmsg.AlterPartitionRequest {
	q := kmsg.NewPtrAlterPartitionRequest()
	q.Version, q.BrokerID, q.BrokerEpoch = wire.Pick(wire.KeyAlterPartition), b.id, b.life.epoch
	for _, r := range wants {
		p := kmsg.NewAlterPartitionRequestTopicPartition()
		p.Partition, p.LeaderEpoch = r.part.Index, r.state.Epoch
		p.PartitionEpoch = r.state.PartitionEpoch
		for _, id := range r.asked {
			m := kmsg.NewAlterPartitionRequestTopicPartitionNewEpochISR()
			m.BrokerID, m.BrokerEpoch = id, b.image.broker(id).epoch
			p.NewEpochISR = append(p.NewEpochISR, m)
		}
		n := len(q.Topics)
		if n == 0 || q.Topics[n-1].TopicID != r.part.Topic.ID {
			t := kmsg.NewAlterPartitionRequestTopic()
			t.TopicID = r.part.Topic.ID
			q.Topics = append(q.Topics, t)
			n++
		}
		q.Topics[n-1].Partitions = append(q.Topics[n-1].Partitions, p)
	}
	return q
}

// altered takes in the controller's answer for one partition. After an error the leader goes on as
// before: newer metadata is on its way, or the next fetch asks anew.
func (b *Broker) altered(topic [16]byte, p *kmsg.AlterPartitionResponseTopicPartition) {
	r := b.replica(b.image.partition(b.cluster.byID[topic], p.Partition))
	if !r.leads() || r.asked == nil {
		return
	}
	if p.ErrorCode != 0 || p.LeaderEpoch != r.state.Epoch || p.PartitionEpoch <= r.state.PartitionEpoch {
		r.asked = nil
		r.moved()
		return
	}
	s := *r.state
	s.ISR, s.PartitionEpoch = p.ISR, p.PartitionEpoch
	r.confirm(&s)
}

const alterBackoff = retryBackoff
