package broker

import (
	"slices"

	"rebalancelab/engine/storage"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// replica is a partition's log on this broker while the process runs.
type replica struct {
	broker  *Broker
	part    *Partition
	log     *storage.Log
	waiting []*parked // fetches that wait for data of it, among others
}

// replica finds this broker's replica of a partition; nil if it has none.
func (b *Broker) replica(p *Partition) *replica {
	if p == nil || p.Topic.index >= len(b.replicas) {
		return nil
	}
	row := b.replicas[p.Topic.index]
	if int(p.Index) >= len(row) {
		return nil
	}
	return row[p.Index]
}

// leads says whether the broker leads the replica's partition now.
func (r *replica) leads() bool { return r != nil && r.part.Leader == r.broker.id }

// lead takes up the leadership of p, whose log lies on the broker's disk.
func (b *Broker) lead(p *Partition) {
	for len(b.replicas) <= p.Topic.index {
		b.replicas = append(b.replicas, nil)
	}
	row := b.replicas[p.Topic.index]
	for len(row) <= int(p.Index) {
		row = append(row, nil)
	}
	b.replicas[p.Topic.index] = row
	r := &replica{broker: b, part: p, log: b.cluster.node(b.id).disk[p.tp()]}
	row[p.Index] = r
	r.log.AssignEpoch(p.Epoch, r.log.LEO())
	r.advanceHW()
	if p.Topic.Internal {
		b.groups.Load(p.Index, r.records())
	}
}

// resign gives p up: another broker leads it. Whoever waits for it is told.
func (b *Broker) resign(p *Partition) {
	r := b.replica(p)
	b.replicas[p.Topic.index][p.Index] = nil
	if p.Topic.Internal {
		b.groups.Unload(p.Index)
	}
	waiting := r.waiting
	r.waiting = nil
	for _, f := range waiting {
		f.answer()
	}
}

// check is the order of checks before a leader's log is touched (E8): first the epoch that the
// client knows (-1: none), then the leadership.
func (b *Broker) check(p *Partition, epoch int32) (*replica, wire.Code) {
	if p == nil {
		return nil, wire.UnknownTopicOrPartition
	}
	r := b.replica(p)
	switch {
	case r == nil:
		return nil, wire.NotLeaderOrFollower
	case epoch >= 0 && epoch < p.Epoch:
		return nil, wire.FencedLeaderEpoch
	case epoch > p.Epoch:
		return nil, wire.UnknownLeaderEpoch
	case !r.leads():
		return nil, wire.NotLeaderOrFollower
	}
	return r, wire.None
}

// appended traces a batch that was appended, and lets the high watermark follow.
func (r *replica) appended(base int64, records int64, size int, from trace.Ref) {
	r.broker.env.Trace(trace.Event{
		Kind: trace.Appended, Name: r.part.Topic.ref, Part: r.part.Index, X: base, Y: records,
		Z: int64(size), Peer: from,
	})
	r.advanceHW()
}

// appendRecords appends records of the broker itself as one batch.
func (r *replica) appendRecords(records []wire.Record, from trace.Ref) {
	batch := wire.EncodeBatch(wire.PlainHeader(), records)
	base := r.log.Append(batch, r.part.Epoch)
	r.appended(base, int64(len(records)), len(batch), from)
}

// advanceHW is the one place where a leader's high watermark moves: to the smallest log end of the
// in-sync replicas, of which there is one (E18). Fetches that waited for it go on (E4).
func (r *replica) advanceHW() {
	if !r.log.SetHW(r.log.LEO(), r.part.Epoch) {
		return
	}
	r.broker.env.Trace(trace.Event{
		Kind: trace.HighWatermark, Name: r.part.Topic.ref, Part: r.part.Index, X: r.log.HW(),
	})
	for i := 0; i < len(r.waiting); {
		if f := r.waiting[i]; f.ready() {
			f.answer() // takes it off the list
		} else {
			i++
		}
	}
}

func (r *replica) forget(f *parked) {
	if i := slices.Index(r.waiting, f); i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
	}
}

// records decodes the whole log.
func (r *replica) records() []wire.Record {
	var records []wire.Record
	for at := r.log.LogStart(); at < r.log.HW(); {
		run := r.log.Read(at, 5<<20, r.log.HW(), true) // offsets.load.buffer.size
		if run == nil {
			break // compaction left nothing more
		}
		for {
			batch, rest, err := wire.NextBatch(run)
			if err == nil && batch != nil {
				records, err = wire.AppendRecords(records, batch)
			}
			if err != nil {
				panic("broker: " + err.Error())
			}
			if batch == nil {
				break
			}
			h, _ := wire.ReadHeader(batch)
			at, run = h.NextOffset(), rest
		}
	}
	return records
}

// appendOffsets writes for the group coordinator, with acks = all (B11).
func (b *Broker) appendOffsets(partition int32, records []wire.Record, done func(wire.Code)) {
	r, code := b.check(b.cluster.byName[OffsetsTopic].partition(partition), -1)
	if code == wire.None {
		r.appendRecords(records, b.ref)
	}
	done(code)
}

// scheduleCleaning deletes and compacts old segments every log.retention.check.interval.ms.
func (b *Broker) scheduleCleaning() {
	b.env.After(b.cluster.cfg.retentionCheck, func() {
		now := b.env.Now().Millis()
		for _, row := range b.replicas {
			for _, r := range row {
				if r != nil {
					r.clean(now)
				}
			}
		}
		b.scheduleCleaning()
	})
}

func (r *replica) clean(nowMs int64) {
	r.log.Compact(nowMs)
	if r.log.Retain(nowMs) {
		r.broker.env.Trace(trace.Event{
			Kind: trace.LogStart, Name: r.part.Topic.ref, Part: r.part.Index, X: r.log.LogStart(),
		})
	}
}
