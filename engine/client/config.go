package client

import (
	"fmt"
	"slices"
	"time"

	"rebalancelab/engine/assign"
)

// ConsumerConfig is the consumer's settings; fields carry Java's names (C1-C6). An empty GroupID
// means a consumer without a group: manual assignment, no commits.
type ConsumerConfig struct {
	// Bootstrap are names of broker processes to ask first.
	Bootstrap       []string
	ClientID        string
	ClientRack      string
	GroupID         string
	GroupInstanceID string
	GroupProtocol   string

	SessionTimeout    time.Duration
	HeartbeatInterval time.Duration
	// MaxPollInterval is also the rebalance timeout sent in JoinGroup.
	MaxPollInterval time.Duration
	MaxPollRecords  int

	FetchMinBytes          int32
	FetchMaxWait           time.Duration
	FetchMaxBytes          int32
	MaxPartitionFetchBytes int32
	CheckCRCs              bool
	// IsolationLevel is read_uncommitted or read_committed.
	IsolationLevel string

	// EnableAutoCommit without a GroupID is taken as false (C3).
	EnableAutoCommit   bool
	AutoCommitInterval time.Duration
	// AutoOffsetReset is earliest, latest, none or by_duration:<ISO-8601>.
	AutoOffsetReset string

	AllowAutoCreateTopics bool
	ExcludeInternalTopics bool

	// PartitionAssignmentStrategy is in order of preference.
	PartitionAssignmentStrategy []string
	GroupRemoteAssignor         string // of the consumer protocol; empty leaves it to the broker
	// Assignors are assignors of the application's own, found before the built-in ones.
	Assignors []assign.Assignor

	RetryBackoff             time.Duration
	RetryBackoffMax          time.Duration
	ReconnectBackoff         time.Duration
	ReconnectBackoffMax      time.Duration
	RequestTimeout           time.Duration
	DefaultAPITimeout        time.Duration
	MetadataMaxAge           time.Duration
	ConnectionsMaxIdle       time.Duration
	MetadataRecoveryStrategy string

	// Library is the client library, where it is not Java's.
	Library Library

	CloseTimeout time.Duration
	// CloseOption is default, leave_group or remain_in_group (KIP-1092, C43).
	CloseOption string

	given []string // the keys that were set, in order
}

// DefaultBootstrap is asked when a configuration names no broker.
var DefaultBootstrap = []string{"broker-1", "broker-2", "broker-3"}

// DefaultConsumerConfig is Kafka 4.3's (C1-C6).
func DefaultConsumerConfig() ConsumerConfig {
	return ConsumerConfig{
		Bootstrap: DefaultBootstrap, GroupProtocol: "classic",
		SessionTimeout: 45 * time.Second, HeartbeatInterval: 3 * time.Second,
		MaxPollInterval: 5 * time.Minute, MaxPollRecords: 500,
		FetchMinBytes: 1, FetchMaxWait: 500 * time.Millisecond, FetchMaxBytes: 52428800,
		MaxPartitionFetchBytes: 1048576, CheckCRCs: true, IsolationLevel: "read_uncommitted",
		EnableAutoCommit: true, AutoCommitInterval: 5 * time.Second, AutoOffsetReset: "latest",
		AllowAutoCreateTopics: true, ExcludeInternalTopics: true,
		PartitionAssignmentStrategy: []string{"range", "cooperative-sticky"},
		RetryBackoff:                100 * time.Millisecond, RetryBackoffMax: time.Second,
		ReconnectBackoff: 50 * time.Millisecond, ReconnectBackoffMax: time.Second,
		RequestTimeout: 30 * time.Second, DefaultAPITimeout: time.Minute,
		MetadataMaxAge: 5 * time.Minute, ConnectionsMaxIdle: 9 * time.Minute,
		MetadataRecoveryStrategy: "rebootstrap",
		CloseTimeout:             30 * time.Second, CloseOption: "default",
	}
}

// bad is a refused setting, with the cure.
func bad(key string, value any, cure string) error {
	return fmt.Errorf("%s = %v: %s", key, value, cure)
}

// Validate says which setting contradicts which, and the cure. [CCFG]
func (c *ConsumerConfig) Validate() error {
	if err := c.validateProtocol(); err != nil {
		return err
	}
	if c.GroupID == "" && c.EnableAutoCommit && slices.Contains(c.given, "enable.auto.commit") {
		return bad("enable.auto.commit", true, "needs a group.id: name a group, or leave it out")
	}
	if c.HeartbeatInterval >= c.SessionTimeout {
		return bad("heartbeat.interval.ms", c.HeartbeatInterval, fmt.Sprintf("must be below "+
			"session.timeout.ms = %v; one third of it is usual", c.SessionTimeout))
	}
	if len(c.PartitionAssignmentStrategy) == 0 {
		return bad("partition.assignment.strategy", "[]", "name at least one assignor, as range")
	}
	for i, name := range c.PartitionAssignmentStrategy {
		if c.assignor(name) == nil {
			return bad("partition.assignment.strategy", name,
				fmt.Sprintf("no such assignor; there are %v", assign.Names()))
		}
		for _, other := range c.PartitionAssignmentStrategy[:i] {
			if other == name {
				return bad("partition.assignment.strategy", name, "named twice; name it once")
			}
		}
	}
	if _, err := parseReset(c.AutoOffsetReset); err != nil {
		return err
	}
	return c.validateWords()
}

func (c *ConsumerConfig) validateWords() error {
	for _, n := range []struct {
		key string
		v   int64
	}{
		{"max.poll.records", int64(c.MaxPollRecords)},
		{"session.timeout.ms", int64(c.SessionTimeout)},
		{"heartbeat.interval.ms", int64(c.HeartbeatInterval)},
		{"max.poll.interval.ms", int64(c.MaxPollInterval)},
		{"request.timeout.ms", int64(c.RequestTimeout)},
		{"auto.commit.interval.ms", int64(c.AutoCommitInterval) + 1},
	} {
		if n.v <= 0 {
			return bad(n.key, n.v, "must be above zero")
		}
	}
	err := oneOf("isolation.level", c.IsolationLevel, "read_uncommitted", "read_committed")
	if err != nil {
		return err
	}
	return oneOf("close option", c.CloseOption, "default", "leave_group", "remain_in_group")
}

func oneOf(key, value string, words ...string) error {
	for _, w := range words {
		if value == w {
			return nil
		}
	}
	return bad(key, value, fmt.Sprintf("must be one of %v", words))
}

// assignor finds an assignor of the application or a built-in one; nil for neither.
func (c *ConsumerConfig) assignor(name string) assign.Assignor {
	for _, a := range c.Assignors {
		if a.Name() == name {
			return a
		}
	}
	if a, ok := assign.Lookup(name); ok {
		return a
	}
	return nil
}

// cooperative says which rebalance protocol the consumer follows: the highest that all its
// assignors share (D4).
func (c *ConsumerConfig) cooperative() bool {
	for _, name := range c.PartitionAssignmentStrategy {
		if !assign.Cooperative(c.assignor(name)) {
			return false
		}
	}
	return true
}
