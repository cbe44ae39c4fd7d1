package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMetadataRecordsAreReadAsTheyWereWritten(t *testing.T) {
	id := [16]byte{1, 2, 3, 15: 9}
	for _, r := range []MetadataRecord{
		{Type: TopicRecord, Topic: "orders", TopicID: id, Leader: SameLeader},
		{Type: PartitionRecord, TopicID: id, Partition: 3, Replicas: []int32{1, 2, 3},
			ISR: []int32{1, 2}, Leader: 1, LeaderEpoch: 4, PartitionEpoch: 7},
		{Type: PartitionChangeRecord, TopicID: id, Partition: 1, Leader: -1},
		{Type: PartitionChangeRecord, TopicID: id, ISR: []int32{2}, Leader: SameLeader},
		{Type: PartitionChangeRecord, TopicID: id, ISR: []int32{}, Replicas: []int32{2, 5}, Leader: 5},
		{Type: RemoveTopicRecord, TopicID: id, Leader: SameLeader},
		{Type: RegisterBrokerRecord, Broker: 2, BrokerEpoch: 11, Rack: "a", Fenced: true,
			Leader: SameLeader},
		{Type: BrokerChangeRecord, Broker: 2, BrokerEpoch: 11, Fence: RegistrationUnfence,
			Leader: SameLeader},
		{Type: BrokerChangeRecord, Broker: 2, Shutdown: RegistrationShuttingDown, Leader: SameLeader},
	} {
		b := r.Encode()
		got, err := DecodeMetadataRecord(b)
		require.NoError(t, err)
		require.Equal(t, r, got)
		_, err = DecodeMetadataRecord(b[:len(b)-1])
		require.Error(t, err, "cut short: %+v", r)
	}
}

// The bytes were put together by hand from the schema of PartitionChangeRecord, version 0.
func TestAPartitionChangeRecordHasKafkasBytes(t *testing.T) {
	r := MetadataRecord{Type: PartitionChangeRecord, TopicID: [16]byte{15: 7}, Partition: 2,
		ISR: []int32{1, 3}, Leader: 3}
	require.Equal(t, []byte{
		1, 5, 0, // frame, type, version
		0, 0, 0, 2, // partition
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, // topic id
		2,                               // tagged fields
		0, 9, 3, 0, 0, 0, 1, 0, 0, 0, 3, // ISR
		1, 4, 0, 0, 0, 3, // leader
	}, r.Encode())
}

func TestAMetadataRecordOfALaterVersionIsPassedOver(t *testing.T) {
	r, err := DecodeMetadataRecord([]byte{1, 20, 0})
	require.NoError(t, err)
	require.Equal(t, int16(20), r.Type)
}

func FuzzDecodeMetadataRecord(f *testing.F) {
	r := MetadataRecord{Type: PartitionRecord, Replicas: []int32{1}, ISR: []int32{1}}
	f.Add(r.Encode())
	f.Add([]byte{1, 5, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := DecodeMetadataRecord(b)
		if err != nil {
			return
		}
		again, err := DecodeMetadataRecord(r.Encode())
		require.NoError(t, err)
		require.Equal(t, r.Type, again.Type)
	})
}
