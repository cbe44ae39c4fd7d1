package broker

import "rebalancelab/engine/group"

// groupTopics is the metadata as a broker's group coordinator sees it ([group.Topics]).
type groupTopics struct{ broker *Broker }

func (t groupTopics) Topic(name string) *group.Topic {
	return t.describe(t.broker.cluster.byName[name])
}

func (t groupTopics) TopicByID(id [16]byte) *group.Topic {
	return t.describe(t.broker.cluster.byID[id])
}

func (t groupTopics) describe(topic *Topic) *group.Topic {
	m := &t.broker.image
	if !m.knows(topic) {
		return nil
	}
	out := &group.Topic{
		Name: topic.Name, ID: topic.ID, Partitions: int32(len(m.statesOf(topic))),
	}
	for _, s := range m.statesOf(topic) {
		var racks []string
		for _, id := range s.Replicas {
			if rack := m.broker(id).rack; rack != "" {
				racks = append(racks, rack)
			}
		}
		if racks != nil {
			out.Racks = append(out.Racks, racks)
		}
	}
	return out
}

func (t groupTopics) TopicNames() []string {
	var names []string
	for _, topic := range t.broker.cluster.topics {
		if t.broker.image.knows(topic) {
			names = append(names, topic.Name)
		}
	}
	return names
}

func (t groupTopics) Versions() (changed, created int64) {
	return t.broker.image.changes, t.broker.image.creations
}
