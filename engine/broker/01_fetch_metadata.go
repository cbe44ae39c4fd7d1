package broker

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/wire"
)

// A Fetch of the metadata log: the active controller answers with the records that follow, or holds
// the request until there are some or its max wait is over. Who is not the controller says who is,
// as far as it knows. Fetches of voters also tell the controller that it is still in contact with
// them.

// metadataWait is such a fetch that waits.
type metadataWait struct {
	line   *line
	offset int64
	timer  *sim.Timer
}

// asksMetadata says whether a fetch is one of the metadata log.
func asksMetadata(req *kmsg.FetchRequest) bool {
	return req.Version >= 13 && len(req.Topics) == 1 && req.Topics[0].TopicID == wire.MetadataTopicID &&
		len(req.Topics[0].Partitions) == 1
}

func (b *Broker) fetchMetadata(l *line, req *kmsg.FetchRequest) {
	q := &req.Topics[0].Partitions[0]
	switch {
	case !b.controls():
		l.reply(b.metadataAnswer(wire.NotLeaderOrFollower, nil))
		return
	case q.CurrentLeaderEpoch > b.quorum.epoch:
		b.follow(q.CurrentLeaderEpoch, 0)
		l.reply(b.metadataAnswer(wire.NotLeaderOrFollower, nil))
		return
	}
	b.duty.contact(req.ReplicaState.ID)
	if records := b.metadataFrom(q.FetchOffset); records != nil || req.MaxWaitMillis <= 0 {
		l.reply(b.metadataAnswer(wire.None, records))
		return
	}
	w := &metadataWait{line: l, offset: q.FetchOffset}
	w.timer = b.env.After(ms(int64(req.MaxWaitMillis)), func() { b.answerMetadata(w) })
	b.duty.waits = append(b.duty.waits, w)
}

func (b *Broker) metadataFrom(offset int64) []byte {
	log := b.cluster.log
	return log.Read(offset, 1<<20, log.HW(), true)
}

// answerMetadata ends the wait of a fetch, with what there is by now.
func (b *Broker) answerMetadata(w *metadataWait) {
	w.timer.Stop()
	if b.duty != nil {
		b.duty.waits = slices.DeleteFunc(b.duty.waits, func(o *metadataWait) bool { return o == w })
	}
	if !b.controls() {
		w.line.reply(b.metadataAnswer(wire.NotLeaderOrFollower, nil))
		return
	}
	w.line.reply(b.metadataAnswer(wire.None, b.metadataFrom(w.offset)))
}

func (b *Broker) metadataAnswer(code wire.Code, records []byte) *kmsg.FetchResponse {
	r := kmsg.NewPtrFetchResponse()
	p := kmsg.NewFetchResponseTopicPartition()
	p.ErrorCode, p.RecordBatches = int16(code), records
	p.HighWatermark = b.cluster.log.HW()
	p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch = b.quorum.leader, b.quorum.epoch
	if p.CurrentLeader.LeaderID == 0 {
		p.CurrentLeader.LeaderID = -1
	}
	t := kmsg.NewFetchResponseTopic()
	t.TopicID, t.Partitions = wire.MetadataTopicID, []kmsg.FetchResponseTopicPartition{p}
	r.Topics = append(r.Topics, t)
	return r
}

// publish lets the waiting fetches have what was committed.
func (b *Broker) publish() {
	if b.duty == nil {
		return
	}
	for _, w := range slices.Clone(b.duty.waits) {
		b.answerMetadata(w)
	}
}

// pull fetches the metadata log from the controller, as long as the process runs. A broker that does
// not know the controller asks the voters one after another.
func (b *Broker) pull() {
	q := &b.quorum
	if q.pulling || q.leader == b.id {
		return
	}
	peer := q.leader
	if peer == 0 {
		peer = b.nextVoter()
	}
	if peer == 0 {
		return
	}
	q.pulling, q.peer = true, peer
	believed, epoch := q.leader, q.epoch
	b.channel(peer, "raft").send(b.metadataRequest(), fetchTimeout, func(resp kmsg.Response) {
		q.pulling = false
		r, ok := resp.(*kmsg.FetchResponse)
		if !ok || len(r.Topics) == 0 {
			if !b.votes() && b.env.Now().Sub(q.heard) >= fetchTimeout {
				b.lose() // a voter does so when it stands for election
			}
			b.pullLater()
			return
		}
		p := &r.Topics[0].Partitions[0]
		if p.ErrorCode != 0 {
			if peer == believed && believed == q.leader && epoch == q.epoch {
				b.lose() // it says itself that it is no controller
			}
			b.heardOf(p.CurrentLeader.LeaderEpoch, p.CurrentLeader.LeaderID, 0)
			b.pullLater()
			return
		}
		b.heardOf(p.CurrentLeader.LeaderEpoch, p.CurrentLeader.LeaderID, peer)
		b.catchUp(p.RecordBatches, p.HighWatermark)
		b.pull()
	})
}

func (b *Broker) metadataRequest() *kmsg.FetchRequest {
	q := kmsg.NewPtrFetchRequest()
	q.Version = 17 // the first with the directory ids of voters; 18 adds nothing that is used here
	q.ReplicaState.ID, q.ReplicaState.Epoch = b.id, -1
	q.MaxWaitMillis, q.MinBytes, q.MaxBytes, q.SessionEpoch = metadataWaitMs, 0, 8<<20, -1
	p := kmsg.NewFetchRequestTopicPartition()
	p.CurrentLeaderEpoch, p.FetchOffset = b.quorum.epoch, b.image.offset
	p.PartitionMaxBytes = 8 << 20
	t := kmsg.NewFetchRequestTopic()
	t.TopicID, t.Partitions = wire.MetadataTopicID, []kmsg.FetchRequestTopicPartition{p}
	q.Topics = append(q.Topics, t)
	return q
}

func (b *Broker) pullLater() { b.env.After(retryBackoff, b.pull) }

// catchUp applies batches of the metadata log, whose end is given, to the broker's image. A broker that
// starts acts on none of the past: only when it has come to the end does it take up what it finds.
func (b *Broker) catchUp(batches []byte, end int64) {
	for {
		batch, rest, err := wire.NextBatch(batches)
		if err != nil {
			panic("broker: " + err.Error())
		}
		if batch == nil {
			break
		}
		for _, r := range mustMetadata(batch) {
			switch {
			case r.offset != b.image.offset:
			case b.life.begun:
				b.learn(&r.MetadataRecord)
			default:
				b.image.apply(b.cluster, &r.MetadataRecord)
			}
		}
		batches = rest
	}
	if b.image.offset < end {
		return
	}
	if !b.life.begun {
		b.boot()
	}
	b.caughtUp()
}

type metadataAt struct {
	offset int64
	wire.MetadataRecord
}

// mustMetadata decodes a batch that a controller wrote.
func mustMetadata(batch []byte) []metadataAt {
	_, records, err := wire.DecodeBatch(batch)
	if err != nil {
		panic("broker: " + err.Error())
	}
	out := make([]metadataAt, len(records))
	for i := range records {
		m, err := wire.DecodeMetadataRecord(records[i].Value)
		if err != nil {
			panic("broker: " + err.Error())
		}
		out[i] = metadataAt{records[i].Offset, m}
	}
	return out
}

// The quorum's settings, as Kafka has them.
const (
	metadataWaitMs  = 500
	fetchTimeout    = 2 * time.Second // controller.quorum.fetch.timeout.ms
	electionTimeout = time.Second     // controller.quorum.election.timeout.ms
	retryBackoff    = 100 * time.Millisecond
)
