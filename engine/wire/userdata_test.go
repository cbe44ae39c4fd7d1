package wire

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStickyUserDataOfBothVersions(t *testing.T) { // D14
	d := StickyUserData{
		Previous:   []TopicPartition{{"t", 0}, {"t", 2}, {"u", 1}},
		Generation: 7, HasGeneration: true,
	}
	b := EncodeStickyUserData(d)
	require.Equal(t, "00000002"+"000174"+"00000002"+"00000000"+"00000002"+"000175"+"00000001"+"00000001"+"00000007",
		hex.EncodeToString(b))
	got, err := DecodeStickyUserData(append(b, 1, 2))
	require.NoError(t, err)
	require.Equal(t, d, got, "bytes that follow are ignored")
	got, err = DecodeStickyUserData(b[:len(b)-4])
	require.NoError(t, err)
	require.Equal(t, StickyUserData{Previous: d.Previous, Generation: NoGeneration}, got, "version 0")
	require.Equal(t, b[:len(b)-4], EncodeStickyUserData(got))
	for _, bad := range []string{"", "000000", "7fffffff", "ffffffff", "00000001ffff", "0000000100017400000002"} {
		b, err := hex.DecodeString(bad)
		require.NoError(t, err)
		_, err = DecodeStickyUserData(b)
		require.Error(t, err, bad)
	}
}

func TestCooperativeUserDataIsAGeneration(t *testing.T) { // D14
	require.Equal(t, "ffffffff", hex.EncodeToString(EncodeCooperativeUserData(NoGeneration)))
	got, err := DecodeCooperativeUserData(EncodeCooperativeUserData(9))
	require.NoError(t, err)
	require.EqualValues(t, 9, got)
	_, err = DecodeCooperativeUserData([]byte{0, 0, 9})
	require.Error(t, err)
}

func TestMapsAreWalkedAsJavaWalksThem(t *testing.T) { // D11, D12
	names := []string{"consumer1", "consumer2", "consumer3", "consumer4"}
	require.Equal(t, []string{"consumer4", "consumer3", "consumer2", "consumer1"},
		JavaOrder(names, JavaTable(4), JavaHash), "their buckets are 12, 11, 10 and 9")
	require.Equal(t, []string{"BB", "Aa"}, JavaOrder([]string{"BB", "Aa"}, 16, JavaHash), "one bucket: as inserted")
	require.Equal(t, []int{16, 16, 32, 64}, []int{JavaTable(0), JavaTable(12), JavaTable(13), JavaTable(25)})
	require.Equal(t, []int{16, 16, 32, 64}, []int{JavaCopyTable(0), JavaCopyTable(11), JavaCopyTable(12), JavaCopyTable(24)})
	require.EqualValues(t, 0x01020304^0x05060708^0x090a0b0c^0x0d0e0f10,
		JavaUUIDHash([16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}))
}

func FuzzDecodeUserData(f *testing.F) {
	f.Add(EncodeStickyUserData(StickyUserData{Previous: []TopicPartition{{"t", 1}}, Generation: 3, HasGeneration: true}))
	f.Add(EncodeStickyUserData(StickyUserData{}))
	f.Add(EncodeCooperativeUserData(5))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = DecodeCooperativeUserData(b)
		d, err := DecodeStickyUserData(b)
		if err != nil {
			return
		}
		again, err := DecodeStickyUserData(EncodeStickyUserData(d))
		require.NoError(t, err)
		require.Equal(t, d.Generation, again.Generation)
		require.ElementsMatch(t, d.Previous, again.Previous)
	})
}
