package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// ElectLeaders, key 43, versions 0-2: the first replica of each list is made the leader again, or,
// with election type 1, any replica that is alive where there is no leader (KIP-460). No topics means
// all partitions.
//
// Left out: authorization.
func (b *Broker) electLeaders(req *kmsg.ElectLeadersRequest) *kmsg.ElectLeadersResponse {
	r := kmsg.NewPtrElectLeadersResponse()
	if !b.decides() {
		r.ErrorCode = int16(wire.NotController)
		return r
	}
	all := req.Topics == nil
	asked := req.Topics
	for _, t := range b.cluster.topics {
		if all {
			asked = append(asked, wholeTopic(t))
		}
	}
	for _, q := range asked {
		t := kmsg.NewElectLeadersResponseTopic()
		t.Topic = q.Topic
		for _, part := range q.Partitions {
			code := b.cluster.Elect(q.Topic, part, req.ElectionType == 1)
			if all && code == wire.ElectionNotNeeded {
				continue
			}
			p := kmsg.NewElectLeadersResponseTopicPartition()
			p.Partition, p.ErrorCode = part, int16(code)
			t.Partitions = append(t.Partitions, p)
		}
		if len(t.Partitions) > 0 {
			r.Topics = append(r.Topics, t)
		}
	}
	return r
}

func wholeTopic(t *Topic) kmsg.ElectLeadersRequestTopic {
	q := kmsg.NewElectLeadersRequestTopic()
	q.Topic = t.Name
	for _, p := range t.Partitions {
		q.Partitions = append(q.Partitions, p.Index)
	}
	return q
}
