package wire

import "errors"

// Code is a Kafka error code. Zero is success.
type Code int16

// The codes that the engine answers or that its clients react to, under Kafka's names
// (kafka-behaviour 0.1).
const (
	UnknownServerError           Code = -1
	None                         Code = 0
	OffsetOutOfRange             Code = 1
	CorruptMessage               Code = 2
	UnknownTopicOrPartition      Code = 3
	InvalidFetchSize             Code = 4
	LeaderNotAvailable           Code = 5
	NotLeaderOrFollower          Code = 6
	RequestTimedOut              Code = 7
	BrokerNotAvailable           Code = 8
	ReplicaNotAvailable          Code = 9
	MessageTooLarge              Code = 10
	StaleControllerEpoch         Code = 11
	OffsetMetadataTooLarge       Code = 12
	NetworkException             Code = 13
	CoordinatorLoadInProgress    Code = 14
	CoordinatorNotAvailable      Code = 15
	NotCoordinator               Code = 16
	InvalidTopicException        Code = 17
	RecordListTooLarge           Code = 18
	NotEnoughReplicas            Code = 19
	NotEnoughReplicasAfterAppend Code = 20
	InvalidRequiredAcks          Code = 21
	IllegalGeneration            Code = 22
	InconsistentGroupProtocol    Code = 23
	InvalidGroupID               Code = 24
	UnknownMemberID              Code = 25
	InvalidSessionTimeout        Code = 26
	RebalanceInProgress          Code = 27
	InvalidCommitOffsetSize      Code = 28
	TopicAuthorizationFailed     Code = 29
	GroupAuthorizationFailed     Code = 30
	ClusterAuthorizationFailed   Code = 31
	InvalidTimestamp             Code = 32
	UnsupportedVersion           Code = 35
	TopicAlreadyExists           Code = 36
	InvalidPartitions            Code = 37
	InvalidReplicationFactor     Code = 38
	InvalidReplicaAssignment     Code = 39
	InvalidConfig                Code = 40
	NotController                Code = 41
	InvalidRequest               Code = 42
	PolicyViolation              Code = 44
	OutOfOrderSequenceNumber     Code = 45
	DuplicateSequenceNumber      Code = 46
	InvalidProducerEpoch         Code = 47
	InvalidTxnState              Code = 48
	InvalidProducerIDMapping     Code = 49
	ConcurrentTransactions       Code = 51
	KafkaStorageError            Code = 56
	UnknownProducerID            Code = 59
	NonEmptyGroup                Code = 68
	GroupIDNotFound              Code = 69
	FetchSessionIDNotFound       Code = 70
	InvalidFetchSessionEpoch     Code = 71
	FencedLeaderEpoch            Code = 74
	UnknownLeaderEpoch           Code = 75
	UnsupportedCompressionType   Code = 76
	StaleBrokerEpoch             Code = 77
	OffsetNotAvailable           Code = 78
	MemberIDRequired             Code = 79
	PreferredLeaderNotAvailable  Code = 80
	GroupMaxSizeReached          Code = 81
	FencedInstanceID             Code = 82
	EligibleLeadersNotAvailable  Code = 83
	ElectionNotNeeded            Code = 84
	GroupSubscribedToTopic       Code = 86
	InvalidRecord                Code = 87
	UnstableOffsetCommit         Code = 88
	ThrottlingQuotaExceeded      Code = 89
	ProducerFenced               Code = 90
	InvalidUpdateVersion         Code = 95
	UnknownTopicID               Code = 100
	DuplicateBrokerRegistration  Code = 101
	BrokerIDNotRegistered        Code = 102
	InconsistentTopicID          Code = 103
	FetchSessionTopicIDError     Code = 106
	IneligibleReplica            Code = 107
	FencedMemberEpoch            Code = 110
	UnreleasedInstanceID         Code = 111
	UnsupportedAssignor          Code = 112
	StaleMemberEpoch             Code = 113
	MismatchedEndpointType       Code = 114
	InvalidRecordState           Code = 121
	ShareSessionNotFound         Code = 122
	InvalidShareSessionEpoch     Code = 123
	InvalidRegularExpression     Code = 128
	RebootstrapRequired          Code = 129
	StreamsInvalidTopology       Code = 130
	StreamsInvalidTopologyEpoch  Code = 131
	StreamsTopologyFenced        Code = 132
	ShareSessionLimitReached     Code = 133
)

type errorRow struct {
	name      string
	retriable bool
	text      string
}

func (c Code) row() *errorRow {
	i := int(c) + 1
	if i < 0 || i >= len(errorTable) || errorTable[i].name == "" {
		return nil
	}
	return &errorTable[i]
}

// Name is Kafka's name, such as "UNKNOWN_MEMBER_ID", or "ERROR_<n>" for a code outside the table.
func (c Code) Name() string {
	if row := c.row(); row != nil {
		return row.name
	}
	return "ERROR_" + itoa(int64(c))
}

// String is [Code.Name].
func (c Code) String() string { return c.Name() }

// Err is the code as an error with its meaning; nil for None.
func (c Code) Err() error {
	if c == None {
		return nil
	}
	return errors.New(c.Name() + ": " + c.Text())
}

// Retriable says whether the Java client's exception of this code is a retriable one: the same
// request may succeed later. Codes that a client answers by another step first (a rejoin, a new
// member id) are not.
func (c Code) Retriable() bool {
	row := c.row()
	return row != nil && row.retriable
}

// Text says in one sentence what the code means and what to look at; empty outside the table.
func (c Code) Text() string {
	if row := c.row(); row != nil {
		return row.text
	}
	return ""
}

// CodeNamed finds a code by Kafka's name of it.
func CodeNamed(name string) (Code, bool) {
	for i := range errorTable {
		if errorTable[i].name == name {
			return Code(i - 1), true
		}
	}
	return 0, false
}
