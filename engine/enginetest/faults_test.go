package enginetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
	"rebalancelab/engine/sim"
)

// faultyDay is a replicated cluster with faults of its brokers at random times. One broker at a time is
// in trouble, now and then two; in the last minute all are well.
func faultyDay(seed uint64) string {
	r := sim.NewRand(seed, "faulty day")
	var b strings.Builder
	fmt.Fprintf(&b, "cluster(brokers = %d, min_insync_replicas = %d)\n", 3+r.Below(3), 1+r.Below(2))
	fmt.Fprintf(&b, `topic("t", partitions = 4, replicas = [[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 2, 3]])
producer("p", topic = "t", rate = 40, linger = "0s", stop = "170s")
def loop(c):
    c.subscribe(["t"])
    while True:
        for record in c.poll("300ms"):
            process(record, "1ms")
        attempt(c.commit_sync)
for name in ["A", "B"]:
    consumer(name, group = "g", run = loop, auto_offset_reset = "earliest")
`)
	at := 5 * time.Second
	for at < 140*time.Second {
		at += time.Duration(r.Below(int64(20 * time.Second)))
		id := 1 + r.Below(3)
		lasting := time.Second + time.Duration(r.Below(int64(25*time.Second)))
		end := at + lasting
		switch r.Below(5) {
		case 0:
			fmt.Fprintf(&b, "at(%q, kill_broker(%d))\nat(%q, start_broker(%d))\n", ms(at), id, ms(end), id)
		case 1:
			fmt.Fprintf(&b, "at(%q, stop_broker(%d))\nat(%q, start_broker(%d))\n", ms(at), id, ms(end), id)
		case 2:
			fmt.Fprintf(&b, "at(%q, freeze(\"broker-%d\", %q))\n", ms(at), id, ms(lasting))
		case 3:
			fmt.Fprintf(&b, "at(%q, partition([\"broker-%d\"], [\"broker-%d\"], heal_after = %q))\n",
				ms(at), id, 1+id%3, ms(lasting))
		default:
			fmt.Fprintf(&b, "at(%q, partition([\"broker-%d\"], [\"broker-%d\", \"broker-%d\", \"p\"], heal_after = %q))\n",
				ms(at), id, 1+id%3, 1+(id+1)%3, ms(lasting))
		}
		at += lasting / 2
	}
	b.WriteString("run_for(\"240s\")\nexpect(lost(\"t\"), equals = [])\n")
	for p := range 4 {
		fmt.Fprintf(&b, "expect(isr(\"t-%d\"), equals = [\"broker-1\", \"broker-2\", \"broker-3\"])\n", p)
	}
	return b.String()
}

func ms(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }

// Every run checks the invariants, of which one says that acknowledged records outlive what leaves a
// replica in sync.
func TestAReplicatedClusterOutlivesRandomFaults(t *testing.T) {
	for seed := uint64(1); seed <= 6; seed++ {
		source := faultyDay(seed)
		lab, err := Run(engine.Options{File: "faulty.star", Source: source, Seed: seed})
		require.NoError(t, err, source)
		require.Empty(t, failing(lab.Verdict(), "expect"), "seed %d\n%s", seed, source)
		lab.Close()
	}
}
