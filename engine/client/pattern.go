package client

import (
	"slices"

	"rebalancelab/engine/pattern"
	"rebalancelab/engine/wire"
)

// SubscribePattern makes the consumer a reader of every topic whose name matches p, now or later,
// as a member of its group. Topics are matched against metadata of the whole cluster, which this
// asks for; a new topic is noticed when that is metadata.max.age.ms old, by whichever member looks
// first. Internal topics match only with exclude.internal.topics = false (C3, C9, S55). l may be
// nil. It is an error while the consumer is subscribed or assigned in another way.
func (c *Consumer) SubscribePattern(p *pattern.Pattern, l Listener) error {
	if err := c.sub.choose(subscribedTopics, p); err != nil {
		return err
	}
	c.sub.listener = l
	c.subscribe(c.matchingTopics())
	return nil
}

// refreshPattern looks for topics that match since metadata has changed: step (a) of a coordinator
// poll (C9). [ConsumerCoordinator.maybeUpdateSubscriptionMetadata]
func (c *Consumer) refreshPattern() {
	if c.sub.pattern == nil || c.sub.matched == c.meta.count {
		return
	}
	c.sub.matched = c.meta.count
	if topics := c.matchingTopics(); !slices.Equal(topics, c.sub.topics) {
		c.subscribe(topics)
	}
}

// matchingTopics are those of the cluster that the pattern means.
func (c *Consumer) matchingTopics() []string {
	matching := []string{}
	for i := range c.meta.list {
		t := &c.meta.list[i]
		internal := t.internal && c.cfg.ExcludeInternalTopics
		if t.code == wire.None && !internal && c.sub.pattern.Matches(t.name) {
			matching = append(matching, t.name)
		}
	}
	return sortedTopics(matching)
}

// freshForPattern has metadata refreshed before a join, so that a topic that several members would
// notice one after the other costs one rebalance. It is false while an answer is awaited.
// [ConsumerCoordinator.poll]
func (c *Consumer) freshForPattern() bool {
	if c.sub.pattern == nil {
		return true
	}
	if !c.meta.asking && c.now() >= c.meta.nextAt {
		c.meta.want()
		c.meta.update()
	}
	if !c.meta.known || c.meta.wanted || c.meta.asking {
		return false
	}
	c.refreshPattern()
	return true
}

// obeyLeader takes topics into the subscription that this member has not seen yet but that the
// leader has assigned, since they match. [ConsumerCoordinator.maybeUpdateJoinedSubscription]
func (c *Consumer) obeyLeader(assigned []TopicPartition) {
	if c.sub.pattern == nil {
		return
	}
	all := slices.Clone(c.sub.topics)
	for _, tp := range assigned {
		all = append(all, tp.Topic)
	}
	all = sortedTopics(all)
	if len(all) == len(c.sub.topics) {
		return
	}
	c.sub.topics, c.grp.joinedTopics = all, all
	c.meta.want()
}

// subscribes says whether a partition that the group assigns belongs to the present subscription
// (C36).
func (s *subscription) subscribes(topic string) bool {
	switch {
	case s.serverPattern != nil:
		return true // the coordinator knows
	case s.pattern != nil:
		return s.pattern.Matches(topic)
	}
	return slices.Contains(s.topics, topic)
}

// choose settles how partitions come to the consumer. Once chosen it stays, until unsubscribe.
// [SubscriptionState.setSubscriptionType]
func (s *subscription) choose(kind subscribed, p *pattern.Pattern) error {
	other := s.kind != kind || s.serverPattern != nil || (s.pattern == nil) != (p == nil)
	if s.kind != subscribedNone && other {
		return illegalState("subscription to topics, partitions and pattern are mutually exclusive; " +
			"call unsubscribe() first")
	}
	s.kind, s.pattern = kind, p
	return nil
}

// Subscription is the topics that the consumer is subscribed to, by name or as its pattern has
// found them so far.
func (c *Consumer) Subscription() []string { return slices.Clone(c.sub.topics) }
