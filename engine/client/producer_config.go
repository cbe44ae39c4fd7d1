package client

import (
	"fmt"
	"time"
)

// ProducerConfig is the producer's settings; fields carry Java's names.
type ProducerConfig struct {
	// Bootstrap are names of broker processes to ask first.
	Bootstrap []string
	ClientID  string
	// Acks is -1 for all, else 0 or 1.
	Acks      int16
	Linger    time.Duration
	BatchSize int
	Retries   int
	// MaxInFlight is max.in.flight.requests.per.connection.
	MaxInFlight int
	// EnableIdempotence needs acks=all, retries and at most 5 in flight (E33, KIP-679).
	EnableIdempotence bool
	DeliveryTimeout   time.Duration
	MaxRequestSize    int
	MaxBlock          time.Duration
	BufferMemory      int
	// Partitioner is key (Java's own: murmur2 of the key, sticky without one), sticky or
	// round_robin.
	Partitioner string

	RetryBackoff        time.Duration
	RetryBackoffMax     time.Duration
	ReconnectBackoff    time.Duration
	ReconnectBackoffMax time.Duration
	RequestTimeout      time.Duration
	MetadataMaxAge      time.Duration
}

// DefaultProducerConfig is Kafka 4.3's: acks=all, idempotent (E33), linger 5 ms (KIP-1030).
func DefaultProducerConfig() ProducerConfig {
	return ProducerConfig{
		Bootstrap: DefaultBootstrap, Acks: -1, Linger: 5 * time.Millisecond, BatchSize: 16384,
		Retries: 1<<31 - 1, MaxInFlight: 5, EnableIdempotence: true,
		DeliveryTimeout: 2 * time.Minute, MaxRequestSize: 1048576, MaxBlock: time.Minute,
		BufferMemory: 33554432, Partitioner: "key",
		RetryBackoff: 100 * time.Millisecond, RetryBackoffMax: time.Second,
		ReconnectBackoff: 50 * time.Millisecond, ReconnectBackoffMax: time.Second,
		RequestTimeout: 30 * time.Second, MetadataMaxAge: 5 * time.Minute,
	}
}

// Validate says which setting contradicts which, and the cure. [ProducerConfig]
func (c *ProducerConfig) Validate() error {
	switch {
	case c.Acks < -1 || c.Acks > 1:
		return bad("acks", c.Acks, "must be all, 1 or 0")
	case c.MaxInFlight < 1:
		return bad("max.in.flight.requests.per.connection", c.MaxInFlight, "must be at least 1")
	case c.DeliveryTimeout < c.Linger+c.RequestTimeout:
		return bad("delivery.timeout.ms", c.DeliveryTimeout, fmt.Sprintf("must be at least "+
			"linger.ms + request.timeout.ms = %v", c.Linger+c.RequestTimeout))
	}
	if c.EnableIdempotence {
		switch {
		case c.Acks != -1:
			return bad("acks", c.Acks, "enable.idempotence needs acks=all; set it, or turn "+
				"enable.idempotence off")
		case c.Retries == 0:
			return bad("retries", 0, "enable.idempotence needs retries above 0")
		case c.MaxInFlight > 5:
			return bad("max.in.flight.requests.per.connection", c.MaxInFlight,
				"enable.idempotence allows at most 5")
		}
	}
	return oneOf("partitioner", c.Partitioner, "key", "sticky", "round_robin")
}
