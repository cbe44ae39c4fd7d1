package wire

import "github.com/twmb/franz-go/pkg/kmsg"

// The keys of the request kinds that this package knows.
const (
	KeyProduce                 int16 = 0
	KeyFetch                   int16 = 1
	KeyListOffsets             int16 = 2
	KeyMetadata                int16 = 3
	KeyOffsetCommit            int16 = 8
	KeyOffsetFetch             int16 = 9
	KeyFindCoordinator         int16 = 10
	KeyJoinGroup               int16 = 11
	KeyHeartbeat               int16 = 12
	KeyLeaveGroup              int16 = 13
	KeySyncGroup               int16 = 14
	KeyDescribeGroups          int16 = 15
	KeyListGroups              int16 = 16
	KeyApiVersions             int16 = 18
	KeyCreateTopics            int16 = 19
	KeyDeleteTopics            int16 = 20
	KeyDeleteRecords           int16 = 21
	KeyInitProducerID          int16 = 22
	KeyOffsetForLeaderEpoch    int16 = 23
	KeyDescribeConfigs         int16 = 32
	KeyAlterConfigs            int16 = 33
	KeyCreatePartitions        int16 = 37
	KeyDeleteGroups            int16 = 42
	KeyElectLeaders            int16 = 43
	KeyIncrementalAlterConfigs int16 = 44
	KeyOffsetDelete            int16 = 47
	KeyVote                    int16 = 52
	KeyBeginQuorumEpoch        int16 = 53
	KeyAlterPartition          int16 = 56
	KeyDescribeCluster         int16 = 60
	KeyBrokerRegistration      int16 = 62
	KeyBrokerHeartbeat         int16 = 63
	KeyConsumerGroupHeartbeat  int16 = 68
	KeyConsumerGroupDescribe   int16 = 69
	KeyDescribeTopicPartitions int16 = 75
)

// Range is one line of an ApiVersions answer: a request kind and the versions a broker advertises.
type Range struct {
	Key      int16
	Name     string
	Min, Max int16
}

// kind is a request kind: the versions a Kafka 4.3 broker serves (kafka-behaviour 0.2), cut to
// those that kmsg can write, and how to make an empty message of it.
type kind struct {
	key      int16
	name     string
	min, max int16
	// advertised is the lowest version named in ApiVersions answers; -1 for what brokers and
	// controllers say only to each other.
	advertised int16
	request    func() kmsg.Request
	response   func() kmsg.Response
}

// kinds is ordered by key. It is an own table because kmsg.RequestForKey links every message there
// is into the program.
var kinds = [...]kind{
	{KeyProduce, "Produce", 3, 13, 0, // KAFKA-18659: some clients need to see version 0
		func() kmsg.Request { return kmsg.NewPtrProduceRequest() },
		func() kmsg.Response { return kmsg.NewPtrProduceResponse() }},
	{KeyFetch, "Fetch", 4, 18, 4,
		func() kmsg.Request { return kmsg.NewPtrFetchRequest() },
		func() kmsg.Response { return kmsg.NewPtrFetchResponse() }},
	{KeyListOffsets, "ListOffsets", 1, 11, 1,
		func() kmsg.Request { return kmsg.NewPtrListOffsetsRequest() },
		func() kmsg.Response { return kmsg.NewPtrListOffsetsResponse() }},
	{KeyMetadata, "Metadata", 0, 13, 0,
		func() kmsg.Request { return kmsg.NewPtrMetadataRequest() },
		func() kmsg.Response { return kmsg.NewPtrMetadataResponse() }},
	{KeyOffsetCommit, "OffsetCommit", 2, 10, 2,
		func() kmsg.Request { return kmsg.NewPtrOffsetCommitRequest() },
		func() kmsg.Response { return kmsg.NewPtrOffsetCommitResponse() }},
	{KeyOffsetFetch, "OffsetFetch", 1, 10, 1,
		func() kmsg.Request { return kmsg.NewPtrOffsetFetchRequest() },
		func() kmsg.Response { return kmsg.NewPtrOffsetFetchResponse() }},
	{KeyFindCoordinator, "FindCoordinator", 0, 6, 0,
		func() kmsg.Request { return kmsg.NewPtrFindCoordinatorRequest() },
		func() kmsg.Response { return kmsg.NewPtrFindCoordinatorResponse() }},
	{KeyJoinGroup, "JoinGroup", 0, 9, 0,
		func() kmsg.Request { return kmsg.NewPtrJoinGroupRequest() },
		func() kmsg.Response { return kmsg.NewPtrJoinGroupResponse() }},
	{KeyHeartbeat, "Heartbeat", 0, 4, 0,
		func() kmsg.Request { return kmsg.NewPtrHeartbeatRequest() },
		func() kmsg.Response { return kmsg.NewPtrHeartbeatResponse() }},
	{KeyLeaveGroup, "LeaveGroup", 0, 5, 0,
		func() kmsg.Request { return kmsg.NewPtrLeaveGroupRequest() },
		func() kmsg.Response { return kmsg.NewPtrLeaveGroupResponse() }},
	{KeySyncGroup, "SyncGroup", 0, 5, 0,
		func() kmsg.Request { return kmsg.NewPtrSyncGroupRequest() },
		func() kmsg.Response { return kmsg.NewPtrSyncGroupResponse() }},
	{KeyDescribeGroups, "DescribeGroups", 0, 6, 0,
		func() kmsg.Request { return kmsg.NewPtrDescribeGroupsRequest() },
		func() kmsg.Response { return kmsg.NewPtrDescribeGroupsResponse() }},
	{KeyListGroups, "ListGroups", 0, 5, 0,
		func() kmsg.Request { return kmsg.NewPtrListGroupsRequest() },
		func() kmsg.Response { return kmsg.NewPtrListGroupsResponse() }},
	{KeyApiVersions, "ApiVersions", 0, 4, 0,
		func() kmsg.Request { return kmsg.NewPtrApiVersionsRequest() },
		func() kmsg.Response { return kmsg.NewPtrApiVersionsResponse() }},
	{KeyCreateTopics, "CreateTopics", 2, 7, 2,
		func() kmsg.Request { return kmsg.NewPtrCreateTopicsRequest() },
		func() kmsg.Response { return kmsg.NewPtrCreateTopicsResponse() }},
	{KeyDeleteTopics, "DeleteTopics", 1, 6, 1,
		func() kmsg.Request { return kmsg.NewPtrDeleteTopicsRequest() },
		func() kmsg.Response { return kmsg.NewPtrDeleteTopicsResponse() }},
	{KeyDeleteRecords, "DeleteRecords", 0, 2, 0,
		func() kmsg.Request { return kmsg.NewPtrDeleteRecordsRequest() },
		func() kmsg.Response { return kmsg.NewPtrDeleteRecordsResponse() }},
	{KeyInitProducerID, "InitProducerId", 0, 5, 0, // 6 is not stable in 4.3
		func() kmsg.Request { return kmsg.NewPtrInitProducerIDRequest() },
		func() kmsg.Response { return kmsg.NewPtrInitProducerIDResponse() }},
	{KeyOffsetForLeaderEpoch, "OffsetForLeaderEpoch", 2, 4, 2,
		func() kmsg.Request { return kmsg.NewPtrOffsetForLeaderEpochRequest() },
		func() kmsg.Response { return kmsg.NewPtrOffsetForLeaderEpochResponse() }},
	{KeyDescribeConfigs, "DescribeConfigs", 1, 4, 1,
		func() kmsg.Request { return kmsg.NewPtrDescribeConfigsRequest() },
		func() kmsg.Response { return kmsg.NewPtrDescribeConfigsResponse() }},
	{KeyAlterConfigs, "AlterConfigs", 0, 2, 0,
		func() kmsg.Request { return kmsg.NewPtrAlterConfigsRequest() },
		func() kmsg.Response { return kmsg.NewPtrAlterConfigsResponse() }},
	{KeyCreatePartitions, "CreatePartitions", 0, 3, 0,
		func() kmsg.Request { return kmsg.NewPtrCreatePartitionsRequest() },
		func() kmsg.Response { return kmsg.NewPtrCreatePartitionsResponse() }},
	{KeyDeleteGroups, "DeleteGroups", 0, 2, 0,
		func() kmsg.Request { return kmsg.NewPtrDeleteGroupsRequest() },
		func() kmsg.Response { return kmsg.NewPtrDeleteGroupsResponse() }},
	{KeyElectLeaders, "ElectLeaders", 0, 2, 0,
		func() kmsg.Request { return kmsg.NewPtrElectLeadersRequest() },
		func() kmsg.Response { return kmsg.NewPtrElectLeadersResponse() }},
	{KeyIncrementalAlterConfigs, "IncrementalAlterConfigs", 0, 1, 0,
		func() kmsg.Request { return kmsg.NewPtrIncrementalAlterConfigsRequest() },
		func() kmsg.Response { return kmsg.NewPtrIncrementalAlterConfigsResponse() }},
	{KeyOffsetDelete, "OffsetDelete", 0, 0, 0,
		func() kmsg.Request { return kmsg.NewPtrOffsetDeleteRequest() },
		func() kmsg.Response { return kmsg.NewPtrOffsetDeleteResponse() }},
	{KeyVote, "Vote", 0, 2, -1,
		func() kmsg.Request { return kmsg.NewPtrVoteRequest() },
		func() kmsg.Response { return kmsg.NewPtrVoteResponse() }},
	{KeyBeginQuorumEpoch, "BeginQuorumEpoch", 0, 1, -1,
		func() kmsg.Request { return kmsg.NewPtrBeginQuorumEpochRequest() },
		func() kmsg.Response { return kmsg.NewPtrBeginQuorumEpochResponse() }},
	{KeyAlterPartition, "AlterPartition", 2, 3, -1,
		func() kmsg.Request { return kmsg.NewPtrAlterPartitionRequest() },
		func() kmsg.Response { return kmsg.NewPtrAlterPartitionResponse() }},
	{KeyDescribeCluster, "DescribeCluster", 0, 2, 0,
		func() kmsg.Request { return kmsg.NewPtrDescribeClusterRequest() },
		func() kmsg.Response { return kmsg.NewPtrDescribeClusterResponse() }},
	{KeyBrokerRegistration, "BrokerRegistration", 0, 4, -1,
		func() kmsg.Request { return kmsg.NewPtrBrokerRegistrationRequest() },
		func() kmsg.Response { return kmsg.NewPtrBrokerRegistrationResponse() }},
	{KeyBrokerHeartbeat, "BrokerHeartbeat", 0, 1, -1,
		func() kmsg.Request { return kmsg.NewPtrBrokerHeartbeatRequest() },
		func() kmsg.Response { return kmsg.NewPtrBrokerHeartbeatResponse() }},
	{KeyConsumerGroupHeartbeat, "ConsumerGroupHeartbeat", 0, 1, 0,
		func() kmsg.Request { return kmsg.NewPtrConsumerGroupHeartbeatRequest() },
		func() kmsg.Response { return kmsg.NewPtrConsumerGroupHeartbeatResponse() }},
	{KeyConsumerGroupDescribe, "ConsumerGroupDescribe", 0, 1, 0,
		func() kmsg.Request { return kmsg.NewPtrConsumerGroupDescribeRequest() },
		func() kmsg.Response { return kmsg.NewPtrConsumerGroupDescribeResponse() }},
	{KeyDescribeTopicPartitions, "DescribeTopicPartitions", 0, 0, 0,
		func() kmsg.Request { return kmsg.NewPtrDescribeTopicPartitionsRequest() },
		func() kmsg.Response { return kmsg.NewPtrDescribeTopicPartitionsResponse() }},
}

func findKind(key int16) *kind {
	for i := range kinds {
		if kinds[i].key == key {
			return &kinds[i]
		}
	}
	return nil
}

// Supported is what a broker advertises, ordered by key. Produce starts at version 0 although
// versions 0-2 are not served (kafka-behaviour 0.2, KAFKA-18659); see [Serves].
func Supported() []Range {
	ranges := make([]Range, 0, len(kinds))
	for _, k := range kinds {
		if k.advertised >= 0 {
			ranges = append(ranges, Range{Key: k.key, Name: k.name, Min: k.advertised, Max: k.max})
		}
	}
	return ranges
}

// Serves says whether a broker answers this version of a request kind. An unsupported version of
// any kind but ApiVersions closes the connection (kafka-behaviour 0.2).
func Serves(key, version int16) bool {
	k := findKind(key)
	return k != nil && version >= k.min && version <= k.max
}

// Pick is the version that a client of the same age as the broker uses: the highest supported one.
// It is -1 for an unknown key.
func Pick(key int16) (version int16) {
	if k := findKind(key); k != nil {
		return k.max
	}
	return -1
}

// KeyName is the protocol's name of a request kind, "Key<n>" style for an unknown one.
func KeyName(key int16) string {
	if k := findKind(key); k != nil {
		return k.name
	}
	return "Key" + itoa(int64(key))
}
