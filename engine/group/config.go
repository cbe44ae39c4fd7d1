package group

import (
	"math"
	"time"
)

// Config holds the coordinator's settings; a broker may change them while it runs.
type Config struct {
	InitialRebalanceDelay   time.Duration // group.initial.rebalance.delay.ms
	MinSessionTimeout       time.Duration // group.min.session.timeout.ms
	MaxSessionTimeout       time.Duration // group.max.session.timeout.ms
	MaxSize                 int           // group.max.size
	OffsetMetadataMax       int           // offset.metadata.max.bytes, in UTF-16 units (B10)
	OffsetsRetention        time.Duration // offsets.retention.minutes
	OffsetsRetentionCheck   time.Duration // offsets.retention.check.interval.ms
	OffsetsTopicPartitions  int32         // offsets.topic.num.partitions
	LoadBase, LoadPerRecord time.Duration // how long reading a partition takes; not a Kafka setting
	Consumer                ConsumerConfig
}

// newMemberJoinTimeout is how long a new member may wait in its first Join (A9, A60).
const newMemberJoinTimeout = 5 * time.Minute

// DefaultConfig is Kafka's (A9, B10, B19, B27). Reading a partition that holds records takes 20 ms
// and 2 us a record: the order of a local disk, so that a fail-over can be seen.
func DefaultConfig() Config {
	return Config{
		InitialRebalanceDelay:  3 * time.Second,
		MinSessionTimeout:      6 * time.Second,
		MaxSessionTimeout:      30 * time.Minute,
		MaxSize:                math.MaxInt32,
		OffsetMetadataMax:      4096,
		OffsetsRetention:       7 * 24 * time.Hour,
		OffsetsRetentionCheck:  10 * time.Minute,
		OffsetsTopicPartitions: 50,
		LoadBase:               20 * time.Millisecond,
		LoadPerRecord:          2 * time.Microsecond,
		Consumer:               DefaultConsumerConfig(),
	}
}
