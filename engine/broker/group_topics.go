package broker

import "rebalancelab/engine/group"

// groupTopics is the metadata as a broker's group coordinator sees it ([group.Topics]).
type groupTopics struct{ cluster *Cluster }

func (t groupTopics) Topic(name string) *group.Topic {
	return groupTopic(t.cluster.byName[name])
}

func (t groupTopics) TopicByID(id [16]byte) *group.Topic {
	return groupTopic(t.cluster.byID[id])
}

func groupTopic(t *Topic) *group.Topic {
	if t == nil {
		return nil
	}
	return &group.Topic{Name: t.Name, ID: t.ID, Partitions: int32(len(t.Partitions))}
}

func (t groupTopics) TopicNames() []string {
	names := make([]string, len(t.cluster.topics))
	for i, topic := range t.cluster.topics {
		names[i] = topic.Name
	}
	return names
}

func (t groupTopics) Versions() (changed, created int64) {
	return t.cluster.topicChanges, t.cluster.topicCreations
}
