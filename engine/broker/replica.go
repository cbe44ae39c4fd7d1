package broker

import (
	"slices"
	"time"

	"rebalancelab/engine/storage"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// replica is a partition's log on this broker while the process runs. It leads or follows, as the
// broker knows.
type replica struct {
	broker *Broker
	part   *Partition
	log    *storage.Log
	// state is the partition's as this broker knows it; for a leader it may run ahead of the broker's
	// image by what the controller has answered.
	state     *State
	waiting   []*parked // fetches that wait for data of it, among others
	leading             // what only a leader has
	following           // what only a follower has
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

// openReplica makes the replica of a partition whose log lies, or from now on will lie, on the
// broker's disk.
func (b *Broker) openReplica(p *Partition) *replica {
	for len(b.replicas) <= p.Topic.index {
		b.replicas = append(b.replicas, nil)
	}
	row := b.replicas[p.Topic.index]
	for len(row) <= int(p.Index) {
		row = append(row, nil)
	}
	b.replicas[p.Topic.index] = row
	row[p.Index] = &replica{broker: b, part: p, log: b.node().log(p)}
	return row[p.Index]
}

// adopt takes over an image as a whole.
func (b *Broker) adopt(m image) {
	b.image = m
	for _, t := range b.cluster.topics {
		for i, s := range m.statesOf(t) {
			b.changed(delta{t.Partitions[i], nil, s})
		}
	}
}

// learn takes in one record of the metadata log and acts on it.
func (b *Broker) learn(r *wire.MetadataRecord) {
	if r.Type == wire.RemoveTopicRecord {
		b.groups.TopicDeleted(b.cluster.byID[r.TopicID].Name)
	}
	for _, d := range b.image.apply(b.cluster, r) {
		b.changed(d)
	}
}

// changed lets the broker do its part in a partition whose state has changed.
func (b *Broker) changed(d delta) {
	r := b.replica(d.part)
	s := d.after
	if s == nil || !hosts(s, b.id) {
		if r != nil {
			r.remove()
		}
		return
	}
	if r == nil {
		r = b.openReplica(d.part)
	}
	switch {
	case r.state != nil && s.PartitionEpoch <= r.state.PartitionEpoch:
		// The controller's answer has told it before.
	case s.Leader == b.id && (!r.leads() || r.state.Epoch != s.Epoch):
		r.lead(s)
	case s.Leader == b.id:
		r.confirm(s)
	case r.state == nil || r.state.Epoch != s.Epoch:
		r.follow(s)
	default:
		r.state = s
	}
}

// leads says whether the broker leads the replica's partition, as far as it knows.
func (r *replica) leads() bool {
	return r != nil && r.state != nil && r.state.Leader == r.broker.id
}

// lead takes up the leadership in a new epoch (E23). The high watermark is the one it knew as a
// follower.
func (r *replica) lead(s *State) {
	r.unfollow()
	again := r.leads()
	r.state = s
	r.log.AssignEpoch(s.Epoch, r.log.LEO())
	r.begin()
	r.moved()
	if r.part.Topic.Internal && !again {
		r.broker.groups.Load(r.part.Index, r.records())
	}
}

// follow makes the replica a follower, of a new leader or of none.
func (r *replica) follow(s *State) {
	led := r.leads()
	r.unfollow()
	r.state = s
	if led {
		r.resign()
	}
	r.wake() // consumers that read here must learn of the new epoch
	r.broker.followLeader(r)
}

// resign ends what the replica does as a leader. Whoever waits for it is told.
func (r *replica) resign() {
	if r.part.Topic.Internal {
		r.broker.groups.Unload(r.part.Index)
	}
	r.end()
	waiting := r.waiting
	r.waiting = nil
	for _, f := range waiting {
		f.answer()
	}
}

// remove ends the replica for good; its log goes from the disk.
func (r *replica) remove() {
	b, p := r.broker, r.part
	led := r.leads()
	r.unfollow()
	b.replicas[p.Topic.index][p.Index] = nil
	delete(b.node().disk, p.place())
	delete(b.node().marks, p.place())
	if led {
		r.resign()
	}
}

// check is the order of checks before a log is touched (E8): first the epoch that the client knows
// (-1: none), then the leadership.
func (b *Broker) check(p *Partition, epoch int32) (*replica, wire.Code) {
	if p == nil || b.image.state(p) == nil {
		return nil, wire.UnknownTopicOrPartition
	}
	r := b.replica(p)
	switch {
	case r == nil:
		return nil, wire.NotLeaderOrFollower
	case epoch >= 0 && epoch < r.state.Epoch:
		return nil, wire.FencedLeaderEpoch
	case epoch > r.state.Epoch:
		return nil, wire.UnknownLeaderEpoch
	case !r.leads():
		return nil, wire.NotLeaderOrFollower
	}
	return r, wire.None
}

// appended traces a batch that was appended, and lets the high watermark follow.
func (r *replica) appended(base int64, records int64, size int, from trace.Ref) {
	r.tell(trace.Event{Kind: trace.Appended, X: base, Y: records, Z: int64(size), Peer: from})
	r.moved()
}

// tell writes an event about the partition at this broker.
func (r *replica) tell(e trace.Event) {
	e.Name, e.Part = r.part.Topic.ref, r.part.Index
	r.broker.env.Trace(e)
}

// appendRecords appends records of the broker itself as one batch and returns the log's end.
func (r *replica) appendRecords(records []wire.Record, from trace.Ref) int64 {
	batch := wire.EncodeBatch(wire.PlainHeader(), records)
	base := r.log.Append(batch, r.state.Epoch)
	r.appended(base, int64(len(records)), len(batch), from)
	return r.log.LEO()
}

// wake looks which of the parked fetches have what they waited for.
func (r *replica) wake() {
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

// records decodes the whole log to its end, which a coordinator reads: what was acknowledged may lie
// beyond the high watermark that a new leader knows (B28).
func (r *replica) records() []wire.Record {
	var records []wire.Record
	for at := r.log.LogStart(); at < r.log.LEO(); {
		run := r.log.Read(at, 5<<20, r.log.LEO(), true) // offsets.load.buffer.size
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

// scheduleCleaning deletes and compacts old segments every log.retention.check.interval.ms.
func (b *Broker) scheduleCleaning() {
	b.env.After(b.cluster.cfg.retentionCheck, func() {
		now := b.env.Now().Millis()
		b.each(func(r *replica) { r.clean(now) })
		b.scheduleCleaning()
	})
}

// each calls do with every replica of the broker.
func (b *Broker) each(do func(*replica)) {
	for _, row := range b.replicas {
		for _, r := range row {
			if r != nil {
				do(r)
			}
		}
	}
}

func (r *replica) clean(nowMs int64) {
	r.log.Compact(nowMs)
	if r.log.Retain(nowMs) {
		r.tell(trace.Event{Kind: trace.LogStart, X: r.log.LogStart()})
	}
}

// markEvery is replica.high.watermark.checkpoint.interval.ms.
const markEvery = 5 * time.Second

// mark writes the high watermarks to the disk: a process that is killed comes back with those.
func (b *Broker) mark() {
	b.each(func(r *replica) { b.node().marks[r.part.place()] = r.log.HW() })
}
