package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// test runs every check and test, in an order that fails early on what is quick to find. It stops
// at the first step that fails.
func test(ctx context.Context, root string, args []string) error {
	if err := flags("test").Parse(args); err != nil {
		return err
	}
	start := time.Now()
	for _, check := range checks {
		if err := step(check.name, func() error { return check.run(ctx, root) }); err != nil {
			return err
		}
	}
	env, err := testVariables(ctx, root)
	if err != nil {
		return err
	}
	scripts := func() error { return testScripts(ctx, root) }
	if err := step("node --test web/test", scripts); err != nil {
		return err
	}
	modules, err := nestedModules(root)
	if err != nil {
		return err
	}
	for _, dir := range append([]string{root}, modules...) {
		if err := testModule(ctx, root, dir, env); err != nil {
			return err
		}
	}
	fmt.Printf("All tests passed in %.0fs.\n", time.Since(start).Seconds())
	return nil
}

// testScripts runs the unit tests of the page's scripts.
func testScripts(ctx context.Context, root string) error {
	files, err := filepath.Glob(filepath.Join(root, "web", "test", "*.test.mjs"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("web/test holds no *.test.mjs")
	}
	cmd := exec.CommandContext(ctx, "node", append([]string{"--test"}, files...)...)
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil { // its report is long: shown when of use
		return fmt.Errorf("%w\n%s", err, output)
	}
	return nil
}

// testModule runs the tests of one module. The checks above saw only the root module's packages, so
// a nested one is vetted here.
func testModule(ctx context.Context, root, dir string, env []string) error {
	pattern := "./..."
	if dir != root {
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		pattern = "./" + filepath.ToSlash(name) + "/..."
		vet := func() error { return goCommand(ctx, dir, nil, "vet", "./...") }
		if err := step("go vet "+pattern, vet); err != nil {
			return err
		}
	}
	return step("go test "+pattern, func() error {
		return goCommand(ctx, dir, env, "test", "-timeout=30m", "./...")
	})
}

// nestedModules returns the folders under root that hold a module of their own.
func nestedModules(root string) ([]string, error) {
	var dirs []string
	err := walkSources(root, func(path string, entry os.DirEntry) error {
		if entry.Name() == "go.mod" && filepath.Dir(path) != root {
			dirs = append(dirs, filepath.Dir(path))
		}
		return nil
	})
	return dirs, err
}
