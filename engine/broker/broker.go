package broker

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/group"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// Broker is one broker process.
type Broker struct {
	cluster *Cluster
	id      int32
	env     sim.Env
	ref     trace.Ref // its own name
	groups  *group.Coordinator
	// replicas are those that this broker has, by topic index and partition; nil where it has none.
	replicas [][]*replica
	image    image // of the cluster's metadata, as this broker knows it
	fetchers []*fetcher
	channels []*channel
	quorum   quorum
	duty     *duty // while it is the active controller
	life     life
	heart    *sim.Timer // of the next heartbeat
	isr      altering
	lines    map[int64]*line
	sessions sessionCache
	reads    []reading // room for the partitions of one fetch
	fetches  sim.Pool[fetchAnswer]
	produces sim.Pool[produceAnswer]
}

// New returns the broker of that id of a cluster, ready to be started as process "broker-<id>".
func New(c *Cluster, id int32) *Broker {
	if c.node(id) == nil {
		panic(fmt.Sprintf("broker: no such broker %d", id))
	}
	return &Broker{cluster: c, id: id, lines: map[int64]*line{}, life: life{epoch: -1}}
}

// node is the broker's place, with its disk.
func (b *Broker) node() *node { return b.cluster.node(b.id) }

// Start implements sim.Node: the broker takes up what it leads.
func (b *Broker) Start(env sim.Env) {
	b.env = env
	b.ref = env.Ref(b.cluster.node(b.id).name)
	b.groups = group.New(group.Options{
		Env: env, Config: &b.cluster.cfg.group, Append: b.appendOffsets,
		Topics: groupTopics{b},
	})
	b.cluster.up(b)
	b.scheduleCleaning()
}

// Opened implements sim.Node.
func (b *Broker) Opened(c sim.Conn) {
	if ch := b.channelOf(c); ch != nil {
		ch.opened()
		return
	}
	b.lines[c.ID()] = &line{broker: b, conn: c, peer: b.env.Ref(c.Peer())}
}

// Received implements sim.Node.
func (b *Broker) Received(c sim.Conn, m sim.Message) {
	if ch := b.channelOf(c); ch != nil {
		ch.received(m.(*wire.Frame))
		return
	}
	l := b.lines[c.ID()]
	if l == nil {
		return
	}
	l.queue = append(l.queue, m.(*wire.Frame))
	l.pump()
}

// Closed implements sim.Node. A group learns nothing of it (A63).
func (b *Broker) Closed(c sim.Conn) {
	if ch := b.channelOf(c); ch != nil {
		ch.lost()
		return
	}
	if l := b.lines[c.ID()]; l != nil {
		l.close()
	}
}

// line is a connection with the requests that wait for their turn.
type line struct {
	broker *Broker
	conn   sim.Conn
	peer   trace.Ref
	queue  []*wire.Frame
	now    *wire.Frame // the request that is being answered, if muted
	muted  bool
	busy   bool // pump is on the stack
	closed bool
	parked *parked // a fetch that waits; it is wait
	wait   parked
}

// pump takes requests until one is not answered at once.
func (l *line) pump() {
	if l.busy {
		return
	}
	l.busy = true
	for !l.muted && !l.closed && len(l.queue) > 0 && l.broker.serves(l.queue[0]) {
		l.now = l.queue[0]
		l.queue = append(l.queue[:0], l.queue[1:]...)
		l.muted = true
		l.broker.handle(l)
	}
	l.busy = false
}

// serves says whether a request is taken now. A broker that is not ready serves nobody but the
// quorum of controllers, which listens elsewhere.
func (b *Broker) serves(f *wire.Frame) bool {
	if b.life.ready || b.cluster.settles() {
		return true
	}
	switch req := f.Req.(type) {
	case *kmsg.VoteRequest, *kmsg.BeginQuorumEpochRequest, *kmsg.AlterPartitionRequest,
		*kmsg.BrokerRegistrationRequest, *kmsg.BrokerHeartbeatRequest:
		return true
	case *kmsg.FetchRequest:
		return asksMetadata(req)
	}
	return false
}

// lineList is the accepted connections in the order of their opening.
func (b *Broker) lineList() []*line {
	list := slices.Collect(maps.Values(b.lines))
	slices.SortFunc(list, func(x, y *line) int { return cmp.Compare(x.conn.ID(), y.conn.ID()) })
	return list
}

// reply answers the present request and goes on to the next.
func (l *line) reply(r kmsg.Response) { l.answer(new(wire.Frame), r) }

// answer is reply in a frame of the caller.
func (l *line) answer(f *wire.Frame, r kmsg.Response) {
	if l.closed {
		return
	}
	f.Answer(l.now, r)
	l.conn.Send(f)
	l.done()
}

// done ends the present request, which has no answer or was given it. A parked request is answered
// from within somebody else's work, as in the middle of a rebalance: what waits behind it takes a turn
// of its own, so that nothing changes under the hands of who answered.
func (l *line) done() {
	l.now, l.muted = nil, false
	if !l.busy && len(l.queue) > 0 {
		l.broker.env.After(0, l.pump)
	}
}

// hangUp closes the connection from this side.
func (l *line) hangUp() {
	l.close()
	l.conn.Close()
}

func (l *line) close() {
	l.closed, l.queue = true, nil
	delete(l.broker.lines, l.conn.ID())
	if l.parked != nil {
		l.parked.withdraw()
	}
}

// handle is one switch over the requests: the switch is the table of contents.
func (b *Broker) handle(l *line) {
	f := l.now
	if !wire.Serves(f.Key, f.Version) && f.Key != wire.KeyApiVersions {
		l.hangUp()
		return
	}
	switch req := f.Req.(type) {
	case *kmsg.ProduceRequest:
		b.produce(l, req)
	case *kmsg.FetchRequest:
		b.fetch(l, req)
	case *kmsg.ListOffsetsRequest:
		l.reply(b.listOffsets(req))
	case *kmsg.MetadataRequest:
		l.reply(b.metadata(req))
	case *kmsg.OffsetCommitRequest:
		b.offsetCommit(l, req)
	case *kmsg.OffsetFetchRequest:
		b.offsetFetch(l, req)
	case *kmsg.FindCoordinatorRequest:
		l.reply(b.findCoordinator(req))
	case *kmsg.JoinGroupRequest:
		b.joinGroup(l, req)
	case *kmsg.HeartbeatRequest:
		l.reply(b.heartbeat(req))
	case *kmsg.LeaveGroupRequest:
		l.reply(b.leaveGroup(req))
	case *kmsg.SyncGroupRequest:
		b.syncGroup(l, req)
	case *kmsg.DescribeGroupsRequest:
		l.reply(b.describeGroups(req))
	case *kmsg.ListGroupsRequest:
		l.reply(b.listGroups(req))
	case *kmsg.ApiVersionsRequest:
		l.reply(b.apiVersions(l, req))
	case *kmsg.InitProducerIDRequest:
		l.reply(b.initProducerID(req))
	case *kmsg.OffsetForLeaderEpochRequest:
		l.reply(b.offsetForLeaderEpoch(req))
	case *kmsg.DescribeConfigsRequest:
		l.reply(b.describeConfigs(req))
	case *kmsg.AlterConfigsRequest:
		l.reply(b.alterConfigs(req))
	case *kmsg.DeleteGroupsRequest:
		l.reply(b.deleteGroups(req))
	case *kmsg.ConsumerGroupHeartbeatRequest:
		b.consumerGroupHeartbeat(l, req)
	case *kmsg.ConsumerGroupDescribeRequest:
		l.reply(b.consumerGroupDescribe(req))
	case *kmsg.IncrementalAlterConfigsRequest:
		l.reply(b.incrementalAlterConfigs(req))
	case *kmsg.OffsetDeleteRequest:
		b.offsetDelete(l, req)
	case *kmsg.DescribeClusterRequest:
		l.reply(b.describeCluster(req))
	case *kmsg.DescribeTopicPartitionsRequest:
		l.reply(b.describeTopicPartitions(req))
	default:
		b.handleCluster(l)
	}
}

// handleCluster goes on with what brokers, controllers and administrators ask.
func (b *Broker) handleCluster(l *line) {
	switch req := l.now.Req.(type) {
	case *kmsg.CreateTopicsRequest, *kmsg.DeleteTopicsRequest, *kmsg.CreatePartitionsRequest,
		*kmsg.ElectLeadersRequest:
		b.administer(l, l.now.Req)
	case *kmsg.DeleteRecordsRequest:
		b.deleteRecords(l, req)
	case *kmsg.VoteRequest:
		l.reply(b.vote(req))
	case *kmsg.BeginQuorumEpochRequest:
		l.reply(b.beginQuorumEpoch(req))
	case *kmsg.AlterPartitionRequest:
		l.reply(b.alterPartitions(req))
	case *kmsg.BrokerRegistrationRequest:
		l.reply(b.brokerRegistration(req))
	case *kmsg.BrokerHeartbeatRequest:
		l.reply(b.brokerHeartbeat(req))
	default:
		l.hangUp()
	}
}

// topicOf finds the topic that a request names, by id from the version on that has ids.
func (b *Broker) topicOf(name string, id [16]byte, byID bool) (*Topic, wire.Code) {
	if byID {
		if t := b.cluster.byID[id]; b.image.knows(t) {
			return t, wire.None
		}
		return nil, wire.UnknownTopicID
	}
	if t := b.cluster.byName[name]; b.image.knows(t) {
		return t, wire.None
	}
	return nil, wire.UnknownTopicOrPartition
}
