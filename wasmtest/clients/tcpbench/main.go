// Command tcpbench compares the throughput of two brokers that one franz-go client sees: ours and
// franz-go's own fake, kfake. Each serves in a process of its own; runs are interleaved, since the
// machine is not equally fast all the time.
//
//	go run ./tcpbench [-rounds 5] [-records 300000] [-size 1024]
//
// It prints records a second, each round's and the medians, and their ratios; and how much processor
// time the broker took, since the client takes most of it.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"rebalancelab/engine/broker"
	"rebalancelab/engine/tcp"
)

var (
	rounds  = flag.Int("rounds", 5, "runs of each broker")
	records = flag.Int("records", 300_000, "records of a run")
	size    = flag.Int("size", 1024, "bytes of a record")
	role    = flag.String("serve", "", "serve as lab or kfake (what the child processes do)")
)

func main() {
	flag.Parse()
	var err error
	if *role != "" {
		err = serve(*role)
	} else {
		err = compare()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tcpbench:", err)
		os.Exit(1)
	}
}

// serve runs three brokers until the process is interrupted.
func serve(role string) error {
	var addrs []string
	switch role {
	case "lab":
		s, err := tcp.Start(tcp.Options{
			Listen: "127.0.0.1:0", Brokers: 3,
			Settings: []broker.Entry{{Key: "group.initial.rebalance.delay.ms", Value: "0"}},
		})
		if err != nil {
			return err
		}
		defer s.Close()
		addrs = s.Addrs()
	case "kfake":
		c, err := kfake.NewCluster(kfake.NumBrokers(3))
		if err != nil {
			return err
		}
		defer c.Close()
		addrs = c.ListenAddrs()
	default:
		return fmt.Errorf("no such broker %q", role)
	}
	fmt.Println(strings.Join(addrs, ","))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	<-ctx.Done()
	return nil
}

// rate is records a second, in and out, and the processor time that the broker took for both.
type rate struct {
	produce, consume float64
	cpu              time.Duration
}

func compare() error {
	all := map[string][]rate{}
	for round := range *rounds {
		for _, name := range []string{"lab", "kfake"} {
			r, err := measure(name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			all[name] = append(all[name], r)
			fmt.Printf("round %d  %-5s  produce %9.0f/s  consume %9.0f/s  broker %v of processor time\n",
				round+1, name, r.produce, r.consume, r.cpu.Round(time.Millisecond))
		}
	}
	lab, peer := middle(all["lab"]), middle(all["kfake"])
	fmt.Printf("ratio of medians  produce %.2f  consume %.2f  processor time %.2f\n",
		lab.produce/peer.produce, lab.consume/peer.consume, float64(lab.cpu)/float64(peer.cpu))
	return nil
}

// middle is the median of either direction.
func middle(runs []rate) rate {
	median := func(of func(rate) float64) float64 {
		var list []float64
		for _, r := range runs {
			list = append(list, of(r))
		}
		slices.Sort(list)
		return list[len(list)/2]
	}
	return rate{
		median(func(r rate) float64 { return r.produce }),
		median(func(r rate) float64 { return r.consume }),
		time.Duration(median(func(r rate) float64 { return float64(r.cpu) })),
	}
}

// measure starts a broker, drives it and ends it.
func measure(name string) (rate, error) {
	program, err := os.Executable()
	if err != nil {
		return rate{}, err
	}
	cmd := exec.Command(program, "-serve", name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return rate{}, err
	}
	if err := cmd.Start(); err != nil {
		return rate{}, err
	}
	r, err := drive(out)
	cmd.Process.Signal(os.Interrupt)
	if stopped := cmd.Wait(); err == nil {
		err = stopped
	}
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r, err
}

// drive writes to the broker that tells its addresses in out, and reads it all back in a group.
func drive(out io.Reader) (rate, error) {
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return rate{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	seeds := kgo.SeedBrokers(strings.Split(strings.TrimSpace(line), ",")...)
	var r rate
	if r.produce, err = produce(ctx, seeds); err == nil {
		r.consume, err = consume(ctx, seeds)
	}
	return r, err
}

func produce(ctx context.Context, seeds kgo.Opt) (float64, error) {
	client, err := kgo.NewClient(seeds, kgo.DefaultProduceTopic("bench"),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.MaxBufferedRecords(100_000))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	r, err := kadm.NewClient(client).CreateTopic(ctx, 6, 1, nil, "bench")
	if err != nil || r.Err != nil {
		return 0, fmt.Errorf("create topic: %v, %v", err, r.Err)
	}
	value := make([]byte, *size)
	for i := range value {
		value[i] = byte(i * 31)
	}
	failed := make(chan error, 1)
	begun := time.Now()
	for range *records {
		client.Produce(ctx, &kgo.Record{Value: value}, func(_ *kgo.Record, err error) {
			if err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
	}
	if err := client.Flush(ctx); err != nil {
		return 0, err
	}
	took := time.Since(begun)
	select {
	case err := <-failed:
		return 0, err
	default:
		return float64(*records) / took.Seconds(), nil
	}
}

// consume counts from the first records on, so that joining the group is left out.
func consume(ctx context.Context, seeds kgo.Opt) (float64, error) {
	client, err := kgo.NewClient(seeds, kgo.ConsumerGroup("bench"), kgo.ConsumeTopics("bench"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	var begun time.Time
	for n, first := 0, 0; ; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return 0, err
		}
		n += fetches.NumRecords()
		if begun.IsZero() && n > 0 {
			begun, first = time.Now(), n
		}
		if n >= *records {
			return float64(n-first) / time.Since(begun).Seconds(), nil
		}
	}
}
