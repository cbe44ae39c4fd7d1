package client

import (
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// metadata is what the client knows of the cluster.
type metadata struct {
	base *base
	// topics names what to ask for; all says to ask for every topic of the cluster instead.
	topics func() []string
	all    func() bool
	ids    func() [][16]byte // topics that are known by their ids alone
	nodes  []int32
	racks  map[int32]string // of the nodes that have one
	list   []topicMeta      // by name
	wanted bool
	asking bool
	known  bool // at least one answer came
	count  int  // answers so far
	// version grows with whatever changes the leaders known: an answer, or a hint in another one.
	version int
	last    sim.Time
	nextAt  sim.Time // not before: retry.backoff after a try
	tries   int
	// asked are the topics of the request under way, or all of them; covered those of the last
	// answer.
	asked, covered       []string
	askedAll, coveredAll bool
}

// topicMeta is one topic of it.
type topicMeta struct {
	name     string
	id       [16]byte
	code     wire.Code
	internal bool
	parts    []partitionMeta // by partition number
	replicas [][]int32       // likewise; nil where no broker tells a rack
	// seen are the highest leader epochs heard of, from whatever source, by partition number.
	seen []int32
}

// partitionMeta is a partition's leader and leader epoch, -1 while unknown.
type partitionMeta struct{ leader, epoch int32 }

// noID is the id of a topic that has none.
var noID [16]byte

// want asks for an update as soon as possible.
func (m *metadata) want() { m.wanted = true }

// topic finds a topic that exists, or nil.
func (m *metadata) topic(name string) *topicMeta {
	for i := range m.list {
		if m.list[i].name == name && m.list[i].code == wire.None {
			return &m.list[i]
		}
	}
	return nil
}

func (m *metadata) topicByID(id [16]byte) *topicMeta {
	for i := range m.list {
		if m.list[i].id == id {
			return &m.list[i]
		}
	}
	return nil
}

// leader is the partition's leader; -1 while unknown, which it also is while a newer epoch than
// the one in metadata has been seen. [Metadata.currentLeader]
func (m *metadata) leader(tp TopicPartition) partitionMeta {
	t := m.topic(tp.Topic)
	if t == nil || int(tp.Partition) >= len(t.parts) {
		return partitionMeta{-1, -1}
	}
	known := t.parts[tp.Partition]
	if seen := t.seen[tp.Partition]; known.epoch < seen {
		return partitionMeta{-1, seen}
	}
	return known
}

// sawEpoch hears that tp has had a leader epoch; one that is newer than metadata asks for an
// update. [Metadata.updateLastSeenEpochIfNewer]
func (m *metadata) sawEpoch(tp TopicPartition, epoch int32) {
	t := m.topic(tp.Topic)
	if t == nil || int(tp.Partition) >= len(t.seen) || epoch <= t.seen[tp.Partition] {
		return
	}
	t.seen[tp.Partition] = epoch
	m.want()
}

// newLeader takes a leader that a broker has named beside an error (KIP-951).
// [Metadata.updatePartitionLeadership]
func (m *metadata) newLeader(tp TopicPartition, leader partitionMeta) {
	t := m.topic(tp.Topic)
	if leader.leader < 0 || leader.epoch < 0 || t == nil || int(tp.Partition) >= len(t.parts) ||
		leader.epoch <= t.seen[tp.Partition] || !slices.Contains(m.nodes, leader.leader) {
		return
	}
	t.parts[tp.Partition], t.seen[tp.Partition] = leader, leader.epoch
	m.version++
}

// fresh says whether nothing is asked for and every topic of names was in an answer.
func (m *metadata) fresh(names []string) bool {
	if !m.known || m.wanted || m.asking {
		return false
	}
	return m.covers(names)
}

// covers says whether the last answer tells of every topic of names, be it there or not.
func (m *metadata) covers(names []string) bool {
	for _, name := range names {
		if !m.coveredAll && !slices.Contains(m.covered, name) {
			return false
		}
	}
	return true
}

// update sends a request when one is wanted or the old answer is metadata.max.age.ms old.
func (m *metadata) update() {
	topics, all, ids := m.topics(), m.all(), m.topicIDs()
	if m.asking || len(topics)+len(ids) == 0 && !all && !m.wanted {
		return
	}
	now := m.base.now()
	if m.known && !m.wanted {
		due := m.last.Add(m.base.opt.metadataMaxAge)
		if now < due {
			m.base.wakeAt(due)
			return
		}
	}
	if now < m.nextAt {
		m.base.wakeAt(m.nextAt)
		return
	}
	l := m.base.leastLoaded()
	if l == nil {
		return
	}
	m.ask(l, topics, all, ids)
}

func (m *metadata) topicIDs() [][16]byte {
	if m.ids == nil {
		return nil
	}
	return m.ids()
}

func (m *metadata) ask(l *link, topics []string, all bool, ids [][16]byte) {
	m.asking, m.wanted = true, false
	m.asked, m.askedAll = slices.Clone(topics), all
	m.nextAt = m.base.now().Add(m.base.retryBackoff(m.tries))
	req := kmsg.NewPtrMetadataRequest()
	req.AllowAutoTopicCreation = m.base.opt.allowAutoCreateTopics
	if !all { // no list means all topics
		req.Topics = make([]kmsg.MetadataRequestTopic, len(m.asked))
		for i := range req.Topics {
			req.Topics[i] = kmsg.NewMetadataRequestTopic()
			req.Topics[i].Topic = &m.asked[i]
		}
		for _, id := range ids {
			t := kmsg.NewMetadataRequestTopic()
			t.TopicID = id
			req.Topics = append(req.Topics, t)
		}
	}
	l.send(req, m.base.opt.requestTimeout, m.answered)
}

func (m *metadata) answered(resp kmsg.Response, err error) {
	m.asking = false
	if err != nil {
		m.wanted = true
		m.tries++
		return
	}
	r := resp.(*kmsg.MetadataResponse)
	if len(r.Brokers) == 0 {
		m.wanted = true
		m.tries++
		return
	}
	m.nodes, m.racks = m.nodes[:0], nil
	for i := range r.Brokers {
		m.nodes = append(m.nodes, r.Brokers[i].NodeID)
		m.setRack(&r.Brokers[i])
	}
	slices.Sort(m.nodes)
	retry, old := false, m.list
	m.list = make([]topicMeta, 0, len(r.Topics))
	for i := range r.Topics {
		retry = m.take(&r.Topics[i], old) || retry
	}
	slices.SortFunc(m.list, func(a, b topicMeta) int { return strings.Compare(a.name, b.name) })
	m.known, m.last = true, m.base.now()
	m.covered, m.coveredAll = m.asked, m.askedAll
	m.count++
	m.version++
	if retry {
		m.wanted = true
		m.tries++
	} else {
		m.tries = 0
	}
}

// take reads one topic and says whether another answer must be awaited: the topic is not there yet
// or a partition has no leader. What is older than what is known of it does not count.
// [Metadata.updateLatestMetadata]
func (m *metadata) take(t *kmsg.MetadataResponseTopic, old []topicMeta) (retry bool) {
	tm := topicMeta{id: t.TopicID, code: wire.Code(t.ErrorCode), internal: t.IsInternal}
	if t.Topic != nil {
		tm.name = *t.Topic
	}
	tm.parts, tm.seen = make([]partitionMeta, len(t.Partitions)), make([]int32, len(t.Partitions))
	before := sameTopic(old, tm.name, tm.id)
	for i := range tm.parts {
		tm.parts[i], tm.seen[i] = partitionMeta{-1, -1}, -1
		if before != nil && i < len(before.parts) {
			tm.seen[i] = before.seen[i]
		}
	}
	for i := range t.Partitions {
		p := &t.Partitions[i]
		if p.Partition < 0 || int(p.Partition) >= len(tm.parts) {
			continue
		}
		pm := partitionMeta{p.Leader, p.LeaderEpoch}
		if p.ErrorCode == int16(wire.LeaderNotAvailable) {
			pm.leader = -1
		}
		retry = retry || pm.leader < 0
		if n := p.Partition; pm.epoch >= 0 && pm.epoch < tm.seen[n] {
			pm = before.parts[n]
		} else {
			tm.seen[n] = max(tm.seen[n], pm.epoch)
		}
		tm.parts[p.Partition] = pm
	}
	if m.racks != nil {
		tm.replicas = replicasOf(t)
	}
	m.list = append(m.list, tm)
	return retry || tm.code.Retriable()
}

// refusal is what metadata says against writing to a topic at all, or nil.
// [Metadata.maybeThrowExceptionForTopic]
func (m *metadata) refusal(name string) error {
	for i := range m.list {
		if code := m.list[i].code; m.list[i].name == name &&
			(code == wire.InvalidTopicException || code == wire.TopicAuthorizationFailed) {
			return codeError(code)
		}
	}
	return nil
}

// sameTopic is the topic as it was known, unless it was deleted and made anew.
func sameTopic(list []topicMeta, name string, id [16]byte) *topicMeta {
	for i := range list {
		if list[i].name == name && list[i].id == id {
			return &list[i]
		}
	}
	return nil
}

// leastLoaded is the node to ask what any node can answer: a ready connection with the fewest
// requests under way, else one that is being made, else a new one. It is nil while every node is
// resting after a failure. [NetworkClient.leastLoadedNode]
func (b *base) leastLoaded() *link {
	nodes, r := b.meta.nodes, roleNode
	if len(nodes) == 0 {
		r = roleBootstrap
		nodes = make([]int32, len(b.opt.bootstrap))
		for i := range nodes {
			nodes[i] = int32(i)
		}
	}
	var ready, coming *link
	for _, n := range nodes {
		l := b.findLink(n, r)
		switch {
		case l == nil || l.state == linkIdle:
		case l.state != linkReady:
			coming = l
		case ready == nil || len(l.sent) < len(ready.sent):
			ready = l
		}
	}
	if ready != nil {
		return ready
	}
	if coming != nil {
		return coming
	}
	l := b.newlyDialed(nodes, r)
	if l == nil && r == roleNode && b.opt.rebootstrap {
		b.meta.rebootstrap()
		return b.leastLoaded()
	}
	return l
}

// rebootstrap forgets the brokers, none of which can be reached now, and starts again from those
// that the configuration names (KIP-899). Topics stay known.
func (m *metadata) rebootstrap() {
	m.nodes = m.nodes[:0]
	m.want()
}

// newlyDialed picks one of the nodes that may be dialed now, starting anywhere.
func (b *base) newlyDialed(nodes []int32, r role) *link {
	start := int(b.env.Rand("node").Below(int64(len(nodes))))
	next := sim.Time(1<<63 - 1)
	for i := range nodes {
		l := b.link(nodes[(start+i)%len(nodes)], r)
		if !l.resting() {
			return l
		}
		next = min(next, l.retryAt)
	}
	b.wakeAt(next)
	return nil
}
