package wire

import (
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Record types of __consumer_offsets: the first two bytes of a key (B24).
const (
	// OffsetRecord is a committed offset; type 0 is its older form with the same fields.
	OffsetRecord int16 = 1
	// GroupRecord is the state of a group of the classic protocol.
	GroupRecord int16 = 2
)

// Record types of a group of the consumer protocol (KIP-848, B24). Type 4 held the partition counts
// of the group's topics; a hash in ConsumerGroupRecord stands for them since 4.1, so it is only read
// over.
const (
	ConsumerGroupRecord     int16 = 3  // the group epoch
	ConsumerMemberRecord    int16 = 5  // a member's subscription
	TargetEpochRecord       int16 = 6  // the epoch of the target assignment
	TargetAssignmentRecord  int16 = 7  // a member's target assignment
	CurrentAssignmentRecord int16 = 8  // what a member holds and its epoch
	RegexRecord             int16 = 16 // the topics of a regular expression
)

// The versions in which the values are written when the caller names none (B25, B26).
const (
	offsetValueVersion = 4
	groupValueVersion  = 3
)

// GroupEntry is one record of __consumer_offsets, decoded. Records of a type that this package does
// not know have only Type; a reader skips them (B28).
type GroupEntry struct {
	// Type is one of the record types above, else the unknown type.
	Type  int16
	Group string
	// TP is the partition of an OffsetRecord.
	TP TopicPartition
	// Offset is set for an OffsetRecord, Metadata for a GroupRecord; both are nil in a tombstone.
	Offset   *kmsg.OffsetCommitValue
	Metadata *kmsg.GroupMetadataValue
	// Consumer is set for the types of a group of the consumer protocol.
	Consumer *ConsumerEntry
}

// Known says whether the record's type is one that this package reads.
func (e *GroupEntry) Known() bool {
	return e.Type == OffsetRecord || e.Type == GroupRecord || e.Consumer != nil
}

// Tombstone says whether the record deletes its key (B27).
func (e *GroupEntry) Tombstone() bool {
	if e.Consumer != nil {
		return e.Consumer.Value == nil
	}
	return e.Known() && e.Offset == nil && e.Metadata == nil
}

// OffsetKey is the record key of a group's committed offset for a partition.
func OffsetKey(group string, tp TopicPartition) []byte {
	k := kmsg.OffsetCommitKey{
		Version: OffsetRecord, Group: group, Topic: tp.Topic, Partition: tp.Partition,
	}
	return k.AppendTo(make([]byte, 0, 10+len(group)+len(tp.Topic)))
}

// GroupKey is the record key of a group's state.
func GroupKey(group string) []byte {
	k := kmsg.GroupMetadataKey{Version: GroupRecord, Group: group}
	return k.AppendTo(make([]byte, 0, 4+len(group)))
}

// EncodeOffsetValue writes a committed offset. Version 0 stands for the default, which is 4, or 1
// when an expire time is set (B25). CommitTimestamp is in milliseconds; a zero TopicID is not written.
func EncodeOffsetValue(v kmsg.OffsetCommitValue) []byte {
	if v.Version == 0 {
		v.Version = offsetValueVersion
		if v.ExpireTimestamp > 0 {
			v.Version = 1
		}
	}
	return v.AppendTo(make([]byte, 0, 24+len(v.Metadata)))
}

// EncodeGroupValue writes a group's state. Version 0 stands for the default, which is 3 (B26).
func EncodeGroupValue(v kmsg.GroupMetadataValue) []byte {
	if v.Version == 0 {
		v.Version = groupValueVersion
	}
	return v.AppendTo(nil)
}

// DecodeGroupEntry reads a record of __consumer_offsets. A nil value is a tombstone.
func DecodeGroupEntry(key, value []byte) (GroupEntry, error) {
	if len(key) < 2 {
		return GroupEntry{}, fmt.Errorf("group record key of %d bytes", len(key))
	}
	e := GroupEntry{Type: int16(binary.BigEndian.Uint16(key))}
	switch e.Type {
	case 0, OffsetRecord:
		err := e.readOffset(key, value)
		return e, err
	case GroupRecord:
		err := e.readGroup(key, value)
		return e, err
	}
	if consumerValue(e.Type) == nil {
		return e, nil
	}
	c, err := decodeConsumerEntry(e.Type, key, value)
	e.Group, e.Consumer = c.Group, c
	return e, err
}

func (e *GroupEntry) readOffset(key, value []byte) error {
	var k kmsg.OffsetCommitKey
	if err := k.ReadFrom(key); err != nil {
		return fmt.Errorf("offset key: %w", err)
	}
	e.Type = OffsetRecord
	e.Group, e.TP = k.Group, TopicPartition{k.Topic, k.Partition}
	if value == nil {
		return nil
	}
	v := kmsg.NewOffsetCommitValue()
	if err := v.ReadFrom(value); err != nil {
		return fmt.Errorf("offset value of %s: %w", k.Group, err)
	}
	if v.Version < 3 {
		v.LeaderEpoch = -1
	}
	if v.Version != 1 {
		v.ExpireTimestamp = -1
	}
	e.Offset = &v
	return nil
}

func (e *GroupEntry) readGroup(key, value []byte) error {
	var k kmsg.GroupMetadataKey
	if err := k.ReadFrom(key); err != nil {
		return fmt.Errorf("group key: %w", err)
	}
	e.Group = k.Group
	if value == nil {
		return nil
	}
	v := kmsg.NewGroupMetadataValue()
	if err := v.ReadFrom(value); err != nil {
		return fmt.Errorf("group value of %s: %w", k.Group, err)
	}
	e.Metadata = &v
	return nil
}
