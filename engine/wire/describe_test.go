package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func dump(f *Frame) string {
	var s strings.Builder
	for _, field := range Describe(f) {
		s.WriteString(strings.Repeat("  ", field.Depth) + field.Name)
		if field.Value != "" {
			s.WriteString(": " + field.Value)
		}
		s.WriteString("\n")
	}
	return s.String()
}

func TestDescribeDecodesASubscription(t *testing.T) {
	req := kmsg.NewPtrJoinGroupRequest()
	req.SetVersion(9)
	req.Group, req.MemberID, req.ProtocolType = "seller_read_db", "A-1", "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 45000, 300000
	req.Protocols = []kmsg.JoinGroupRequestProtocol{{Name: "range",
		Metadata: EncodeSubscription(Subscription{Version: 3, Topics: []string{"order_events"},
			Owned: []TopicPartition{{"order_events", 0}}, Generation: 4, Rack: "r1"})}}
	require.Equal(t, `apiKey: 11 JoinGroup
apiVersion: 9
correlationId: 5
clientId: A
groupId: seller_read_db
sessionTimeoutMs: 45000
rebalanceTimeoutMs: 300000
memberId: A-1
groupInstanceId: null
protocolType: consumer
protocols[0]
  name: range
  metadata: 58 bytes
    version: 3
    topics: [order_events]
    userData: null
    ownedPartitions: [order_events-0]
    generationId: 4
    rackId: r1
reason: null
`, dump(NewRequest(5, "A", req)))
}

func TestDescribeShowsOnlyWhatTheVersionHas(t *testing.T) {
	for _, tt := range []struct {
		version       int16
		with, without []string
	}{
		{4, []string{"replicaId: -1", "topics[0]\n  topic: t\n", "partition: 2"},
			[]string{"sessionId", "topicId", "rackId", "clusterId"}},
		{12, []string{"replicaId: -1", "topic: t\n", "lastFetchedEpoch: -1"},
			[]string{"topicId", "replicaState", "clusterId", "highWatermark"}},
		{13, []string{"replicaId: -1", "topicId: BwAAAAAAAAAAAAAAAAAAAA", "rackId"},
			[]string{"topic: t"}},
		{18, []string{"replicaState\n  replicaId: 2\n  replicaEpoch: -1\n", "highWatermark: 5\n"},
			[]string{"topic: t", "\nreplicaId"}},
	} {
		req := kmsg.NewPtrFetchRequest()
		req.SetVersion(tt.version)
		topic := kmsg.NewFetchRequestTopic()
		topic.Topic, topic.TopicID[0] = "t", 7
		part := kmsg.NewFetchRequestTopicPartition()
		part.Partition = 2
		topic.Partitions = append(topic.Partitions, part)
		req.Topics = append(req.Topics, topic)
		if tt.version == 18 {
			req.ReplicaState.ID, req.Topics[0].Partitions[0].HighWatermark = 2, 5
		}
		before := *req
		text := dump(NewRequest(1, "c", req))
		for _, s := range tt.with {
			require.Contains(t, text, s, "version %d", tt.version)
		}
		for _, s := range tt.without {
			require.NotContains(t, text, s, "version %d", tt.version)
		}
		require.Equal(t, before, *req, "the message itself stays as it was")
	}
}

func TestDescribeDecodesRecords(t *testing.T) {
	resp := kmsg.NewPtrFetchResponse()
	resp.SetVersion(12)
	topic := kmsg.NewFetchResponseTopic()
	topic.Topic = "t"
	part := kmsg.NewFetchResponseTopicPartition()
	part.ErrorCode = 1
	b := EncodeBatch(PlainHeader(), []Record{{Timestamp: 9, Value: []byte(strings.Repeat("v", 61)),
		Headers: []Header{{Key: "h", Value: []byte{1, 2}}}}})
	SetBase(b, 42, 3)
	part.RecordBatches = append(b, b[:30]...)
	topic.Partitions = append(topic.Partitions, part)
	resp.Topics = append(resp.Topics, topic)
	text := dump(&Frame{Resp: resp, Key: KeyFetch, Version: 12})
	for _, s := range []string{
		"responses[0]\n  topic: t\n  partitions[0]\n    partitionIndex: 0\n",
		"errorCode: 1 OFFSET_OUT_OF_RANGE\n",
		"baseOffset: 42\n", "partitionLeaderEpoch: 3\n", " right\n",
		"record: offset 42\n          timestamp: 9\n          key: null\n",
		"value: " + strings.Repeat("v", 60) + "... (61 bytes)\n", "header h: 0x0102\n",
		"batch[1]: cut off after 30 bytes\n",
	} {
		require.Contains(t, text, s)
	}
	require.NotContains(t, text, "clientId")
}

func TestDescribeDecodesAnAssignment(t *testing.T) {
	resp := kmsg.NewPtrSyncGroupResponse()
	resp.SetVersion(5)
	resp.MemberAssignment = EncodeAssignment(Assignment{
		Partitions: []TopicPartition{{"t", 0}, {"t", 1}}})
	f := &Frame{Resp: resp, Key: KeySyncGroup, Version: 5}
	require.Contains(t, dump(f), "  assignedPartitions: [t-0, t-1]\n")
	resp.MemberAssignment = []byte{1}
	require.Contains(t, dump(f), "assignment: 0x01\n")
	resp.MemberAssignment = nil
	require.Contains(t, dump(f), "assignment: (empty)\n")
}

func TestEveryMessageCanBeDescribed(t *testing.T) {
	for _, k := range kinds {
		for v := k.min; v <= k.max; v++ {
			req, resp := k.request(), k.response()
			req.SetVersion(v)
			resp.SetVersion(v)
			f := NewRequest(1, "c", req)
			require.NotEmpty(t, Describe(f))
			require.NotEmpty(t, Describe(f.Reply(resp)))
		}
	}
}
