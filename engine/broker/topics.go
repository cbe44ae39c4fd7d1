package broker

import (
	"fmt"
	"slices"
	"strconv"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// TopicSpec describes a topic to be created.
type TopicSpec struct {
	Name       string
	Partitions int32
	// ReplicationFactor 0 stands for default.replication.factor.
	ReplicationFactor int32
	// Leaders places the partitions' first replicas by broker id, from partition 0 on; a partition
	// that is not placed goes to broker 1 + p mod n. The other replicas are on the brokers that
	// follow, one rack after another.
	Leaders []int32
	// Replicas places all replicas of the partitions, from partition 0 on.
	Replicas [][]int32
	Configs  []Entry
}

// ErrNoController is the error of every change that only the controller may make, while no broker is it. An
// admin client asks again.
var ErrNoController error = errNoController

var errNoController = refuse(wire.NotController, "no controller is active now")

// CreateTopic creates a topic at once, as the controller does when it is asked.
func (c *Cluster) CreateTopic(s TopicSpec) error {
	if c.settles() {
		c.electController()
	}
	if !c.decides() {
		return errNoController
	}
	if err := c.validateTopic(&s); err != nil {
		return err
	}
	c.create(s)
	return nil
}

// validateTopic checks a spec and fills in what it leaves to the cluster: the replicas.
func (c *Cluster) validateTopic(s *TopicSpec) *fault {
	if s.ReplicationFactor == 0 {
		s.ReplicationFactor = c.cfg.replicationFactor
	}
	switch {
	case !validTopicName(s.Name):
		return refuse(wire.InvalidTopicException, "%q is not a topic name", s.Name)
	case c.byName[s.Name] != nil:
		return refuse(wire.TopicAlreadyExists, "topic %q exists already", s.Name)
	case s.Partitions < 1:
		return refuse(wire.InvalidPartitions, "topic %q: %d partitions; at least 1 is needed",
			s.Name, s.Partitions)
	case int(s.Partitions) < max(len(s.Leaders), len(s.Replicas)):
		return refuse(wire.InvalidReplicaAssignment, "topic %q: %d leaders for %d partitions",
			s.Name, max(len(s.Leaders), len(s.Replicas)), s.Partitions)
	}
	t := &Topic{}
	if err := c.configure(t, s.Configs); err != nil {
		return refuse(wire.InvalidConfig, "topic %q: %s", s.Name, err)
	}
	placed, err := c.placement(s, 0)
	s.Replicas = placed
	return err
}

// create brings a topic into being whose spec was checked.
func (c *Cluster) create(s TopicSpec) {
	t := &Topic{
		Name: s.Name, ID: topicID(s.Name, c.created[s.Name]), Internal: s.Name == OffsetsTopic,
		index: c.indexes, ref: c.ref(s.Name),
	}
	if err := c.configure(t, s.Configs); err != nil {
		panic("broker: " + err.Error())
	}
	if s.ReplicationFactor > 1 && !c.replicated {
		c.replicated = true
		if c.open {
			c.watch()
		}
	}
	c.created[s.Name]++
	c.indexes++
	c.topics = append(c.topics, t)
	c.byName[t.Name], c.byID[t.ID] = t, t
	c.emit(trace.Event{
		Kind: trace.TopicCreated, Name: t.ref, Part: s.Partitions, X: int64(s.ReplicationFactor),
	})
	records := []wire.MetadataRecord{{Type: wire.TopicRecord, Topic: t.Name, TopicID: t.ID}}
	c.commit(c.grow(t, s.Replicas, records)...)
}

// grow adds partitions on the given replicas to a topic, as records. All replicas are in sync at
// first, but for those on brokers that are down; the first of them leads.
func (c *Cluster) grow(
	t *Topic, replicas [][]int32, records []wire.MetadataRecord,
) []wire.MetadataRecord {
	for _, ids := range replicas {
		p := &Partition{Topic: t, Index: int32(len(t.Partitions))}
		t.Partitions = append(t.Partitions, p)
		r := wire.MetadataRecord{
			Type: wire.PartitionRecord, TopicID: t.ID, Partition: p.Index, Replicas: ids, Leader: -1,
		}
		for _, id := range ids {
			if c.committed.live(id) {
				r.ISR = append(r.ISR, id)
			}
		}
		if len(r.ISR) > 0 {
			r.Leader = r.ISR[0]
		} else {
			r.ISR = ids[:1]
		}
		records = append(records, r)
	}
	return records
}

// placement is where the partitions from first on get their replicas.
func (c *Cluster) placement(s *TopicSpec, first int32) ([][]int32, *fault) {
	if int(s.ReplicationFactor) > len(c.nodes) {
		return nil, refuse(wire.InvalidReplicationFactor,
			"topic %q: replication factor %d with %d brokers", s.Name, s.ReplicationFactor, len(c.nodes))
	}
	var all [][]int32
	for p := first; p < s.Partitions; p++ {
		var ids []int32
		switch i := int(p); {
		case i < len(s.Replicas):
			ids = s.Replicas[i]
		case i < len(s.Leaders):
			ids = c.spread(s.Leaders[i], int(s.ReplicationFactor))
		default:
			ids = c.spread(1+p%int32(len(c.nodes)), int(s.ReplicationFactor))
		}
		for i, id := range ids {
			if c.node(id) == nil {
				return nil, refuse(wire.InvalidReplicaAssignment, "topic %q: no such broker %d", s.Name, id)
			}
			if slices.Contains(ids[:i], id) {
				return nil, refuse(wire.InvalidReplicaAssignment,
					"topic %q: broker %d stands twice among the replicas %v", s.Name, id, ids)
			}
		}
		all = append(all, ids)
	}
	return all, nil
}

// spread chooses n brokers from first on, each in another rack as long as there is one.
func (c *Cluster) spread(first int32, n int) []int32 {
	ids := []int32{first}
	if c.node(first) == nil {
		return ids // named by a person; whoever checks the placement says so
	}
	for len(ids) < n {
		racks := map[string]bool{}
		for _, id := range ids {
			racks[c.node(id).rack] = true
		}
		next := int32(0)
		for k := range int32(len(c.nodes)) {
			id := (first-1+k)%int32(len(c.nodes)) + 1
			if slices.Contains(ids, id) {
				continue
			}
			if next == 0 || racks[c.node(next).rack] && !racks[c.node(id).rack] {
				next = id
			}
		}
		ids = append(ids, next)
	}
	return ids
}

// place is where a disk keeps the log of a partition; a topic that is created again has another one.
type place struct {
	topic [16]byte
	part  int32
}

func (p *Partition) place() place { return place{p.Topic.ID, p.Index} }

func (p *Partition) tp() wire.TopicPartition {
	return wire.TopicPartition{Topic: p.Topic.Name, Partition: p.Index}
}

// AddPartitions grows a topic to total partitions, with as many replicas as its first one has.
func (c *Cluster) AddPartitions(topic string, total int32) error {
	if err := c.addPartitions(topic, total, nil, false); err != nil {
		return err
	}
	return nil
}

// addPartitions places the new partitions as given, or as the cluster thinks best. With only it says
// no more than whether it could.
func (c *Cluster) addPartitions(
	topic string, total int32, replicas [][]int32, only bool,
) *fault {
	t, ok := c.byName[topic]
	switch {
	case !ok:
		return refuse(wire.UnknownTopicOrPartition, "no such topic %q", topic)
	case !c.decides():
		return errNoController
	case int(total) <= len(t.Partitions):
		return refuse(wire.InvalidPartitions,
			"topic %q has %d partitions already; it can only grow", topic, len(t.Partitions))
	}
	first := int32(len(t.Partitions))
	spec := TopicSpec{
		Name: topic, Partitions: total,
		ReplicationFactor: int32(len(c.State(t.Partitions[0]).Replicas)),
	}
	if len(replicas) > 0 {
		spec.Replicas = append(make([][]int32, first), replicas...)
	}
	placed, err := c.placement(&spec, first)
	if err != nil || only {
		return err
	}
	c.commit(c.grow(t, placed, nil)...)
	return nil
}

// DeleteTopic ends a topic: its logs go, whoever waits for it is told, and groups forget their
// offsets of it (B23).
func (c *Cluster) DeleteTopic(name string) error {
	t := c.byName[name]
	switch {
	case t == nil:
		return fmt.Errorf("no such topic %q", name)
	case !c.decides():
		return errNoController
	}
	delete(c.byName, t.Name)
	c.topics = slices.DeleteFunc(c.topics, func(o *Topic) bool { return o == t })
	c.emit(trace.Event{
		Kind: trace.TopicDeleted, Name: t.ref, Part: int32(len(t.Partitions)),
	})
	c.commit(wire.MetadataRecord{Type: wire.RemoveTopicRecord, TopicID: t.ID})
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
	if b == nil || !b.replica(p).leads() {
		return fmt.Errorf("%s-%d has no leader", topic, part)
	}
	batch := append([]wire.Record(nil), records...)
	for i := range batch {
		if batch[i].Timestamp == 0 {
			batch[i].Timestamp = b.env.Now().Millis()
		}
	}
	b.replica(p).appendRecords(batch, 0)
	c.seed(b.replica(p))
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
	return c.CreateTopic(c.offsetsSpec())
}

// offsetsSpec is the internal topic (B27). Where nothing says how many replicas it has, a cluster
// that replicates gives it Kafka's three, as far as there are brokers, and one that does not gives it
// one: else a scenario without replicas would have them for its commits alone.
func (c *Cluster) offsetsSpec() TopicSpec {
	n := c.cfg.offsetsReplicas
	if n == 0 {
		n = 1
		if c.replicated {
			n = min(3, int32(len(c.nodes)))
		}
	}
	return TopicSpec{
		Name: OffsetsTopic, Partitions: c.cfg.group.OffsetsTopicPartitions, ReplicationFactor: n,
		Configs: []Entry{{"cleanup.policy", "compact"}, {"segment.bytes", "104857600"}},
	}
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
