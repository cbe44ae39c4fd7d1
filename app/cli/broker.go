package cli

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/tcp"
	"rebalancelab/engine/tell"
	"rebalancelab/engine/trace"
)

// brokerVerb runs brokers for real clients until the process is interrupted.
func brokerVerb(args []string, out io.Writer) error {
	opt, traceFile, err := brokerOptions(args)
	if err != nil {
		return err
	}
	opt.Log = func(line string) { fmt.Fprintln(out, line) }
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, err := tcp.Start(opt)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "bootstrap.servers=%s\n", strings.Join(server.Addrs(), ","))
	fmt.Fprintln(out, "Real clients and a real clock: this run cannot be replayed. Ctrl-C ends it.")
	<-ctx.Done()
	server.Close()
	if traceFile == "" {
		return nil
	}
	return writeRing(server.Trace(), traceFile)
}

// brokerOptions reads the arguments of lab broker.
func brokerOptions(args []string) (opt tcp.Options, traceFile string, err error) {
	fs := flag.NewFlagSet("broker", flag.ContinueOnError)
	fs.StringVar(&opt.Listen, "listen", "127.0.0.1:9092", "")
	fs.StringVar(&opt.Advertise, "advertise", "", "")
	fs.IntVar(&opt.Brokers, "brokers", 1, "")
	fs.StringVar(&traceFile, "trace", "", "")
	fs.IntVar(&opt.TraceEvents, "trace-events", 100_000, "")
	fs.Func("topic", "", func(s string) error {
		t, err := topicSpec(s)
		opt.Topics = append(opt.Topics, t)
		return err
	})
	fs.Func("set", "", func(s string) error {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("KEY=VALUE is expected, such as group.initial.rebalance.delay.ms=0")
		}
		opt.Settings = append(opt.Settings, broker.Entry{Key: key, Value: value})
		return nil
	})
	plain, err := parse(fs, args)
	switch {
	case err != nil:
		return opt, "", err
	case len(plain) > 0:
		return opt, "", fmt.Errorf("broker takes flags only, not %q", plain[0])
	case traceFile == "":
		opt.TraceEvents = 0
	case opt.TraceEvents < 1:
		return opt, "", fmt.Errorf("--trace-events %d: at least 1 is needed", opt.TraceEvents)
	}
	return opt, traceFile, nil
}

// topicSpec reads NAME or NAME:PARTITIONS.
func topicSpec(s string) (broker.TopicSpec, error) {
	name, text, ok := strings.Cut(s, ":")
	if !ok {
		return broker.TopicSpec{Name: name, Partitions: 1}, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return broker.TopicSpec{}, errors.New(
			"NAME:PARTITIONS is expected, such as orders:6, with at least 1 partition")
	}
	return broker.TopicSpec{Name: name, Partitions: int32(n)}, nil
}

// writeRing writes the newest events, one line each, with the time of the wall clock.
func writeRing(log *trace.Log, name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "# the newest events of a run with real clients; it cannot be replayed")
	teller := tell.New(log)
	r := log.Reader(0)
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		line := teller.Line(e)
		at := time.Unix(0, int64(sim.Start)+line.At).UTC()
		fmt.Fprintf(w, "%s %-10s %s\n", at.Format("2006-01-02T15:04:05.000000Z"), line.Who, line.Text)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
