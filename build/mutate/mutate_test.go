package mutate

import (
	"os/exec"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryMutantStillFitsTheSourceAndCompiles(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	all, err := All()
	require.NoError(t, err)
	bySwarm := 0
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			assert.NotEmpty(t, m.What)
			overlay, err := m.Overlay(root, t.TempDir())
			require.NoError(t, err)
			build := exec.CommandContext(t.Context(), "go", append([]string{"build", "-overlay", overlay}, m.packages()...)...)
			build.Dir = root
			out, err := build.CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
		if m.Swarm {
			bySwarm++
		}
	}
	assert.GreaterOrEqual(t, len(all), 10)
	assert.GreaterOrEqual(t, bySwarm, 7)
}

// packages are the folders that the mutant changes.
func (m Mutant) packages() []string {
	var dirs []string
	for _, f := range m.files {
		dirs = append(dirs, "./"+path.Dir(f.OldName))
	}
	return dirs
}

func TestAPatchSaysWhatItBreaksAndWhoMustFindIt(t *testing.T) {
	const patch = `The count is one too high.
tests: ./engine/group ./engine/broker

--- a/x.go
+++ b/x.go
@@ -1,1 +1,1 @@
-a
+b
`
	m, err := parse("count", []byte(patch))
	require.NoError(t, err)
	assert.Equal(t, "The count is one too high.", m.What)
	assert.False(t, m.Swarm)
	assert.Equal(t, []string{"./engine/group", "./engine/broker"}, m.Tests)
	_, err = parse("empty", []byte("nothing\n"))
	assert.Error(t, err)
}
