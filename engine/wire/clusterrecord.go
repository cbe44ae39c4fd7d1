package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// MetadataTopic is the log in which the controllers keep the cluster's metadata, and its topic id.
const MetadataTopic = "__cluster_metadata"

// MetadataTopicID is fixed in Kafka: no random UUID.
var MetadataTopicID = [16]byte{15: 1}

// Record types of the metadata log (the api keys of its records).
const (
	TopicRecord              int16 = 2
	PartitionRecord          int16 = 3
	PartitionChangeRecord    int16 = 5
	RemoveTopicRecord        int16 = 9
	BrokerChangeRecord       int16 = 17 // BrokerRegistrationChangeRecord
	RegisterBrokerRecord     int16 = 27
	noLeaderChange           int32 = -2 // default of PartitionChangeRecord.Leader
	metadataFrame            byte  = 1
	registerBrokerVersion    int16 = 1
	registrationUnchanged    int8  = 0
	RegistrationFence        int8  = 1
	RegistrationUnfence      int8  = -1
	RegistrationShuttingDown int8  = 1
)

// MetadataRecord is one record of the metadata log, decoded. Type says which fields it has; those
// of a PartitionChangeRecord that it leaves as they were are nil or, for Leader, [SameLeader].
type MetadataRecord struct {
	Type      int16
	Topic     string   // TopicRecord
	TopicID   [16]byte // all but those of brokers
	Partition int32
	Replicas  []int32
	ISR       []int32
	Leader    int32
	// LeaderEpoch and PartitionEpoch are told by a PartitionRecord; a change counts both on, the
	// first one only when it names a leader.
	LeaderEpoch, PartitionEpoch int32

	Broker      int32 // RegisterBrokerRecord, BrokerChangeRecord
	BrokerEpoch int64
	Rack        string
	// Fenced is true for a new registration and stays so until the broker has caught up.
	Fenced bool
	// Fence and Shutdown are what a BrokerChangeRecord changes: see RegistrationFence.
	Fence, Shutdown int8
}

// SameLeader is the Leader of a PartitionChangeRecord that does not change it. A record that names
// the present leader starts a new epoch of it.
const SameLeader = noLeaderChange

// Encode writes r as the value of a record of the log: frame version, type, version, fields.
func (r *MetadataRecord) Encode() []byte {
	version := int16(0)
	if r.Type == RegisterBrokerRecord {
		version = registerBrokerVersion
	}
	w := metadataCoder{b: make([]byte, 0, 64), write: true}
	w.b = append(w.b, metadataFrame)
	w.b = binary.AppendUvarint(w.b, uint64(r.Type))
	w.b = binary.AppendUvarint(w.b, uint64(version))
	w.record(r)
	return w.b
}

// DecodeMetadataRecord reads what [MetadataRecord.Encode] wrote. A record of a type that is not
// known has only its Type.
func DecodeMetadataRecord(value []byte) (MetadataRecord, error) {
	if len(value) < 3 || value[0] != metadataFrame {
		return MetadataRecord{}, errors.New("metadata record without its frame")
	}
	kind, rest, ok := uvarint(value[1:])
	if ok {
		_, rest, ok = uvarint(rest)
	}
	if !ok || kind > 1<<15-1 {
		return MetadataRecord{}, errShort
	}
	r := MetadataRecord{Type: int16(kind), Leader: SameLeader}
	c := metadataCoder{b: rest}
	if !c.record(&r) {
		return r, nil
	}
	if c.bad {
		return r, fmt.Errorf("metadata record of type %d: %w", kind, errShort)
	}
	return r, nil
}

// metadataCoder goes over a record's fields in their order, writing or reading.
type metadataCoder struct {
	b     []byte
	write bool
	bad   bool
}

// record is false for a type that is not known.
func (c *metadataCoder) record(r *MetadataRecord) bool {
	switch r.Type {
	case TopicRecord:
		c.text(&r.Topic)
		c.bytes(r.TopicID[:])
		c.noTags()
	case PartitionRecord:
		c.int32(&r.Partition)
		c.bytes(r.TopicID[:])
		c.ids(&r.Replicas)
		c.ids(&r.ISR)
		var none []int32
		c.ids(&none) // removing
		c.ids(&none) // adding
		c.int32(&r.Leader)
		c.int32(&r.LeaderEpoch)
		c.int32(&r.PartitionEpoch)
		c.noTags()
	case PartitionChangeRecord:
		c.int32(&r.Partition)
		c.bytes(r.TopicID[:])
		c.changes(r)
	case RemoveTopicRecord:
		c.bytes(r.TopicID[:])
		c.noTags()
	case RegisterBrokerRecord:
		c.registration(r)
	case BrokerChangeRecord:
		c.int32(&r.Broker)
		c.int64(&r.BrokerEpoch)
		c.brokerChanges(r)
	default:
		return false
	}
	return true
}

// changes are the tagged fields of a PartitionChangeRecord: ISR 0, leader 1, replicas 2.
func (c *metadataCoder) changes(r *MetadataRecord) {
	c.tags([]metadataTag{
		{0, r.ISR != nil, func(t *metadataCoder) { t.ids(&r.ISR) }},
		{1, r.Leader != SameLeader, func(t *metadataCoder) { t.int32(&r.Leader) }},
		{2, r.Replicas != nil, func(t *metadataCoder) { t.ids(&r.Replicas) }},
	})
}

func (c *metadataCoder) brokerChanges(r *MetadataRecord) {
	c.tags([]metadataTag{
		{0, r.Fence != registrationUnchanged, func(t *metadataCoder) { t.int8(&r.Fence) }},
		{1, r.Shutdown != registrationUnchanged, func(t *metadataCoder) { t.int8(&r.Shutdown) }},
	})
}

// registration: listeners and features are left empty, since hosts are known by their names.
func (c *metadataCoder) registration(r *MetadataRecord) {
	var incarnation [16]byte
	var none []int32
	shutting := false
	c.int32(&r.Broker)
	c.bytes(incarnation[:])
	c.int64(&r.BrokerEpoch)
	c.ids(&none)
	c.ids(&none)
	c.text(&r.Rack)
	c.flag(&r.Fenced)
	c.flag(&shutting)
	c.noTags()
}

type metadataTag struct {
	number uint64
	given  bool
	field  func(*metadataCoder)
}

// tags writes the tagged fields that are given, or reads those that are there.
func (c *metadataCoder) tags(known []metadataTag) {
	if c.write {
		n := uint64(0)
		for _, t := range known {
			if t.given {
				n++
			}
		}
		c.b = binary.AppendUvarint(c.b, n)
		for _, t := range known {
			if t.given {
				inner := metadataCoder{write: true}
				t.field(&inner)
				c.b = binary.AppendUvarint(c.b, t.number)
				c.b = binary.AppendUvarint(c.b, uint64(len(inner.b)))
				c.b = append(c.b, inner.b...)
			}
		}
		return
	}
	for n := c.uvarint(); n > 0 && !c.bad; n-- {
		number, inner := c.uvarint(), metadataCoder{}
		inner.b = c.take(c.uvarint())
		for _, t := range known {
			if t.number == number {
				t.field(&inner)
			}
		}
		c.bad = c.bad || inner.bad
	}
}

func (c *metadataCoder) noTags() { c.tags(nil) }

func (c *metadataCoder) uvarint() uint64 {
	v, rest, ok := uvarint(c.b)
	c.b, c.bad = rest, c.bad || !ok
	return v
}

func (c *metadataCoder) take(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.bad, c.b = true, nil
		return nil
	}
	v := c.b[:n]
	c.b = c.b[n:]
	return v
}

func (c *metadataCoder) bytes(v []byte) {
	if c.write {
		c.b = append(c.b, v...)
	} else {
		copy(v, c.take(uint64(len(v))))
	}
}

func (c *metadataCoder) int8(v *int8) {
	b := [1]byte{byte(*v)}
	c.bytes(b[:])
	*v = int8(b[0])
}

func (c *metadataCoder) flag(v *bool) {
	n := int8(0)
	if *v {
		n = 1
	}
	c.int8(&n)
	*v = n != 0
}

func (c *metadataCoder) int32(v *int32) {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(*v))
	c.bytes(b[:])
	*v = int32(binary.BigEndian.Uint32(b[:]))
}

func (c *metadataCoder) int64(v *int64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(*v))
	c.bytes(b[:])
	*v = int64(binary.BigEndian.Uint64(b[:]))
}

// text and ids are compact: their length plus one goes before them.
func (c *metadataCoder) text(v *string) {
	if c.write {
		c.b = binary.AppendUvarint(c.b, uint64(len(*v))+1)
		c.b = append(c.b, *v...)
		return
	}
	if n := c.uvarint(); n > 0 {
		*v = string(c.take(n - 1))
	}
}

func (c *metadataCoder) ids(v *[]int32) {
	if c.write {
		c.b = binary.AppendUvarint(c.b, uint64(len(*v))+1)
		for _, id := range *v {
			c.int32(&id)
		}
		return
	}
	n := c.uvarint()
	if n == 0 {
		return
	}
	if n--; n > uint64(len(c.b))/4 {
		c.bad = true
		return
	}
	*v = make([]int32, n)
	for i := range *v {
		c.int32(&(*v)[i])
	}
}
