package enginetest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// banned are imports that would let the world outside into the engine, and why.
var banned = map[string]string{
	"net": "no sockets", "net/http": "no sockets", "os": "no files, no environment", "sync": "one event loop",
	"syscall/js": "a host's business", "math/rand": "chance comes from sim", "math/rand/v2": "chance comes from sim",
	"crypto/rand": "chance comes from sim", "log": "events, not log lines", "regexp": "size of the guest",
	"encoding/json": "size of the guest", "text/template": "size of the guest", "context": "nothing waits",
}

// wallClock are functions of package time that read or wait for the clock of the host.
var wallClock = []string{
	"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTicker", "NewTimer",
}

// engineFiles parses the engine's own files: no tests, no hosts.
func engineFiles(t *testing.T, each func(name string, f *ast.File, fset *token.FileSet)) {
	t.Helper()
	fset := token.NewFileSet()
	root := filepath.Join("..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"guest", "tcp", "enginetest", "testdata"}, d.Name()) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		each(path, f, fset)
		return nil
	})
	require.NoError(t, err)
}

func TestTheEngineImportsNothingOfTheWorldOutside(t *testing.T) {
	engineFiles(t, func(name string, f *ast.File, _ *token.FileSet) {
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			require.Empty(t, banned[path], "%s imports %s", name, path)
		}
	})
}

func TestTheEngineNeverReadsTheWallClock(t *testing.T) {
	engineFiles(t, func(name string, f *ast.File, fset *token.FileSet) {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && x.Obj == nil {
				require.NotContains(t, wallClock, s.Sel.Name, "%s", fset.Position(n.Pos()))
			}
			return true
		})
	})
}

func TestTheEngineHasNoFloatsAndStartsNoGoroutines(t *testing.T) {
	engineFiles(t, func(name string, f *ast.File, fset *token.FileSet) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a goroutine", fset.Position(n.Pos()))
			case *ast.Ident:
				if n.Name == "float64" || n.Name == "float32" {
					t.Errorf("%s: a float", fset.Position(n.Pos()))
				}
			}
			return true
		})
	})
}

// deps lists what a build of pkg links.
func deps(t *testing.T, pkg, goos, goarch string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", pkg)
	cmd.Env = append(cmd.Environ(), "GOOS="+goos, "GOARCH="+goarch)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

func TestThePageImportsNothingOfTheEngineButItsViewStructs(t *testing.T) {
	for _, d := range deps(t, "./app", "js", "wasm") {
		if strings.HasPrefix(d, "rebalancelab/engine") {
			require.Equal(t, "rebalancelab/engine/view", d)
		}
		require.NotContains(t, d, "kmsg")
		require.NotContains(t, d, "starlark")
	}
}

func TestTheViewStructsImportNothingOfTheEngine(t *testing.T) {
	for _, d := range deps(t, "./engine/view", "js", "wasm") {
		if strings.HasPrefix(d, "rebalancelab/") {
			require.Equal(t, "rebalancelab/engine/view", d)
		}
	}
}

func TestTheGuestLinksNoJSONNoTemplatesNoSockets(t *testing.T) {
	list := deps(t, "./engine/guest", "wasip1", "wasm")
	for _, d := range []string{"encoding/json", "text/template", "net/http", "regexp", "crypto/tls"} {
		require.NotContains(t, list, d)
	}
}

func TestEveryPackageHasADocFile(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		if path != root && (name[0] == '.' || name == "node_modules" || name == "testdata") {
			return filepath.SkipDir
		}
		files, _ := filepath.Glob(filepath.Join(path, "*.go"))
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
		if len(files) == 0 || isMain(t, files[0]) {
			return nil
		}
		seen++
		require.Contains(t, files, filepath.Join(path, "doc.go"), "package in %s", path)
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, seen, 20)
}

func isMain(t *testing.T, file string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	require.NoError(t, err)
	return f.Name.Name == "main"
}
