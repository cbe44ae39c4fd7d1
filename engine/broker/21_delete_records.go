package broker

import (
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// DeleteRecords, key 21, versions 0-2: the log start moves up to an offset; -1 stands for the high
// watermark, beyond it lies OFFSET_OUT_OF_RANGE. It is answered with the smallest log start among the
// replicas when all that are alive have followed, or REQUEST_TIMED_OUT (KIP-107).
//
// Left out: authorization.
func (b *Broker) deleteRecords(l *line, req *kmsg.DeleteRecordsRequest) {
	r := kmsg.NewPtrDeleteRecordsResponse()
	w := &deleting{line: l, resp: r}
	for i := range req.Topics {
		q := &req.Topics[i]
		t := kmsg.NewDeleteRecordsResponseTopic()
		t.Topic = q.Topic
		t.Partitions = make([]kmsg.DeleteRecordsResponseTopicPartition, len(q.Partitions))
		for j := range q.Partitions {
			out := &t.Partitions[j]
			*out = kmsg.NewDeleteRecordsResponseTopicPartition()
			out.Partition, out.LowWatermark = q.Partitions[j].Partition, -1
			if rep := b.deleteOne(q.Topic, &q.Partitions[j], out); rep != nil {
				w.waits = append(w.waits, lowWait{rep, rep.log.LogStart(), out})
				rep.deletes = append(rep.deletes, w)
			}
		}
		r.Topics = append(r.Topics, t)
	}
	w.timer = b.env.After(ms(int64(req.TimeoutMillis)), func() { w.finish(wire.RequestTimedOut) })
	w.proceed()
}

// deleteOne moves one log start; nil if it could not.
func (b *Broker) deleteOne(
	topic string, q *kmsg.DeleteRecordsRequestTopicPartition,
	out *kmsg.DeleteRecordsResponseTopicPartition,
) *replica {
	r, code := b.check(b.image.partition(b.cluster.byName[topic], q.Partition), -1)
	offset := q.Offset
	switch {
	case code != wire.None:
	case r.part.Topic.Internal || !r.part.Topic.cfg.log.Delete:
		code = wire.PolicyViolation
	case offset == -1:
		offset = r.log.HW()
	case offset < 0 || offset > r.log.HW():
		code = wire.OffsetOutOfRange
	}
	if code != wire.None {
		out.ErrorCode = int16(code)
		return nil
	}
	if r.log.SetLogStart(offset) {
		r.tell(trace.Event{Kind: trace.LogStart, X: offset})
	}
	return r
}

// DeleteRecords moves a partition's log start at its leader, as an administrator's request does.
func (c *Cluster) DeleteRecords(topic string, part int32, offset int64) error {
	p, err := c.partition(topic, part)
	if err != nil {
		return err
	}
	b := c.leader(p)
	if b == nil {
		return fmt.Errorf("%s-%d has no leader", topic, part)
	}
	q := kmsg.NewDeleteRecordsRequestTopicPartition()
	q.Partition, q.Offset = part, offset
	out := kmsg.NewDeleteRecordsResponseTopicPartition()
	b.deleteOne(topic, &q, &out)
	return wire.Code(out.ErrorCode).Err()
}

// deleting is a DeleteRecords that waits for followers.
type deleting struct {
	line  *line
	resp  *kmsg.DeleteRecordsResponse
	waits []lowWait
	timer *sim.Timer
	over  bool
}

type lowWait struct {
	replica *replica
	start   int64
	out     *kmsg.DeleteRecordsResponseTopicPartition
}

// lowWatermark is the smallest log start of the replicas whose brokers are alive.
func (r *replica) lowWatermark() int64 {
	low := r.log.LogStart()
	for i := range r.followers {
		if f := &r.followers[i]; r.eligible(f.id) {
			low = min(low, f.start)
		}
	}
	return low
}

// proceed answers when every partition's replicas have followed.
func (w *deleting) proceed() {
	for _, p := range w.waits {
		if p.replica.leads() && p.replica.lowWatermark() < p.start {
			return
		}
	}
	w.finish(wire.None)
}

func (w *deleting) finish(code wire.Code) {
	if w.over {
		return
	}
	w.over = true
	w.timer.Stop()
	for _, p := range w.waits {
		p.replica.deletes = slices.DeleteFunc(p.replica.deletes, func(o *deleting) bool { return o == w })
		switch {
		case !p.replica.leads():
			p.out.ErrorCode = int16(wire.NotLeaderOrFollower)
		case p.replica.lowWatermark() >= p.start:
			p.out.LowWatermark = p.replica.lowWatermark()
		default:
			p.out.ErrorCode = int16(code)
		}
	}
	w.line.reply(w.resp)
}
