package broker

import (
	"fmt"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/storage"
	"rebalancelab/engine/trace"
)

// OffsetsTopic is the internal topic that keeps groups and their offsets.
const OffsetsTopic = "__consumer_offsets"

// Cluster is a Kafka cluster: its brokers with their disks, and what is committed of its metadata.
// The controllers keep that in a log of their own, which every broker follows; a broker acts on
// what it knows of it (see image). Settings of brokers and topics are known everywhere at once.
type Cluster struct {
	nodes  []*node // broker n is nodes[n-1]
	topics []*Topic
	byName map[string]*Topic
	byID   map[[16]byte]*Topic // the deleted ones, too: a broker may not know yet
	cfg    config

	created map[string]int // how many topics of a name there were
	indexes int            // given to topics

	// committed is the metadata that log holds.
	committed image
	log       *storage.Log
	// replicated says that some partition has more than one replica. Until then the cluster has
	// nothing to decide: brokers share what is committed at once and do not watch each other, so that
	// a scenario about consumers is not full of the cluster's own talk.
	replicated bool
	// open says that the story has begun; what happens before it is settled at once.
	open bool

	env             sim.Env // of the broker that started last, to intern texts
	controller      int32   // 0: none yet
	controllerEpoch int32
	nextProducerID  int64
}

// node is a broker's place in the cluster, with its disk.
type node struct {
	id     int32
	name   string
	host   string // where clients are told to connect to
	port   int32
	rack   string
	disk   map[place]*storage.Log
	marks  map[place]int64 // the high watermarks as last written to the disk
	broker *Broker         // nil while it is down
	epoch  int32           // of the quorum, as last written to the disk
}

// Topic is a topic by its name and id, which never change.
type Topic struct {
	Name       string
	ID         [16]byte
	Internal   bool
	Partitions []*Partition

	index   int // a number of its own
	ref     trace.Ref
	entries []Entry
	cfg     topicConfig
}

// Partition is one partition of a topic; its [State] is a matter of who knows it.
type Partition struct {
	Topic *Topic
	Index int32
}

// NewCluster returns a cluster of n brokers, broker-1 to broker-n, that have yet to start.
func NewCluster(n int) *Cluster {
	c := &Cluster{
		byName: map[string]*Topic{}, byID: map[[16]byte]*Topic{}, cfg: defaultConfig(),
		created: map[string]int{}, log: storage.New(storage.DefaultConfig()),
	}
	for id := 1; id <= n; id++ {
		name := fmt.Sprintf("broker-%d", id)
		c.nodes = append(c.nodes, &node{
			id: int32(id), name: name, host: name, port: Port,
			disk: map[place]*storage.Log{}, marks: map[place]int64{},
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

// State is what is committed of a partition.
func (c *Cluster) State(p *Partition) *State { return c.committed.state(p) }

// leader is the running broker that leads p by what is committed, or nil.
func (c *Cluster) leader(p *Partition) *Broker {
	if n := c.node(c.State(p).Leader); n != nil {
		return n.broker
	}
	return nil
}

// SetRack says in which rack a broker stands, before it starts.
func (c *Cluster) SetRack(id int, rack string) { c.node(int32(id)).rack = rack }

// SetConfig changes a setting of a topic, or with topic empty of all brokers, from now on.
func (c *Cluster) SetConfig(topic, key, value string) error {
	e := Entry{key, value}
	if topic != "" {
		t, ok := c.byName[topic]
		if !ok {
			return fmt.Errorf("no such topic %q", topic)
		}
		if err := c.configure(t, append(t.entries, e)); err != nil {
			return err
		}
		c.electUnclean()
		return nil
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
	c.electUnclean()
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
		for _, n := range c.nodes {
			if log := n.disk[p.place()]; log != nil {
				log.SetConfig(cfg.log)
			}
		}
	}
	return nil
}
