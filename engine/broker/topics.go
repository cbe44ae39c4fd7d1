package broker

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"rebalancelab/engine/storage"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// TopicSpec describes a topic to be created.
type TopicSpec struct {
	Name       string
	Partitions int32
	// Leaders places the partitions by broker id, from partition 0 on; a partition that is not placed
	// goes to broker 1 + p mod n.
	Leaders []int32
	Configs []Entry
}

var errNoBroker = errors.New("no broker runs")

// CreateTopic creates a topic at once. At least one broker must run.
func (c *Cluster) CreateTopic(s TopicSpec) error {
	c.electController()
	switch {
	case c.controller == 0:
		return errNoBroker
	case !validTopicName(s.Name):
		return fmt.Errorf("%q is not a topic name", s.Name)
	case c.byName[s.Name] != nil:
		return fmt.Errorf("topic %q exists already", s.Name)
	case s.Partitions < 1:
		return fmt.Errorf("topic %q: %d partitions; at least 1 is needed", s.Name, s.Partitions)
	case int(s.Partitions) < len(s.Leaders):
		return fmt.Errorf("topic %q: %d leaders for %d partitions", s.Name, len(s.Leaders), s.Partitions)
	}
	for _, id := range s.Leaders {
		if c.node(id) == nil {
			return fmt.Errorf("topic %q: no such broker %d", s.Name, id)
		}
	}
	t := &Topic{
		Name: s.Name, ID: topicID(s.Name, c.created[s.Name]), Internal: s.Name == OffsetsTopic,
		index: c.indexes,
		ref:   c.node(c.controller).broker.env.Ref(s.Name),
	}
	if err := c.configure(t, s.Configs); err != nil {
		return fmt.Errorf("topic %q: %w", s.Name, err)
	}
	c.created[s.Name]++
	c.indexes++
	c.topics = append(c.topics, t)
	c.byName[t.Name], c.byID[t.ID] = t, t
	c.emit(trace.Event{Kind: trace.TopicCreated, Name: t.ref, Part: s.Partitions, X: 1})
	for p := range s.Partitions {
		c.place(t, p, s.Leaders)
	}
	c.topicChanges++
	c.topicCreations = c.topicChanges
	return nil
}

// place adds the next partition to a topic.
func (c *Cluster) place(t *Topic, index int32, leaders []int32) {
	id := 1 + index%int32(len(c.nodes))
	if int(index) < len(leaders) {
		id = leaders[index]
	}
	p := &Partition{
		Topic: t, Index: index, Leader: -1, Epoch: -1, Replicas: []int32{id}, ISR: []int32{id},
	}
	t.Partitions = append(t.Partitions, p)
	c.node(id).disk[p.tp()] = storage.New(t.cfg.log)
	if c.alive(id) {
		c.elect(p, id)
		return
	}
	p.Epoch = 0
}

func (p *Partition) tp() wire.TopicPartition {
	return wire.TopicPartition{Topic: p.Topic.Name, Partition: p.Index}
}

// AddPartitions grows a topic to total partitions.
func (c *Cluster) AddPartitions(topic string, total int32) error {
	t, ok := c.byName[topic]
	if !ok {
		return fmt.Errorf("no such topic %q", topic)
	}
	if int(total) <= len(t.Partitions) {
		return fmt.Errorf("topic %q has %d partitions already; it can only grow",
			topic, len(t.Partitions))
	}
	for p := int32(len(t.Partitions)); p < total; p++ {
		c.place(t, p, nil)
	}
	c.topicChanges++
	return nil
}

// DeleteTopic ends a topic: its logs go, whoever waits for it is told, and groups forget their
// offsets of it (B23).
func (c *Cluster) DeleteTopic(name string) error {
	t := c.byName[name]
	if t == nil {
		return fmt.Errorf("no such topic %q", name)
	}
	t.deleted = true
	delete(c.byName, t.Name)
	delete(c.byID, t.ID)
	c.topics = slices.DeleteFunc(c.topics, func(o *Topic) bool { return o == t })
	for _, p := range t.Partitions {
		leader := c.leader(p)
		p.Leader = -1
		if leader != nil {
			leader.resign(p)
		}
		for _, n := range c.nodes {
			delete(n.disk, p.tp())
		}
	}
	for _, n := range c.nodes {
		if n.broker != nil {
			n.broker.groups.TopicDeleted(t.Name)
		}
	}
	return nil
}

// Preload appends records to a partition as one batch, as if they had been produced before the
// start. A record without timestamp gets the present one.
func (c *Cluster) Preload(topic string, part int32, records []wire.Record) error {
	p, err := c.partition(topic, part)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return nil
	}
	b := c.leader(p)
	if b == nil {
		return fmt.Errorf("%s-%d has no leader", topic, part)
	}
	batch := append([]wire.Record(nil), records...)
	for i := range batch {
		if batch[i].Timestamp == 0 {
			batch[i].Timestamp = b.env.Now().Millis()
		}
	}
	b.replica(p).appendRecords(batch, 0)
	return nil
}

// CommitOffset commits an offset for a group as if it had been done before the start.
func (c *Cluster) CommitOffset(groupID, topic string, part int32, offset int64) error {
	p, err := c.partition(topic, part)
	if err != nil {
		return err
	}
	if err := c.createOffsetsTopic(); err != nil {
		return err
	}
	home := c.byName[OffsetsTopic].Partitions[c.coordinatorPartition(groupID)]
	b := c.leader(home)
	if b == nil {
		return fmt.Errorf("group %q has no coordinator", groupID)
	}
	if code := b.groups.Preset(groupID, p.tp(), offset); code != wire.None {
		return fmt.Errorf("group %q: %s", groupID, code)
	}
	return nil
}

func (c *Cluster) coordinatorPartition(groupID string) int32 {
	return wire.CoordinatorPartition(groupID, c.cfg.group.OffsetsTopicPartitions)
}

// createOffsetsTopic creates the internal topic unless it is there (B27).
func (c *Cluster) createOffsetsTopic() error {
	if c.byName[OffsetsTopic] != nil {
		return nil
	}
	return c.CreateTopic(TopicSpec{
		Name: OffsetsTopic, Partitions: c.cfg.group.OffsetsTopicPartitions,
		Configs: []Entry{{"cleanup.policy", "compact"}, {"segment.bytes", "104857600"}},
	})
}

// topicID derives an id from the name and the number of earlier topics that had it, so that equal
// scenarios have equal ids. Its version and variant bits are those of a random UUID, as Kafka's.
func topicID(name string, before int) [16]byte {
	var id [16]byte
	if before > 0 {
		name += "#" + strconv.Itoa(before)
	}
	h := uint64(14695981039346656037)
	for half := range 2 {
		for i := range len(name) {
			h = (h ^ uint64(name[i])) * 1099511628211
		}
		for i := range 8 {
			id[half*8+i] = byte(h >> (56 - 8*i))
		}
		h = (h ^ 0xff) * 1099511628211
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id
}

// validTopicName: letters, digits, '.', '_' and '-', at most 249 of them, and neither "." nor "..".
func validTopicName(s string) bool {
	if s == "" || s == "." || s == ".." || len(s) > 249 {
		return false
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		case r == '.', r == '_', r == '-':
		default:
			return false
		}
	}
	return true
}
