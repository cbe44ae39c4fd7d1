package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestEveryKindAndVersionSurvivesTheWire(t *testing.T) {
	for _, k := range kinds {
		for v := k.min; v <= k.max; v++ {
			req := k.request()
			req.SetVersion(v)
			f := NewRequest(7, "client-1", req)
			b := f.Encode()
			size, err := FrameSize(b)
			require.NoError(t, err)
			require.Len(t, b, size)
			got, err := DecodeRequest(b)
			require.NoError(t, err, "%s v%d", k.name, v)
			require.Equal(t, f.Corr, got.Corr)
			require.Equal(t, "client-1", got.Client)
			require.Equal(t, k.name, got.APIName())
			require.Equal(t, b, got.Encode(), "%s v%d", k.name, v)
			require.False(t, got.IsResponse())

			reply := got.Reply(k.response())
			require.True(t, reply.IsResponse())
			b = reply.Encode()
			back, err := DecodeResponse(b, k.key, v)
			require.NoError(t, err, "%s response v%d", k.name, v)
			require.EqualValues(t, 7, back.Corr)
			require.Equal(t, v, back.Version)
			require.Equal(t, b, back.Encode(), "%s response v%d", k.name, v)
		}
	}
}

func TestKmsgCanWriteEveryVersionOfTheTable(t *testing.T) {
	for _, k := range kinds {
		require.Equal(t, k.key, k.request().Key(), k.name)
		require.Equal(t, k.key, k.response().Key(), k.name)
		require.GreaterOrEqual(t, k.request().MaxVersion(), k.max, k.name)
		require.LessOrEqual(t, k.min, k.max, k.name)
	}
}

func TestAdvertisedRangesAreThoseOfKafka(t *testing.T) { // kafka-behaviour 0.2
	want := map[string][2]int16{
		"Produce": {0, 13}, "Fetch": {4, 18}, "ListOffsets": {1, 11}, "Metadata": {0, 13},
		"OffsetCommit": {2, 10}, "OffsetFetch": {1, 10}, "FindCoordinator": {0, 6},
		"JoinGroup": {0, 9}, "Heartbeat": {0, 4}, "LeaveGroup": {0, 5}, "SyncGroup": {0, 5},
		"DescribeGroups": {0, 6}, "ListGroups": {0, 5}, "ApiVersions": {0, 4},
		"InitProducerId": {0, 5}, "OffsetForLeaderEpoch": {2, 4}, "DeleteGroups": {0, 2},
		"ConsumerGroupHeartbeat": {0, 1}, "ConsumerGroupDescribe": {0, 1},
		"CreateTopics": {2, 7}, "DeleteTopics": {1, 6}, "CreatePartitions": {0, 3},
		"DescribeConfigs": {1, 4}, "AlterConfigs": {0, 2}, "IncrementalAlterConfigs": {0, 1},
		"OffsetDelete": {0, 0}, "DescribeCluster": {0, 2}, "DescribeTopicPartitions": {0, 0},
		"DeleteRecords": {0, 2}, "ElectLeaders": {0, 2},
	}
	last := int16(-1)
	for _, r := range Supported() {
		require.Equal(t, want[r.Name], [2]int16{r.Min, r.Max}, r.Name)
		require.Equal(t, r.Max, Pick(r.Key))
		require.Greater(t, r.Key, last)
		last = r.Key
		delete(want, r.Name)
	}
	require.Empty(t, want)
	require.False(t, Serves(KeyProduce, 2))
	require.True(t, Serves(KeyProduce, 3))
	require.False(t, Serves(KeyProduce, 14))
	require.False(t, Serves(99, 0))
	require.EqualValues(t, -1, Pick(99))
	require.Equal(t, "Key99", KeyName(99))
}

// The request header gets tagged fields at the first flexible version, the response header as well,
// but never that of ApiVersions (kafka-behaviour 0.2, KIP-511).
func TestHeadersFollowTheFlexibleVersions(t *testing.T) {
	hb := kmsg.NewPtrHeartbeatRequest()
	hb.SetVersion(3)
	require.Equal(t, []byte("\x00\x0c\x00\x03\x00\x00\x00\x01\x00\x01c"),
		NewRequest(1, "c", hb).Encode()[4:15])
	require.Equal(t, []byte("\x00\x00"), NewRequest(1, "c", hb).Encode()[15:17]) // group ""
	hb.SetVersion(4)
	require.Equal(t, []byte("\x00\x01"), NewRequest(1, "c", hb).Encode()[15:17]) // tags, group

	resp := kmsg.NewPtrHeartbeatResponse()
	resp.SetVersion(4)
	f := Frame{Corr: 1, Resp: resp, Key: KeyHeartbeat, Version: 4}
	require.Len(t, f.Encode(), 4+4+1+4+2+1)
	resp.SetVersion(3)
	require.Len(t, f.Encode(), 4+4+4+2)

	versions := kmsg.NewPtrApiVersionsResponse()
	versions.SetVersion(4)
	versions.ErrorCode = 35
	f = Frame{Corr: 1, Resp: versions, Key: KeyApiVersions, Version: 4}
	require.Equal(t, []byte("\x00\x00\x00\x01\x00\x23"), f.Encode()[4:10])
}

func TestAnUnknownApiVersionsVersionIsAnsweredInV0(t *testing.T) { // KIP-511
	req := kmsg.NewPtrApiVersionsRequest()
	req.SetVersion(5)
	f := NewRequest(3, "new", req)
	f.Version = 77
	got, err := DecodeRequest(f.Encode())
	require.NoError(t, err)
	require.EqualValues(t, 77, got.Version)
	require.Equal(t, "new", got.Client)
	reply := got.Reply(kmsg.NewPtrApiVersionsResponse())
	require.Zero(t, reply.Version)
	require.Zero(t, reply.Resp.GetVersion())
}

func TestOtherUnknownVersionsAreUnsupported(t *testing.T) {
	req := kmsg.NewPtrProduceRequest()
	req.SetVersion(2)
	got, err := DecodeRequest(NewRequest(3, "old", req).Encode())
	require.ErrorIs(t, err, ErrUnsupported)
	require.EqualValues(t, 3, got.Corr)
	_, err = DecodeResponse([]byte{0, 0, 0, 4, 0, 0, 0, 1}, 99, 0)
	require.ErrorIs(t, err, ErrUnsupported)
	_, err = DecodeResponse([]byte{0, 0, 0, 4, 0, 0, 0, 1}, KeyHeartbeat, 9)
	require.ErrorIs(t, err, ErrUnsupported)
}

func TestFrameSizeRefusesWhatNoFrameCanBe(t *testing.T) {
	n, err := FrameSize([]byte{0, 0, 0})
	require.NoError(t, err)
	require.Zero(t, n)
	for _, b := range [][]byte{{0xff, 0, 0, 0}, {0, 0, 0, 3}, {0x7f, 0, 0, 0}} {
		_, err = FrameSize(b)
		require.Error(t, err)
	}
	_, err = DecodeRequest([]byte{0, 0, 0, 9, 1})
	require.Error(t, err)
}

func TestErrorCodeFindsTheFirstError(t *testing.T) {
	fetch := kmsg.NewPtrFetchResponse()
	fetch.Topics = []kmsg.FetchResponseTopic{
		{Partitions: []kmsg.FetchResponseTopicPartition{{}, {ErrorCode: 1}, {ErrorCode: 6}}}}
	leave := kmsg.NewPtrLeaveGroupResponse()
	leave.Members = []kmsg.LeaveGroupResponseMember{{}, {ErrorCode: 25}}
	offsets := kmsg.NewPtrOffsetFetchResponse()
	offsets.Groups = []kmsg.OffsetFetchResponseGroup{{}, {ErrorCode: 14}}
	find := kmsg.NewPtrFindCoordinatorResponse()
	find.Coordinators = []kmsg.FindCoordinatorResponseCoordinator{{ErrorCode: 15}}
	join := kmsg.NewPtrJoinGroupResponse()
	join.ErrorCode = 79
	for want, resp := range map[Code]kmsg.Response{
		OffsetOutOfRange: fetch, UnknownMemberID: leave, CoordinatorLoadInProgress: offsets,
		CoordinatorNotAvailable: find, MemberIDRequired: join,
		None: kmsg.NewPtrMetadataResponse(),
	} {
		require.EqualValues(t, want, ErrorCode(&Frame{Resp: resp}), want.Name())
	}
	fetch.ErrorCode = 70
	require.EqualValues(t, 70, ErrorCode(&Frame{Resp: fetch}))
	require.Zero(t, ErrorCode(&Frame{Req: kmsg.NewPtrFetchRequest()}))
}

func TestErrorTableIsComplete(t *testing.T) {
	require.Equal(t, "UNKNOWN_MEMBER_ID", UnknownMemberID.Name())
	require.Equal(t, "UNKNOWN_SERVER_ERROR", UnknownServerError.Name())
	require.Equal(t, "ERROR_9999", Code(9999).Name())
	require.Equal(t, "ERROR_-2", Code(-2).Name())
	require.True(t, NotCoordinator.Retriable())
	require.False(t, RebalanceInProgress.Retriable())
	names := map[string]bool{}
	for i, row := range errorTable {
		if row.name == "" {
			require.Empty(t, row.text)
			continue
		}
		require.False(t, names[row.name], "%s stands twice", row.name)
		names[row.name] = true
		require.NotEmpty(t, Code(i-1).Text(), row.name)
	}
	for code, name := range map[Code]string{ // kafka-behaviour 0.1
		27: "REBALANCE_IN_PROGRESS", 59: "UNKNOWN_PRODUCER_ID", 68: "NON_EMPTY_GROUP",
		79: "MEMBER_ID_REQUIRED", 82: "FENCED_INSTANCE_ID", 88: "UNSTABLE_OFFSET_COMMIT",
		106: "FETCH_SESSION_TOPIC_ID_ERROR", 113: "STALE_MEMBER_EPOCH",
		129: "REBOOTSTRAP_REQUIRED", 20: "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
	} {
		require.Equal(t, name, code.Name())
	}
}

func FuzzDecodeRequest(f *testing.F) {
	for _, k := range kinds {
		for _, v := range []int16{k.min, k.max} {
			req := k.request()
			req.SetVersion(v)
			f.Add(NewRequest(1, "c", req).Encode(), int16(0), int16(0))
			resp := k.response()
			resp.SetVersion(v)
			b := (&Frame{Corr: 1, Resp: resp, Key: k.key, Version: v}).Encode()
			f.Add(b, k.key, v)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, key, version int16) {
		if got, err := DecodeRequest(b); err == nil && got.Version <= got.Req.MaxVersion() {
			got.Encode()
			Describe(got)
		}
		if got, err := DecodeResponse(b, key, version); err == nil {
			got.Encode()
			ErrorCode(got)
			Describe(got)
		}
	})
}

func TestAnErrorReplyCarriesItsCodeForEveryKindThatCanBeRefused(t *testing.T) {
	for _, s := range kinds {
		switch s.key {
		case KeyDescribeGroups, KeyListGroups, KeyDeleteGroups, KeyOffsetForLeaderEpoch,
			KeyConsumerGroupDescribe:
			continue // no action of a scenario refuses these
		}
		f := NewRequest(7, "A", askingForOnePartition(s.key))
		reply := ErrorReply(f, NotCoordinator)
		require.Equal(t, int16(NotCoordinator), ErrorCode(reply), "%s", f.APIName())
		_, err := DecodeResponse(reply.Encode(), s.key, reply.Version)
		require.NoError(t, err, "%s", f.APIName())
	}
}

// askingForOnePartition is a request of a kind that names something, at the newest version.
func askingForOnePartition(key int16) kmsg.Request {
	topic := "t"
	var req kmsg.Request
	switch key {
	case KeyProduce:
		req = &kmsg.ProduceRequest{Topics: []kmsg.ProduceRequestTopic{{
			Topic: topic, Partitions: []kmsg.ProduceRequestTopicPartition{{}}}}}
	case KeyFetch:
		req = &kmsg.FetchRequest{Topics: []kmsg.FetchRequestTopic{{
			Topic: topic, Partitions: []kmsg.FetchRequestTopicPartition{{}}}}}
	case KeyListOffsets:
		req = &kmsg.ListOffsetsRequest{Topics: []kmsg.ListOffsetsRequestTopic{{
			Topic: topic, Partitions: []kmsg.ListOffsetsRequestTopicPartition{{}}}}}
	case KeyMetadata:
		req = &kmsg.MetadataRequest{Topics: []kmsg.MetadataRequestTopic{{Topic: &topic}}}
	case KeyOffsetCommit:
		req = &kmsg.OffsetCommitRequest{Topics: []kmsg.OffsetCommitRequestTopic{{
			Topic: topic, Partitions: []kmsg.OffsetCommitRequestTopicPartition{{}}}}}
	case KeyOffsetFetch:
		req = &kmsg.OffsetFetchRequest{Groups: []kmsg.OffsetFetchRequestGroup{{Group: "g"}}}
	case KeyFindCoordinator:
		req = &kmsg.FindCoordinatorRequest{CoordinatorKeys: []string{"g"}}
	case KeyCreateTopics:
		req = &kmsg.CreateTopicsRequest{Topics: []kmsg.CreateTopicsRequestTopic{{Topic: topic}}}
	case KeyDeleteTopics:
		req = &kmsg.DeleteTopicsRequest{Topics: []kmsg.DeleteTopicsRequestTopic{{Topic: &topic}}}
	case KeyCreatePartitions:
		req = &kmsg.CreatePartitionsRequest{
			Topics: []kmsg.CreatePartitionsRequestTopic{{Topic: topic}}}
	case KeyDescribeConfigs:
		req = &kmsg.DescribeConfigsRequest{Resources: []kmsg.DescribeConfigsRequestResource{{}}}
	case KeyAlterConfigs:
		req = &kmsg.AlterConfigsRequest{Resources: []kmsg.AlterConfigsRequestResource{{}}}
	case KeyIncrementalAlterConfigs:
		req = &kmsg.IncrementalAlterConfigsRequest{
			Resources: []kmsg.IncrementalAlterConfigsRequestResource{{}}}
	case KeyDescribeTopicPartitions:
		req = &kmsg.DescribeTopicPartitionsRequest{
			Topics: []kmsg.DescribeTopicPartitionsRequestTopic{{Topic: topic}}}
	case KeyDeleteRecords:
		req = &kmsg.DeleteRecordsRequest{Topics: []kmsg.DeleteRecordsRequestTopic{{
			Topic: topic, Partitions: []kmsg.DeleteRecordsRequestTopicPartition{{}}}}}
	default:
		req = findKind(key).request()
	}
	req.SetVersion(Pick(key))
	return req
}
