package wire

import "strings"

// protocolNames are the fields whose Go name in kmsg is not that of Kafka's message definitions
// [clients/src/main/resources/common/message]. The first line whose start matches the struct's name
// and whose field matches counts.
var protocolNames = [...]struct{ start, field, name string }{
	{"ProduceRequest", "TransactionID", "transactionalId"},
	{"ProduceRequest", "Topics", "topicData"},
	{"ProduceRequestTopic", "Partitions", "partitionData"},
	{"ProduceResponse", "Topics", "responses"},
	{"ProduceResponseTopic", "Partitions", "partitionResponses"},
	{"ProduceResponse", "LogAppendTime", "logAppendTimeMs"},
	{"ProduceResponse", "ErrorRecords", "recordErrors"},
	{"ProduceResponseTopicPartitionErrorRecord", "RelativeOffset", "batchIndex"},
	{"ProduceResponseTopicPartitionErrorRecord", "ErrorMessage", "batchIndexErrorMessage"},
	{"ProduceResponse", "Brokers", "nodeEndpoints"},
	{"Produce", "Partition", "index"},
	{"Produce", "Topic", "name"},
	{"FetchRequestReplicaState", "ID", "replicaId"},
	{"FetchRequestReplicaState", "Epoch", "replicaEpoch"},
	{"FetchRequest", "ForgottenTopics", "forgottenTopicsData"},
	{"FetchRequest", "Rack", "rackId"},
	{"FetchResponse", "Topics", "responses"},
	{"FetchResponse", "Brokers", "nodeEndpoints"},
	{"FetchResponse", "RecordBatches", "records"},
	{"FetchResponse", "Partition", "partitionIndex"},
	{"Fetch", "Topic", "topic"},
	{"FetchRequest", "Partition", "partition"},
	{"OffsetForLeaderEpoch", "Topic", "topic"},
	{"OffsetForLeaderEpoch", "Partition", "partition"},
	{"MetadataResponseTopicPartition", "Leader", "leaderId"},
	{"MetadataResponseTopicPartition", "Replicas", "replicaNodes"},
	{"MetadataResponseTopicPartition", "ISR", "isrNodes"},
	{"MetadataResponseTopic", "AuthorizedOperations", "topicAuthorizedOperations"},
	{"MetadataResponse", "AuthorizedOperations", "clusterAuthorizedOperations"},
	{"OffsetCommit", "Generation", "generationIdOrMemberEpoch"},
	{"OffsetCommit", "Timestamp", "commitTimestamp"},
	{"OffsetFetchRequest", "Partitions", "partitionIndexes"},
	{"OffsetCommit", "Offset", "committedOffset"},
	{"OffsetCommit", "LeaderEpoch", "committedLeaderEpoch"},
	{"OffsetCommit", "Metadata", "committedMetadata"},
	{"OffsetFetchResponse", "Offset", "committedOffset"},
	{"OffsetFetchResponse", "LeaderEpoch", "committedLeaderEpoch"},
	{"FindCoordinator", "CoordinatorKey", "key"},
	{"FindCoordinator", "CoordinatorType", "keyType"},
	{"JoinGroupResponseMember", "ProtocolMetadata", "metadata"},
	{"JoinGroupResponse", "LeaderID", "leader"},
	{"SyncGroupRequest", "GroupAssignment", "assignments"},
	{"SyncGroup", "MemberAssignment", "assignment"},
	{"DescribeGroupsResponse", "State", "groupState"},
	{"DescribeGroupsResponse", "Protocol", "protocolData"},
	{"DescribeGroupsResponse", "ProtocolMetadata", "memberMetadata"},
	{"DeleteGroupsRequest", "Groups", "groupsNames"},
	{"DeleteGroupsResponse", "Groups", "results"},
	{"ConsumerGroupHeartbeat", "InstanceID", "instanceId"},
	{"ConsumerGroupHeartbeat", "Topics", "topicPartitions"},
	{"ConsumerGroupDescribeRequest", "Groups", "groupIds"},
	{"ConsumerGroupDescribeResponse", "State", "groupState"},
	{"ConsumerGroupDescribeResponseGroup", "Epoch", "groupEpoch"},
	{"ConsumerGroupDescribeResponse", "InstanceID", "instanceId"},
	{"ConsumerGroupDescribeResponse", "SubscribedTopics", "subscribedTopicNames"},
	{"", "ThrottleMillis", "throttleTimeMs"},
	{"", "Topic", "name"},
	{"", "Partition", "partitionIndex"},
	{"", "Group", "groupId"},
	{"", "Generation", "generationId"},
	{"", "InstanceID", "groupInstanceId"},
	{"", "Protocol", "protocolName"},
}

// protocolName is the name that Kafka's protocol has for a field of a kmsg struct.
func protocolName(owner, field string) string {
	for _, n := range protocolNames {
		if n.field == field && strings.HasPrefix(owner, n.start) {
			return n.name
		}
	}
	name := strings.TrimSuffix(field, "Millis")
	if name != field {
		name += "Ms"
	}
	if strings.HasSuffix(name, "ID") {
		name = strings.TrimSuffix(name, "ID") + "Id"
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// taggedFields are the ones that travel only when they differ from their default (KIP-482). kmsg
// would write them in every flexible version.
var taggedFields = [...]struct{ start, field string }{
	{"ProduceResponse", "CurrentLeader"},
	{"ProduceResponse", "Brokers"},
	{"FetchRequest", "ClusterID"},
	{"FetchRequest", "ReplicaState"},
	{"FetchRequest", "ReplicaDirectoryID"},
	{"FetchRequest", "HighWatermark"},
	{"FetchResponse", "DivergingEpoch"},
	{"FetchResponse", "CurrentLeader"},
	{"FetchResponse", "SnapshotID"},
	{"FetchResponse", "Brokers"},
	{"ApiVersionsResponse", "SupportedFeatures"},
	{"ApiVersionsResponse", "FinalizedFeatures"},
	{"ApiVersionsResponse", "FinalizedFeaturesEpoch"},
	{"ApiVersionsResponse", "ZkMigrationReady"},
}

func isTagged(owner, field string) bool {
	for _, t := range taggedFields {
		if t.field == field && strings.HasPrefix(owner, t.start) {
			return true
		}
	}
	return false
}
