package group

import "encoding/binary"

// Topics is the metadata of the cluster, as the coordinator's broker knows it.
type Topics interface {
	// Topic finds a topic by name, TopicByID by id; nil if there is none.
	Topic(name string) *Topic
	TopicByID(id [16]byte) *Topic
	// TopicNames lists all topics, in an order that does not depend on chance.
	TopicNames() []string
	// Versions count the changes of the metadata: all of them, and the last one that brought a topic.
	Versions() (changed, created int64)
}

// Topic is what the coordinator needs to know of one.
type Topic struct {
	Name       string
	ID         [16]byte
	Partitions int32
	// Racks are the racks of each partition's replicas; nil when the brokers have none.
	Racks [][]string
}

// noTopics is the metadata of a coordinator that was given none.
type noTopics struct{}

func (noTopics) Topic(string) *Topic       { return nil }
func (noTopics) TopicByID([16]byte) *Topic { return nil }
func (noTopics) TopicNames() []string      { return nil }
func (noTopics) Versions() (a, b int64)    { return 0, 0 }

// metadataHash stands for the topics with their ids, partitions and racks, so that a group notices a
// change (KIP-1101). It is 0 for no topics. Kafka's number is another one; nobody but the
// coordinator looks at it.
func metadataHash(topics Topics, names []string) int64 {
	const offset, prime = uint64(14695981039346656037), 1099511628211
	h, some := offset, false
	mix := func(b []byte) {
		for _, x := range b {
			h = (h ^ uint64(x)) * prime
		}
		h = (h ^ 0xff) * prime
	}
	for _, name := range names {
		t := topics.Topic(name)
		if t == nil {
			continue
		}
		some = true
		mix([]byte(t.Name))
		mix(t.ID[:])
		mix(binary.BigEndian.AppendUint32(nil, uint32(t.Partitions)))
		for _, racks := range t.Racks {
			for _, rack := range racks {
				mix([]byte(rack))
			}
			mix(nil)
		}
	}
	if !some {
		return 0
	}
	return int64(h)
}
