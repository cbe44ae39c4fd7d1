package broker

import (
	"fmt"

	"rebalancelab/engine/storage"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// OffsetsTopic is the internal topic that keeps groups and their offsets.
const OffsetsTopic = "__consumer_offsets"

// Cluster is what the controller knows: brokers, topics, leaders. Every broker of the cluster reads
// it. It also keeps the brokers' disks, which outlive their processes.
type Cluster struct {
	nodes  []*node // broker n is nodes[n-1]
	topics []*Topic
	byName map[string]*Topic
	byID   map[[16]byte]*Topic
	cfg    config

	// topicChanges counts what changed in the topics, topicCreations is its value when one came last.
	topicChanges, topicCreations int64
	created                      map[string]int // how many topics of a name there were
	indexes                      int            // given to topics

	controller      int32 // 0: none lives
	controllerEpoch int64
	nextProducerID  int64
}

// node is a broker's place in the cluster.
type node struct {
	id     int32
	name   string
	host   string // where clients are told to connect to
	port   int32
	disk   map[wire.TopicPartition]*storage.Log
	broker *Broker // nil while it is down
}

// Topic is a topic's metadata.
type Topic struct {
	Name       string
	ID         [16]byte
	Internal   bool
	Partitions []*Partition

	index   int // a number of its own
	deleted bool
	ref     trace.Ref
	entries []Entry
	cfg     topicConfig
}

// Partition is a partition's metadata.
type Partition struct {
	Topic *Topic
	Index int32
	// Leader is a broker id, -1 while there is none.
	Leader int32
	Epoch  int32
	// Replicas and ISR are broker ids, the preferred leader first.
	Replicas, ISR []int32
}

// NewCluster returns a cluster of n brokers, broker-1 to broker-n, that have yet to start.
func NewCluster(n int) *Cluster {
	c := &Cluster{
		byName: map[string]*Topic{}, byID: map[[16]byte]*Topic{}, cfg: defaultConfig(),
		created: map[string]int{},
	}
	for id := 1; id <= n; id++ {
		name := fmt.Sprintf("broker-%d", id)
		c.nodes = append(c.nodes, &node{
			id: int32(id), name: name, host: name, port: Port,
			disk: map[wire.TopicPartition]*storage.Log{},
		})
	}
	return c
}

// Advertise sets the address that clients are told for a broker, in place of its name and [Port],
// and returns the broker's name. It is called before the broker starts.
func (c *Cluster) Advertise(id int32, host string, port int32) (name string) {
	n := c.node(id)
	n.host, n.port = host, port
	return n.name
}

// node finds a broker by id; nil if there is none such.
func (c *Cluster) node(id int32) *node {
	if id < 1 || int(id) > len(c.nodes) {
		return nil
	}
	return c.nodes[id-1]
}

// alive says whether a broker runs.
func (c *Cluster) alive(id int32) bool {
	n := c.node(id)
	return n != nil && n.broker != nil
}

func (c *Cluster) named(name string) *node {
	for _, n := range c.nodes {
		if n.name == name {
			return n
		}
	}
	panic("broker: no broker is called " + name)
}

// Topic finds a topic by name.
func (c *Cluster) Topic(name string) (*Topic, bool) {
	t, ok := c.byName[name]
	return t, ok
}

// partition finds a partition, with an error in words for whoever wrote the scenario.
func (c *Cluster) partition(topic string, part int32) (*Partition, error) {
	t, ok := c.byName[topic]
	if !ok {
		return nil, fmt.Errorf("no such topic %q", topic)
	}
	if part < 0 || int(part) >= len(t.Partitions) {
		return nil, fmt.Errorf("topic %q has no partition %d; the last is %d", topic, part,
			len(t.Partitions)-1)
	}
	return t.Partitions[part], nil
}

// partition finds a partition of the topic; nil if there is none such.
func (t *Topic) partition(part int32) *Partition {
	if t == nil || part < 0 || int(part) >= len(t.Partitions) {
		return nil
	}
	return t.Partitions[part]
}

// leader is the running broker that leads p, or nil.
func (c *Cluster) leader(p *Partition) *Broker {
	if n := c.node(p.Leader); n != nil {
		return n.broker
	}
	return nil
}

// emit writes an event of the controller; without one there is nobody to write it.
func (c *Cluster) emit(e trace.Event) {
	if n := c.node(c.controller); n != nil && n.broker != nil {
		n.broker.env.Trace(e)
	}
}

// electController makes the running broker with the lowest id the controller, unless one is.
func (c *Cluster) electController() {
	if c.alive(c.controller) {
		return
	}
	c.controller = 0
	for _, n := range c.nodes {
		if n.broker != nil {
			c.controller = n.id
			c.controllerEpoch++
			c.emit(trace.Event{Kind: trace.Controller, X: c.controllerEpoch})
			return
		}
	}
}

// SetConfig changes a setting of a topic, or with topic empty of all brokers, from now on.
func (c *Cluster) SetConfig(topic, key, value string) error {
	e := Entry{key, value}
	if topic != "" {
		t, ok := c.byName[topic]
		if !ok {
			return fmt.Errorf("no such topic %q", topic)
		}
		return c.configure(t, append(t.entries, e))
	}
	cfg := c.cfg
	if err := cfg.apply(e); err != nil {
		return err
	}
	if t := c.byName[OffsetsTopic]; t != nil &&
		cfg.group.OffsetsTopicPartitions != int32(len(t.Partitions)) {
		return fmt.Errorf("%s: %s has %d partitions already", key, OffsetsTopic, len(t.Partitions))
	}
	c.cfg = cfg
	for _, t := range c.topics {
		if err := c.configure(t, t.entries); err != nil {
			return err
		}
	}
	return nil
}

// configure sets a topic to the brokers' defaults overlaid with entries.
func (c *Cluster) configure(t *Topic, entries []Entry) error {
	cfg := c.cfg.topic
	for _, e := range entries {
		if err := cfg.apply(e); err != nil {
			return err
		}
	}
	t.cfg, t.entries = cfg, entries
	for _, p := range t.Partitions {
		for _, id := range p.Replicas {
			c.node(id).disk[p.tp()].SetConfig(cfg.log)
		}
	}
	return nil
}
