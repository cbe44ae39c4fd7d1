package broker

import (
	"fmt"
	"strconv"
	"strings"

	"rebalancelab/engine/group"
)

// consumerSettings are the numbers among the settings of the consumer group protocol (F5, F6).
var consumerSettings = []setting[group.ConsumerConfig]{
	{"group.consumer.session.timeout.ms",
		func(c *group.ConsumerConfig, n int64) { c.SessionTimeout.Value = ms(n) }},
	{"group.consumer.min.session.timeout.ms",
		func(c *group.ConsumerConfig, n int64) { c.SessionTimeout.Min = ms(n) }},
	{"group.consumer.max.session.timeout.ms",
		func(c *group.ConsumerConfig, n int64) { c.SessionTimeout.Max = ms(n) }},
	{"group.consumer.heartbeat.interval.ms",
		func(c *group.ConsumerConfig, n int64) { c.HeartbeatInterval.Value = ms(n) }},
	{"group.consumer.min.heartbeat.interval.ms",
		func(c *group.ConsumerConfig, n int64) { c.HeartbeatInterval.Min = ms(n) }},
	{"group.consumer.max.heartbeat.interval.ms",
		func(c *group.ConsumerConfig, n int64) { c.HeartbeatInterval.Max = ms(n) }},
	{"group.consumer.assignment.interval.ms",
		func(c *group.ConsumerConfig, n int64) { c.AssignmentInterval.Value = ms(n) }},
	{"group.consumer.min.assignment.interval.ms",
		func(c *group.ConsumerConfig, n int64) { c.AssignmentInterval.Min = ms(n) }},
	{"group.consumer.max.assignment.interval.ms",
		func(c *group.ConsumerConfig, n int64) { c.AssignmentInterval.Max = ms(n) }},
	{"group.consumer.regex.refresh.interval.ms",
		func(c *group.ConsumerConfig, n int64) { c.RegexRefreshInterval = ms(n) }},
	{"group.consumer.max.size", func(c *group.ConsumerConfig, n int64) { c.MaxSize = int(n) }},
}

// applyConsumer sets one of group.consumer.*, unless the whole would contradict itself then.
func (c *config) applyConsumer(e Entry) error {
	next := c.group.Consumer
	switch e.Key {
	case "group.consumer.assignors":
		next.Assignors = nil
		for _, name := range strings.Split(e.Value, ",") {
			next.Assignors = append(next.Assignors, strings.TrimSpace(name))
		}
	case "group.consumer.migration.policy":
		next.MigrationPolicy = group.MigrationPolicy(strings.ToLower(e.Value))
	default:
		if err := applyNumber("broker", consumerSettings, &next, e); err != nil {
			return err
		}
	}
	if err := next.Validate(); err != nil {
		return err
	}
	c.group.Consumer = next
	return nil
}

// SetGroupConfig changes a setting of one group, such as consumer.session.timeout.ms, from now on.
func (c *Cluster) SetGroupConfig(groupID, key, value string) error {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return fmt.Errorf("%s = %q: a whole number is expected", key, value)
	}
	return c.cfg.group.Consumer.SetGroup(groupID, key, ms(n))
}
