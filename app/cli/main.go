package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
)

// Exit statuses.
const (
	exitOK      = 0
	exitFailed  = 1
	exitBadWord = 2
)

const usage = `usage: lab run FILE.star [--seed N] [--variant NAME] [--json] [--trace FILE]
       lab test [--row S08] [--seed N] [--junit FILE] DIR...
       lab broker [--listen 127.0.0.1:9092] [--advertise HOST] [--brokers N] [--topic NAME:P]...
                  [--set KEY=VALUE]... [--trace FILE [--trace-events N]]
`

// errFailed says that a run went well and an expectation did not hold.
var errFailed = errors.New("an expectation does not hold")

// gcPercent lets the heap grow to five times what lives before it is collected: a run makes much
// garbage and keeps little.
const gcPercent = 400

// Main runs one command and returns its exit status.
func Main(args []string, stdout, stderr io.Writer) int {
	debug.SetGCPercent(gcPercent)
	verbs := map[string]func([]string, io.Writer) error{
		"run": runVerb, "test": testVerb, "broker": brokerVerb,
	}
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return exitBadWord
	}
	verb, ok := verbs[args[0]]
	if !ok {
		fmt.Fprintf(stderr, "lab: no such command %q\n%s", args[0], usage)
		return exitBadWord
	}
	err := verb(args[1:], stdout)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFailed):
		fmt.Fprintln(stderr, "lab:", err)
		return exitFailed
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stderr, usage)
		return exitBadWord
	}
	fmt.Fprintln(stderr, "lab:", err)
	return exitBadWord
}

// parse reads flags that may stand before, between and after the plain arguments.
func parse(fs *flag.FlagSet, args []string) ([]string, error) {
	fs.SetOutput(io.Discard)
	var plain []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		if fs.NArg() == 0 {
			return plain, nil
		}
		plain = append(plain, fs.Arg(0))
		args = fs.Args()[1:]
	}
}
