package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// verb is one thing the build tool does, in a file of its own.
type verb struct {
	name, summary string
	run           func(ctx context.Context, root string, args []string) error
}

func verbs() []verb {
	return []verb{
		{"serve", "build everything and serve it (the default verb)", serve},
		{"site", "write the static site to a folder: --out DIR", writeSite},
		{"test", "run every check and test", test},
		{"swarm", "run random scenarios: --seeds N, --seed FIRST", runSwarm},
		{"mutate", "break the engine on purpose and see who notices: --seeds N", runMutate},
		{"env", "build what tests need, print its environment variables", printEnv},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	name := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	all := verbs()
	i := slices.IndexFunc(all, func(v verb) bool { return v.name == name })
	if i < 0 {
		return fmt.Errorf("no such verb %q\n\n%s", name, usage())
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	return all[i].run(ctx, root, args)
}

func usage() string {
	var text strings.Builder
	text.WriteString("usage: go run ./build [verb] [flags]\n")
	for _, v := range verbs() {
		fmt.Fprintf(&text, "  %-6s %s\n", v.name, v.summary)
	}
	return text.String()
}

// flags returns the flag set of a verb.
func flags(name string) *flag.FlagSet {
	set := flag.NewFlagSet("go run ./build "+name, flag.ContinueOnError)
	set.Usage = func() {
		fmt.Fprint(set.Output(), usage(), "\nflags of ", name, ":\n")
		set.PrintDefaults()
	}
	return set
}

// moduleRoot finds the folder of go.mod, so that the tool works from any folder of the module.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		line, _, _ := strings.Cut(string(text), "\n")
		if err == nil && strings.TrimSpace(line) == "module rebalancelab" {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("run this inside the folder of Rebalance Lab")
		}
		dir = parent
	}
}
