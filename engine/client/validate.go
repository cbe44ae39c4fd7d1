package client

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/wire"
)

// place sets a position that did not come from records: it is checked against the present leader
// when it has an epoch. [SubscriptionState.seekUnvalidated]
func (c *Consumer) place(p *partition, offset int64, epoch int32, why int64) {
	c.move(p, offset, epoch, why)
	p.earlier = offset
	p.leader = c.leaderOf(p)
	c.askForValidation(p)
}

// askForValidation: a position whose epoch is known must be looked up at the leader before anything
// is fetched, since the log may have been cut there (KIP-320).
func (c *Consumer) askForValidation(p *partition) {
	p.phase, p.retryAt, p.asking = positionValid, c.now(), false
	if p.epoch >= 0 && p.leader.epoch >= 0 {
		p.phase = positionValidating
	}
}

// checkLeaders compares every position with new metadata. [PositionsValidator]
func (c *Consumer) checkLeaders() {
	if c.fetch.checkedAt == c.meta.version {
		return
	}
	c.fetch.checkedAt = c.meta.version
	for _, p := range c.sub.parts {
		leader := c.leaderOf(p)
		if p.phase < positionValidating || leader.leader < 0 || leader == p.leader {
			continue
		}
		p.leader, p.preferred = leader, noNode
		c.askForValidation(p)
	}
}

// validatePositions is the first step of C11. An error is a truncation that no reset policy can
// heal. [OffsetFetcher.validatePositionsIfNeeded]
func (c *Consumer) validatePositions() error {
	c.checkLeaders()
	if err := c.fetch.truncated; err != nil {
		c.fetch.truncated = nil
		return err
	}
	for _, p := range c.sub.parts {
		switch {
		case p.phase != positionValidating || p.asking:
		case c.now() < p.retryAt:
			c.wakeAt(p.retryAt)
		default:
			c.askEpochEnds(p.leader.leader)
		}
	}
	return nil
}

// epochQuestion is what an OffsetForLeaderEpoch asks about: an answer to another position is of no
// use.
type epochQuestion struct {
	p        *partition
	position int64
	epoch    int32
	leader   partitionMeta
}

// askEpochEnds asks node where the epochs of its partitions' positions have ended.
func (c *Consumer) askEpochEnds(node int32) {
	req := kmsg.NewPtrOffsetForLeaderEpochRequest()
	req.ReplicaID = -1
	var asked []epochQuestion
	for _, p := range c.sub.parts {
		if p.phase != positionValidating || p.asking || c.now() < p.retryAt || p.leader.leader != node {
			continue
		}
		p.asking, p.retryAt = true, c.now().Add(c.opt.requestTimeout)
		asked = append(asked, epochQuestion{p, p.position, p.epoch, p.leader})
		q := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
		q.Partition, q.CurrentLeaderEpoch, q.LeaderEpoch = p.tp.Partition, p.leader.epoch, p.epoch
		i := len(req.Topics) - 1
		if i < 0 || req.Topics[i].Topic != p.tp.Topic {
			t := kmsg.NewOffsetForLeaderEpochRequestTopic()
			t.Topic = p.tp.Topic
			req.Topics = append(req.Topics, t)
			i++
		}
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, q)
	}
	c.link(node, roleNode).send(req, c.opt.requestTimeout, func(resp kmsg.Response, err error) {
		for _, q := range asked {
			var end *kmsg.OffsetForLeaderEpochResponseTopicPartition
			if err == nil {
				end = epochEnd(resp.(*kmsg.OffsetForLeaderEpochResponse), q.p.tp)
			}
			c.validated(q, end)
		}
	})
}

func epochEnd(
	r *kmsg.OffsetForLeaderEpochResponse, tp TopicPartition,
) *kmsg.OffsetForLeaderEpochResponseTopicPartition {
	for i := range r.Topics {
		if r.Topics[i].Topic != tp.Topic {
			continue
		}
		for j := range r.Topics[i].Partitions {
			if r.Topics[i].Partitions[j].Partition == tp.Partition {
				return &r.Topics[i].Partitions[j]
			}
		}
	}
	return nil
}

// validated ends the validation of one position, or tries again after an error.
// [SubscriptionState.maybeCompleteValidation]
func (c *Consumer) validated(q epochQuestion, end *kmsg.OffsetForLeaderEpochResponseTopicPartition) {
	p := q.p
	if !p.assigned || p.phase != positionValidating {
		return
	}
	p.asking = false
	if end == nil || wire.Code(end.ErrorCode) != wire.None {
		p.retryAt = c.now().Add(c.cfg.RetryBackoff)
		c.meta.want()
		return
	}
	if (q != epochQuestion{p, p.position, p.epoch, p.leader}) {
		p.retryAt = c.now()
		return
	}
	if end.EndOffset >= 0 && end.LeaderEpoch >= 0 && end.EndOffset >= p.position {
		p.phase = positionValid
		return
	}
	c.diverged(p, end)
}

// diverged: the log that the position stands in was cut. With a reset policy the consumer goes to
// the first offset known to be different, or where that is not known to where the policy says;
// without one the application is told.
func (c *Consumer) diverged(p *partition, end *kmsg.OffsetForLeaderEpochResponseTopicPartition) {
	unknown := end.EndOffset < 0 || end.LeaderEpoch < 0
	text := "Truncation detected for partition " + p.tp.String() + " at offset " + itoa(p.position)
	switch {
	case c.policy.kind == resetNone:
		if !unknown {
			text += "; the leader's log of that epoch ends at " + itoa(end.EndOffset)
		}
		c.log(logWarn, text+", but no reset policy is set")
		if c.fetch.truncated == nil {
			c.fetch.truncated = &Error{Name: ErrLogTruncation, Code: wire.OffsetOutOfRange, Text: text}
		}
	case unknown:
		c.log(logInfo, text+", resetting offset")
		c.requestReset(p, c.policy.kind)
	default:
		c.log(logInfo, text+", resetting offset to the first offset known to diverge "+
			itoa(end.EndOffset))
		c.move(p, end.EndOffset, end.LeaderEpoch, positionedByReset)
	}
}

// readFrom is the node to fetch p from: the replica that the leader has named, while that holds, or
// the leader; -1 while it is unknown. [AbstractFetch.selectReadReplica]
func (c *Consumer) readFrom(p *partition) int32 {
	if p.preferred == noNode || c.now() > p.preferredUntil {
		p.preferred = noNode
		return p.leader.leader
	}
	for _, n := range c.meta.nodes {
		if n == p.preferred {
			return n
		}
	}
	p.preferred = noNode // gone from the cluster
	c.meta.want()
	return p.leader.leader
}

// redirected follows what a Fetch answer says about where to read: another replica for
// metadata.max.age.ms (KIP-392), or the new leader (KIP-951).
func (c *Consumer) redirected(p *partition, q *kmsg.FetchResponseTopicPartition) {
	switch wire.Code(q.ErrorCode) {
	case wire.None:
		if q.PreferredReadReplica >= 0 && q.PreferredReadReplica != p.preferred {
			p.preferred = q.PreferredReadReplica
			p.preferredUntil = c.now().Add(max(c.opt.metadataMaxAge, time.Millisecond))
		}
	case wire.NotLeaderOrFollower, wire.FencedLeaderEpoch:
		c.meta.newLeader(p.tp, partitionMeta{q.CurrentLeader.LeaderID, q.CurrentLeader.LeaderEpoch})
	}
}
