package trace

// EndedBy says how a process ended (X of ProcessEnded).
const (
	EndedByStop  int64 = iota // a clean stop: SIGTERM, close(), exit
	EndedByKill               // kill -9: nothing is said to anybody
	EndedByCrash              // an error of the program ended it
	EndedByExit               // the program returned
)

// Group states (X of GroupState), in the order of Kafka's documentation (A7, F13).
const (
	GroupEmpty int64 = iota
	GroupPreparingRebalance
	GroupCompletingRebalance
	GroupStable
	GroupDead
	GroupAssigning
	GroupReconciling
)

// GroupStateNames are Kafka's names of the group states, by value.
var GroupStateNames = []string{
	"Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead", "Assigning", "Reconciling",
}

// Timers of a group (X of GroupTimer).
const (
	TimerNone         int64 = iota
	TimerInitialDelay       // group.initial.rebalance.delay.ms (A31)
	TimerRebalance          // the largest rebalance timeout of the members (A34)
	TimerPendingSync        // a member answered Join but sends no Sync (A41)
)

// Reasons for removing a member (X of MemberRemoved).
const (
	RemovedByLeave     int64 = iota
	RemovedBySession         // session timer ran out (A62)
	RemovedByRebalance       // did not rejoin in time (A35)
	RemovedBySync            // never sent Sync (A41)
	RemovedByReplace         // a static member came back under a new member id (A42)
	RemovedByUnload          // the coordinator moved away (A64)
	RemovedByEnd             // the group was forgotten, or turned to the other protocol
)

// RemovedByNames are short texts for the reasons above.
var RemovedByNames = []string{
	"left", "session expired", "missed the rebalance", "sent no SyncGroup", "replaced", "coordinator moved",
	"its group ended",
}

// Consumer states (X of ConsumerState), named after the Java client's MemberState: the first four
// are those of the classic protocol, STABLE and the rest those of the consumer protocol (F21).
const (
	ConsumerUnjoined int64 = iota
	ConsumerPreparing
	ConsumerCompleting
	ConsumerStable
	ConsumerUnsubscribed
	ConsumerJoining
	ConsumerReconciling
	ConsumerAcknowledging
	ConsumerFenced
	ConsumerPrepareLeaving
	ConsumerLeaving
	ConsumerFatal
	ConsumerStale
)

// ConsumerStateNames are the names of those states.
var ConsumerStateNames = []string{
	"UNJOINED", "PREPARING_REBALANCE", "COMPLETING_REBALANCE", "STABLE", "UNSUBSCRIBED", "JOINING",
	"RECONCILING", "ACKNOWLEDGING", "FENCED", "PREPARE_LEAVING", "LEAVING", "FATAL", "STALE",
}

// Reasons for no longer owning a partition (X of Unowned).
const (
	UnownedByRevoke int64 = iota
	UnownedByLoss
	UnownedByClose
	UnownedByDeath
)

// MessageInfo packs the Y field of MessageSent and MessageArrived.
func MessageInfo(corr int32, version int16, response bool) int64 {
	y := int64(corr)<<16 | int64(version)<<1
	if response {
		y |= 1
	}
	return y
}

// UnpackMessageInfo is the reverse of MessageInfo.
func UnpackMessageInfo(y int64) (corr int32, version int16, response bool) {
	return int32(y >> 16), int16(y&0xffff) >> 1, y&1 == 1
}

// States of a member of a consumer group (Z of MemberEpoch), in the order of their numbers in
// CurrentMemberAssignment records (F10).
const (
	MemberStable     int64 = iota
	MemberUnrevoked        // it was told to give partitions up and has not said that it did
	MemberUnreleased       // it is in the epoch of the target, but others still hold some of its partitions
)

// MemberStateNames are Kafka's names of those states.
var MemberStateNames = []string{"STABLE", "UNREVOKED_PARTITIONS", "UNRELEASED_PARTITIONS"}

// Kinds of neighbours (X of NeighbourUp).
const (
	NeighbourChannel int64 = iota + 1
	NeighbourStream
	NeighbourQueue
)

// NeighbourNames are words for the kinds of neighbours, by value.
var NeighbourNames = []string{"", "Redis Pub/Sub channel", "Redis stream", "RabbitMQ queue"}

// Reasons for forgetting a message (Z of Settled).
const (
	SettledByAck     int64 = iota // acknowledged
	SettledByReject               // negatively acknowledged, not to be requeued
	SettledByAutoAck              // sent, which is all that auto_ack asks for
	SettledByGone                 // it waited in the buffer of a connection that is gone
)
