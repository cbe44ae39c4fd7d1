package lean

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// program builds testdata/program as the site's programs are built.
func program(t *testing.T) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "./testdata/program")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", output)
	file, err := os.ReadFile(out)
	require.NoError(t, err)
	return file
}

// run runs a program to its end and returns what it wrote to stdout and stderr.
func run(t *testing.T, file []byte) (stdout, stderr string) {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var out, bad bytes.Buffer
	_, err := r.InstantiateWithConfig(ctx, file, wazero.NewModuleConfig().WithStdout(&out).WithStderr(&bad))
	require.ErrorContains(t, err, "exit_code(2)")
	return out.String(), bad.String()
}

func TestALeanProgramDoesTheSameAndItsStackNamesFunctionsWithoutLines(t *testing.T) {
	full := program(t)
	lean, err := Program(full)
	require.NoError(t, err)
	wantOut, wantErr := run(t, full)
	gotOut, gotErr := run(t, lean)
	require.Equal(t, "8004956 runtime error: index out of range [0] with length 0 main.main xxx\n", wantOut)
	require.Equal(t, wantOut, gotOut)
	require.Contains(t, wantErr, "program/main.go:")
	require.NotContains(t, gotErr, "main.go")
	lines := regexp.MustCompile(`\t\S+:\d+`)
	require.Equal(t, lines.ReplaceAllString(wantErr, "\t?:0"), gotErr)
	require.Contains(t, gotErr, "panic: the end\n")
	require.Contains(t, gotErr, "main.main()\n")
}

func TestWhatFollowsTheTablesStaysHoweverTheyArePadded(t *testing.T) {
	const first = 80
	for padding := range 16 {
		b := append(make([]byte, first), 0, 2, 1, 0, 4, 9, 3, 1, 0) // none; a table from 1 on; one from 4 on
		b = append(b, make([]byte, padding)...)
		binary.LittleEndian.PutUint64(b[fileTabAt:], first)
		binary.LittleEndian.PutUint64(b[pcTabAt:], first)
		binary.LittleEndian.PutUint64(b[funcTabAt:], uint64(len(b)))
		b = append(b, "functions"...)
		want := append([]byte{0, 0, 0, 0, 4, 9, 3, 1, 0}, make([]byte, padding)...)
		require.NoError(t, table{b}.clearUnused(map[int]bool{noTable: true, 4: true}))
		require.Equal(t, string(want)+"functions", string(b[first:]), "padding %d", padding)
	}
}

func TestAProgramIsNotMadeLeanTwice(t *testing.T) {
	once, err := Program(program(t))
	require.NoError(t, err)
	_, err = Program(once)
	require.ErrorIs(t, err, errTable, "tables that were cleared cannot be told apart any more")
}

func TestWhatIsNotAProgramOfGoIsRefused(t *testing.T) {
	full := program(t)
	at := bytes.Index(full, tableStart)
	require.Positive(t, at)
	newer := bytes.Clone(full)
	newer[at] = 0xf2 // the magic number of a table that does not exist yet
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"nothing":               {nil, errModule},
		"another file":          {[]byte("<!doctype html>"), errModule},
		"cut in half":           {full[:len(full)/2], errModule},
		"a module without data": {full[:headerSize], errTable},
		"an unknown table":      {newer, errTable},
	} {
		_, err := Program(c.file)
		require.ErrorIs(t, err, c.want, name)
	}
}

func FuzzMemoryIsTheSameAfterPacking(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 1})
	f.Add(append(append([]byte{7}, make([]byte, 2*gap)...), 9, 0, 8))
	f.Fuzz(func(t *testing.T, image []byte) {
		parts, err := segments(packed(image))
		require.NoError(t, err)
		require.Equal(t, bytes.TrimRight(image, "\x00"), append([]byte{}, memory(parts)...))
	})
}

func FuzzSectionsReadsWhatJoinWrites(f *testing.F) {
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x0b\x02ab"))
	f.Fuzz(func(t *testing.T, module []byte) {
		all, err := sections(module)
		if err != nil {
			return
		}
		again, err := sections(join(all))
		require.NoError(t, err)
		require.Equal(t, all, again)
	})
}
