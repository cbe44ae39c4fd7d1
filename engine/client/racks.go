package client

import (
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// setRack notes the rack that a broker tells of itself (broker.rack).
func (m *metadata) setRack(b *kmsg.MetadataResponseBroker) {
	if b.Rack == nil || *b.Rack == "" {
		return
	}
	if m.racks == nil {
		m.racks = map[int32]string{}
	}
	m.racks[b.NodeID] = *b.Rack
}

// replicasOf are the replicas of a topic's partitions, by partition number.
func replicasOf(t *kmsg.MetadataResponseTopic) [][]int32 {
	all := make([][]int32, len(t.Partitions))
	for i := range t.Partitions {
		if p := &t.Partitions[i]; p.Partition >= 0 && int(p.Partition) < len(all) {
			all[p.Partition] = p.Replicas
		}
	}
	return all
}

// replicaRacks are the racks of each partition's replicas, nil where no broker tells one.
func (m *metadata) replicaRacks(t *topicMeta) [][]string {
	if t.replicas == nil {
		return nil
	}
	all := make([][]string, len(t.replicas))
	for p, replicas := range t.replicas {
		for _, node := range replicas {
			if rack := m.racks[node]; rack != "" {
				all[p] = append(all[p], rack)
			}
		}
	}
	return all
}

// leaderRacks are the racks of the partitions' leaders, "" for none; nil where no broker tells one.
func (m *metadata) leaderRacks(t *topicMeta) []string {
	if m.racks == nil {
		return nil
	}
	racks := make([]string, len(t.parts))
	for p := range t.parts {
		racks[p] = m.racks[t.parts[p].leader]
	}
	return racks
}

// rackText is the racks of a topic's replicas as one text, so that a leader sees when they change.
// A client without client.rack does not look at racks (C37). [PartitionRackInfo]
func (c *Consumer) rackText(t *topicMeta) string {
	if c.cfg.ClientRack == "" {
		return ""
	}
	var b strings.Builder
	for _, racks := range c.meta.replicaRacks(t) {
		slices.Sort(racks)
		b.WriteString(strings.Join(slices.Compact(racks), ","))
		b.WriteByte(';')
	}
	return b.String()
}
