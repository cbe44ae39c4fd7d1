package client

import (
	"fmt"
	"slices"
)

// consumerProtocol says whether the consumer speaks the protocol of KIP-848.
func (c *ConsumerConfig) consumerProtocol() bool { return c.GroupProtocol == "consumer" }

// validateProtocol: each protocol has settings that the other one does not take, not even with their
// default values (C5, S50). [ConsumerConfig.checkUnsupportedConfigsPostProcess]
func (c *ConsumerConfig) validateProtocol() error {
	err := oneOf("group.protocol", c.GroupProtocol, "classic", "consumer")
	if err != nil {
		return err
	}
	d := DefaultConsumerConfig()
	if !c.consumerProtocol() {
		return c.refuse("group.remote.assignor", c.GroupRemoteAssignor,
			c.GroupRemoteAssignor != "", "assignors of the classic protocol are named in "+
				"partition.assignment.strategy")
	}
	for _, s := range []struct {
		key   string
		value any
		set   bool
		cure  string
	}{
		{"partition.assignment.strategy", c.PartitionAssignmentStrategy,
			!slices.Equal(c.PartitionAssignmentStrategy, d.PartitionAssignmentStrategy),
			"the broker assigns; name its assignor in group.remote.assignor"},
		{"heartbeat.interval.ms", c.HeartbeatInterval, c.HeartbeatInterval != d.HeartbeatInterval,
			"the broker tells it; see group.consumer.heartbeat.interval.ms"},
		{"session.timeout.ms", c.SessionTimeout, c.SessionTimeout != d.SessionTimeout,
			"the broker has it; see group.consumer.session.timeout.ms"},
	} {
		if err := c.refuse(s.key, s.value, s.set, s.cure); err != nil {
			return err
		}
	}
	return nil
}

func (c *ConsumerConfig) refuse(key string, value any, set bool, cure string) error {
	if !set && !slices.Contains(c.given, key) {
		return nil
	}
	return bad(key, value, fmt.Sprintf("cannot be set when group.protocol=%s; leave it out: %s",
		c.GroupProtocol, cure))
}
