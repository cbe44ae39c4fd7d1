package group

import (
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// offsets are what a group committed, in order of first commit.
type offsets struct {
	list  []committed
	index map[wire.TopicPartition]int
}

// committed is a committed offset. Times are in milliseconds; expireAt is -1 unless an old client
// gave a retention of its own.
type committed struct {
	tp           wire.TopicPartition
	topic        trace.Ref
	topicID      [16]byte // zero unless the request named the topic by it (B18)
	offset       int64
	epoch        int32
	metadata     string
	at, expireAt int64
}

func (o *offsets) find(tp wire.TopicPartition) *committed {
	if i, ok := o.index[tp]; ok {
		return &o.list[i]
	}
	return nil
}

func (o *offsets) set(v committed) {
	if i, ok := o.index[v.tp]; ok {
		o.list[i] = v
		return
	}
	if o.index == nil {
		o.index = map[wire.TopicPartition]int{}
	}
	o.index[v.tp] = len(o.list)
	o.list = append(o.list, v)
}

// tellLoaded writes what a new coordinator found: among it may be an offset whose commit nobody was
// answered.
func (o *offsets) tellLoaded(g *group) {
	for i := range o.list {
		v := &o.list[i]
		g.c.env.Trace(trace.Event{
			Kind: trace.OffsetCommitted, Name: v.topic, Part: v.tp.Partition, X: v.offset,
			Y: int64(g.ref), Z: 2,
		})
	}
}

func (o *offsets) remove(tp wire.TopicPartition) {
	i, ok := o.index[tp]
	if !ok {
		return
	}
	o.list = append(o.list[:i], o.list[i+1:]...)
	delete(o.index, tp)
	for j := i; j < len(o.list); j++ {
		o.index[o.list[j].tp] = j
	}
}

// OffsetCommit stores the offsets of req, whose topics the broker has checked and named, and hands
// back one code a partition in the order of the request. Negative offsets and such beyond the log's
// end are stored like any other (B12), for partitions of any owner (B9).
func (c *Coordinator) OffsetCommit(req *kmsg.OffsetCommitRequest, reply func(codes []wire.Code)) {
	n := 0
	for i := range req.Topics {
		n += len(req.Topics[i].Partitions)
	}
	codes := make([]wire.Code, n)
	fill := func(code wire.Code) {
		for i := range codes {
			if codes[i] == wire.None {
				codes[i] = code
			}
		}
		reply(codes)
	}
	s, code := c.route(req.Group)
	if code != wire.None {
		fill(code)
		return
	}
	g, code := c.groupForCommit(s, req)
	if code != wire.None {
		fill(code)
		return
	}
	if g.consumer != nil {
		g.checkStaleEpoch(req, codes)
	}
	values := g.collect(req, codes)
	if len(values) == 0 {
		reply(codes)
		return
	}
	g.store(values, c.env.Ref(req.MemberID), 0, fill)
}

// groupForCommit finds the group and checks whether the sender may commit now; an unknown group
// comes into being by a commit without generation (B3).
func (c *Coordinator) groupForCommit(s *shard, req *kmsg.OffsetCommitRequest) (*group, wire.Code) {
	g := s.groups[req.Group]
	if g == nil {
		if req.Generation < 0 {
			return c.newGroup(s, req.Group), wire.None
		}
		if req.Version >= 9 {
			return nil, wire.GroupIDNotFound
		}
		return nil, wire.IllegalGeneration
	}
	return g, g.validateCommit(req)
}

// validateCommit follows B4-B7; an accepted commit in Stable or Preparing re-arms the session.
func (g *group) validateCommit(req *kmsg.OffsetCommitRequest) wire.Code {
	if g.consumer != nil {
		return g.validateConsumerCommit(req)
	}
	if g.state == trace.GroupDead {
		return wire.CoordinatorNotAvailable
	}
	if req.Generation < 0 && g.state == trace.GroupEmpty {
		return wire.None
	}
	if req.Generation < 0 && req.MemberID == "" && req.InstanceID == nil {
		return wire.UnknownMemberID
	}
	if code := g.validate(req.MemberID, req.InstanceID); code != wire.None {
		return code
	}
	if req.Generation != g.generation {
		return wire.IllegalGeneration
	}
	if g.state == trace.GroupCompletingRebalance {
		return wire.RebalanceInProgress
	}
	m := g.members.get(req.MemberID)
	g.arm(m, m.sessionTimeout, wire.KeyOffsetCommit)
	return wire.None
}

// collect takes the offsets out of the request. Too long a text refuses only its partition (B10).
func (g *group) collect(req *kmsg.OffsetCommitRequest, codes []wire.Code) []committed {
	now := g.c.env.Now().Millis()
	values := make([]committed, 0, len(codes))
	n := 0
	for i := range req.Topics {
		t := &req.Topics[i]
		ref := g.c.env.Ref(t.Topic)
		for j := range t.Partitions {
			p := &t.Partitions[j]
			v := committed{
				tp:    wire.TopicPartition{Topic: t.Topic, Partition: p.Partition},
				topic: ref, topicID: t.TopicID, offset: p.Offset, epoch: p.LeaderEpoch,
				at: now, expireAt: -1,
			}
			if p.Metadata != nil {
				v.metadata = *p.Metadata
			}
			if req.Version >= 2 && req.Version <= 4 && req.RetentionTimeMillis >= 0 {
				v.expireAt = now + req.RetentionTimeMillis
			}
			switch {
			case codes[n] != wire.None: // refused already
			case utf16Len(v.metadata) > g.c.cfg.OffsetMetadataMax:
				codes[n] = wire.OffsetMetadataTooLarge
			default:
				values = append(values, v)
			}
			n++
		}
	}
	return values
}

func utf16Len(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if r > 0xffff {
			n++
		}
	}
	return n
}

// store writes the offsets and makes them visible once they are replicated, be it after the sender was
// told that it took too long (B11).
func (g *group) store(values []committed, who trace.Ref, preset int64, done func(wire.Code)) {
	records := make([]wire.Record, len(values))
	for i := range values {
		records[i] = g.c.stamp(wire.OffsetKey(g.id, values[i].tp), values[i].encode())
	}
	take := func() {
		for i := range values {
			v := &values[i]
			g.offsets.set(*v)
			g.c.env.Trace(trace.Event{
				Kind: trace.OffsetCommitted, Name: v.topic, Part: v.tp.Partition, X: v.offset,
				Y: int64(g.ref), Peer: who, Z: preset,
			})
		}
	}
	g.c.writeLate(g.shard, records, func(code wire.Code) {
		if code == wire.None {
			take()
		}
		done(code)
	}, func() {
		if g.state != trace.GroupDead {
			take()
		}
	})
}

func (v *committed) encode() []byte {
	return wire.EncodeOffsetValue(kmsg.OffsetCommitValue{
		Offset: v.offset, LeaderEpoch: v.epoch, Metadata: v.metadata, CommitTimestamp: v.at,
		ExpireTimestamp: v.expireAt, TopicID: v.topicID,
	})
}

// Preset commits an offset of a group as if it had been done before the start. It returns the code
// of the refusal.
func (c *Coordinator) Preset(id string, tp wire.TopicPartition, offset int64) wire.Code {
	s, code := c.route(id)
	if code != wire.None {
		return code
	}
	g := s.groups[id]
	if g == nil {
		g = c.newGroup(s, id)
	}
	v := committed{
		tp: tp, topic: c.env.Ref(tp.Topic), offset: offset, epoch: -1,
		at: c.env.Now().Millis(), expireAt: -1,
	}
	g.store([]committed{v}, 0, 1, func(refused wire.Code) { code = refused })
	return code
}

// Offset is a committed offset as [Coordinator.Offsets] tells it; Offset is -1 where there is none.
// TopicID is zero unless the topic was named by it in the commit.
type Offset struct {
	TP       wire.TopicPartition
	TopicID  [16]byte
	Offset   int64
	Epoch    int32
	Metadata string
}

// Asker is the member that an OffsetFetch from version 9 on names; the zero Asker is nobody's, as an
// administrator's.
type Asker struct {
	MemberID *string
	// Epoch is the member epoch, -1 for none.
	Epoch int32
}

// Offsets looks up what a group committed, for the named partitions or, with tps nil, for all. An
// unknown group or partition is no error (B13). Only replicated commits are seen: who wants stable
// offsets lets the broker wait first (B16). Who asks matters only to a group of the consumer protocol
// (B15).
func (c *Coordinator) Offsets(
	id string, tps []wire.TopicPartition, who ...Asker,
) ([]Offset, wire.Code) {
	s, code := c.route(id)
	if code != wire.None {
		return nil, code
	}
	g := s.groups[id]
	if g != nil && g.consumer != nil && len(who) > 0 {
		if code := g.consumer.validateFetch(who[0]); code != wire.None {
			return nil, code
		}
	}
	if tps == nil {
		var out []Offset
		if g != nil {
			for i := range g.offsets.list {
				out = append(out, g.offsets.list[i].told())
			}
		}
		return out, wire.None
	}
	out := make([]Offset, len(tps))
	for i, tp := range tps {
		out[i] = Offset{TP: tp, Offset: -1, Epoch: -1}
		if g == nil {
			continue
		}
		if v := g.offsets.find(tp); v != nil {
			out[i] = v.told()
		}
	}
	return out, wire.None
}

func (v *committed) told() Offset {
	return Offset{v.tp, v.topicID, v.offset, v.epoch, v.metadata}
}
