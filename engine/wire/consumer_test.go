package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestSubscriptionOfEachVersionCarriesItsFields(t *testing.T) { // D1
	full := Subscription{
		Topics: []string{"a", "b"}, UserData: []byte("u"),
		Owned:      []TopicPartition{{"a", 0}, {"a", 2}, {"b", 1}},
		Generation: 5, Rack: "r1",
	}
	for v := int16(0); v <= SubscriptionVersion; v++ {
		in := full
		in.Version = v
		want := in
		if v < 3 {
			want.Rack = ""
		}
		if v < 2 {
			want.Generation = -1
		}
		if v < 1 {
			want.Owned = nil
		}
		got, err := DecodeSubscription(EncodeSubscription(in))
		require.NoError(t, err)
		require.Equal(t, want, got, "version %d", v)
	}
}

func TestSubscriptionIsWrittenSorted(t *testing.T) { // D2
	in := Subscription{Version: 1, Topics: []string{"b", "a"},
		Owned: []TopicPartition{{"b", 1}, {"a", 2}, {"b", 0}}}
	got, err := DecodeSubscription(EncodeSubscription(in))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, got.Topics)
	require.Equal(t, []TopicPartition{{"a", 2}, {"b", 0}, {"b", 1}}, got.Owned)
	require.Equal(t, []string{"b", "a"}, in.Topics)
}

func TestANewerSubscriptionIsReadAsTheNewestKnown(t *testing.T) { // D2
	b := EncodeSubscription(Subscription{Version: 3, Topics: []string{"a"}, Generation: 2})
	b[1] = 9
	got, err := DecodeSubscription(append(b, 1, 2, 3))
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, got.Topics)
	require.EqualValues(t, 2, got.Generation)
}

func TestAssignmentComesBackGroupedByTopic(t *testing.T) { // D1
	in := Assignment{Version: 1, UserData: []byte{7},
		Partitions: []TopicPartition{{"b", 1}, {"a", 2}, {"b", 0}}}
	got, err := DecodeAssignment(EncodeAssignment(in))
	require.NoError(t, err)
	in.Partitions = []TopicPartition{{"b", 1}, {"b", 0}, {"a", 2}}
	require.Equal(t, in, got)
	got, err = DecodeAssignment(nil)
	require.NoError(t, err)
	require.Empty(t, got.Partitions)
}

func TestOffsetRecordsComeBack(t *testing.T) { // B24, B25
	tp := TopicPartition{"order_events", 3}
	key := OffsetKey("g", tp)
	require.Equal(t, []byte("\x00\x01\x00\x01g\x00\x0corder_events\x00\x00\x00\x03"), key)
	for _, tt := range []struct {
		in      kmsg.OffsetCommitValue
		version int16
	}{
		{kmsg.OffsetCommitValue{Offset: 20, LeaderEpoch: 2, Metadata: "m",
			CommitTimestamp: 9, ExpireTimestamp: -1}, 4},
		{kmsg.OffsetCommitValue{Version: 3, Offset: 20, LeaderEpoch: 2, Metadata: "m",
			CommitTimestamp: 9, ExpireTimestamp: -1}, 3}, // as Kafka 4.0 wrote them
		{kmsg.OffsetCommitValue{Offset: 20, LeaderEpoch: -1, CommitTimestamp: 9,
			ExpireTimestamp: 99}, 1},
		{kmsg.OffsetCommitValue{Version: 4, Offset: 20, LeaderEpoch: 2, CommitTimestamp: 9,
			ExpireTimestamp: -1, TopicID: [16]byte{1, 2}}, 4},
	} {
		e, err := DecodeGroupEntry(key, EncodeOffsetValue(tt.in))
		require.NoError(t, err)
		tt.in.Version = tt.version
		require.Equal(t, GroupEntry{Type: OffsetRecord, Group: "g", TP: tp, Offset: &tt.in}, e)
		require.False(t, e.Tombstone())
	}
	e, err := DecodeGroupEntry(key, nil)
	require.NoError(t, err)
	require.True(t, e.Tombstone()) // B27
}

func TestGroupMetadataRecordsComeBack(t *testing.T) { // B24, B26
	protocol, leader, instance := "range", "m1", "i1"
	in := kmsg.GroupMetadataValue{
		ProtocolType: "consumer", Generation: 4, Protocol: &protocol, Leader: &leader,
		CurrentStateTimestamp: 77,
		Members: []kmsg.GroupMetadataValueMember{{
			MemberID: "m1", InstanceID: &instance, ClientID: "c", ClientHost: "/10.0.0.1",
			RebalanceTimeoutMillis: 300000, SessionTimeoutMillis: 45000,
			Subscription: []byte{1}, Assignment: []byte{2},
		}},
	}
	e, err := DecodeGroupEntry(GroupKey("g"), EncodeGroupValue(in))
	require.NoError(t, err)
	in.Version = 3
	require.Equal(t, GroupEntry{Type: GroupRecord, Group: "g", Metadata: &in}, e)
	e, err = DecodeGroupEntry(GroupKey("g"), nil)
	require.NoError(t, err)
	require.True(t, e.Tombstone())
}

func TestUnknownGroupRecordsAreNotAnError(t *testing.T) { // B28
	e, err := DecodeGroupEntry([]byte{0, 99, 1, 2}, []byte{9})
	require.NoError(t, err)
	require.False(t, e.Known())
	require.False(t, e.Tombstone())
	_, err = DecodeGroupEntry([]byte{0}, nil)
	require.Error(t, err)
}

func FuzzDecodeGroupEntry(f *testing.F) {
	f.Add(OffsetKey("g", TopicPartition{"t", 1}), EncodeOffsetValue(kmsg.OffsetCommitValue{}))
	f.Add(GroupKey("g"), EncodeGroupValue(kmsg.GroupMetadataValue{
		Members: []kmsg.GroupMetadataValueMember{{MemberID: "m"}}}))
	f.Fuzz(func(_ *testing.T, key, value []byte) {
		_, _ = DecodeGroupEntry(key, value)
		_, _ = DecodeSubscription(value)
		_, _ = DecodeAssignment(value)
	})
}
