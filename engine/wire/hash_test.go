package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCoordinatorPartitionOfTheKnownGroups(t *testing.T) { // A1, A2, A3
	for group, want := range map[string]int32{
		"": 0, "a": 47, "foo": 24, "test": 48, "my-group": 12, "group1": 40, "orders": 31,
		"lab": 43, "console-consumer-1": 24, "consumer-group": 38, "polygenelubricants": 0,
		"\u0433\u0440\u0443\u043f\u043f\u0430": 8, "\U0001F642": 15,
	} {
		require.Equal(t, want, CoordinatorPartition(group, 50), "group %q", group)
	}
	require.EqualValues(t, 3556498, JavaHash("test"))
	require.EqualValues(t, math.MinInt32, JavaHash("polygenelubricants"))
}

// The vectors are those of Kafka's own UtilsTest.
func TestMurmur2GivesTheJavaClientsHashes(t *testing.T) {
	for key, want := range map[string]int32{
		"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536,
		"a-little-bit-longer-string":                       -1486304829,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
		"abc": 479470107,
	} {
		require.Equal(t, want, Murmur2([]byte(key)), "key %q", key)
	}
	require.EqualValues(t, 479470107%6, PartitionForKey([]byte("abc"), 6))
	hash := int32(-790332482)
	require.EqualValues(t, (hash&0x7fffffff)%6, PartitionForKey([]byte("foobar"), 6))
}

func TestStringsAreOrderedByUTF16Units(t *testing.T) { // D5
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"a", "b", -1}, {"ab", "a", 1}, {"c10", "c9", -1},
		{"A", "a", -1}, {"\u00e9", "z", 1}, {"x\u0433", "x\u0433", 0},
		{"\U0001F642", "\uff21", -1}, // the surrogate d83d comes before ff21
		{"\U0001F642", "\u0433", 1},
		{"\U0001F642", "\U0001F643", -1},
	} {
		require.Equal(t, tt.want, CompareUTF16(tt.a, tt.b), "%q, %q", tt.a, tt.b)
		require.Equal(t, -tt.want, CompareUTF16(tt.b, tt.a), "%q, %q", tt.b, tt.a)
	}
}
