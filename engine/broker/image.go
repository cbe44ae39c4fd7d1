package broker

import (
	"slices"

	"rebalancelab/engine/wire"
)

// State is a partition's metadata. A state never changes: the next one takes its place.
type State struct {
	// Leader is a broker id, -1 while there is none.
	Leader int32
	// Epoch counts leaders, PartitionEpoch every change.
	Epoch, PartitionEpoch int32
	// Replicas and ISR are broker ids, the preferred leader first.
	Replicas, ISR []int32
}

// registration is what the metadata says of a broker.
type registration struct {
	known    bool
	fenced   bool // counted out: it may not lead, nor be in sync
	shutting bool // in controlled shutdown: its leaderships are being moved
	epoch    int64
	rack     string
}

// live says whether the broker may lead and be in sync.
func (g *registration) live() bool { return g.known && !g.fenced && !g.shutting }

// image is the cluster's metadata as somebody knows it: the metadata log, applied up to an offset.
// The cluster has one of what is committed; each broker has one that may lag behind.
type image struct {
	offset  int64 // of the next record to apply
	brokers []registration
	topics  [][]*State // by the topic's index; nil: not known
	// changes counts what changed in the topics, creations is its value when one came last.
	changes, creations int64
}

// delta is what a record changed of a partition; after is nil when its topic is gone.
type delta struct {
	part          *Partition
	before, after *State
}

func (m *image) broker(id int32) *registration {
	for len(m.brokers) < int(id) {
		m.brokers = append(m.brokers, registration{})
	}
	return &m.brokers[id-1]
}

// live says whether a broker may lead and be in sync.
func (m *image) live(id int32) bool {
	return id >= 1 && int(id) <= len(m.brokers) && m.brokers[id-1].live()
}

// unfenced says whether a broker is told to clients.
func (m *image) unfenced(id int32) bool {
	return id >= 1 && int(id) <= len(m.brokers) && m.brokers[id-1].known && !m.brokers[id-1].fenced
}

// knows says whether the topic exists by this image.
func (m *image) knows(t *Topic) bool {
	return t != nil && t.index < len(m.topics) && m.topics[t.index] != nil
}

// state is what the image says of a partition; nil if it does not know it.
func (m *image) state(p *Partition) *State {
	if p == nil || !m.knows(p.Topic) || int(p.Index) >= len(m.topics[p.Topic.index]) {
		return nil
	}
	return m.topics[p.Topic.index][p.Index]
}

// statesOf are the states of a topic's partitions.
func (m *image) statesOf(t *Topic) []*State {
	if !m.knows(t) {
		return nil
	}
	return m.topics[t.index]
}

// partition finds a partition of a topic that the image knows, else nil.
func (m *image) partition(t *Topic, index int32) *Partition {
	if !m.knows(t) || index < 0 || int(index) >= len(m.topics[t.index]) {
		return nil
	}
	return t.Partitions[index]
}

// apply takes in one record and says which partitions it changed.
func (m *image) apply(c *Cluster, r *wire.MetadataRecord) []delta {
	m.offset++
	switch r.Type {
	case wire.TopicRecord:
		t := c.byID[r.TopicID]
		for len(m.topics) <= t.index {
			m.topics = append(m.topics, nil)
		}
		m.topics[t.index] = []*State{}
		m.changes++
		m.creations = m.changes
	case wire.PartitionRecord:
		t := c.byID[r.TopicID]
		s := &State{r.Leader, r.LeaderEpoch, r.PartitionEpoch, r.Replicas, r.ISR}
		m.topics[t.index] = append(m.topics[t.index], s)
		m.changes++
		return []delta{{t.Partitions[r.Partition], nil, s}}
	case wire.PartitionChangeRecord:
		t := c.byID[r.TopicID]
		before := m.topics[t.index][r.Partition]
		after := before.changed(r)
		m.topics[t.index][r.Partition] = after
		return []delta{{t.Partitions[r.Partition], before, after}}
	case wire.RemoveTopicRecord:
		return m.remove(c.byID[r.TopicID])
	case wire.RegisterBrokerRecord:
		*m.broker(r.Broker) = registration{
			known: true, fenced: r.Fenced, epoch: r.BrokerEpoch, rack: r.Rack,
		}
	case wire.BrokerChangeRecord:
		b := m.broker(r.Broker)
		if r.Fence != 0 {
			b.fenced = r.Fence == wire.RegistrationFence
		}
		b.shutting = b.shutting || r.Shutdown == wire.RegistrationShuttingDown
	}
	return nil
}

// changed is the state after a change; a record that names a leader begins an epoch.
func (s *State) changed(r *wire.MetadataRecord) *State {
	n := *s
	n.PartitionEpoch++
	if r.ISR != nil {
		n.ISR = r.ISR
	}
	if r.Replicas != nil {
		n.Replicas = r.Replicas
	}
	if r.Leader != wire.SameLeader {
		n.Leader = r.Leader
		n.Epoch++
	}
	return &n
}

func (m *image) remove(t *Topic) []delta {
	states := m.topics[t.index]
	m.topics[t.index] = nil
	m.changes++
	gone := make([]delta, len(states))
	for i, s := range states {
		gone[i] = delta{t.Partitions[i], s, nil}
	}
	return gone
}

// copy is an image of its own.
func (m *image) copy() image {
	n := *m
	n.brokers, n.topics = slices.Clone(m.brokers), nil
	for _, states := range m.topics {
		n.topics = append(n.topics, slices.Clone(states))
	}
	return n
}
