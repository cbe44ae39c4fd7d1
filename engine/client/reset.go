package client

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// resetKind is what auto.offset.reset asks for.
type resetKind uint8

const (
	resetNone resetKind = iota
	resetEarliest
	resetLatest
	resetByDuration
)

// resetPolicy is auto.offset.reset; back is how far by_duration goes (KIP-1106).
type resetPolicy struct {
	kind resetKind
	back time.Duration
}

const durationPrefix = "by_duration:"

func parseReset(s string) (resetPolicy, error) {
	switch s {
	case "none":
		return resetPolicy{kind: resetNone}, nil
	case "earliest":
		return resetPolicy{kind: resetEarliest}, nil
	case "latest":
		return resetPolicy{kind: resetLatest}, nil
	}
	if len(s) > len(durationPrefix) && s[:len(durationPrefix)] == durationPrefix {
		if d, ok := parseISODuration(s[len(durationPrefix):]); ok {
			return resetPolicy{kind: resetByDuration, back: d}, nil
		}
		return resetPolicy{}, bad("auto.offset.reset", s,
			"the duration must look like PT1H30M or P1DT2H (ISO 8601)")
	}
	return resetPolicy{}, bad("auto.offset.reset", s,
		"must be earliest, latest, none or by_duration:<ISO-8601>, as by_duration:PT1H")
}

// parseISODuration reads PnDTnHnMnS with whole numbers, as java.time.Duration does.
func parseISODuration(s string) (time.Duration, bool) {
	if len(s) < 3 || s[0] != 'P' {
		return 0, false
	}
	var total time.Duration
	number, digits, inTime, seen := time.Duration(0), 0, false, false
	for _, ch := range []byte(s[1:]) {
		switch {
		case ch >= '0' && ch <= '9' && digits < 9:
			number, digits = number*10+time.Duration(ch-'0'), digits+1
			continue
		case ch == 'T' && !inTime && digits == 0:
			inTime = true
			continue
		}
		unit, ok := isoUnit(ch, inTime)
		if !ok || digits == 0 {
			return 0, false
		}
		total += number * unit
		if total < 0 {
			return 0, false
		}
		number, digits, seen = 0, 0, true
	}
	return total, seen && digits == 0
}

func isoUnit(ch byte, inTime bool) (time.Duration, bool) {
	switch {
	case ch == 'D' && !inTime:
		return 24 * time.Hour, true
	case ch == 'H' && inTime:
		return time.Hour, true
	case ch == 'M' && inTime:
		return time.Minute, true
	case ch == 'S' && inTime:
		return time.Second, true
	}
	return 0, false
}

// lookUpResets asks the leaders for the offsets of all partitions that wait for a reset. Nobody
// waits for the answers. [OffsetFetcher.resetPositionsAsync]
func (c *Consumer) lookUpResets() {
	now := c.now()
	for _, p := range c.sub.parts {
		if p.phase != positionResetting || p.asking {
			continue
		}
		if now < p.retryAt {
			c.wakeAt(p.retryAt)
			continue
		}
		node := c.leaderOf(p).leader
		if node < 0 {
			c.meta.want()
			p.retryAt = now.Add(c.cfg.RetryBackoff)
			c.wakeAt(p.retryAt)
			continue
		}
		c.listOffsets(node)
	}
}

// listing is what a ListOffsets asks of one partition.
type listing struct {
	p    *partition
	kind resetKind
}

// listOffsets asks node about all of its partitions that wait.
func (c *Consumer) listOffsets(node int32) {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID, req.IsolationLevel = -1, c.isolation()
	req.TimeoutMillis = int32(c.opt.requestTimeout / time.Millisecond)
	var asked []listing
	for _, p := range c.sub.parts {
		leader := c.leaderOf(p)
		if p.phase != positionResetting || p.asking || c.now() < p.retryAt || leader.leader != node {
			continue
		}
		p.asking, p.retryAt = true, c.now().Add(c.opt.requestTimeout)
		asked = append(asked, listing{p, p.reset})
		q := kmsg.NewListOffsetsRequestTopicPartition()
		q.Partition, q.CurrentLeaderEpoch = p.tp.Partition, leader.epoch
		q.Timestamp = c.resetTimestamp(p.reset)
		i := len(req.Topics) - 1
		if i < 0 || req.Topics[i].Topic != p.tp.Topic {
			t := kmsg.NewListOffsetsRequestTopic()
			t.Topic = p.tp.Topic
			req.Topics = append(req.Topics, t)
			i++
		}
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, q)
	}
	c.link(node, roleNode).send(req, c.opt.requestTimeout, func(resp kmsg.Response, err error) {
		c.listedOffsets(asked, resp, err)
	})
}

func (c *Consumer) isolation() int8 {
	if c.cfg.IsolationLevel == "read_committed" {
		return 1
	}
	return 0
}

func (c *Consumer) resetTimestamp(kind resetKind) int64 {
	switch kind {
	case resetEarliest:
		return -2
	case resetByDuration:
		return c.now().Add(-c.policy.back).Millis()
	}
	return -1
}

// listedOffsets takes the answer: errors are tried again after retry.backoff.ms, and a partition
// without a record so new, which by_duration may find, after request.timeout.ms (C21).
func (c *Consumer) listedOffsets(asked []listing, resp kmsg.Response, err error) {
	for _, a := range asked {
		if a.p.phase != positionResetting || a.p.reset != a.kind {
			continue // another reset was asked for meanwhile, or a seek
		}
		a.p.asking = false
		var q *kmsg.ListOffsetsResponseTopicPartition
		if err == nil {
			q = listedOffset(resp.(*kmsg.ListOffsetsResponse), a.p.tp)
		}
		switch {
		case !a.p.assigned:
		case q == nil || q.ErrorCode != 0:
			a.p.retryAt = c.now().Add(c.cfg.RetryBackoff)
			c.meta.want()
		case q.Offset >= 0:
			c.log(logInfo, "Resetting offset for partition "+a.p.tp.String()+" to position "+
				itoa(q.Offset))
			c.meta.sawEpoch(a.p.tp, q.LeaderEpoch)
			c.place(a.p, q.Offset, -1, positionedByReset)
		}
	}
}

func listedOffset(
	r *kmsg.ListOffsetsResponse, tp TopicPartition,
) *kmsg.ListOffsetsResponseTopicPartition {
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
