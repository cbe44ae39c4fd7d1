package client

import (
	"fmt"
	"time"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/wire"
)

// Library is what a client other than Java's does differently from it. The zero value is Java's.
type Library struct {
	// Name is that of the profile.
	Name string
	// RebalanceTimeout is what JoinGroup carries; 0 means max.poll.interval.ms, as in Java.
	RebalanceTimeout time.Duration
	// Background has group membership, positions and fetches go on by themselves, in threads of the
	// library's own: a rebalance waits for no poll, and there is no max.poll.interval.ms.
	Background bool
	// BlockRebalance holds a rebalance back from a poll that has returned records until the next
	// poll or AllowRebalance (franz-go's BlockRebalanceOnPoll).
	BlockRebalance bool
	// Generations is kafka-go's view of a group: any failed heartbeat ends the generation; then
	// nothing beats until fetches under way have come back, the coordinator is looked up anew, and
	// the member joins again under its old id. Records that are buffered are handed out until the
	// next generation begins. Commits wait for it.
	Generations bool
	// JoinBackoff is the wait after a join that has failed, before which the member leaves; 0 means
	// Java's way.
	JoinBackoff time.Duration
	// CommitTries bounds the attempts of a commit; 0 means until the timeout.
	CommitTries int
	// CommitsEarlierPolls has the automatic commit come by its timer alone, and cover only what polls
	// before the latest one returned (franz-go).
	CommitsEarlierPolls bool
	// WatchPartitions is how often every member looks for new partitions of its topics; 0: only the
	// leader does, with metadata.max.age.ms.
	WatchPartitions time.Duration
	// Versions are the highest that the library speaks, where that is below Java's.
	Versions map[int16]int16
}

// Profiles are the names of the libraries that there are defaults for.
var Profiles = []string{"java", "spring", "kafka-go", "franz-go"}

// ProfileConfig is the configuration that a library starts from. Names are those of [Profiles].
func ProfileConfig(name string) (ConsumerConfig, error) {
	cfg := DefaultConsumerConfig()
	switch name {
	case "java":
	case "spring":
		springDefaults(&cfg)
	case "kafka-go":
		kafkaGoDefaults(&cfg)
	case "franz-go":
		franzGoDefaults(&cfg)
	default:
		return cfg, bad("profile", name, fmt.Sprintf("must be one of %v", Profiles))
	}
	return cfg, nil
}

// springDefaults: spring-kafka stands on the Java client and turns its automatic commit off unless
// told otherwise. [KafkaMessageListenerContainer.ListenerConsumer.determineAutoCommit]
func springDefaults(cfg *ConsumerConfig) {
	cfg.Library.Name = "spring"
	cfg.EnableAutoCommit = false
}

// kafkaGoDefaults: segmentio/kafka-go's Reader in a group. [consumergroup.go and reader.go: the
// default... constants and NewReader; protocol versions: conn.go, joingroup.go]
func kafkaGoDefaults(cfg *ConsumerConfig) {
	cfg.SessionTimeout, cfg.HeartbeatInterval = 30*time.Second, 3*time.Second
	cfg.FetchMaxWait, cfg.FetchMaxBytes, cfg.MaxPartitionFetchBytes = 10*time.Second, 1<<20, 1<<20
	cfg.RequestTimeout = 5 * time.Second
	cfg.EnableAutoCommit, cfg.AutoOffsetReset = false, "earliest"
	cfg.MaxPollRecords = 1
	cfg.PartitionAssignmentStrategy = []string{"range", "roundrobin"}
	cfg.Assignors = append(cfg.Assignors, assign.KafkaGoRange{}, assign.KafkaGoRoundRobin{})
	cfg.Library = Library{
		Name: "kafka-go", RebalanceTimeout: 30 * time.Second, Background: true, Generations: true,
		JoinBackoff: 5 * time.Second, CommitTries: 3,
		Versions: map[int16]int16{
			wire.KeyFetch: 10, wire.KeyListOffsets: 1, wire.KeyMetadata: 6, wire.KeyOffsetCommit: 2,
			wire.KeyOffsetFetch: 1, wire.KeyFindCoordinator: 0, wire.KeyJoinGroup: 2,
			wire.KeyHeartbeat: 0, wire.KeyLeaveGroup: 0, wire.KeySyncGroup: 0,
		},
	}
}

// franzGoDefaults: twmb/franz-go's kgo. [pkg/kgo/config.go, defaultCfg; consumer_group.go]
func franzGoDefaults(cfg *ConsumerConfig) {
	cfg.SessionTimeout, cfg.HeartbeatInterval = 45*time.Second, 3*time.Second
	cfg.FetchMaxWait, cfg.FetchMaxBytes, cfg.MaxPartitionFetchBytes = 5*time.Second, 50<<20, 1<<20
	cfg.AutoOffsetReset, cfg.MaxPollRecords = "earliest", 1<<31-1
	cfg.PartitionAssignmentStrategy = []string{"cooperative-sticky"}
	cfg.Library = Library{
		Name: "franz-go", RebalanceTimeout: time.Minute, Background: true, CommitsEarlierPolls: true,
	}
}

// rebalanceTimeout is what JoinGroup carries.
func (c *ConsumerConfig) rebalanceTimeout() time.Duration {
	if c.Library.RebalanceTimeout > 0 {
		return c.Library.RebalanceTimeout
	}
	return c.MaxPollInterval
}
