package broker

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rebalancelab/engine/group"
	"rebalancelab/engine/storage"
)

// Entry is one setting, as a Kafka configuration file has it.
type Entry struct{ Key, Value string }

// config is what the brokers of a cluster are set to; all have the same.
type config struct {
	group          group.Config
	autoCreate     bool          // auto.create.topics.enable
	partitions     int32         // num.partitions
	fetchMaxBytes  int64         // fetch.max.bytes
	sessionSlots   int           // max.incremental.fetch.session.cache.slots
	retentionCheck time.Duration // log.retention.check.interval.ms
	commitTimeout  time.Duration // offsets.commit.timeout.ms
	lagMax         time.Duration // replica.lag.time.max.ms
	// replicationFactor is default.replication.factor; offsetsReplicas is
	// offsets.topic.replication.factor, 0 if nobody has set it.
	replicationFactor, offsetsReplicas int32
	balanceLeaders                     bool        // auto.leader.rebalance.enable
	rackAware                          bool        // replica.selector.class is Kafka's own
	topic                              topicConfig // what a topic has that says nothing
}

// topicConfig is what a topic is set to.
type topicConfig struct {
	log        storage.Config
	maxMessage int64 // max.message.bytes
	minISR     int   // min.insync.replicas
	unclean    bool  // unclean.leader.election.enable
	appendTime bool  // message.timestamp.type is LogAppendTime
}

// defaultConfig is Kafka's (A9, B27, E5, E17, E28, E34).
func defaultConfig() config {
	return config{
		group:          group.DefaultConfig(),
		autoCreate:     true,
		partitions:     1,
		fetchMaxBytes:  57671680,
		sessionSlots:   1000,
		retentionCheck: 5 * time.Minute,
		commitTimeout:  5 * time.Second,
		lagMax:         30 * time.Second,

		replicationFactor: 1,
		balanceLeaders:    true,
		topic: topicConfig{
			log: defaultLog(), maxMessage: 1048588, minISR: 1,
		},
	}
}

// setting is a key and how its number changes a configuration.
type setting[C any] struct {
	key string
	set func(c *C, n int64)
}

var brokerSettings = []setting[config]{
	{"group.initial.rebalance.delay.ms",
		func(c *config, n int64) { c.group.InitialRebalanceDelay = ms(n) }},
	{"group.min.session.timeout.ms",
		func(c *config, n int64) { c.group.MinSessionTimeout = ms(n) }},
	{"group.max.session.timeout.ms",
		func(c *config, n int64) { c.group.MaxSessionTimeout = ms(n) }},
	{"group.max.size", func(c *config, n int64) { c.group.MaxSize = int(n) }},
	{"offset.metadata.max.bytes",
		func(c *config, n int64) { c.group.OffsetMetadataMax = int(n) }},
	{"offsets.retention.minutes",
		func(c *config, n int64) { c.group.OffsetsRetention = time.Duration(n) * time.Minute }},
	{"offsets.retention.check.interval.ms",
		func(c *config, n int64) { c.group.OffsetsRetentionCheck = ms(n) }},
	{"offsets.topic.num.partitions",
		func(c *config, n int64) { c.group.OffsetsTopicPartitions = int32(n) }},
	{"offsets.topic.replication.factor",
		func(c *config, n int64) { c.offsetsReplicas = int32(n) }},
	{"offsets.commit.timeout.ms", func(c *config, n int64) { c.commitTimeout = ms(n) }},
	{"default.replication.factor",
		func(c *config, n int64) { c.replicationFactor = int32(n) }},
	{"replica.lag.time.max.ms", func(c *config, n int64) { c.lagMax = ms(n) }},
	// Not one of Kafka's: how long a coordinator takes to read a partition that holds records.
	{"lab.coordinator.load.time.ms", func(c *config, n int64) { c.group.LoadBase = ms(n) }},
	{"num.partitions", func(c *config, n int64) { c.partitions = int32(n) }},
	{"fetch.max.bytes", func(c *config, n int64) { c.fetchMaxBytes = n }},
	{"message.max.bytes", func(c *config, n int64) { c.topic.maxMessage = n }},
	{"min.insync.replicas", func(c *config, n int64) { c.topic.minISR = int(n) }},
	{"max.incremental.fetch.session.cache.slots",
		func(c *config, n int64) { c.sessionSlots = int(n) }},
	{"log.retention.check.interval.ms", func(c *config, n int64) { c.retentionCheck = ms(n) }},
	{"log.retention.ms", func(c *config, n int64) { c.topic.log.RetentionMs = n }},
	{"log.segment.bytes", func(c *config, n int64) { c.topic.log.SegmentBytes = n }},
}

var topicSettings = []setting[topicConfig]{
	{"retention.ms", func(c *topicConfig, n int64) { c.log.RetentionMs = n }},
	{"retention.bytes", func(c *topicConfig, n int64) { c.log.RetentionBytes = n }},
	{"segment.ms", func(c *topicConfig, n int64) { c.log.SegmentMs = n }},
	{"segment.bytes", func(c *topicConfig, n int64) { c.log.SegmentBytes = n }},
	{"delete.retention.ms", func(c *topicConfig, n int64) { c.log.DeleteRetentionMs = n }},
	{"max.message.bytes", func(c *topicConfig, n int64) { c.maxMessage = n }},
	{"min.insync.replicas", func(c *topicConfig, n int64) { c.minISR = int(n) }},
	{"min.compaction.lag.ms",
		func(c *topicConfig, n int64) { c.log.MinCompactionLagMs = n }},
}

// defaultLog is Kafka's for a topic without settings of its own.
func defaultLog() storage.Config {
	c := storage.DefaultConfig()
	c.MinDirtyPerMille = 500
	return c
}

// least are the smallest values that Kafka takes.
var least = map[string]int64{
	"num.partitions": 1, "offsets.topic.num.partitions": 1, "group.max.size": 1,
	"log.retention.check.interval.ms": 1, "offsets.retention.check.interval.ms": 1,
	"offsets.retention.minutes": 1, "min.insync.replicas": 1, "fetch.max.bytes": 1024,
	"message.max.bytes": 0, "max.message.bytes": 0, "delete.retention.ms": 0, "segment.ms": 1,
	"group.initial.rebalance.delay.ms": 0, "retention.ms": -1, "log.retention.ms": -1,
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func (c *config) apply(e Entry) error {
	switch e.Key {
	case "auto.create.topics.enable":
		return applyBool(&c.autoCreate, e)
	case "auto.leader.rebalance.enable":
		return applyBool(&c.balanceLeaders, e)
	case "unclean.leader.election.enable":
		return applyBool(&c.topic.unclean, e)
	case "replica.selector.class":
		if e.Value != "" && e.Value != rackAwareSelector {
			return fmt.Errorf("%s = %q: %s or nothing is expected", e.Key, e.Value, rackAwareSelector)
		}
		c.rackAware = e.Value != ""
		return nil
	}
	if strings.HasPrefix(e.Key, "group.consumer.") {
		return c.applyConsumer(e)
	}
	return applyNumber("broker", brokerSettings, c, e)
}

func (c *topicConfig) apply(e Entry) error {
	switch e.Key {
	case "cleanup.policy":
		return c.setPolicy(e)
	case "message.timestamp.type":
		if e.Value != "CreateTime" && e.Value != "LogAppendTime" {
			return fmt.Errorf("%s = %q: CreateTime or LogAppendTime is expected", e.Key, e.Value)
		}
		c.appendTime = e.Value == "LogAppendTime"
		return nil
	case "unclean.leader.election.enable":
		return applyBool(&c.unclean, e)
	case "min.cleanable.dirty.ratio":
		n, ok := perMille(e.Value)
		if !ok {
			return fmt.Errorf("%s = %q: a number from 0 to 1 is expected", e.Key, e.Value)
		}
		c.log.MinDirtyPerMille = n
		return nil
	}
	return applyNumber("topic", topicSettings, c, e)
}

func (c *topicConfig) setPolicy(e Entry) error {
	c.log.Delete, c.log.Compact = false, false
	for _, p := range strings.Split(e.Value, ",") {
		switch strings.TrimSpace(p) {
		case "delete":
			c.log.Delete = true
		case "compact":
			c.log.Compact = true
		default:
			return fmt.Errorf("%s = %q: delete, compact or both are expected", e.Key, e.Value)
		}
	}
	return nil
}

// perMille reads a number from 0 to 1, of which three decimals count.
func perMille(s string) (int64, bool) {
	whole, decimals, _ := strings.Cut(s, ".")
	n, err := strconv.ParseUint(whole+(decimals + "000")[:3], 10, 32)
	return int64(n), err == nil && n <= 1000 && whole != ""
}

func applyBool(to *bool, e Entry) error {
	v, err := strconv.ParseBool(e.Value)
	if err != nil {
		return fmt.Errorf("%s = %q: true or false is expected", e.Key, e.Value)
	}
	*to = v
	return nil
}

func applyNumber[C any](what string, table []setting[C], c *C, e Entry) error {
	for _, s := range table {
		if s.key != e.Key {
			continue
		}
		n, err := strconv.ParseInt(e.Value, 10, 64)
		if err != nil {
			return fmt.Errorf("%s = %q: a whole number is expected", e.Key, e.Value)
		}
		if low, ok := least[e.Key]; ok && n < low {
			return fmt.Errorf("%s = %d: at least %d is expected", e.Key, n, low)
		}
		if s.set != nil {
			s.set(c, n)
		}
		return nil
	}
	return fmt.Errorf("no such %s setting %q", what, e.Key)
}
