package broker

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/storage"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// Settings of the replica fetchers, as Kafka has them (E22).
const (
	replicaFetchWaitMs    = 500      // replica.fetch.wait.max.ms
	replicaFetchBytes     = 1 << 20  // replica.fetch.max.bytes
	replicaFetchRespBytes = 10 << 20 // replica.fetch.response.max.bytes
	replicaFetchBackoff   = time.Second
	replicaSocketTimeout  = 30 * time.Second
)

// following is what a replica knows as a follower.
type following struct {
	fetcher *fetcher // nil: nobody to fetch from
	delayed bool     // an error was answered; it rests for replica.fetch.backoff.ms
	// told is what the leader's fetch session has of the partition.
	told struct {
		set           bool
		epoch, last   int32
		offset, start int64
	}
}

// fetcher copies the partitions that one other broker leads: one Fetch at a time, in a fetch session,
// as a consumer would.
type fetcher struct {
	broker *Broker
	leader int32
	parts  []*replica // in order of their coming
	gone   []*replica // still in the session
	id     int32      // of the session, 0: none
	epoch  int32
	busy   bool // a request is under way
}

// followLeader lets the replica's leader, if there is one, be fetched from.
func (b *Broker) followLeader(r *replica) {
	id := r.state.Leader
	if id < 0 || id == b.id {
		return
	}
	i := slices.IndexFunc(b.fetchers, func(f *fetcher) bool { return f.leader == id })
	if i < 0 {
		i = len(b.fetchers)
		b.fetchers = append(b.fetchers, &fetcher{broker: b, leader: id})
	}
	f := b.fetchers[i]
	r.fetcher = f
	f.gone = slices.DeleteFunc(f.gone, func(g *replica) bool { return g == r })
	f.parts = append(f.parts, r)
	f.next()
}

// unfollow ends the fetching.
func (r *replica) unfollow() {
	f := r.fetcher
	if f == nil {
		return
	}
	f.parts = slices.DeleteFunc(f.parts, func(p *replica) bool { return p == r })
	if r.told.set {
		f.gone = append(f.gone, r)
	}
	r.following = following{}
}

// next sends the next Fetch, unless one is under way or there is nothing to ask for.
func (f *fetcher) next() {
	if f.busy || !slices.ContainsFunc(f.parts, func(r *replica) bool { return !r.delayed }) {
		return
	}
	f.busy = true
	f.broker.channel(f.leader, "fetcher").send(f.request(), replicaSocketTimeout,
		func(resp kmsg.Response) {
			f.busy = false
			r, ok := resp.(*kmsg.FetchResponse)
			switch {
			case !ok:
				f.id, f.epoch = 0, 0
				for _, p := range slices.Clone(f.parts) {
					p.delay()
				}
				return
			case r.ErrorCode != 0:
				f.id, f.epoch = 0, 0
			default:
				f.take(r)
			}
			f.next()
		})
}

// request lists what the session does not know yet; a full one opens a session (E14).
func (f *fetcher) request() *kmsg.FetchRequest {
	b := f.broker
	q := kmsg.NewPtrFetchRequest()
	q.Version = wire.Pick(wire.KeyFetch)
	q.ReplicaState.ID, q.ReplicaState.Epoch = b.id, b.image.broker(b.id).epoch
	q.MaxWaitMillis, q.MinBytes, q.MaxBytes = replicaFetchWaitMs, 1, replicaFetchRespBytes
	q.SessionID, q.SessionEpoch = f.id, f.epoch
	if f.id == 0 {
		f.gone = nil
		for _, r := range f.parts {
			r.told.set = false
		}
	}
	for _, r := range f.parts {
		if r.delayed {
			continue
		}
		epoch, last := r.state.Epoch, r.log.LatestEpoch()
		offset, start := r.log.LEO(), r.log.LogStart()
		if t := &r.told; t.set && t.epoch == epoch && t.last == last && t.offset == offset &&
			t.start == start {
			continue
		}
		r.told.set, r.told.epoch, r.told.last = true, epoch, last
		r.told.offset, r.told.start = offset, start
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.CurrentLeaderEpoch, p.FetchOffset = r.part.Index, epoch, offset
		p.LastFetchedEpoch, p.LogStartOffset = last, start
		p.PartitionMaxBytes = replicaFetchBytes
		q.Topics = listFetch(q.Topics, r.part.Topic.ID, p)
	}
	for _, r := range f.gone {
		t := kmsg.NewFetchRequestForgottenTopic()
		t.TopicID, t.Partitions = r.part.Topic.ID, []int32{r.part.Index}
		q.ForgottenTopics = append(q.ForgottenTopics, t)
	}
	f.gone = nil
	return q
}

// listFetch adds a partition; neighbours of one topic share its entry.
func listFetch(
	topics []kmsg.FetchRequestTopic, id [16]byte, p kmsg.FetchRequestTopicPartition,
) []kmsg.FetchRequestTopic {
	n := len(topics)
	if n == 0 || topics[n-1].TopicID != id {
		t := kmsg.NewFetchRequestTopic()
		t.TopicID = id
		topics = append(topics, t)
		n++
	}
	topics[n-1].Partitions = append(topics[n-1].Partitions, p)
	return topics
}

// take takes in an answer. What it says of a partition that has another epoch or leader by now, or
// is resting, is out of date.
func (f *fetcher) take(r *kmsg.FetchResponse) {
	f.id = r.SessionID
	if f.id != 0 {
		if f.epoch++; f.epoch < 0 {
			f.epoch = 1
		}
	}
	for i := range r.Topics {
		t := f.broker.cluster.byID[r.Topics[i].TopicID]
		for j := range r.Topics[i].Partitions {
			p := &r.Topics[i].Partitions[j]
			if t == nil || int(p.Partition) >= len(t.Partitions) {
				continue
			}
			rep := f.broker.replica(t.Partitions[p.Partition])
			if rep != nil && rep.fetcher == f && !rep.delayed && rep.told.set &&
				rep.told.epoch == rep.state.Epoch && rep.told.offset == rep.log.LEO() {
				rep.fetched(p)
			}
		}
	}
}

// fetched takes in what the leader answered for the partition.
func (r *replica) fetched(p *kmsg.FetchResponseTopicPartition) {
	switch code := wire.Code(p.ErrorCode); {
	case code == wire.OffsetOutOfRange:
		r.findPlace()
	case code != wire.None:
		r.delay()
	case p.DivergingEpoch.Epoch >= 0:
		r.truncate(p.DivergingEpoch.Epoch, p.DivergingEpoch.EndOffset)
	default:
		r.copy(p.RecordBatches, r.broker.env.Ref(r.broker.cluster.node(r.state.Leader).name))
		r.raiseHW(p.HighWatermark)
		if p.LogStartOffset <= r.log.HW() && r.log.SetLogStart(p.LogStartOffset) {
			r.tell(trace.Event{Kind: trace.LogStart, X: p.LogStartOffset})
		}
	}
}

// copy appends batches as they lie in the leader's log.
func (r *replica) copy(batches []byte, from trace.Ref) {
	r.align(batches)
	base := r.log.LEO()
	size := r.log.Bytes()
	r.log.AppendFollower(batches)
	if n := r.log.LEO() - base; n > 0 {
		r.tell(trace.Event{
			Kind: trace.Replicated, X: base, Y: n, Z: r.log.Bytes() - size, Peer: from,
		})
	}
}

// align lets an empty log go on at the beginning of the batch that its end lies in: the leader's log
// may start in the middle of one after DeleteRecords, and only whole batches are copied.
// [Partition.appendRecordsToFollowerOrFutureReplica]
func (r *replica) align(batches []byte) {
	end := r.log.LEO()
	h, err := wire.ReadHeader(batches)
	if err != nil || r.log.LogStart() != end || h.BaseOffset >= end || h.LastOffset() < end {
		return
	}
	r.startOver(h.BaseOffset)
}

// startOver empties the log and goes on at offset.
func (r *replica) startOver(offset int64) {
	before := r.log.LEO()
	r.log.StartOver(offset)
	r.tell(trace.Event{Kind: trace.Truncated, X: offset, Y: before, Z: int64(r.state.Epoch)})
	r.tell(trace.Event{Kind: trace.LogStart, X: offset})
	r.tell(trace.Event{Kind: trace.FollowerWatermark, X: offset})
}

// raiseHW takes over the leader's high watermark, as far as the own log goes: it is always one fetch
// behind (E22).
func (r *replica) raiseHW(hw int64) {
	hw = max(min(hw, r.log.LEO()), r.log.LogStart())
	if r.log.SetHW(hw, r.state.Epoch) {
		r.tell(trace.Event{Kind: trace.FollowerWatermark, X: hw})
		r.wake()
	}
}

// truncate cuts the log down to where it agrees with the leader's: the leader has nothing of epoch
// beyond end (E23).
func (r *replica) truncate(epoch int32, end int64) {
	own, ownEnd := r.log.EndOffsetFor(epoch)
	to := min(end, r.log.LEO())
	if own >= 0 {
		to = min(end, ownEnd, r.log.LEO())
	}
	r.cut(to)
}

func (r *replica) cut(to int64) {
	before := r.log.LEO()
	r.log.TruncateTo(to)
	if r.log.LEO() == before {
		return // only an epoch was forgotten under which nothing was written
	}
	r.tell(trace.Event{
		Kind: trace.Truncated, X: r.log.LEO(), Y: before, Z: int64(r.state.Epoch),
	})
}

// findPlace: the own end lies outside of the leader's log. If the leader's end is lower, cut to it;
// else begin anew at its start (E24).
func (r *replica) findPlace() {
	r.rest()
	epoch := r.state.Epoch
	r.askOffset(storage.Latest, epoch, func(end int64) {
		if end < r.log.LEO() {
			r.cut(end)
			r.resume()
			return
		}
		r.askOffset(storage.Earliest, epoch, func(start int64) {
			if start > r.log.LEO() {
				r.startOver(start)
			}
			r.resume()
		})
	})
}

// askOffset asks the leader for an end of its log; without an answer the replica rests.
func (r *replica) askOffset(timestamp int64, epoch int32, then func(offset int64)) {
	f := r.fetcher
	q := kmsg.NewPtrListOffsetsRequest()
	q.Version, q.ReplicaID = wire.Pick(wire.KeyListOffsets), r.broker.id
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Partition, p.CurrentLeaderEpoch, p.Timestamp = r.part.Index, epoch, timestamp
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic, t.Partitions = r.part.Topic.Name, []kmsg.ListOffsetsRequestTopicPartition{p}
	q.Topics = append(q.Topics, t)
	r.broker.channel(f.leader, "fetcher").send(q, replicaSocketTimeout, func(resp kmsg.Response) {
		if r.fetcher != f || r.state.Epoch != epoch {
			return
		}
		a, ok := resp.(*kmsg.ListOffsetsResponse)
		if !ok || wire.ErrorCode(&wire.Frame{Resp: a}) != 0 {
			r.delay()
			return
		}
		then(a.Topics[0].Partitions[0].Offset)
	})
}

// rest takes the replica out of the fetch session until it resumes.
func (r *replica) rest() {
	r.delayed = true
	if r.told.set {
		r.told.set = false
		r.fetcher.gone = append(r.fetcher.gone, r)
	}
}

// delay lets the replica rest for replica.fetch.backoff.ms.
func (r *replica) delay() {
	r.rest()
	f, epoch := r.fetcher, r.state.Epoch
	r.broker.env.After(replicaFetchBackoff, func() {
		if r.fetcher == f && r.state.Epoch == epoch {
			r.resume()
		}
	})
}

// resume lets the replica be fetched again; the session has to be told where it stands.
func (r *replica) resume() {
	f := r.fetcher
	r.delayed = false
	f.gone = slices.DeleteFunc(f.gone, func(g *replica) bool { return g == r })
	f.next()
}
