package client

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Set changes the setting with Kafka's name key, such as session.timeout.ms, to a value written as
// in a configuration file: times are whole milliseconds, lists are separated by commas.
func (c *ConsumerConfig) Set(key, value string) error {
	c.given = append(slices.Clone(c.given), key)
	switch key {
	case "enable.auto.commit":
		return setBool(&c.EnableAutoCommit, key, value)
	case "allow.auto.create.topics":
		return setBool(&c.AllowAutoCreateTopics, key, value)
	case "exclude.internal.topics":
		return setBool(&c.ExcludeInternalTopics, key, value)
	case "check.crcs":
		return setBool(&c.CheckCRCs, key, value)
	case "max.poll.records":
		return setInt(&c.MaxPollRecords, key, value)
	case "fetch.min.bytes":
		return setInt32(&c.FetchMinBytes, key, value)
	case "fetch.max.bytes":
		return setInt32(&c.FetchMaxBytes, key, value)
	case "max.partition.fetch.bytes":
		return setInt32(&c.MaxPartitionFetchBytes, key, value)
	case "partition.assignment.strategy":
		c.PartitionAssignmentStrategy = strings.Split(value, ",")
		return nil
	}
	if d := c.duration(key); d != nil {
		return setMillis(d, key, value)
	}
	if s := c.text(key); s != nil {
		*s = value
		return nil
	}
	return bad(key, value, "the consumer has no such setting")
}

func (c *ConsumerConfig) duration(key string) *time.Duration {
	switch key {
	case "session.timeout.ms":
		return &c.SessionTimeout
	case "heartbeat.interval.ms":
		return &c.HeartbeatInterval
	case "max.poll.interval.ms":
		return &c.MaxPollInterval
	case "fetch.max.wait.ms":
		return &c.FetchMaxWait
	case "auto.commit.interval.ms":
		return &c.AutoCommitInterval
	case "retry.backoff.ms":
		return &c.RetryBackoff
	case "retry.backoff.max.ms":
		return &c.RetryBackoffMax
	case "reconnect.backoff.ms":
		return &c.ReconnectBackoff
	case "reconnect.backoff.max.ms":
		return &c.ReconnectBackoffMax
	case "request.timeout.ms":
		return &c.RequestTimeout
	case "default.api.timeout.ms":
		return &c.DefaultAPITimeout
	case "metadata.max.age.ms":
		return &c.MetadataMaxAge
	case "connections.max.idle.ms":
		return &c.ConnectionsMaxIdle
	case "close.timeout":
		return &c.CloseTimeout
	}
	return nil
}

func (c *ConsumerConfig) text(key string) *string {
	switch key {
	case "client.id":
		return &c.ClientID
	case "client.rack":
		return &c.ClientRack
	case "group.id":
		return &c.GroupID
	case "group.instance.id":
		return &c.GroupInstanceID
	case "group.protocol":
		return &c.GroupProtocol
	case "group.remote.assignor":
		return &c.GroupRemoteAssignor
	case "isolation.level":
		return &c.IsolationLevel
	case "auto.offset.reset":
		return &c.AutoOffsetReset
	case "metadata.recovery.strategy":
		return &c.MetadataRecoveryStrategy
	case "close.option":
		return &c.CloseOption
	}
	return nil
}

// Set changes the setting with Kafka's name key, as [ConsumerConfig.Set] does.
func (c *ProducerConfig) Set(key, value string) error {
	switch key {
	case "acks":
		if value == "all" {
			value = "-1"
		}
		n, err := strconv.ParseInt(value, 10, 16)
		if err != nil {
			return bad(key, value, "must be all, 1 or 0")
		}
		c.Acks = int16(n)
		return nil
	case "client.id":
		c.ClientID = value
		return nil
	case "partitioner.class":
		c.Partitioner = value
		return nil
	case "enable.idempotence":
		return setBool(&c.EnableIdempotence, key, value)
	case "batch.size":
		return setInt(&c.BatchSize, key, value)
	case "retries":
		return setInt(&c.Retries, key, value)
	case "max.in.flight.requests.per.connection":
		return setInt(&c.MaxInFlight, key, value)
	case "max.request.size":
		return setInt(&c.MaxRequestSize, key, value)
	case "buffer.memory":
		return setInt(&c.BufferMemory, key, value)
	}
	if d := c.duration(key); d != nil {
		return setMillis(d, key, value)
	}
	return bad(key, value, "the producer has no such setting")
}

func (c *ProducerConfig) duration(key string) *time.Duration {
	switch key {
	case "linger.ms":
		return &c.Linger
	case "delivery.timeout.ms":
		return &c.DeliveryTimeout
	case "max.block.ms":
		return &c.MaxBlock
	case "retry.backoff.ms":
		return &c.RetryBackoff
	case "retry.backoff.max.ms":
		return &c.RetryBackoffMax
	case "reconnect.backoff.ms":
		return &c.ReconnectBackoff
	case "reconnect.backoff.max.ms":
		return &c.ReconnectBackoffMax
	case "request.timeout.ms":
		return &c.RequestTimeout
	case "metadata.max.age.ms":
		return &c.MetadataMaxAge
	}
	return nil
}

func setBool(p *bool, key, value string) error {
	if value != "true" && value != "false" {
		return bad(key, value, "must be true or false")
	}
	*p = value == "true"
	return nil
}

func setInt(p *int, key, value string) error {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return bad(key, value, "must be a whole number")
	}
	*p = int(n)
	return nil
}

func setInt32(p *int32, key, value string) error {
	var n int
	err := setInt(&n, key, value)
	if err == nil {
		*p = int32(n)
	}
	return err
}

func setMillis(p *time.Duration, key, value string) error {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 || n > 1<<40 {
		return bad(key, value, "must be a whole number of milliseconds")
	}
	*p = time.Duration(n) * time.Millisecond
	return nil
}
