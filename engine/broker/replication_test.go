package broker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// replicated is a cluster of three brokers with a topic "t" of one partition on all of them, led by
// broker 1, whose story has begun.
func replicated(t *testing.T, settings ...Entry) *lab {
	l := newLab(t, 3, settings...)
	require.NoError(t, l.c.CreateTopic(TopicSpec{Name: "t", Partitions: 1, ReplicationFactor: 3}))
	l.c.Open()
	l.wait(time.Second)
	return l
}

// state is what is committed of partition 0 of "t".
func (l *lab) state() *State { return l.c.State(l.c.byName["t"].Partitions[0]) }

// copyOf is a broker's replica of partition 0 of "t".
func (l *lab) copyOf(id int32) *replica {
	return l.c.node(id).broker.replica(l.c.byName["t"].Partitions[0])
}

// ends are the log ends of partition 0 of "t" on brokers 1 to 3, from their disks.
func (l *lab) ends() []int64 {
	var out []int64
	for _, n := range l.c.nodes {
		out = append(out, n.disk[l.c.byName["t"].Partitions[0].place()].LEO())
	}
	return out
}

func TestFollowersCopyByFetchAndTheHighWatermarkFollows(t *testing.T) { // E18, E22
	l := replicated(t)
	c := l.client("p", "broker-1")
	sent := l.now()
	out := c.produce("t", 0, "a", "b")
	require.Zero(t, out.ErrorCode)
	// Produce there, the waiting fetches' answers, the next fetches, the answer to Produce.
	require.Equal(t, sent+4*oneWay, c.last().at, "acknowledged when all in sync have it")
	require.Equal(t, []int64{2, 2, 2}, l.ends())
	require.Equal(t, int64(2), l.copyOf(1).log.HW())
	require.Equal(t, int64(0), l.copyOf(2).log.HW(), "a follower learns it one fetch later")
	c.produce("t", 0, "c")
	require.Equal(t, int64(2), l.copyOf(2).log.HW())
	l.wait(time.Second)
	require.Equal(t, int64(3), l.copyOf(2).log.HW())
	require.Equal(t, l.copyOf(1).log.Read(0, 1<<20, 3, true), l.copyOf(3).log.Read(0, 1<<20, 3, true),
		"the copies are byte for byte the leader's")
}

func TestRecordsAboveTheHighWatermarkAreNotReadByConsumersButByFollowers(t *testing.T) { // E4, E7
	l := replicated(t)
	l.w.Cut("broker-1", "broker-2")
	l.w.Cut("broker-1", "broker-3")
	c := l.client("p", "broker-1")
	r := c.ask(produceRequest("t", 0, 1, l.batch("x"))).(*kmsg.ProduceResponse)
	require.Zero(t, r.Topics[0].Partitions[0].ErrorCode, "acks=1 is answered after the append")
	q := fetchRequest("t", want{})
	q.MaxWaitMillis = 100
	require.Empty(t, parts(c.fetch(q))[0].RecordBatches)
	q.ReplicaID = 2
	require.NotEmpty(t, parts(c.fetch(q))[0].RecordBatches)
}

func TestAFollowerThatStopsLeavesTheISRAfter30To45Seconds(t *testing.T) { // E20, E21
	l := replicated(t)
	// The link is cut to the leader only, so that the controller still hears of broker 3; the leader
	// is broker 2, so that it is not the controller.
	require.NoError(t, l.c.MoveLeader("t", 0, 2))
	l.wait(time.Second)
	c := l.client("p", "broker-2")
	c.produce("t", 0, "a")
	l.w.Cut("broker-2", "broker-3")
	stopped := l.now()
	r := c.ask(produceRequest("t", 0, 1, l.batch("b"))).(*kmsg.ProduceResponse)
	require.Zero(t, r.Topics[0].Partitions[0].ErrorCode)
	epoch := l.state()
	for len(l.state().ISR) == 3 {
		l.wait(100 * time.Millisecond)
	}
	require.GreaterOrEqual(t, l.now()-stopped, 29*time.Second)
	require.LessOrEqual(t, l.now()-stopped, 46*time.Second)
	require.Equal(t, []int32{1, 2}, l.state().ISR)
	require.Equal(t, epoch.Epoch, l.state().Epoch, "the leader epoch stays")
	require.Equal(t, epoch.PartitionEpoch+1, l.state().PartitionEpoch)
	require.Equal(t, int64(2), l.copyOf(2).log.HW(), "the high watermark goes on without it")
	l.w.Heal("broker-2", "broker-3")
	l.wait(35 * time.Second)
	require.Equal(t, []int32{1, 2, 3}, l.state().ISR, "caught up, it is taken in again")
	changes := l.events(trace.ISRChanged)
	require.Equal(t, "1,2,3", l.log.String(changes[len(changes)-1].Peer))
	require.Equal(t, "1,2", l.log.String(changes[len(changes)-2].Peer))
}

func TestTooFewInSyncReplicas(t *testing.T) { // E19, E26
	l := replicated(t, Entry{"min.insync.replicas", "3"})
	require.NoError(t, l.c.MoveLeader("t", 0, 2))
	l.wait(time.Second)
	c := l.client("p", "broker-2")
	require.Zero(t, c.produce("t", 0, "a").ErrorCode)
	l.w.Cut("broker-2", "broker-3")
	q := produceRequest("t", 0, -1, l.batch("b"))
	q.TimeoutMillis = 2000
	r := c.ask(q).(*kmsg.ProduceResponse)
	require.Equal(t, wire.RequestTimedOut, wire.Code(r.Topics[0].Partitions[0].ErrorCode))
	require.Equal(t, int64(2), l.copyOf(2).log.LEO(), "the record is in the log all the same")
	l.wait(45 * time.Second)
	require.Len(t, l.state().ISR, 2)
	require.Equal(t, wire.NotEnoughReplicas, wire.Code(c.produce("t", 0, "c").ErrorCode))
	r = c.ask(produceRequest("t", 0, 1, l.batch("d"))).(*kmsg.ProduceResponse)
	require.Zero(t, r.Topics[0].Partitions[0].ErrorCode, "acks=1 does not ask")
	require.Equal(t, int64(3), l.copyOf(2).log.LEO())
	require.Equal(t, int64(1), l.copyOf(2).log.HW(), "but nobody sees it: the high watermark stands")
	l.w.Heal("broker-2", "broker-3")
	l.wait(40 * time.Second)
	require.Equal(t, int64(3), l.copyOf(2).log.HW())
}

// The high watermark stands still while too few are in sync, so this error is left for a batch that
// it had passed before the replicas became too few.
func TestNotEnoughReplicasAfterAppend(t *testing.T) { // E26
	l := replicated(t)
	l.client("p", "broker-1").produce("t", 0, "a")
	code := wire.None
	l.copyOf(1).await(1, time.Second, func(c wire.Code) { code = c })
	require.Equal(t, wire.None, code)
	l.kill("broker-3")
	l.wait(12 * time.Second)
	require.NoError(t, l.c.SetConfig("t", "min.insync.replicas", "3"))
	l.copyOf(1).await(1, time.Second, func(c wire.Code) { code = c })
	require.Equal(t, wire.NotEnoughReplicasAfterAppend, code)
}

func TestALeaderThatIsKilledIsReplacedWhenItsSessionIsOver(t *testing.T) { // E23, E25
	l := replicated(t)
	require.NoError(t, l.c.MoveLeader("t", 0, 2))
	l.wait(time.Second)
	l.client("p", "broker-2").produce("t", 0, "a", "b")
	killed := l.now()
	l.kill("broker-2")
	for l.state().Leader == 2 {
		l.wait(10 * time.Millisecond)
	}
	require.GreaterOrEqual(t, l.now()-killed, 7*time.Second, "9 s after its last heartbeat")
	require.LessOrEqual(t, l.now()-killed, 9*time.Second)
	require.Equal(t, int32(1), l.state().Leader, "the first of the replicas that is in sync and alive")
	require.Equal(t, []int32{1, 3}, l.state().ISR)
	l.wait(time.Second)
	c := l.client("c", "broker-1")
	require.Equal(t, []int64{0, 1}, offsetsIn(t, parts(c.fetch(fetchRequest("t", want{})))[0].RecordBatches))
	require.Equal(t, int64(2), c.produce("t", 0, "c").BaseOffset)
	fenced := l.events(trace.BrokerFenced)
	require.Equal(t, "broker-2", l.log.String(fenced[0].Peer))

	l.revive("broker-2")
	l.wait(5 * time.Second)
	require.Equal(t, []int64{3, 3, 3}, l.ends())
	require.Equal(t, []int32{1, 3, 2}, l.state().ISR, "back, caught up and counted in")
}

func TestABrokerThatIsBackTooSoonIsRefusedUntilItsOldSessionIsOver(t *testing.T) {
	l := replicated(t)
	l.kill("broker-3")
	l.wait(time.Second)
	l.revive("broker-3")
	l.wait(3 * time.Second)
	require.False(t, l.c.node(3).broker.life.ready)
	require.Equal(t, []int32{1, 2, 3}, l.state().ISR)
	l.wait(10 * time.Second)
	require.True(t, l.c.node(3).broker.life.ready)
	require.Len(t, l.state().ISR, 3)
}

func TestAStoppedBrokerGivesItsLeadershipsAwayFirst(t *testing.T) {
	l := replicated(t)
	require.NoError(t, l.c.MoveLeader("t", 0, 2))
	l.wait(time.Second)
	asked := l.now()
	var gone time.Duration
	l.c.node(2).broker.Shutdown(func() { gone = l.now() })
	l.wait(10 * time.Millisecond)
	require.Equal(t, int32(1), l.state().Leader, "moved at once")
	require.Zero(t, gone)
	l.wait(3 * time.Second)
	require.NotZero(t, gone)
	require.LessOrEqual(t, gone-asked, 2100*time.Millisecond, "the others say what they know every 2 s")
	require.Equal(t, int32(1), l.state().Leader)
	require.Equal(t, []int32{1, 3}, l.state().ISR)
}

func TestWhatALonelyLeaderWroteIsCutOff(t *testing.T) { // E23
	l := replicated(t)
	require.NoError(t, l.c.MoveLeader("t", 0, 2))
	l.wait(time.Second)
	c := l.client("p", "broker-2")
	c.produce("t", 0, "a")
	for _, other := range []string{"broker-1", "broker-3"} {
		l.w.Cut("broker-2", other)
	}
	r := c.ask(produceRequest("t", 0, 1, l.batch("lost", "too"))).(*kmsg.ProduceResponse)
	require.Equal(t, int64(1), r.Topics[0].Partitions[0].BaseOffset, "it does not know better")
	l.wait(12 * time.Second)
	require.Equal(t, int32(1), l.state().Leader)
	d := l.client("q", "broker-1")
	require.Equal(t, int64(1), d.produce("t", 0, "kept").BaseOffset)
	require.Equal(t, wire.NotLeaderOrFollower, wire.Code(l.client("x", "broker-3").produce("t", 0, "no").ErrorCode))
	for _, other := range []string{"broker-1", "broker-3"} {
		l.w.Heal("broker-2", other)
	}
	l.wait(5 * time.Second)
	require.Equal(t, []int64{2, 2, 2}, l.ends())
	cut := l.events(trace.Truncated)
	require.Len(t, cut, 1)
	require.Equal(t, int64(1), cut[0].X)
	require.Equal(t, int64(3), cut[0].Y)
	require.Equal(t, "broker-2", l.log.String(cut[0].Node))
	require.Equal(t, l.copyOf(1).log.Read(0, 1<<20, 2, true), l.copyOf(2).log.Read(0, 1<<20, 2, true))
	code := wire.Code(c.produce("t", 0, "y").ErrorCode)
	require.Equal(t, wire.NotLeaderOrFollower, code, "now it knows")
}

func TestTheQuorumChoosesAnotherControllerWhenOneIsGone(t *testing.T) {
	l := replicated(t)
	require.Equal(t, int32(1), l.c.controller)
	killed := l.now()
	l.kill("broker-1")
	for l.c.controller == 1 {
		l.wait(10 * time.Millisecond)
	}
	require.GreaterOrEqual(t, l.now()-killed, 1500*time.Millisecond)
	require.LessOrEqual(t, l.now()-killed, 4*time.Second)
	l.wait(12 * time.Second)
	require.NotEqual(t, int32(1), l.state().Leader, "the new one counts the broker out")
	r := l.client("c", "broker-3").ask(metadataOf("t")).(*kmsg.MetadataResponse)
	require.Equal(t, l.c.controller, r.ControllerID)
	require.Len(t, r.Brokers, 2)
	l.revive("broker-1")
	l.wait(5 * time.Second)
	require.True(t, l.c.node(1).broker.life.ready)
	require.Equal(t, l.c.controller, l.c.node(1).broker.quorum.leader)
}

func TestAControllerThatIsCutOffStepsDown(t *testing.T) {
	l := replicated(t)
	old := l.c.node(1).broker
	l.w.Cut("broker-1", "broker-2")
	l.w.Cut("broker-1", "broker-3")
	l.wait(6 * time.Second)
	require.NotEqual(t, int32(1), l.c.controller)
	require.Nil(t, old.duty, "it has noticed")
	epoch := l.c.controllerEpoch
	l.w.HealAll()
	l.wait(5 * time.Second)
	require.Equal(t, epoch, l.c.controllerEpoch, "and disturbs nobody when it is back (KIP-996)")
	require.Equal(t, l.c.controller, old.quorum.leader)
}

func TestWithoutAnInSyncReplicaThereIsNoLeaderUnlessUncleanIsAllowed(t *testing.T) { // E25
	l := newLab(t, 3)
	require.NoError(t, l.c.CreateTopic(TopicSpec{
		Name: "t", Partitions: 1, ReplicationFactor: 2, Replicas: [][]int32{{2, 3}},
	}))
	l.c.Open()
	l.wait(time.Second)
	l.client("p", "broker-2").produce("t", 0, "a")
	l.wait(time.Second)
	l.kill("broker-3")
	l.wait(12 * time.Second)
	require.Equal(t, int64(1), l.client("p2", "broker-2").produce("t", 0, "b").BaseOffset)
	l.kill("broker-2")
	l.wait(12 * time.Second)
	require.Equal(t, int32(2), l.state().Leader, "one voter of three can change nothing")
	l.revive("broker-3")
	l.wait(20 * time.Second)
	require.Equal(t, int32(-1), l.state().Leader, "broker 3 lacks an acknowledged record")
	require.Equal(t, []int32{2}, l.state().ISR)
	c := l.client("c", "broker-1")
	p := c.ask(metadataOf("t")).(*kmsg.MetadataResponse).Topics[0].Partitions[0]
	require.Equal(t, wire.LeaderNotAvailable, wire.Code(p.ErrorCode))
	require.Equal(t, []int32{2}, p.OfflineReplicas)
	require.Equal(t, wire.PreferredLeaderNotAvailable, l.c.Elect("t", 0, false))
	require.NoError(t, l.c.SetConfig("t", "unclean.leader.election.enable", "true"))
	require.Equal(t, int32(3), l.state().Leader)
	require.Equal(t, []int32{3}, l.state().ISR)
	l.wait(time.Second)
	require.Equal(t, int64(1), l.client("q", "broker-3").produce("t", 0, "c").BaseOffset, "b is lost")
	l.revive("broker-2")
	l.wait(5 * time.Second)
	require.Equal(t, l.copyOf(3).log.Read(0, 1<<20, 2, true), l.copyOf(2).log.Read(0, 1<<20, 2, true))
	require.Equal(t, []int32{3, 2}, l.state().ISR)
}

func TestAPreferredLeaderIsElectedOnDemandAndByTheBalancer(t *testing.T) {
	l := replicated(t)
	require.Equal(t, wire.ElectionNotNeeded, l.c.Elect("t", 0, false))
	require.NoError(t, l.c.MoveLeader("t", 0, 3))
	l.wait(time.Second)
	require.Equal(t, wire.None, l.c.Elect("t", 0, false))
	require.Equal(t, int32(1), l.state().Leader)
	require.NoError(t, l.c.MoveLeader("t", 0, 3))
	l.wait(301 * time.Second)
	require.Equal(t, int32(1), l.state().Leader, "leader.imbalance.check.interval.seconds")
	require.Equal(t, wire.ElectionNotNeeded, l.c.Elect("t", 0, true))
	require.Error(t, l.c.MoveLeader("t", 0, 1))
	require.Error(t, l.c.MoveLeader("t", 0, 7))
}

func TestAConsumerReadsFromTheReplicaInItsRack(t *testing.T) { // E9
	l := newLab(t, 3, Entry{"replica.selector.class", rackAwareSelector})
	// Racks are part of a registration, so the brokers start again with theirs.
	for id, rack := range []string{"a", "b", "b"} {
		l.kill(l.c.node(int32(id + 1)).name)
		l.c.SetRack(id+1, rack)
		l.revive(l.c.node(int32(id + 1)).name)
	}
	require.NoError(t, l.c.CreateTopic(TopicSpec{
		Name: "t", Partitions: 1, ReplicationFactor: 2, Leaders: []int32{1},
	}))
	require.Equal(t, []int32{1, 2}, l.state().Replicas, "in two racks")
	l.c.Open()
	l.wait(time.Second)
	l.client("p", "broker-1").produce("t", 0, "a", "b")
	l.wait(time.Second)
	ask := func(broker, rack string, offset int64) kmsg.FetchResponseTopicPartition {
		q := fetchRequest("t", want{offset: offset})
		q.Rack, q.MaxWaitMillis = rack, 10
		return parts(l.client("c-"+broker+rack+l.now().String(), broker).fetch(q))[0]
	}
	p := ask("broker-1", "b", 0)
	require.Equal(t, int32(2), p.PreferredReadReplica)
	require.Empty(t, p.RecordBatches)
	require.Equal(t, []int64{0, 1}, offsetsIn(t, ask("broker-2", "b", 0).RecordBatches))
	require.Equal(t, wire.OffsetOutOfRange, wire.Code(ask("broker-2", "b", 3).ErrorCode), "beyond its own end")
	require.Equal(t, int32(-1), ask("broker-1", "a", 0).PreferredReadReplica, "the leader is nearest")
	require.Equal(t, int32(-1), ask("broker-1", "c", 0).PreferredReadReplica, "no replica there")
	require.Equal(t, wire.NotLeaderOrFollower, wire.Code(ask("broker-3", "b", 0).ErrorCode), "it has no copy")
	c := l.client("in a session", "broker-1")
	q := session(fetchRequest("t", want{}), 0, 0)
	open := c.fetch(q)
	q = session(fetchRequest("t", want{}), open.SessionID, 1)
	q.Topics, q.MaxWaitMillis, q.Rack = nil, 10, "b"
	require.Equal(t, int32(2), parts(c.fetch(q))[0].PreferredReadReplica, "told in every answer (E16)")
	old := fetchRequest("t", want{})
	old.Version = 10
	require.Equal(t, wire.NotLeaderOrFollower,
		wire.Code(parts(l.client("old", "broker-2").fetch(old))[0].ErrorCode), "before version 11")
}
