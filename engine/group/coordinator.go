package group

import (
	"slices"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// Options are what a coordinator gets from its broker.
type Options struct {
	Env sim.Env
	// Config is the broker's; the coordinator reads it anew each time.
	Config *Config
	// Append writes records to a partition of __consumer_offsets and calls done once, when they are
	// replicated (acks = all) or could not be. done may be called before Append returns. After
	// REQUEST_TIMED_OUT it is called a second time, with NONE, if they are replicated after all. Without
	// records it waits for those that were written to the partition before.
	Append func(partition int32, records []wire.Record, done func(wire.Code))
	// Topics is the broker's metadata. Only groups of the consumer protocol need it; nil is a cluster
	// without topics.
	Topics Topics
}

// Client is who sent a request.
type Client struct {
	// ID is the request header's client id, Host the address it came from.
	ID, Host string
}

// Coordinator is the group coordinator of one broker. What it holds in memory dies with its process
// and is read again from the log by [Coordinator.Load].
type Coordinator struct {
	env    sim.Env
	cfg    *Config
	append func(partition int32, records []wire.Record, done func(wire.Code))
	topics Topics
	shards []*shard // by partition; nil where another broker leads
}

// shard is one partition of __consumer_offsets with the groups that it keeps.
type shard struct {
	partition int32
	loading   bool
	replaying bool // its log is being read: what happens is not told one by one
	gone      bool // the leadership was lost while something was under way
	loadTimer *sim.Timer
	groups    map[string]*group
	order     []*group // in order of creation
}

// New returns a coordinator that leads no partition yet. It starts the offsets' expiry (B19).
func New(o Options) *Coordinator {
	c := &Coordinator{env: o.Env, cfg: o.Config, append: o.Append, topics: o.Topics}
	if c.topics == nil {
		c.topics = noTopics{}
	}
	c.scheduleExpiry()
	return c
}

// Partition is the partition of __consumer_offsets that keeps a group (A1).
func (c *Coordinator) Partition(id string) int32 {
	return wire.CoordinatorPartition(id, c.cfg.OffsetsTopicPartitions)
}

// route finds the shard of a group: NOT_COORDINATOR where another broker leads,
// COORDINATOR_LOAD_IN_PROGRESS while the log is being read (A6).
func (c *Coordinator) route(id string) (*shard, wire.Code) {
	n := int(c.Partition(id))
	if n >= len(c.shards) || c.shards[n] == nil {
		return nil, wire.NotCoordinator
	}
	if c.shards[n].loading {
		return nil, wire.CoordinatorLoadInProgress
	}
	return c.shards[n], wire.None
}

// newGroup puts an Empty group into the shard.
func (c *Coordinator) newGroup(s *shard, id string) *group {
	g := &group{
		c: c, shard: s, id: id, ref: c.env.Ref(id), state: trace.GroupEmpty,
		stateAt: c.env.Now(), previous: trace.GroupDead, members: newRoster(),
	}
	s.groups[id] = g
	s.order = append(s.order, g)
	return g
}

func (s *shard) drop(g *group) {
	delete(s.groups, g.id)
	if i := slices.Index(s.order, g); i >= 0 {
		s.order = slices.Delete(s.order, i, i+1)
	}
}

// write appends records and runs then with the outcome, as the response to a client names it (A54).
// If the partition was lost meanwhile that is NOT_COORDINATOR, whatever became of the records.
func (c *Coordinator) write(s *shard, records []wire.Record, then func(wire.Code)) {
	c.writeLate(s, records, then, func() {})
}

// writeLate is write for records that count as soon as they are replicated, though then was told that
// it took too long: late is called at that moment.
func (c *Coordinator) writeLate(s *shard, records []wire.Record, then func(wire.Code), late func()) {
	told := false
	c.append(s.partition, records, func(code wire.Code) {
		switch {
		case s.gone && told:
		case told:
			late()
		case s.gone:
			told = true
			then(wire.NotCoordinator)
		default:
			told = true
			then(appendError(code))
		}
	})
}

// appendError is how a failed append is told to clients (A54).
func appendError(code wire.Code) wire.Code {
	switch code {
	case wire.UnknownTopicOrPartition, wire.NotEnoughReplicas, wire.NotEnoughReplicasAfterAppend,
		wire.RequestTimedOut:
		return wire.CoordinatorNotAvailable
	case wire.NotLeaderOrFollower, wire.KafkaStorageError:
		return wire.NotCoordinator
	case wire.MessageTooLarge, wire.RecordListTooLarge, wire.InvalidFetchSize:
		return wire.UnknownServerError
	}
	return code
}
