package client

import (
	"time"

	"rebalancelab/engine/wire"
)

// minCall is the least virtual time that a blocking call takes.
const minCall = 10 * time.Microsecond

// TopicPartition names one partition of a topic.
type TopicPartition = wire.TopicPartition

// Record is one record as poll returns it.
type Record struct {
	Topic     string
	Partition int32
	Offset    int64
	// TimestampMs is in milliseconds since the Unix epoch.
	TimestampMs int64
	Key, Value  []byte
}

// Offset is a committed position: the next offset to be read. -1 means none where offsets are asked
// for.
type Offset struct {
	TP       TopicPartition
	Offset   int64
	Metadata string
	// epochPlusOne is the leader epoch of the record before, plus one; 0 where it is not known, as
	// in offsets that an application makes up itself.
	epochPlusOne int32
}

// Listener is told about rebalances. The calls come while the application is inside a poll, close
// or unsubscribe; done must be called once, not before the method has returned. Until then the
// listener may make blocking calls of its own.
type Listener interface {
	// OnRevoked: the partitions are to be given up; they can still be committed (C30, C31).
	OnRevoked(parts []TopicPartition, done func(error))
	// OnLost: the partitions are gone already, commits of them fail (C34).
	OnLost(parts []TopicPartition, done func(error))
	// OnAssigned: the partitions were added; called even if there is none (C32).
	OnAssigned(parts []TopicPartition, done func(error))
}
