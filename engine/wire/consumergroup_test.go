package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func text(s string) *string { return &s }

// consumerEntries is one of every record type of the consumer protocol, full and as a tombstone.
func consumerEntries() []*ConsumerEntry {
	parts := []TopicPartitions{{TopicID: [16]byte{1, 2}, Partitions: []int32{0, 7}, Epochs: []int32{3, 4}}}
	plain := []TopicPartitions{{TopicID: [16]byte{1, 2}, Partitions: []int32{0, 7}}}
	entries := []*ConsumerEntry{
		{Type: ConsumerGroupRecord, Value: &ConsumerGroupValue{Epoch: 5, MetadataHash: -9}},
		{Type: ConsumerGroupRecord, Value: &ConsumerGroupValue{Epoch: 5}},
		{Type: ConsumerMemberRecord, Member: "m", Value: &ConsumerMemberValue{
			InstanceID: text("i"), ClientID: "A", ClientHost: "/A", Topics: []string{"t", "u"},
			Regex: text("o.*"), RebalanceTimeoutMillis: 300000, Assignor: text("range"),
			Classic: &ClassicMemberValue{SessionTimeoutMillis: 45000, Protocols: []ClassicProtocol{
				{Name: "range", Metadata: []byte{0, 1}},
			}},
		}},
		{Type: ConsumerMemberRecord, Member: "m", Value: &ConsumerMemberValue{Topics: []string{}}},
		{Type: TargetEpochRecord, Value: &TargetEpochValue{Epoch: 5, Timestamp: 17}},
		{Type: TargetAssignmentRecord, Member: "m", Value: &TargetAssignmentValue{Topics: plain}},
		{Type: CurrentAssignmentRecord, Member: "m", Value: &CurrentAssignmentValue{
			Epoch: 5, PreviousEpoch: 4, State: 2, Assigned: parts, Revoking: plain,
		}},
		{Type: RegexRecord, Regex: "o.*", Value: &RegexValue{
			Topics: []string{"orders"}, Version: 3, Timestamp: 17,
		}},
	}
	for _, e := range entries {
		e.Group = "g"
		entries = append(entries, &ConsumerEntry{
			Type: e.Type, Group: e.Group, Member: e.Member, Regex: e.Regex,
		})
	}
	return entries
}

func TestRecordsOfTheConsumerProtocolSurviveTheLog(t *testing.T) { // B24
	for _, e := range consumerEntries() {
		key, value := e.Encode()
		got, err := DecodeGroupEntry(key, value)
		require.NoError(t, err)
		require.True(t, got.Known())
		require.Equal(t, e.Value == nil, got.Tombstone())
		require.Equal(t, "g", got.Group)
		require.Equal(t, e, got.Consumer)
	}
}

// The bytes are laid out by hand after Kafka's message definitions: a key that is not flexible, a
// value of version 0 that is.
func TestTheBytesOfAConsumerGroupRecord(t *testing.T) {
	for _, c := range []struct {
		name       string
		entry      ConsumerEntry
		key, value string
	}{
		{
			"group epoch with its hash in tag 0",
			ConsumerEntry{Type: 3, Group: "g", Value: &ConsumerGroupValue{Epoch: 5, MetadataHash: 258}},
			"\x00\x03\x00\x01g", "\x00\x00\x00\x00\x00\x05\x01\x00\x08\x00\x00\x00\x00\x00\x00\x01\x02",
		},
		{
			"group epoch without a hash",
			ConsumerEntry{Type: 3, Group: "g", Value: &ConsumerGroupValue{Epoch: 5}},
			"\x00\x03\x00\x01g", "\x00\x00\x00\x00\x00\x05\x00",
		},
		{
			"current assignment with the epochs in tag 0 (KIP-1251)",
			ConsumerEntry{Type: 8, Group: "g", Member: "m", Value: &CurrentAssignmentValue{
				Epoch: 2, PreviousEpoch: 1, State: 1,
				Assigned: []TopicPartitions{{Partitions: []int32{4}, Epochs: []int32{2}}},
			}},
			"\x00\x08\x00\x01g\x00\x01m",
			"\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x01" +
				"\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
				"\x02\x00\x00\x00\x04\x01\x00\x05\x02\x00\x00\x00\x02" + "\x01\x00",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			key, value := c.entry.Encode()
			require.Equal(t, c.key, string(key))
			require.Equal(t, c.value, string(value))
		})
	}
}

func TestABrokenConsumerRecordIsAnError(t *testing.T) {
	for _, e := range consumerEntries() {
		key, value := e.Encode()
		_, err := DecodeGroupEntry(key[:len(key)-1], value)
		require.Error(t, err)
		for n := range value {
			_, err := DecodeGroupEntry(key, value[:n:n])
			require.Error(t, err, "type %d cut at %d of %d", e.Type, n, len(value))
		}
	}
}

func TestTheOldPartitionMetadataIsReadOver(t *testing.T) { // B24: type 4, B28
	e, err := DecodeGroupEntry([]byte("\x00\x04\x00\x01g"), nil)
	require.NoError(t, err)
	require.False(t, e.Known())
}

func FuzzDecodeConsumerEntry(f *testing.F) {
	for _, e := range consumerEntries() {
		key, value := e.Encode()
		f.Add(key, value)
	}
	f.Fuzz(func(t *testing.T, key, value []byte) {
		e, err := DecodeGroupEntry(key, value)
		if err != nil || e.Consumer == nil {
			return
		}
		key, value = e.Consumer.Encode() // what was understood can be written again
		again, err := DecodeGroupEntry(key, value)
		require.NoError(t, err)
		require.Equal(t, e.Consumer, again.Consumer)
	})
}

func TestAUUIDInKafkasTextForm(t *testing.T) {
	for _, c := range []struct {
		hi, lo uint64
		want   string
	}{
		{0, 0, "AAAAAAAAQACAAAAAAAAAAA"},
		{1 << 63, 1, "gAAAAAAAQACAAAAAAAAAAQ"},
		{0xf800000000000000, 0, "A"},
	} {
		got := UUIDText(c.hi, c.lo)
		require.Len(t, got, 22)
		require.Equal(t, c.want, got[:len(c.want)])
		require.NotEqual(t, byte('-'), got[0])
	}
}
