package wire

import "fmt"

// ConsumerEntry is one record of a group of the consumer protocol: a key and, unless it is a
// tombstone, a value [coordinator record types of group-coordinator]. kmsg has no types for these.
type ConsumerEntry struct {
	Type  int16
	Group string
	// Member is set for the three types that are kept a member, Regex for a [RegexRecord].
	Member, Regex string
	// Value is nil in a tombstone.
	Value ConsumerValue
}

// ConsumerValue is the value of a [ConsumerEntry].
type ConsumerValue interface{ code(c *recordCoder) }

// ConsumerGroupValue is the group epoch.
type ConsumerGroupValue struct {
	Epoch int32
	// MetadataHash stands for the subscribed topics with their partitions (KIP-1101).
	MetadataHash int64
}

// ConsumerMemberValue is what a member told of itself.
type ConsumerMemberValue struct {
	InstanceID, RackID     *string
	ClientID, ClientHost   string
	Topics                 []string
	Regex                  *string
	RebalanceTimeoutMillis int32
	Assignor               *string
	// Classic is set for a member that speaks the classic protocol.
	Classic *ClassicMemberValue
}

// ClassicMemberValue is what a classic member offered in its Join.
type ClassicMemberValue struct {
	SessionTimeoutMillis int32
	Protocols            []ClassicProtocol
}

// ClassicProtocol is one protocol with its metadata, as in JoinGroup.
type ClassicProtocol struct {
	Name     string
	Metadata []byte
}

// TargetEpochValue is the epoch of the target assignment and when it was computed, in milliseconds;
// 0 for not known.
type TargetEpochValue struct {
	Epoch     int32
	Timestamp int64
}

// TargetAssignmentValue is a member's target assignment.
type TargetAssignmentValue struct{ Topics []TopicPartitions }

// CurrentAssignmentValue is what a member holds.
type CurrentAssignmentValue struct {
	Epoch, PreviousEpoch int32
	// State is 0 for stable, 1 for partitions to be revoked, 2 for partitions not released by others.
	State              int8
	Assigned, Revoking []TopicPartitions
}

// RegexValue is the topics of a regular expression, found at version Version of the metadata.
type RegexValue struct {
	Topics             []string
	Version, Timestamp int64
}

// TopicPartitions are partitions of a topic. Epochs are those in which a member was given them
// (KIP-1251); it is nil where they are not told.
type TopicPartitions struct {
	TopicID    [16]byte
	Partitions []int32
	Epochs     []int32
}

// consumerValue is an empty value of a record type; nil for a type of another kind. Type 4 is read
// as nothing.
func consumerValue(kind int16) ConsumerValue {
	switch kind {
	case ConsumerGroupRecord:
		return &ConsumerGroupValue{}
	case ConsumerMemberRecord:
		return &ConsumerMemberValue{}
	case TargetEpochRecord:
		return &TargetEpochValue{}
	case TargetAssignmentRecord:
		return &TargetAssignmentValue{}
	case CurrentAssignmentRecord:
		return &CurrentAssignmentValue{}
	case RegexRecord:
		return &RegexValue{}
	}
	return nil
}

// Encode is the entry as key and value of a record; the value of a tombstone is nil.
func (e *ConsumerEntry) Encode() (key, value []byte) {
	k := recordCoder{writes: true}
	e.codeKey(&k)
	if e.Value == nil {
		return k.b, nil
	}
	v := recordCoder{writes: true}
	version := int16(0)
	v.int16(&version)
	e.Value.code(&v)
	return k.b, v.b
}

func (e *ConsumerEntry) codeKey(c *recordCoder) {
	c.int16(&e.Type)
	c.keyText(&e.Group)
	switch e.Type {
	case ConsumerMemberRecord, TargetAssignmentRecord, CurrentAssignmentRecord:
		c.keyText(&e.Member)
	case RegexRecord:
		c.keyText(&e.Regex)
	}
}

func decodeConsumerEntry(kind int16, key, value []byte) (*ConsumerEntry, error) {
	e := &ConsumerEntry{Type: kind}
	k := recordCoder{b: key}
	e.codeKey(&k)
	if k.broken {
		return e, fmt.Errorf("key of record type %d is broken", kind)
	}
	if value == nil {
		return e, nil
	}
	v := recordCoder{b: value}
	version := int16(0)
	v.int16(&version)
	e.Value = consumerValue(kind)
	e.Value.code(&v)
	if v.broken {
		return e, fmt.Errorf("%w: type %d of group %s", errBadRecord, kind, e.Group)
	}
	return e, nil
}

func (v *ConsumerGroupValue) code(c *recordCoder) {
	c.int32(&v.Epoch)
	c.tag(v.MetadataHash != 0, func(c *recordCoder) { c.int64(&v.MetadataHash) })
}

func (v *ConsumerMemberValue) code(c *recordCoder) {
	c.nullText(&v.InstanceID)
	c.nullText(&v.RackID)
	c.text(&v.ClientID)
	c.text(&v.ClientHost)
	codeList(c, &v.Topics, c.text)
	c.nullText(&v.Regex)
	c.int32(&v.RebalanceTimeoutMillis)
	c.nullText(&v.Assignor)
	c.tag(v.Classic != nil, func(c *recordCoder) {
		present := int8(1)
		c.int8(&present)
		if present != 1 {
			return
		}
		if !c.writes {
			v.Classic = &ClassicMemberValue{}
		}
		v.Classic.code(c)
	})
}

func (v *ClassicMemberValue) code(c *recordCoder) {
	c.int32(&v.SessionTimeoutMillis)
	codeList(c, &v.Protocols, func(p *ClassicProtocol) {
		c.text(&p.Name)
		c.bytes(&p.Metadata)
		c.tag(false, nil)
	})
	c.tag(false, nil)
}

func (v *TargetEpochValue) code(c *recordCoder) {
	c.int32(&v.Epoch)
	c.tag(v.Timestamp != 0, func(c *recordCoder) { c.int64(&v.Timestamp) })
}

func (v *TargetAssignmentValue) code(c *recordCoder) {
	codeList(c, &v.Topics, func(t *TopicPartitions) {
		c.uuid(&t.TopicID)
		codeList(c, &t.Partitions, c.int32)
		c.tag(false, nil)
	})
	c.tag(false, nil)
}

func (v *CurrentAssignmentValue) code(c *recordCoder) {
	c.int32(&v.Epoch)
	c.int32(&v.PreviousEpoch)
	c.int8(&v.State)
	codeList(c, &v.Assigned, func(t *TopicPartitions) { t.codeWithEpochs(c) })
	codeList(c, &v.Revoking, func(t *TopicPartitions) { t.codeWithEpochs(c) })
	c.tag(false, nil)
}

func (t *TopicPartitions) codeWithEpochs(c *recordCoder) {
	c.uuid(&t.TopicID)
	codeList(c, &t.Partitions, c.int32)
	c.tag(t.Epochs != nil, func(c *recordCoder) { codeList(c, &t.Epochs, c.int32) })
	c.broken = c.broken || t.Epochs != nil && len(t.Epochs) != len(t.Partitions)
}

func (v *RegexValue) code(c *recordCoder) {
	codeList(c, &v.Topics, c.text)
	c.int64(&v.Version)
	c.int64(&v.Timestamp)
	c.tag(false, nil)
}
