package group

import (
	"slices"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// DeleteOffsets lets a group forget offsets (KIP-496). done gets the code of the whole request, or
// one for each partition: GROUP_SUBSCRIBED_TO_TOPIC where the topic is in use, else none, whether or
// not there was an offset.
func (c *Coordinator) DeleteOffsets(
	id string, tps []wire.TopicPartition, done func(wire.Code, []wire.Code),
) {
	if id == "" {
		done(wire.InvalidGroupID, nil)
		return
	}
	s, code := c.route(id)
	if code != wire.None {
		done(code, nil)
		return
	}
	g := s.groups[id]
	switch {
	case g == nil:
		done(wire.GroupIDNotFound, nil)
		return
	case g.state != trace.GroupEmpty && g.protocolType != consumerProtocol:
		done(wire.NonEmptyGroup, nil)
		return
	}
	codes := make([]wire.Code, len(tps))
	var old []wire.TopicPartition
	for i, tp := range tps {
		switch {
		case g.state != trace.GroupEmpty && g.subscribes(tp.Topic):
			codes[i] = wire.GroupSubscribedToTopic
		case g.offsets.find(tp) != nil:
			old = append(old, tp)
		}
	}
	if len(old) > 0 {
		g.bury(old, false)
	}
	done(wire.None, codes)
}

// TopicDeleted lets every group forget its offsets of a topic that is gone (B23).
func (c *Coordinator) TopicDeleted(topic string) {
	for _, s := range c.shards {
		if s == nil || s.loading {
			continue
		}
		for _, g := range slices.Clone(s.order) {
			var old []wire.TopicPartition
			for i := range g.offsets.list {
				if tp := g.offsets.list[i].tp; tp.Topic == topic {
					old = append(old, tp)
				}
			}
			if len(old) > 0 {
				g.bury(old, false)
			}
		}
	}
}
