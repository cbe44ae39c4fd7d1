package trace

// Ref is an interned string of one trace: a process, a topic, a group, a member id, a short text.
// The zero Ref is the empty string. Refs are numbered in order of first use, so equal runs have
// equal refs.
type Ref uint32

// Event is one thing that happened. The meaning of Peer, Name, Part, X, Y and Z depends on the Kind
// and stands beside each kind below; a field that a kind does not name is zero.
type Event struct {
	// At is the virtual time in nanoseconds since the start of the run.
	At   int64
	Kind Kind
	// Node is the process that the event happened to.
	Node Ref
	Peer Ref
	Name Ref
	Part int32
	X    int64
	Y    int64
	Z    int64
}

// Kind says what an event means. The numbers are part of the trace format and of its hash: append
// only.
type Kind uint8

// Processes, links and connections: written by the simulator.
const (
	_ Kind = iota
	// ProcessStarted: Node runs. X = incarnation, from 1.
	ProcessStarted
	// ProcessEnded: Node no longer runs. X = EndedBy value, Name = text (error of a crash).
	ProcessEnded
	// ProcessFrozen: Node stands still. X = time at which it thaws (0: until told).
	ProcessFrozen
	// ProcessThawed: Node runs again.
	ProcessThawed
	// ConnOpened: Node's connection to Peer stands. X = connection.
	ConnOpened
	// ConnClosed: the connection X between Node (who learns it now) and Peer is gone.
	ConnClosed
	// LinkCut: nothing passes between Node and Peer. LinkHealed ends it.
	LinkCut
	LinkHealed
	// MessageSent: Node sends message X to Peer. Part = api key, Y = correlation id << 16 | version
	// << 1 | 1 if it is a response, Z = nanoseconds until it arrives, Name = error name of a
	// response or empty.
	MessageSent
	// MessageArrived: message X from Peer is handled by Node. Part, Y as in MessageSent.
	MessageArrived
	// MessageLost: message X on its way from Node to Peer is gone, its connection broke.
	MessageLost
	// MessageHeld and MessageReleased: message X from Node to Peer waits on the wire, or goes on and
	// arrives Z nanoseconds later.
	MessageHeld
	MessageReleased
	// Commanded: a command took effect. Name = its text. X = 1 if a learner gave it, 0 if the scenario did.
	Commanded
)

// Brokers and logs. Node is the broker.
const (
	// TopicCreated: Name = topic, Part = partitions, X = replication factor.
	TopicCreated Kind = iota + 32
	// LeaderElected: Name/Part = partition, X = leader node id (-1: none), Y = leader epoch. Peer =
	// leader's name. Node is the controller: the broker itself may learn of it later.
	LeaderElected
	// Appended: Name/Part = partition, X = base offset, Y = records, Z = bytes, Peer = who sent it.
	// Written by a leader, or by who takes itself for one.
	Appended
	// HighWatermark: Name/Part = partition, X = high watermark. Written by a leader.
	HighWatermark
	// LogStart: Name/Part = partition, X = log start offset.
	LogStart
	// FetchParked: a fetch of Peer waits for data. X = deadline in ns, Y = correlation id.
	FetchParked
	// FetchAnswered: the parked fetch Y of Peer is answered.
	FetchAnswered
	// Controller: Node is the controller. X = epoch.
	Controller
	// ReplicasPlaced: the replicas of Name/Part are on the brokers Peer ("1,2,3"), the preferred
	// leader first, and all in sync until an ISRChanged says otherwise. X = their number. Not written for
	// a partition with one replica.
	ReplicasPlaced
	// Replicated: the follower Node copied Y records from offset X on of Name/Part from its leader Peer.
	// Z = bytes.
	Replicated
	// FollowerWatermark: the follower Node learned the high watermark X of Name/Part, or the part of it
	// that its log has. A broker that starts again knows the one that was last written to its disk.
	FollowerWatermark
	// ISRChanged: the in-sync replicas of Name/Part are Peer ("1,3"). X = their number, Y = partition
	// epoch, Z = leader epoch. Node is the controller, or 0.
	ISRChanged
	// Truncated: Node cut its copy of Name/Part down from end Y to end X to agree with its leader. Z =
	// leader epoch.
	Truncated
	// BrokerFenced: the controller counts broker Peer out (X = 1) or in again (X = 0).
	BrokerFenced
	// TopicDeleted: Name is gone. Part = partitions.
	TopicDeleted
	// ProduceParked: a Produce of Peer with acks=all waits for followers. X = deadline in ns, Y =
	// correlation id. ProduceAnswered ends the wait.
	ProduceParked
	ProduceAnswered
)

// The group coordinator. Node is the broker, Name the group unless said otherwise.
const (
	// GroupState: X = GroupStateX value, Y = generation (or group epoch), Z = partition of
	// __consumer_offsets.
	GroupState Kind = iota + 64
	// GroupProtocol: Peer = assignor name, X = generation.
	GroupProtocol
	// GroupLeader: Peer = member id of the leader.
	GroupLeader
	// GroupTimer: X = GroupTimerX value, Y = deadline in ns (0: the timer stopped).
	GroupTimer
	// MemberPending: Peer = a member id given out, not yet joined (KIP-394).
	MemberPending
	// MemberAdded: Peer = member id, X = session timeout in ns, Y = rebalance timeout in ns, Z = Ref of
	// the client id.
	MemberAdded
	// MemberJoining: the Join of Peer is parked. MemberSyncing: its Sync is.
	MemberJoining
	MemberSyncing
	// MemberAnswered: the parked request of Peer is answered. X = api key.
	MemberAnswered
	// MemberSession: the session timer of Peer is re-armed. X = deadline in ns (0: stopped), Y = api
	// key of what re-armed it.
	MemberSession
	// MemberRemoved: Peer = member id, X = RemovedBy value, Y = time it was last heard of in ns.
	MemberRemoved
	// PartitionAssigned: Name/Part = partition, Peer = member id, X = generation, Y = Ref of the group.
	PartitionAssigned
	// GenerationStable: assignments of generation X of group Name are complete (follows the PartitionAssigned of it).
	GenerationStable
	// OffsetCommitted: Name/Part = partition, X = offset, Y = Ref of the group, Peer = member id (or
	// empty), Z = 1 if the scenario wrote it before the start, 2 if a new coordinator read it back.
	OffsetCommitted
	// OffsetRemoved: Name/Part = partition, Y = Ref of the group (expired or deleted).
	OffsetRemoved
	// CoordinatorLoaded: Node coordinates partition Part of __consumer_offsets. X = records read.
	CoordinatorLoaded
	// MemberEpoch: where a member of a consumer group stands (KIP-848). Peer = member id, X = member
	// epoch (-1: it is leaving, -2: a static one that will be back), Y = the epoch before, Z =
	// MemberStateX value.
	MemberEpoch
	// MemberTarget: the member Peer of a consumer group has another target assignment. X = group epoch
	// that it is for, Y = partitions; as many TargetPartition follow.
	MemberTarget
	// TargetPartition: Name/Part = a partition of that target, Peer = member id, X = group epoch, Y =
	// Ref of the group.
	TargetPartition
	// PartitionRevoking: the member Peer of a consumer group is told to give Name/Part up. X = member
	// epoch, Y = Ref of the group.
	PartitionRevoking
	// PartitionReleased: Name/Part is free again: the member Peer has given it up or is gone. X = member
	// epoch, Y = Ref of the group.
	PartitionReleased
	// MemberRevocation: the time in which the member Peer of a consumer group must have given up what
	// it was told to. X = deadline in ns (0: stopped).
	MemberRevocation
	// MemberTimeouts: the member Peer has joined again with other timeouts. X = session timeout, Y =
	// rebalance timeout in ns.
	MemberTimeouts
)

// Clients. Node is the client process.
const (
	// CallStarted: the program is inside a blocking call. Name = call, X = source line, Y = timeout or
	// length in ns (0: none), Z = call depth (callbacks nest).
	CallStarted Kind = iota + 96
	// CallEnded: it goes on. Name = call, X = result count, Z = depth, Peer = error text or empty.
	CallEnded
	// ConsumerState: X = ConsumerStateX value, Y = generation, Name = group.
	ConsumerState
	// MemberID: Name = the member id this process has now, Peer = group.
	MemberID
	// Positioned: Name/Part = partition, X = position (next offset to be returned), Y = why: 0 records
	// returned, 1 committed offset, 2 reset, 3 seek.
	Positioned
	// Fetched: Name/Part = partition, records are buffered. X = next offset to fetch, Y = records.
	Fetched
	// Delivered: poll returns records to the program. Name/Part = partition, X = first offset, Y =
	// records.
	Delivered
	// Owned: the process owns Name/Part. X = generation. Peer = group.
	Owned
	// Unowned: it no longer does. X = UnownedBy value. Peer = group.
	Unowned
	// CallbackStarted and CallbackEnded: Name = on_revoked, on_lost or on_assigned. X = partitions.
	CallbackStarted
	CallbackEnded
	// CommitSent: Name/Part = partition, X = offset, Y = commit number, Z = 0 sync, 1 async, 2 auto.
	CommitSent
	// CommitDone: commit number Y of this process is answered. Name = error name (empty: accepted), Z as in CommitSent.
	CommitDone
	// CommitRefused: a commit that failed locally and was never sent. Name = error name.
	CommitRefused
	// PollTimer: X = deadline of max.poll.interval in ns (0: stopped).
	PollTimer
	// HeartbeatTimer: X = time of the next heartbeat in ns (0: stopped).
	HeartbeatTimer
	// PollExpired: the client's own poll timer ran out.
	PollExpired
	// ProcessStartedWork: work on a record starts. Name/Part = partition, X = offset, Y = length in ns.
	WorkStarted
	// WorkEnded: the handler finished that record. Name/Part, X as above. Peer = group.
	WorkEnded
	// WorkFailed: the handler failed on that record.
	WorkFailed
	// LogLine: what a client logs. Name = text, X = 0 info, 1 warn, 2 error.
	LogLine
	// StoreSet: an outside store changed. Name = store, Peer = key=value text, X = number of effects so far.
	StoreSet
	// ProducerSent: a batch is sent. Name/Part = partition, X = first sequence number of this
	// producer's records, Y = records.
	ProducerSent
	// ProducerAcked: the batch is acknowledged. X = base offset, Y = records, Z = acks.
	ProducerAcked
	// ProducerFailed: it is given up. Peer = error name, Y = records.
	ProducerFailed
	// ProcessExited: the program returned or failed by itself. Name = error text or empty.
	ProgramEnded
	// Paused and Resumed: Name/Part.
	Paused
	Resumed
	// FetchAsked: Node is about to ask Peer for Name/Part from offset X on. Written for each
	// partition that a Fetch request lists, right before the MessageSent of that request; a partition
	// that stays in the fetch session unlisted (E16) is not written.
	FetchAsked
)

// Neighbours: models of systems that are no Kafka (package neighbour). Node is the server, Name the
// channel, stream or queue. Work on their messages is WorkStarted and so on with Part = -1, and X = the
// message's number.
const (
	// NeighbourUp: Node has Name. X = NeighbourX value, Y = hard limit of the output buffers of its
	// subscribers in bytes.
	NeighbourUp Kind = iota + 160
	// Published: message X came in. Y = bytes, Peer = its key or empty, Z = subscribers that it is for.
	Published
	// Subscribed: Peer may be given messages from number X on. Y = Ref of its group: of a channel the
	// subscriber alone, of a queue all its consumers. Z = 1: the group of a
	// stream is new, and Peer empty.
	Subscribed
	// Unsubscribed: its connection is gone.
	Unsubscribed
	// Pushed: message X is given to Peer, or counted as given when it claims it. Y = deliveries so far, Z =
	// of a queue the delivery tag, of a stream the Ref of who had it before.
	Pushed
	// Settled: the server has nothing more to do with the messages X to X+Y-1 that Peer had. Z = SettledX
	// value.
	Settled
	// Requeued: message X is ready again. Peer had it. Z = 1 if its connection is gone, 0 if it said so.
	Requeued
	// Buffered: X bytes of Y messages wait in the output buffer of Peer. Not written for every message.
	Buffered
	// BufferCut: the output buffer of Peer reached its limit: its connection is closed and the buffer
	// dropped. X = bytes, Y = messages, Z = number of the first, Part = 1 if it was the soft limit.
	BufferCut
)
