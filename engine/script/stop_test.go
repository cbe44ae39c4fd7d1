package script

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// alone runs a program with the real consumer and no broker to be found.
func alone(t *testing.T, text string) *bench {
	b := newBench(t, text)
	b.app.preparePoll()
	return b
}

func TestAStopEndsThePollAndClosesTheConsumer(t *testing.T) {
	b := alone(t, program(`    c.subscribe(["t"])
    while True: c.poll("1h")
`))
	b.world.At(sim.Start.Add(5*time.Second), b.app.Stop)
	b.run(time.Minute)
	require.Len(t, b.ended, 1)
	require.Equal(t, Ending{By: trace.EndedByStop, RestartAfter: -1}, b.ended[0])
	require.Contains(t, b.only("call"), "0s call poll line 4 depth 1")
	require.Regexp(t, `^5\S* call close`, b.only("call")[1])
}

func TestAStopDuringWorkEndsTheNextCallOfTheConsumer(t *testing.T) {
	b := alone(t, program(`    sleep("10s")
    log("awake")
    c.poll("1h")
    log("never")
`))
	b.world.At(sim.Start.Add(5*time.Second), b.app.Stop)
	b.run(time.Minute)
	require.Equal(t, []string{"10s log awake"}, b.only("log"))
	require.Equal(t, trace.EndedByStop, b.ended[0].By)
}

func TestAProgramMayCatchTheWakeup(t *testing.T) {
	b := alone(t, program(`    c.subscribe(["t"])
    v, e = attempt(c.poll, "1h")
    log(e.name)
    c.close()
    log("closed")
    c.poll("1s")
`))
	b.world.At(sim.Start.Add(5*time.Second), b.app.Stop)
	b.run(time.Minute)
	logged := strings.Join(b.only("log"), "\n")
	require.Contains(t, logged, "log WakeupException")
	require.Contains(t, logged, "log closed")
	require.Contains(t, b.ended[0].Text, "c.poll: this consumer has already been closed")
}

func TestOnErrorCloseClosesTheConsumerAsAFinallyBlockDoes(t *testing.T) {
	text := "topic(\"t\")\ndef loop(c):\n    c.subscribe([\"t\"])\n    attempt(c.poll, \"1s\")\n    fail(\"x\")\n" +
		"consumer(\"A\", group = \"g\", run = loop, on_error = \""
	b := alone(t, text+"close\")\n").run(time.Minute)
	require.Regexp(t, ` call close `, b.only("call")[1])
	require.Equal(t, Ending{By: trace.EndedByCrash, Text: "s.star:5:9: x", RestartAfter: -1}, b.ended[0])
	b = alone(t, text+"crash\")\n").run(time.Minute)
	require.Len(t, b.only("call"), 1, "a crash says nothing")
}
