package client

import (
	"slices"

	"rebalancelab/engine/pattern"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// subscribed says how partitions come to the consumer.
type subscribed uint8

const (
	subscribedNone   subscribed = iota
	subscribedTopics            // the group assigns them, of topics named or matched by a pattern
	subscribedManual            // the application does
)

// subscription is what the consumer reads: the Java client's SubscriptionState.
type subscription struct {
	kind    subscribed
	topics  []string         // sorted; never nil while subscribed to topics
	pattern *pattern.Pattern // that topics are matched with; nil for a subscription by name
	// serverPattern is one that the coordinator matches; nil for none (F16).
	serverPattern *string
	matched       int      // the metadata answer that they were last matched with
	group         []string // what the group reads, watched by its leader
	listener      Listener
	parts         []*partition // assigned, by topic and number
}

// partition is the state of one assigned partition. It lives as long as the assignment of it does;
// what arrives for an old one is dropped (C18).
type partition struct {
	tp  TopicPartition
	ref trace.Ref // of the topic

	assigned bool
	paused   bool
	// revoking: the partition is about to be given up, nothing is fetched or returned (C33).
	revoking bool
	// parting: nothing more is fetched, what is buffered is still returned (kafka-go).
	parting bool
	earlier int64 // the position at the latest poll, for Library.CommitsEarlierPolls
	// dropped: its topic is subscribed by name no more, and it waits to be revoked.
	dropped bool
	// untold: on_assigned has yet to succeed for it, in the consumer protocol.
	untold bool

	phase    positionPhase
	position int64         // next offset to be returned
	epoch    int32         // leader epoch of the last record returned or committed, -1 for none
	leader   partitionMeta // the leader that the position was last checked against (KIP-320)
	reset    resetKind
	retryAt  sim.Time
	asking   bool // ListOffsets or OffsetForLeaderEpoch under way

	preferred      int32 // replica to read from in the leader's place, -1 for none (KIP-392)
	preferredUntil sim.Time

	buffered int // answers with data or error, not used up yet
	high     int64
}

// positionPhase is SubscriptionState.FetchStates.
type positionPhase uint8

const (
	positionMissing positionPhase = iota
	positionResetting
	positionValidating // the leader has changed: what has the new one at this epoch?
	positionValid
)

func (p *partition) fetchable() bool {
	held := p.revoking || p.dropped || p.untold
	return p.assigned && !p.paused && !held && p.phase == positionValid
}

// find is a scan that tries no map: a consumer has few partitions.
func (s *subscription) find(tp TopicPartition) *partition {
	for _, p := range s.parts {
		if p.tp.Partition == tp.Partition && p.tp.Topic == tp.Topic {
			return p
		}
	}
	return nil
}

func (s *subscription) assignment() []TopicPartition {
	tps := make([]TopicPartition, len(s.parts))
	for i, p := range s.parts {
		tps[i] = p.tp
	}
	return tps
}

func sorted(tps []TopicPartition) []TopicPartition {
	tps = slices.Clone(tps)
	slices.SortFunc(tps, TopicPartition.Compare)
	return slices.Compact(tps)
}

// minus is the partitions of a that are not in b.
func minus(a, b []TopicPartition) []TopicPartition {
	var rest []TopicPartition
	for _, tp := range a {
		if !slices.Contains(b, tp) {
			rest = append(rest, tp)
		}
	}
	return rest
}

// replaceAssignment makes tps what is assigned. Kept partitions keep position and pause (C32). why
// is a trace.UnownedBy value for those that go.
func (c *Consumer) replaceAssignment(tps []TopicPartition, why int64) {
	tps = sorted(tps)
	old := c.sub.parts
	c.sub.parts = make([]*partition, 0, len(tps))
	for _, p := range old {
		if !slices.Contains(tps, p.tp) {
			p.assigned = false
			c.env.Trace(trace.Event{
				Kind: trace.Unowned, Name: p.ref, Part: p.tp.Partition, X: why, Peer: c.group,
			})
		}
	}
	for _, tp := range tps {
		p := findIn(old, tp)
		if p == nil {
			p = &partition{
				tp: tp, ref: c.env.Ref(tp.Topic), assigned: true, position: -1, epoch: -1, high: -1,
				preferred: noNode,
			}
			c.env.Trace(trace.Event{
				Kind: trace.Owned, Name: p.ref, Part: tp.Partition, X: int64(c.grp.generation),
				Peer: c.group,
			})
		}
		p.revoking = false
		c.sub.parts = append(c.sub.parts, p)
	}
}

func findIn(parts []*partition, tp TopicPartition) *partition {
	for _, p := range parts {
		if p.tp == tp {
			return p
		}
	}
	return nil
}

// move sets a position and says why; why is Y of trace.Positioned.
func (c *Consumer) move(p *partition, offset int64, epoch int32, why int64) {
	p.phase, p.position, p.epoch = positionValid, offset, epoch
	p.asking = false
	c.env.Trace(trace.Event{
		Kind: trace.Positioned, Name: p.ref, Part: p.tp.Partition, X: offset, Y: why,
	})
}

// consumed is what a commit without arguments commits: every valid position (C23).
func (c *Consumer) consumed() []Offset {
	offsets := make([]Offset, 0, len(c.sub.parts))
	for _, p := range c.sub.parts {
		switch {
		case p.phase != positionValid:
		case c.cfg.Library.CommitsEarlierPolls:
			offsets = append(offsets, Offset{TP: p.tp, Offset: p.earlier})
		default:
			offsets = append(offsets, Offset{TP: p.tp, Offset: p.position, epochPlusOne: p.epoch + 1})
		}
	}
	return offsets
}

// leaderOf is the node that leads p and its epoch, as metadata has it.
func (c *Consumer) leaderOf(p *partition) partitionMeta { return c.meta.leader(p.tp) }

// sortedTopics is the topics without repetition, in Java's order.
func sortedTopics(topics []string) []string {
	topics = slices.Clone(topics)
	slices.SortFunc(topics, wire.CompareUTF16)
	return slices.Compact(topics)
}
