package client

import (
	"slices"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// answer is one partition's part of a fetch response, used up record by record: Java's
// CompletedFetch.
type answer struct {
	p       *partition
	offset  int64 // that was asked for
	next    int64 // after what was returned
	code    wire.Code
	opened  bool
	rest    []byte        // batches not decoded yet
	records []wire.Record // of the batch in hand
	at      int
	end     int64 // the offset after that batch
	epoch   int32 // its leader epoch
}

// collectFetch takes at most limit records out of the buffers, of several partitions if need be
// (C15). moved says that a position went on without a record. An error is left for the next call
// when there are records to be returned first. [FetchCollector.collectFetch]
func (c *Consumer) collectFetch(limit int) (records []Record, moved bool, err error) {
	f := &c.fetch
	var aside []*answer
	for len(records) < limit {
		if f.current == nil {
			if len(f.queue) == 0 {
				break
			}
			a := f.queue[0]
			usable, e := c.open(a)
			if e != nil && len(records) > 0 {
				break
			}
			n := copy(f.queue, f.queue[1:])
			f.queue[n] = nil
			f.queue = f.queue[:n]
			if e != nil {
				c.release(a)
				err = e
				break
			}
			if !usable {
				c.release(a)
				continue
			}
			f.current = a
		}
		a := f.current
		if a.p.assigned && a.p.paused {
			aside = append(aside, a)
			f.current = nil
			continue
		}
		before := a.next
		var done bool
		records, done, err = c.take(a, records, limit)
		moved = moved || a.next != before
		if done {
			f.current = nil
			c.release(a)
		}
		if err != nil {
			break
		}
	}
	f.queue = append(f.queue, aside...)
	if len(records) > 0 {
		c.handed = records
	}
	return records, moved, err
}

func (c *Consumer) release(a *answer) {
	a.p.buffered--
	a.p, a.rest = nil, nil
	c.fetch.spare = append(c.fetch.spare, a)
}

// open looks at an answer for the first time: data of another position is dropped (C18), errors are
// acted on (C19, C20).
func (c *Consumer) open(a *answer) (usable bool, err error) {
	p := a.p
	if a.opened {
		return true, nil
	}
	if !p.assigned || p.phase != positionValid || p.position != a.offset {
		return false, nil
	}
	switch a.code {
	case wire.None:
		a.opened = true
		return true, nil
	case wire.NotLeaderOrFollower, wire.ReplicaNotAvailable, wire.KafkaStorageError,
		wire.FencedLeaderEpoch, wire.OffsetNotAvailable, wire.UnknownTopicOrPartition,
		wire.UnknownTopicID, wire.InconsistentTopicID:
		p.preferred = noNode
		c.meta.want()
	case wire.UnknownLeaderEpoch, wire.UnknownServerError:
	case wire.OffsetOutOfRange:
		return false, c.outOfRange(a)
	case wire.CorruptMessage:
		e := codeError(a.code)
		e.Text = p.tp.String() + ": " + e.Text
		e.Retriable = false
		return false, e
	default:
		return false, codeError(a.code)
	}
	return false, nil
}

// outOfRange resets, or throws without a policy (C20). From a replica in the leader's place it only
// means that this one is behind.
func (c *Consumer) outOfRange(a *answer) error {
	if a.p.preferred != noNode {
		a.p.preferred = noNode
		return nil
	}
	if c.policy.kind == resetNone {
		return &Error{Name: ErrOffsetOutOfRange, Code: a.code, Text: "position " + itoa(a.offset) +
			" of " + a.p.tp.String() + " is out of range and auto.offset.reset = none"}
	}
	c.log(logInfo, "Fetch position "+itoa(a.offset)+" is out of range for partition "+
		a.p.tp.String()+", resetting offset")
	c.requestReset(a.p, c.policy.kind)
	return nil
}

// take appends records of a and moves the position behind them (C16). done says that nothing is
// left.
func (c *Consumer) take(a *answer, records []Record, limit int) (_ []Record, done bool, err error) {
	p := a.p
	if !p.fetchable() || p.position != a.next {
		return records, true, nil
	}
	first := len(records)
	for len(records) < limit {
		if a.at == len(a.records) {
			if done, err = c.nextBatch(a); done || err != nil {
				break
			}
			if records == nil {
				records = slices.Grow(c.handed[:0], min(limit, len(a.records)))
			}
			continue
		}
		r := &a.records[a.at]
		a.at++
		if r.Offset < a.offset {
			continue
		}
		a.next = r.Offset + 1
		records = append(records, Record{
			Topic: p.tp.Topic, Partition: p.tp.Partition, Offset: r.Offset,
			TimestampMs: r.Timestamp, Key: r.Key, Value: r.Value,
		})
	}
	if a.at == len(a.records) {
		a.next = max(a.next, a.end)
		done = done || len(a.rest) == 0
	}
	c.returned(a, records[first:])
	return records, done || err != nil, err
}

// nextBatch decodes one more batch.
func (c *Consumer) nextBatch(a *answer) (done bool, err error) {
	a.next = max(a.next, a.end)
	batch, rest, err := wire.NextBatch(a.rest)
	if err != nil {
		return true, c.corrupt(a, err)
	}
	if batch == nil {
		return true, nil
	}
	a.rest = rest
	h, err := wire.ReadHeader(batch)
	if err != nil {
		return true, c.corrupt(a, err)
	}
	if c.cfg.CheckCRCs && !wire.CheckCRC(batch) {
		return true, c.corrupt(a, wire.ErrCorrupt)
	}
	a.at, a.end, a.epoch = 0, h.NextOffset(), h.LeaderEpoch
	a.records = a.records[:0]
	if h.Attributes&wire.AttrControl != 0 {
		return false, nil // markers of transactions are never returned
	}
	a.records, err = wire.AppendRecords(a.records, batch)
	if err != nil {
		return true, c.corrupt(a, err)
	}
	return false, nil
}

func (c *Consumer) corrupt(a *answer, err error) error {
	return &Error{Name: ErrCorruptRecord, Text: a.p.tp.String() + ": " + err.Error()}
}

// returned moves the position to what comes after the returned records.
func (c *Consumer) returned(a *answer, records []Record) {
	p := a.p
	if n := len(records); n > 0 {
		c.env.Trace(trace.Event{
			Kind: trace.Delivered, Name: p.ref, Part: p.tp.Partition, X: records[0].Offset,
			Y: int64(n),
		})
	}
	if p.position != a.next {
		c.move(p, a.next, a.epoch, positionedByRecords)
	}
}
