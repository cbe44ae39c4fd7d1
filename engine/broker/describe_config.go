package broker

import (
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// described is a setting as an administrator sees it.
type described struct {
	key, value string
	kind       kmsg.ConfigType
	source     kmsg.ConfigSource
}

// reading of a setting back as text.
type shown[C any] struct {
	key  string
	kind kmsg.ConfigType
	text func(c *C) string
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

func millis(d time.Duration) string { return whole(d.Milliseconds()) }

// shownTopic has every setting of a topic; those that rule nothing here have Kafka's default.
var shownTopic = []shown[topicConfig]{
	{"cleanup.policy", kmsg.ConfigTypeList, (*topicConfig).policy},
	{"delete.retention.ms", kmsg.ConfigTypeLong,
		func(c *topicConfig) string { return whole(c.log.DeleteRetentionMs) }},
	{"max.message.bytes", kmsg.ConfigTypeInt,
		func(c *topicConfig) string { return whole(c.maxMessage) }},
	{"message.timestamp.type", kmsg.ConfigTypeString, (*topicConfig).timestampType},
	{"min.cleanable.dirty.ratio", kmsg.ConfigTypeDouble, (*topicConfig).dirtyRatio},
	{"min.compaction.lag.ms", kmsg.ConfigTypeLong,
		func(c *topicConfig) string { return whole(c.log.MinCompactionLagMs) }},
	{"min.insync.replicas", kmsg.ConfigTypeInt,
		func(c *topicConfig) string { return whole(int64(c.minISR)) }},
	{"retention.bytes", kmsg.ConfigTypeLong,
		func(c *topicConfig) string { return whole(c.log.RetentionBytes) }},
	{"retention.ms", kmsg.ConfigTypeLong,
		func(c *topicConfig) string { return whole(c.log.RetentionMs) }},
	{"segment.bytes", kmsg.ConfigTypeInt,
		func(c *topicConfig) string { return whole(c.log.SegmentBytes) }},
	{"segment.ms", kmsg.ConfigTypeLong,
		func(c *topicConfig) string { return whole(c.log.SegmentMs) }},
	{"unclean.leader.election.enable", kmsg.ConfigTypeBoolean,
		func(c *topicConfig) string { return strconv.FormatBool(c.unclean) }},
}

// shownBroker has every setting of the brokers; those that rule nothing here have Kafka's default.
var shownBroker = []shown[config]{
	{"auto.create.topics.enable", kmsg.ConfigTypeBoolean,
		func(c *config) string { return strconv.FormatBool(c.autoCreate) }},
	{"auto.leader.rebalance.enable", kmsg.ConfigTypeBoolean,
		func(c *config) string { return strconv.FormatBool(c.balanceLeaders) }},
	{"default.replication.factor", kmsg.ConfigTypeInt,
		func(c *config) string { return whole(int64(c.replicationFactor)) }},
	{"fetch.max.bytes", kmsg.ConfigTypeInt,
		func(c *config) string { return whole(c.fetchMaxBytes) }},
	{"group.initial.rebalance.delay.ms", kmsg.ConfigTypeInt,
		func(c *config) string { return millis(c.group.InitialRebalanceDelay) }},
	{"group.max.session.timeout.ms", kmsg.ConfigTypeInt,
		func(c *config) string { return millis(c.group.MaxSessionTimeout) }},
	{"group.max.size", kmsg.ConfigTypeInt,
		func(c *config) string { return whole(int64(c.group.MaxSize)) }},
	{"group.min.session.timeout.ms", kmsg.ConfigTypeInt,
		func(c *config) string { return millis(c.group.MinSessionTimeout) }},
	{"lab.coordinator.load.time.ms", kmsg.ConfigTypeLong,
		func(c *config) string { return millis(c.group.LoadBase) }},
	{"log.retention.check.interval.ms", kmsg.ConfigTypeLong,
		func(c *config) string { return millis(c.retentionCheck) }},
	{"log.retention.ms", kmsg.ConfigTypeLong,
		func(c *config) string { return whole(c.topic.log.RetentionMs) }},
	{"log.segment.bytes", kmsg.ConfigTypeInt,
		func(c *config) string { return whole(c.topic.log.SegmentBytes) }},
	{"max.incremental.fetch.session.cache.slots", kmsg.ConfigTypeInt,
		func(c *config) string { return whole(int64(c.sessionSlots)) }},
	{"message.max.bytes", kmsg.ConfigTypeInt,
		func(c *config) string { return whole(c.topic.maxMessage) }},
	{"min.insync.replicas", kmsg.ConfigTypeInt,
		func(c *config) string { return whole(int64(c.topic.minISR)) }},
	{"num.partitions", kmsg.ConfigTypeInt,
		func(c *config) string { return whole(int64(c.partitions)) }},
	{"offset.metadata.max.bytes", kmsg.ConfigTypeInt,
		func(c *config) string { return whole(int64(c.group.OffsetMetadataMax)) }},
	{"offsets.commit.timeout.ms", kmsg.ConfigTypeInt,
		func(c *config) string { return millis(c.commitTimeout) }},
	{"offsets.retention.check.interval.ms", kmsg.ConfigTypeLong,
		func(c *config) string { return millis(c.group.OffsetsRetentionCheck) }},
	{"offsets.retention.minutes", kmsg.ConfigTypeInt,
		func(c *config) string { return whole(int64(c.group.OffsetsRetention / time.Minute)) }},
	{"offsets.topic.num.partitions", kmsg.ConfigTypeInt,
		func(c *config) string { return whole(int64(c.group.OffsetsTopicPartitions)) }},
	{"offsets.topic.replication.factor", kmsg.ConfigTypeShort,
		func(c *config) string { return whole(int64(max(c.offsetsReplicas, 1))) }},
	{"replica.lag.time.max.ms", kmsg.ConfigTypeLong,
		func(c *config) string { return millis(c.lagMax) }},
	{"replica.selector.class", kmsg.ConfigTypeString, func(c *config) string {
		if c.rackAware {
			return rackAwareSelector
		}
		return ""
	}},
	{"unclean.leader.election.enable", kmsg.ConfigTypeBoolean,
		func(c *config) string { return strconv.FormatBool(c.topic.unclean) }},
}

func (c *topicConfig) policy() string {
	var words []string
	if c.log.Compact {
		words = append(words, "compact")
	}
	if c.log.Delete {
		words = append(words, "delete")
	}
	return strings.Join(words, ",")
}

func (c *topicConfig) dirtyRatio() string {
	n := c.log.MinDirtyPerMille
	digits := strings.TrimRight(strconv.FormatInt(1000+n%1000, 10)[1:], "0")
	if digits == "" {
		digits = "0"
	}
	return whole(n/1000) + "." + digits
}

func (c *topicConfig) timestampType() string {
	if c.appendTime {
		return "LogAppendTime"
	}
	return "CreateTime"
}

// describeTopicConfig lists the settings of a topic that has entries of its own.
func (c *Cluster) describeTopicConfig(entries []Entry) []described {
	kafkas := defaultConfig()
	out := make([]described, 0, len(shownTopic))
	for _, s := range shownTopic {
		d := described{s.key, s.text(&c.cfg.topic), s.kind, kmsg.ConfigSourceDefaultConfig}
		if d.value != s.text(&kafkas.topic) {
			d.source = kmsg.ConfigSourceStaticBrokerConfig
		}
		for _, e := range entries {
			if e.Key == s.key {
				d.value, d.source = e.Value, kmsg.ConfigSourceDynamicTopicConfig
			}
		}
		out = append(out, d)
	}
	return out
}

// describeBrokerConfig lists the settings that all brokers have.
func (c *Cluster) describeBrokerConfig() []described {
	kafkas := defaultConfig()
	out := make([]described, 0, len(shownBroker))
	for _, s := range shownBroker {
		d := described{s.key, s.text(&c.cfg), s.kind, kmsg.ConfigSourceDefaultConfig}
		if d.value != s.text(&kafkas) {
			d.source = kmsg.ConfigSourceStaticBrokerConfig
		}
		out = append(out, d)
	}
	return out
}
