package script

// SettingDef is one line of the tables of settings.
type SettingDef struct {
	Name string
	Key  string
	Type SettingType
	// Default is Kafka's own value, as the scenario would write it; empty: none.
	Default string
	// Words are the only values that a text or the elements of a list may have; empty: any.
	Words []string
	// Min is the least number, or length in nanoseconds.
	Min int64
}

const (
	boolean  = SettingBool
	length   = SettingDuration
	text     = SettingText
	textList = SettingList
)

// ConsumerSettings are the consumer's settings (C1-C6) under the Java client's names.
var ConsumerSettings = []SettingDef{
	{Name: "session_timeout", Key: "session.timeout.ms", Type: length, Default: `"45s"`, Min: 1},
	{Name: "heartbeat_interval", Key: "heartbeat.interval.ms", Type: length, Default: `"3s"`, Min: 1},
	{Name: "max_poll_interval", Key: "max.poll.interval.ms", Type: length, Default: `"5m"`, Min: 1},
	{Name: "max_poll_records", Key: "max.poll.records", Default: "500", Min: 1},
	{Name: "fetch_min_bytes", Key: "fetch.min.bytes", Default: "1"},
	{Name: "fetch_max_wait", Key: "fetch.max.wait.ms", Type: length, Default: `"500ms"`},
	{Name: "fetch_max_bytes", Key: "fetch.max.bytes", Default: "52428800"},
	{Name: "max_partition_fetch_bytes", Key: "max.partition.fetch.bytes", Default: "1048576"},
	{Name: "enable_auto_commit", Key: "enable.auto.commit", Type: boolean, Default: "True"},
	{Name: "auto_commit_interval", Key: "auto.commit.interval.ms", Type: length, Default: `"5s"`},
	{Name: "auto_offset_reset", Key: "auto.offset.reset", Type: text, Default: `"latest"`,
		Words: []string{"earliest", "latest", "none", "by_duration:"}},
	{Name: "isolation_level", Key: "isolation.level", Type: text, Default: `"read_uncommitted"`,
		Words: []string{"read_uncommitted", "read_committed"}},
	{Name: "allow_auto_create_topics", Key: "allow.auto.create.topics", Type: boolean, Default: "True"},
	{Name: "exclude_internal_topics", Key: "exclude.internal.topics", Type: boolean, Default: "True"},
	{Name: "check_crcs", Key: "check.crcs", Type: boolean, Default: "True"},
	{Name: "retry_backoff", Key: "retry.backoff.ms", Type: length, Default: `"100ms"`},
	{Name: "retry_backoff_max", Key: "retry.backoff.max.ms", Type: length, Default: `"1s"`},
	{Name: "reconnect_backoff", Key: "reconnect.backoff.ms", Type: length, Default: `"50ms"`},
	{Name: "reconnect_backoff_max", Key: "reconnect.backoff.max.ms", Type: length, Default: `"1s"`},
	{Name: "request_timeout", Key: "request.timeout.ms", Type: length, Default: `"30s"`, Min: 1},
	{Name: "default_api_timeout", Key: "default.api.timeout.ms", Type: length, Default: `"1m"`, Min: 1},
	{Name: "metadata_max_age", Key: "metadata.max.age.ms", Type: length, Default: `"5m"`},
	{Name: "connections_max_idle", Key: "connections.max.idle.ms", Type: length, Default: `"9m"`},
	{Name: "metadata_recovery_strategy", Key: "metadata.recovery.strategy", Type: text,
		Default: `"rebootstrap"`, Words: []string{"rebootstrap", "none"}},
	{Name: "partition_assignment_strategy", Key: "partition.assignment.strategy", Type: textList,
		Default: `["range", "cooperative-sticky"]`, Words: assignorNames},
	{Name: "group_protocol", Key: "group.protocol", Type: text, Default: `"classic"`,
		Words: []string{"classic", "consumer"}},
	{Name: "group_remote_assignor", Key: "group.remote.assignor", Type: text,
		Words: []string{"uniform", "range"}},
	{Name: "group_instance_id", Key: "group.instance.id", Type: text},
	{Name: "client_id", Key: "client.id", Type: text},
	{Name: "client_rack", Key: "client.rack", Type: text},
	{Name: "close_timeout", Key: "close.timeout", Type: length, Default: `"30s"`},
	{Name: "close_option", Key: "close.option", Type: text, Default: `"default"`,
		Words: []string{"default", "leave_group", "remain_in_group"}},
}

var assignorNames = []string{"range", "roundrobin", "sticky", "cooperative-sticky", "rack-affinity"}

// ProducerSettings are the producer's settings under the Java client's names.
var ProducerSettings = []SettingDef{
	{Name: "acks", Key: "acks", Type: text, Default: `"all"`, Words: []string{"all", "1", "0"}},
	{Name: "linger", Key: "linger.ms", Type: length, Default: `"5ms"`},
	{Name: "batch_size", Key: "batch.size", Default: "16384"},
	{Name: "retries", Key: "retries", Default: "2147483647"},
	{Name: "max_in_flight_requests_per_connection", Key: "max.in.flight.requests.per.connection",
		Default: "5", Min: 1},
	{Name: "enable_idempotence", Key: "enable.idempotence", Type: boolean, Default: "True"},
	{Name: "delivery_timeout", Key: "delivery.timeout.ms", Type: length, Default: `"2m"`, Min: 1},
	{Name: "request_timeout", Key: "request.timeout.ms", Type: length, Default: `"30s"`, Min: 1},
	{Name: "retry_backoff", Key: "retry.backoff.ms", Type: length, Default: `"100ms"`},
	{Name: "retry_backoff_max", Key: "retry.backoff.max.ms", Type: length, Default: `"1s"`},
	{Name: "reconnect_backoff", Key: "reconnect.backoff.ms", Type: length, Default: `"50ms"`},
	{Name: "reconnect_backoff_max", Key: "reconnect.backoff.max.ms", Type: length, Default: `"1s"`},
	{Name: "metadata_max_age", Key: "metadata.max.age.ms", Type: length, Default: `"5m"`},
	{Name: "max_block", Key: "max.block.ms", Type: length, Default: `"1m"`},
	{Name: "buffer_memory", Key: "buffer.memory", Default: "33554432"},
	{Name: "max_request_size", Key: "max.request.size", Default: "1048576"},
	{Name: "client_id", Key: "client.id", Type: text},
	{Name: "partitioner", Key: "partitioner.class", Type: text, Default: `"round_robin"`,
		Words: []string{"round_robin", "sticky", "key"}},
}

// BrokerSettings are those of every broker of the cluster (A9 and others).
var BrokerSettings = []SettingDef{
	{Name: "group_initial_rebalance_delay", Key: "group.initial.rebalance.delay.ms", Type: length,
		Default: `"3s"`},
	{Name: "group_min_session_timeout", Key: "group.min.session.timeout.ms", Type: length,
		Default: `"6s"`},
	{Name: "group_max_session_timeout", Key: "group.max.session.timeout.ms", Type: length,
		Default: `"30m"`},
	{Name: "group_max_size", Key: "group.max.size", Default: "2147483647", Min: 1},
	{Name: "group_consumer_min_session_timeout", Key: "group.consumer.min.session.timeout.ms",
		Type: length, Default: `"45s"`, Min: 1},
	{Name: "group_consumer_max_session_timeout", Key: "group.consumer.max.session.timeout.ms",
		Type: length, Default: `"1m"`, Min: 1},
	{Name: "group_consumer_session_timeout", Key: "group.consumer.session.timeout.ms", Type: length,
		Default: `"45s"`, Min: 1},
	{Name: "group_consumer_min_heartbeat_interval", Key: "group.consumer.min.heartbeat.interval.ms",
		Type: length, Default: `"5s"`, Min: 1},
	{Name: "group_consumer_max_heartbeat_interval", Key: "group.consumer.max.heartbeat.interval.ms",
		Type: length, Default: `"15s"`, Min: 1},
	{Name: "group_consumer_heartbeat_interval", Key: "group.consumer.heartbeat.interval.ms",
		Type: length, Default: `"5s"`, Min: 1},
	{Name: "group_consumer_min_assignment_interval", Key: "group.consumer.min.assignment.interval.ms",
		Type: length, Default: `"0s"`},
	{Name: "group_consumer_max_assignment_interval", Key: "group.consumer.max.assignment.interval.ms",
		Type: length, Default: `"15s"`},
	{Name: "group_consumer_assignment_interval", Key: "group.consumer.assignment.interval.ms",
		Type: length, Default: `"1s"`},
	{Name: "group_consumer_regex_refresh_interval", Key: "group.consumer.regex.refresh.interval.ms",
		Type: length, Default: `"10m"`, Min: 1},
	{Name: "group_consumer_max_size", Key: "group.consumer.max.size", Default: "2147483647", Min: 1},
	{Name: "group_consumer_assignors", Key: "group.consumer.assignors", Type: textList,
		Default: `["uniform", "range"]`, Words: []string{"uniform", "range"}},
	{Name: "group_consumer_migration_policy", Key: "group.consumer.migration.policy", Type: text,
		Default: `"bidirectional"`, Words: []string{"bidirectional", "upgrade", "downgrade", "disabled"}},
	{Name: "offsets_commit_timeout", Key: "offsets.commit.timeout.ms", Type: length, Default: `"5s"`},
	{Name: "offsets_topic_num_partitions", Key: "offsets.topic.num.partitions", Default: "50", Min: 1},
	{Name: "offsets_topic_replication_factor", Key: "offsets.topic.replication.factor",
		Default: "3", Min: 1},
	{Name: "offsets_retention", Key: "offsets.retention.minutes", Type: length, Default: `"168h"`},
	{Name: "offsets_retention_check_interval", Key: "offsets.retention.check.interval.ms",
		Type: length, Default: `"10m"`, Min: 1},
	{Name: "offset_metadata_max_bytes", Key: "offset.metadata.max.bytes", Default: "4096"},
	{Name: "auto_create_topics_enable", Key: "auto.create.topics.enable", Type: boolean,
		Default: "True"},
	{Name: "num_partitions", Key: "num.partitions", Default: "1", Min: 1},
	{Name: "default_replication_factor", Key: "default.replication.factor", Default: "1", Min: 1},
	{Name: "min_insync_replicas", Key: "min.insync.replicas", Default: "1", Min: 1},
	{Name: "unclean_leader_election_enable", Key: "unclean.leader.election.enable", Type: boolean,
		Default: "False"},
	{Name: "auto_leader_rebalance_enable", Key: "auto.leader.rebalance.enable", Type: boolean,
		Default: "True"},
	{Name: "replica_selector_class", Key: "replica.selector.class", Type: text, Default: `""`,
		Words: []string{"", "org.apache.kafka.common.replica.RackAwareReplicaSelector"}},
	{Name: "fetch_max_bytes", Key: "fetch.max.bytes", Default: "57671680", Min: 1024},
	{Name: "message_max_bytes", Key: "message.max.bytes", Default: "1048588"},
	{Name: "max_incremental_fetch_session_cache_slots",
		Key: "max.incremental.fetch.session.cache.slots", Default: "1000"},
	{Name: "replica_lag_time_max", Key: "replica.lag.time.max.ms", Type: length, Default: `"30s"`},
	{Name: "coordinator_load_time", Key: "lab.coordinator.load.time.ms", Type: length,
		Default: `"20ms"`},
	{Name: "log_retention", Key: "log.retention.ms", Type: length, Default: `"168h"`},
	{Name: "log_retention_check_interval", Key: "log.retention.check.interval.ms", Type: length,
		Default: `"5m"`, Min: 1},
	{Name: "log_segment_bytes", Key: "log.segment.bytes", Default: "1073741824", Min: 14},
}

// GroupSettings are those of one group of the consumer protocol, in place of the brokers' own.
var GroupSettings = []SettingDef{
	{Name: "consumer_session_timeout", Key: "consumer.session.timeout.ms", Type: length,
		Default: `"45s"`, Min: 1},
	{Name: "consumer_heartbeat_interval", Key: "consumer.heartbeat.interval.ms", Type: length,
		Default: `"5s"`, Min: 1},
	{Name: "consumer_assignment_interval", Key: "consumer.assignment.interval.ms", Type: length,
		Default: `"1s"`},
}

// TopicSettings are those of one topic.
var TopicSettings = []SettingDef{
	{Name: "cleanup_policy", Key: "cleanup.policy", Type: textList, Default: `["delete"]`,
		Words: []string{"delete", "compact"}},
	{Name: "retention", Key: "retention.ms", Type: length, Default: `"168h"`},
	{Name: "retention_bytes", Key: "retention.bytes", Default: "-1", Min: -1},
	{Name: "segment", Key: "segment.ms", Type: length, Default: `"168h"`, Min: 1},
	{Name: "segment_bytes", Key: "segment.bytes", Default: "1073741824", Min: 14},
	{Name: "max_message_bytes", Key: "max.message.bytes", Default: "1048588"},
	{Name: "min_insync_replicas", Key: "min.insync.replicas", Default: "1", Min: 1},
	{Name: "unclean_leader_election_enable", Key: "unclean.leader.election.enable", Type: boolean,
		Default: "False"},
	{Name: "message_timestamp_type", Key: "message.timestamp.type", Type: text,
		Default: `"CreateTime"`, Words: []string{"CreateTime", "LogAppendTime"}},
	{Name: "delete_retention", Key: "delete.retention.ms", Type: length, Default: `"24h"`},
	{Name: "min_compaction_lag", Key: "min.compaction.lag.ms", Type: length, Default: `"0s"`},
	{Name: "min_cleanable_dirty_ratio", Key: "min.cleanable.dirty.ratio", Type: text,
		Default: `"0.5"`},
}

func lookupSetting(table []SettingDef, name string) (*SettingDef, bool) {
	for i := range table {
		if table[i].Name == name {
			return &table[i], true
		}
	}
	return nil, false
}

func settingNames(table []SettingDef, more ...string) []string {
	names := append([]string(nil), more...)
	for i := range table {
		names = append(names, table[i].Name)
	}
	return names
}
