package client

import "rebalancelab/engine/wire"

// choose is the partitioner: Java's own for "key", the same without regard to keys for "sticky"
// (partitioner.ignore.keys), RoundRobinPartitioner for "round_robin". own says that the choice is
// the built-in sticky one, which is told what it has led to.
func (p *Producer) choose(t *producerTopic, q *queued) (n int32, own bool) {
	switch {
	case q.partition >= 0:
		return q.partition, false
	case p.cfg.Partitioner == "round_robin":
		t.round++
		return p.oneOf(t, t.round-1), false
	case p.cfg.Partitioner == "key" && q.key != nil:
		return wire.PartitionForKey(q.key, int32(len(t.parts))), false
	}
	if t.sticky < 0 {
		t.sticky, t.bytes = p.nextSticky(t), 0
	}
	return t.sticky, true
}

// oneOf is partition number i, counted in circles, among those that have a leader, or among all
// when none has.
func (p *Producer) oneOf(t *producerTopic, i int) int32 {
	var available []int32
	for _, part := range t.parts {
		if p.leaderOf(part).leader >= 0 {
			available = append(available, part.number)
		}
	}
	if len(available) == 0 {
		return t.parts[i%len(t.parts)].number
	}
	return available[i%len(available)]
}

// nextSticky draws a partition: the shorter its queue the likelier, once each has had a batch, or
// all alike (KIP-794). [BuiltInPartitioner.nextPartition]
func (p *Producer) nextSticky(t *producerTopic) int32 {
	r := p.env.Rand("partitioner")
	weights, total := p.weights(t)
	if total == 0 {
		return p.oneOf(t, int(r.Below(int64(len(t.parts))<<20)))
	}
	at := r.Below(int64(total))
	for i, w := range weights {
		if at -= int64(w); at < 0 {
			return t.parts[i].number
		}
	}
	panic("client: the weights of partitions do not add up")
}

// weights are how often each partition shall be drawn, 0 for one without leader; the total is 0
// where all are alike.
func (p *Producer) weights(t *producerTopic) (weights []int, total int) {
	longest, alike := 0, true
	for _, part := range t.parts {
		if !part.used {
			return nil, 0
		}
		alike = alike && len(part.queue) == len(t.parts[0].queue) && p.leaderOf(part).leader >= 0
		longest = max(longest, len(part.queue))
	}
	if alike {
		return nil, 0
	}
	weights = make([]int, len(t.parts))
	for i, part := range t.parts {
		if p.leaderOf(part).leader >= 0 {
			weights[i] = longest + 1 - len(part.queue)
			total += weights[i]
		}
	}
	return weights, total
}

// stuck hears how many bytes the sticky partition got. It is left once that is batch.size, unless a
// batch is open that others would be taken from, and at twice batch.size in any case.
// [BuiltInPartitioner.updatePartitionInfo]
func (p *Producer) stuck(t *producerTopic, bytes int, full bool) {
	t.bytes += bytes
	if t.bytes >= p.cfg.BatchSize && full || t.bytes >= 2*p.cfg.BatchSize {
		t.sticky = -1
	}
}
