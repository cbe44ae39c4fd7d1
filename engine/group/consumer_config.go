package group

import (
	"fmt"
	"math"
	"time"

	"rebalancelab/engine/assign"
)

// ConsumerConfig holds the settings of the consumer protocol, group.consumer.* (F5, F6). Each bounded
// setting may also be given to a single group.
type ConsumerConfig struct {
	SessionTimeout     Bounded // session.timeout.ms
	HeartbeatInterval  Bounded // heartbeat.interval.ms
	AssignmentInterval Bounded // assignment.interval.ms (KIP-1263)
	MaxSize            int     // max.size
	// Assignors are the names that members may ask for; the first is the default.
	Assignors            []string        // assignors
	MigrationPolicy      MigrationPolicy // migration.policy
	RegexRefreshInterval time.Duration   // regex.refresh.interval.ms
	// Groups are the settings of single groups, by group id.
	Groups map[string]GroupConfig
}

// Bounded is a time with the least and the greatest value that it may have.
type Bounded struct{ Value, Min, Max time.Duration }

// GroupConfig is what is set for one group; 0 and, for the interval, a negative value leave the
// broker's.
type GroupConfig struct {
	SessionTimeout, HeartbeatInterval time.Duration
	AssignmentInterval                time.Duration
}

// NoGroupConfig sets nothing.
func NoGroupConfig() GroupConfig { return GroupConfig{AssignmentInterval: -1} }

// MigrationPolicy is group.consumer.migration.policy: which way a group with members may change its
// protocol while it runs. Groups without members always may.
type MigrationPolicy string

// The policies.
const (
	MigrationBidirectional MigrationPolicy = "bidirectional"
	MigrationUpgrade       MigrationPolicy = "upgrade"
	MigrationDowngrade     MigrationPolicy = "downgrade"
	MigrationDisabled      MigrationPolicy = "disabled"
)

func (p MigrationPolicy) upgrades() bool {
	return p == MigrationBidirectional || p == MigrationUpgrade
}

func (p MigrationPolicy) downgrades() bool {
	return p == MigrationBidirectional || p == MigrationDowngrade
}

// DefaultConsumerConfig is Kafka's (F5, F6).
func DefaultConsumerConfig() ConsumerConfig {
	return ConsumerConfig{
		SessionTimeout:       Bounded{45 * time.Second, 45 * time.Second, time.Minute},
		HeartbeatInterval:    Bounded{5 * time.Second, 5 * time.Second, 15 * time.Second},
		AssignmentInterval:   Bounded{time.Second, 0, 15 * time.Second},
		MaxSize:              math.MaxInt32,
		Assignors:            assign.ServerNames(),
		MigrationPolicy:      MigrationBidirectional,
		RegexRefreshInterval: 10 * time.Minute,
	}
}

// Validate says which setting is outside its bounds or contradicts another.
func (c *ConsumerConfig) Validate() error {
	for _, b := range []struct {
		name string
		v    Bounded
	}{
		{"session.timeout.ms", c.SessionTimeout},
		{"heartbeat.interval.ms", c.HeartbeatInterval},
		{"assignment.interval.ms", c.AssignmentInterval},
	} {
		if err := b.v.check("group.consumer.", b.name, b.v.Value); err != nil {
			return err
		}
	}
	if c.HeartbeatInterval.Value >= c.SessionTimeout.Value {
		return fmt.Errorf("group.consumer.heartbeat.interval.ms = %d must be below "+
			"group.consumer.session.timeout.ms = %d", c.HeartbeatInterval.Value.Milliseconds(),
			c.SessionTimeout.Value.Milliseconds())
	}
	if len(c.Assignors) == 0 {
		return fmt.Errorf("group.consumer.assignors is empty: name at least one of %v",
			assign.ServerNames())
	}
	for _, name := range c.Assignors {
		if _, ok := assign.LookupServer(name); !ok {
			return fmt.Errorf("group.consumer.assignors: no assignor is named %q; there are %v",
				name, assign.ServerNames())
		}
	}
	switch c.MigrationPolicy {
	case MigrationBidirectional, MigrationUpgrade, MigrationDowngrade, MigrationDisabled:
		return nil
	}
	return fmt.Errorf("group.consumer.migration.policy = %q: bidirectional, upgrade, downgrade or "+
		"disabled is expected", c.MigrationPolicy)
}

// check names the bound that d breaks and the setting that moves it.
func (b Bounded) check(prefix, name string, d time.Duration) error {
	switch {
	case b.Min > b.Max:
		return fmt.Errorf("group.consumer.min.%s is above group.consumer.max.%s", name, name)
	case d < b.Min:
		return fmt.Errorf("%s%s = %d is below group.consumer.min.%s = %d; lower that first",
			prefix, name, d.Milliseconds(), name, b.Min.Milliseconds())
	case d > b.Max:
		return fmt.Errorf("%s%s = %d is above group.consumer.max.%s = %d; raise that first",
			prefix, name, d.Milliseconds(), name, b.Max.Milliseconds())
	}
	return nil
}

// SetGroup changes what is set for one group: consumer.session.timeout.ms and its like, within the
// broker's bounds.
func (c *ConsumerConfig) SetGroup(id string, key string, d time.Duration) error {
	g, ok := c.Groups[id]
	if !ok {
		g = NoGroupConfig()
	}
	var bounds Bounded
	name := key
	if len(key) > len("consumer.") {
		name = key[len("consumer."):]
	}
	switch key {
	case "consumer.session.timeout.ms":
		g.SessionTimeout, bounds = d, c.SessionTimeout
	case "consumer.heartbeat.interval.ms":
		g.HeartbeatInterval, bounds = d, c.HeartbeatInterval
	case "consumer.assignment.interval.ms":
		g.AssignmentInterval, bounds = d, c.AssignmentInterval
	default:
		return fmt.Errorf("no such group setting %q", key)
	}
	if err := bounds.check("consumer.", name, d); err != nil {
		return err
	}
	groups := map[string]GroupConfig{id: g}
	for other, v := range c.Groups {
		if other != id {
			groups[other] = v
		}
	}
	c.Groups = groups
	return nil
}

// consumerSession is the session timeout of a group's members.
func (c *Config) consumerSession(id string) time.Duration {
	if g, ok := c.Consumer.Groups[id]; ok && g.SessionTimeout > 0 {
		return g.SessionTimeout
	}
	return c.Consumer.SessionTimeout.Value
}

// consumerHeartbeat is the interval that members are told to keep (F1, G39).
func (c *Config) consumerHeartbeat(id string) time.Duration {
	if g, ok := c.Consumer.Groups[id]; ok && g.HeartbeatInterval > 0 {
		return g.HeartbeatInterval
	}
	return c.Consumer.HeartbeatInterval.Value
}

// assignmentInterval is the least time between two target assignments of a group (F6).
func (c *Config) assignmentInterval(id string) time.Duration {
	if g, ok := c.Consumer.Groups[id]; ok && g.AssignmentInterval >= 0 {
		return g.AssignmentInterval
	}
	return c.Consumer.AssignmentInterval.Value
}
