package neighbour

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePainterKnowsTheNamesOfMessages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "web", "dots.js"))
	require.NoError(t, err)
	for op := OpSubscribe; op <= OpWindow; op++ {
		name := MessageName(int32(op))
		require.Contains(t, string(text), fmt.Sprintf("%d: %q", op, name))
		key, ok := MessageKey(name)
		require.True(t, ok)
		require.EqualValues(t, op, key)
	}
}

func TestKafkasRequestsKeepTheirNames(t *testing.T) {
	require.Equal(t, "Fetch", MessageName(1))
	key, ok := MessageKey("OffsetCommit")
	require.True(t, ok)
	require.EqualValues(t, 8, key)
	_, ok = MessageKey("basic.akc")
	require.False(t, ok)
}
