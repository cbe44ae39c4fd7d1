package site

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// go-app keeps its server in the same package as its browser half: with net/http come TLS, its
// curves and their self-tests, which the linker cannot drop. app.wasm never serves anything, so it
// is compiled against a copy of go-app without that half. It is a third less to fetch.
//
// slimFiles replaces what needs the server, encryption, patterns in routes, or an operating
// system's randomness; slimRemoved is what only the server needs. Everything else is go-app as
// published, at the version of go.mod. Vet and tests see the published package.
//
//go:embed slim
var slimFiles embed.FS

var slimRemoved = []string{"go-app/pkg/app/http.go", "go-app/pkg/app/static.go"}

const goAppModule = "github.com/maxence-charriere/go-app/v10"

// slimDir is where the copy lives, below the module's root. The compiler writes the relative path
// into the program, so it is the same everywhere.
const slimDir = ".build/go-app"

// slimGoApp makes the copy if need be and returns the flag that makes the go command use it.
func slimGoApp(ctx context.Context, root string) (string, error) {
	source, err := moduleDir(ctx, root, goAppModule)
	if err != nil {
		return "", err
	}
	files, err := slimCopy(root, source)
	if err != nil {
		return "", fmt.Errorf("slim copy of go-app: %w", err)
	}
	flag := "-modfile=" + slimDir + "/app.mod" // the command runs at the root
	dir, stamp := filepath.Join(root, slimDir), files.Digest()
	if made, err := os.ReadFile(filepath.Join(dir, "stamp")); err == nil && string(made) == stamp {
		return flag, nil
	}
	files["stamp"] = []byte(stamp)
	return flag, replaceDir(dir, files)
}

// moduleDir downloads a module of go.mod, if need be, and returns its folder.
func moduleDir(ctx context.Context, root, module string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	var found struct{ Dir string }
	err = json.Unmarshal(output, &found)
	return found.Dir, err
}

// slimCopy returns the files of slimDir: go-app, the stand-in for uuid, and the lab's own go.mod
// and go.sum with both in place of the published modules.
func slimCopy(root, source string) (Files, error) {
	files := Files{}
	if err := addTree(files, os.DirFS(source), "go-app/"); err != nil {
		return nil, err
	}
	for _, name := range slimRemoved {
		if _, ok := files[name]; !ok {
			return nil, fmt.Errorf("this version has no %s to leave out", name)
		}
		delete(files, name)
	}
	replacements, err := fs.Sub(slimFiles, "slim")
	if err != nil {
		return nil, err
	}
	if err := addTree(files, replacements, ""); err != nil {
		return nil, err
	}
	for _, name := range []string{"mod", "sum"} {
		if files["app."+name], err = os.ReadFile(filepath.Join(root, "go."+name)); err != nil {
			return nil, err
		}
	}
	files["app.mod"] = fmt.Appendf(files["app.mod"],
		"\nreplace %s => ./%s/go-app\n\nreplace github.com/google/uuid => ./%s/uuid\n",
		goAppModule, slimDir, slimDir)
	return files, nil
}

// addTree adds the Go files and go.mod of tree below prefix. Tests and commands are left out. Ours
// end in .txt, so that the go command does not take them for a package of the build tool.
func addTree(files Files, tree fs.FS, prefix string) error {
	return fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(path, ".txt")
		isGo := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		if entry.IsDir() || !isGo && filepath.Base(name) != "go.mod" {
			return nil
		}
		files[prefix+name], err = fs.ReadFile(tree, path)
		return err
	})
}

// replaceDir puts files in place of dir at once, so that no other build sees half of them.
func replaceDir(dir string, files Files) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	half, err := os.MkdirTemp(filepath.Dir(dir), "half-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(half)
	if err := files.Write(half); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(half, dir)
}
