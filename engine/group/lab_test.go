package group

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// lab is one coordinator in a simulated world, with a log that the test can let fail or wait.
type lab struct {
	t     *testing.T
	w     *sim.World
	log   *trace.Log
	cfg   Config
	c     *Coordinator
	store map[int32][]wire.Record
	fail  wire.Code // what the next appends are answered
	held  []func()  // appends that wait, while hold is set
	hold  bool
	meta  fakeTopics
}

const testGroup = "g"

func newLab(t *testing.T, change ...func(*Config)) *lab {
	l := &lab{t: t, log: trace.NewLog(), cfg: DefaultConfig(), store: map[int32][]wire.Record{}}
	for _, fn := range change {
		fn(&l.cfg)
	}
	l.w = sim.NewWorld(sim.Options{Log: l.log, Seed: 1})
	l.w.Spawn("broker-1", l)
	l.c.Load(l.partition(), nil)
	return l
}

func (l *lab) Start(env sim.Env) {
	l.c = New(Options{Env: env, Config: &l.cfg, Append: l.append, Topics: &l.meta})
}
func (l *lab) Opened(sim.Conn)                {}
func (l *lab) Closed(sim.Conn)                {}
func (l *lab) Received(sim.Conn, sim.Message) {}

func (l *lab) append(partition int32, records []wire.Record, done func(wire.Code)) {
	code := l.fail
	if len(records) == 0 {
		code = wire.None // what was written before has not failed
	}
	do := func() {
		if code == wire.None {
			l.store[partition] = append(l.store[partition], records...)
		}
		done(code)
	}
	if l.hold {
		l.held = append(l.held, do)
		return
	}
	do()
}

// letGo ends the wait of all appends.
func (l *lab) letGo() {
	l.hold = false
	for _, do := range l.held {
		do()
	}
	l.held = nil
}

func (l *lab) partition() int32 { return l.c.Partition(testGroup) }

// at runs the world to a moment after the start.
func (l *lab) at(t time.Duration) {
	end := sim.Start.Add(t)
	for next, ok := l.w.Next(); ok && next <= end; next, ok = l.w.Next() {
		require.NoError(l.t, l.w.Turn())
	}
	l.w.Forward(end)
}

func (l *lab) now() time.Duration { return time.Duration(l.w.Now().Since()) }

func (l *lab) group() *group {
	for _, s := range l.c.shards {
		if s != nil && s.groups[testGroup] != nil {
			return s.groups[testGroup]
		}
	}
	return nil
}

// call is a JoinGroup or SyncGroup with its answer, once it is there.
type call struct {
	join *kmsg.JoinGroupResponse
	sync *kmsg.SyncGroupResponse
	at   time.Duration
}

func (c *call) done() bool { return c.join != nil || c.sync != nil }

func (c *call) code() wire.Code {
	if c.join != nil {
		return wire.Code(c.join.ErrorCode)
	}
	return wire.Code(c.sync.ErrorCode)
}

// joinRequest is a Join of a consumer with range; version 3 needs no second step.
func joinRequest(id string) *kmsg.JoinGroupRequest {
	r := kmsg.NewPtrJoinGroupRequest()
	r.Version, r.Group, r.MemberID = 3, testGroup, id
	r.SessionTimeoutMillis, r.RebalanceTimeoutMillis = 45000, 300000
	r.ProtocolType = consumerProtocol
	r.Protocols = []kmsg.JoinGroupRequestProtocol{protocol("range", subscription("t"))}
	return r
}

func subscription(topics ...string) []byte {
	return wire.EncodeSubscription(wire.Subscription{Version: 1, Topics: topics})
}

func protocol(name string, metadata []byte) kmsg.JoinGroupRequestProtocol {
	p := kmsg.NewJoinGroupRequestProtocol()
	p.Name, p.Metadata = name, metadata
	return p
}

func (l *lab) send(client string, r *kmsg.JoinGroupRequest) *call {
	c := &call{}
	l.c.JoinGroup(r, Client{ID: client, Host: "/" + client}, func(resp *kmsg.JoinGroupResponse) {
		require.False(l.t, c.done(), "answered twice")
		c.join, c.at = resp, l.now()
	})
	return c
}

// join sends the first Join of a client.
func (l *lab) join(client string, change ...func(*kmsg.JoinGroupRequest)) *call {
	r := joinRequest("")
	for _, fn := range change {
		fn(r)
	}
	return l.send(client, r)
}

// rejoin sends a Join of a known member.
func (l *lab) rejoin(id string, change ...func(*kmsg.JoinGroupRequest)) *call {
	return l.join("again", append(change, func(r *kmsg.JoinGroupRequest) { r.MemberID = id })...)
}

func static(instance string) func(*kmsg.JoinGroupRequest) {
	return func(r *kmsg.JoinGroupRequest) { r.Version, r.InstanceID = 9, &instance }
}

func version(v int16) func(*kmsg.JoinGroupRequest) {
	return func(r *kmsg.JoinGroupRequest) { r.Version = v }
}

func timeouts(session, rebalance time.Duration) func(*kmsg.JoinGroupRequest) {
	return func(r *kmsg.JoinGroupRequest) {
		r.SessionTimeoutMillis = int32(session / time.Millisecond)
		r.RebalanceTimeoutMillis = int32(rebalance / time.Millisecond)
	}
}

func offering(p ...kmsg.JoinGroupRequestProtocol) func(*kmsg.JoinGroupRequest) {
	return func(r *kmsg.JoinGroupRequest) { r.Protocols = p }
}

func (l *lab) sync(
	id string, generation int32, plan ...kmsg.SyncGroupRequestGroupAssignment,
) *call {
	r := kmsg.NewPtrSyncGroupRequest()
	r.Version, r.Group, r.MemberID, r.Generation = 3, testGroup, id, generation
	r.GroupAssignment = plan
	c := &call{}
	l.c.SyncGroup(r, func(resp *kmsg.SyncGroupResponse) {
		require.False(l.t, c.done(), "answered twice")
		c.sync, c.at = resp, l.now()
	})
	return c
}

func share(id string, parts ...int32) kmsg.SyncGroupRequestGroupAssignment {
	var tps []wire.TopicPartition
	for _, p := range parts {
		tps = append(tps, wire.TopicPartition{Topic: "t", Partition: p})
	}
	a := kmsg.NewSyncGroupRequestGroupAssignment()
	a.MemberID = id
	a.MemberAssignment = wire.EncodeAssignment(wire.Assignment{Partitions: tps})
	return a
}

func (l *lab) heartbeat(id string, generation int32) wire.Code {
	r := kmsg.NewPtrHeartbeatRequest()
	r.Version, r.Group, r.MemberID, r.Generation = 4, testGroup, id, generation
	return wire.Code(l.c.Heartbeat(r).ErrorCode)
}

func (l *lab) leave(id string) wire.Code {
	r := kmsg.NewPtrLeaveGroupRequest()
	r.Version, r.Group, r.MemberID = 2, testGroup, id
	return wire.Code(l.c.LeaveGroup(r).ErrorCode)
}

func commitRequest(id string, generation int32, offset int64) *kmsg.OffsetCommitRequest {
	r := kmsg.NewPtrOffsetCommitRequest()
	r.Version, r.Group, r.MemberID, r.Generation = 9, testGroup, id, generation
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Offset = offset
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic = "t"
	t.Partitions = append(t.Partitions, p)
	r.Topics = append(r.Topics, t)
	return r
}

func (l *lab) commit(r *kmsg.OffsetCommitRequest) wire.Code {
	codes := l.commitAll(r)
	return codes[0]
}

func (l *lab) commitAll(r *kmsg.OffsetCommitRequest) (codes []wire.Code) {
	l.c.OffsetCommit(r, func(c []wire.Code) { codes = c })
	require.NotNil(l.t, codes, "not answered")
	return codes
}

func (l *lab) committed() int64 {
	list, code := l.c.Offsets(testGroup, []wire.TopicPartition{{Topic: "t"}})
	require.Equal(l.t, wire.None, code)
	return list[0].Offset
}

// stable builds a Stable group: the first client leads. It returns the member ids in order.
func (l *lab) stable(joins ...*call) []string {
	for _, c := range joins {
		if !c.done() {
			l.at(l.now() + 12*time.Second)
		}
	}
	ids := make([]string, len(joins))
	var plan []kmsg.SyncGroupRequestGroupAssignment
	for i, c := range joins {
		require.Equal(l.t, wire.None, c.code())
		ids[i] = c.join.MemberID
		plan = append(plan, share(ids[i], int32(i)))
	}
	generation := joins[0].join.Generation
	for i := len(ids) - 1; i >= 0; i-- { // the leader's comes last
		if ids[i] != joins[0].join.LeaderID {
			l.sync(ids[i], generation)
		}
	}
	c := l.sync(joins[0].join.LeaderID, generation, plan...)
	require.Equal(l.t, wire.None, c.code())
	require.Equal(l.t, trace.GroupStable, l.group().state)
	return ids
}

// events lists the events of a kind.
func (l *lab) events(kind trace.Kind) []trace.Event {
	var out []trace.Event
	r := l.log.Reader(0)
	for {
		e, ok := r.Next()
		if !ok {
			return out
		}
		if e.Kind == kind {
			out = append(out, e)
		}
	}
}
