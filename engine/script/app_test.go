package script

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"rebalancelab/engine/client"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// bench runs one process, whose polls give five records each 1 ms, instead of asking brokers.
type bench struct {
	t      testing.TB
	sc     *Scenario
	log    *trace.Log
	world  *sim.World
	proc   *sim.Process
	app    *App
	stores *Stores
	pace   Pace
	ended  []Ending
	lines  []string // what happened, in words
	quiet  bool
	next   int64
}

func newBench(t testing.TB, text string) *bench {
	b := &bench{t: t, sc: mustLoad(t, text, LoadOptions{}), log: trace.NewLog(), stores: NewStores()}
	b.world = sim.NewWorld(sim.Options{
		Seed: 1, Log: b.log, Observe: b.observe,
		Label: func(sim.Message) sim.Label { return sim.Label{} },
	})
	b.start()
	return b
}

func (b *bench) start() {
	app, err := NewApp(b.sc.Consumers[0], AppOptions{
		Scenario: b.sc, Stores: b.stores, Pace: &b.pace, Ended: func(e Ending) {
			b.ended = append(b.ended, e)
			b.world.At(b.world.Now(), func() { b.proc.End(e.By, e.Text) })
		},
	})
	require.NoError(b.t, err)
	b.app = app
	b.proc = b.world.Spawn("A", app)
	app.beginPoll = func() {
		app.env.After(time.Millisecond, func() {
			for range 5 {
				app.polled = append(app.polled, client.Record{Topic: "t", Offset: b.next})
				b.next++
			}
			app.main.resume()
		})
	}
}

// kill is what the host does.
func (b *bench) kill() {
	b.proc.End(trace.EndedByKill, "")
	b.app.Kill()
}

// run lets virtual time pass.
func (b *bench) run(d time.Duration) *bench {
	end := b.world.Now().Add(d)
	for {
		at, ok := b.world.Next()
		if !ok || at > end {
			b.world.Forward(end)
			return b
		}
		require.NoError(b.t, b.world.Turn())
	}
}

var told = map[trace.Kind]string{
	trace.CallStarted: "call", trace.CallEnded: "back", trace.WorkStarted: "work",
	trace.WorkEnded: "done", trace.WorkFailed: "failed", trace.LogLine: "log",
	trace.StoreSet: "store", trace.CallbackStarted: "into", trace.CallbackEnded: "out of",
	trace.ProgramEnded: "end",
}

func (b *bench) observe(e *trace.Event) {
	word, ok := told[e.Kind]
	if !ok || b.quiet {
		return
	}
	at := time.Duration(e.At).Round(10 * time.Microsecond)
	s := fmt.Sprintf("%v %s %s", at, word, b.log.String(e.Name))
	switch e.Kind {
	case trace.CallStarted:
		s += fmt.Sprintf(" line %d depth %d", e.X, e.Z)
	case trace.CallEnded:
		s += fmt.Sprintf(" depth %d %s", e.Z, b.log.String(e.Peer))
	case trace.WorkStarted, trace.WorkEnded, trace.WorkFailed:
		s += fmt.Sprintf("-%d@%d", e.Part, e.X)
	case trace.StoreSet:
		s += fmt.Sprintf(" %s (%d)", b.log.String(e.Peer), e.X)
	}
	b.lines = append(b.lines, strings.TrimSpace(s))
}

// only are the lines of some kinds.
func (b *bench) only(words ...string) []string {
	var some []string
	for _, l := range b.lines {
		if contains(words, strings.Fields(l)[1]) {
			some = append(some, l)
		}
	}
	return some
}

// program is a scenario with one consumer that runs the text as the body of its loop function, from
// line 3 on.
func program(body string) string {
	return "topic(\"t\")\ndef loop(c):\n" + body + "\nconsumer(\"A\", group = \"g\", run = loop)\n"
}

func TestWorkAndCallsAreTracedWithTheLineOfTheProgram(t *testing.T) {
	b := newBench(t, program(`    while True:
        for record in c.poll("500ms"):
            if record.offset < 2:
                process(record, "5ms")
`)).run(20 * time.Millisecond)
	require.Equal(t, []string{
		"0s call poll line 4 depth 1", "1ms back poll depth 1",
		"1ms call process line 6 depth 1", "1ms work t-0@0", "6ms done t-0@0", "6ms back process depth 1",
		"6ms call process line 6 depth 1", "6ms work t-0@1", "11ms done t-0@1", "11ms back process depth 1",
		"11ms call poll line 4 depth 1",
	}, b.lines[:11])
	require.Equal(t, 4, b.app.Line())
}

func TestTheLineIsThatOfTheTextShownWhenAHelperBlocks(t *testing.T) {
	b := newBench(t, `topic("t")
def rest(d):
    sleep(d)
def loop(c):
    rest("5ms")
consumer("A", group = "g", run = loop)
`).run(time.Millisecond)
	require.Equal(t, []string{"0s call sleep line 5 depth 1"}, b.lines)
}

func TestABlockingCallLastsAtLeastTenMicroseconds(t *testing.T) {
	b := newBench(t, program(`    for i in range(3): sleep("0s")`)).run(time.Second)
	require.Regexp(t, "^30\\D?s end$", b.lines[len(b.lines)-1])
}

func TestARebalanceCallbackRunsInsideThePollAndMayBlock(t *testing.T) {
	b := newBench(t, program(`    while True: c.poll("500ms")

def revoked(parts):
    log("revoked %s" % parts)
    sleep("3ms")
`))
	fn := b.sc.code.globals["revoked"].(starlark.Callable)
	l := &listener{app: b.app, revoked: fn}
	over := []sim.Time{}
	b.app.beginPoll = func() { // a poll in whose course partitions are revoked
		l.OnRevoked([]client.TopicPartition{{Topic: "t", Partition: 1}}, func(err error) {
			require.NoError(t, err)
			over = append(over, b.world.Now())
			b.app.env.After(time.Millisecond, b.app.main.resume)
		})
	}
	b.run(time.Millisecond * 4)
	require.Equal(t, []string{
		"0s call poll line 3 depth 1", "0s into on_revoked", "0s log revoked [\"t-1\"]",
		"0s call sleep line 3 depth 2", "3ms back sleep depth 2", "3ms out of on_revoked",
		"4ms back poll depth 1", "4ms call poll line 3 depth 1",
	}, b.lines[:8])
	require.Len(t, over, 1)
}

func TestAnErrorInACallbackIsHandedToTheClient(t *testing.T) {
	b := newBench(t, program("    while True: c.poll(\"1s\")\n\ndef revoked(parts): fail(\"no\")\n"))
	l := &listener{app: b.app, revoked: b.sc.code.globals["revoked"].(starlark.Callable)}
	var got error
	b.app.beginPoll = func() { l.OnLost(nil, func(err error) { got = err }) }
	l.lost = l.revoked
	b.run(time.Second)
	require.EqualError(t, got, "no")
}

// endings are programs that end by themselves, and how that is told.
var endings = []struct {
	name, body string
	want       Ending
}{
	{"it returns", `    sleep("1ms")`, Ending{By: trace.EndedByExit, RestartAfter: -1}},
	{"it fails", `    fail("bad payload", 7)`,
		Ending{By: trace.EndedByCrash, Text: "s.star:3:9: bad payload 7", RestartAfter: -1}},
	{"an error of its own", `    x = 1 // 0`,
		Ending{By: trace.EndedByCrash, Text: "s.star:3:11: floored division by zero", RestartAfter: -1}},
	{"it never polls", "    while True: pass", Ending{By: trace.EndedByCrash, Text: "s.star:3:17: " +
		"1000000 steps without a blocking call; a loop that never polls? call c.poll(), sleep() or " +
		"process() in it", RestartAfter: -1}},
	{"it catches that it never polls", "    def spin():\n        while True: pass\n    attempt(spin)",
		Ending{By: trace.EndedByCrash, Text: "s.star:4:21: " + stepsReason, RestartAfter: -1}},
	{"it writes a value of the file", "    seen[1] = 2", Ending{By: trace.EndedByCrash,
		Text: "s.star:3:9: cannot insert into frozen hash table; values of the file cannot be changed by a " +
			"program, since a process's memory dies with it: keep the value in a variable of the function, or " +
			"in store(\"name\"), which survives", RestartAfter: -1}},
	{"a wrong name of a field", "    for r in c.poll(\"1s\"): r.ofset", Ending{By: trace.EndedByCrash,
		Text: "s.star:3:29: a record has no ofset; did you mean offset? There are topic, partition, " +
			"offset, key, value, timestamp, topic_partition", RestartAfter: -1}},
	{"a wrong name of a call", "    c.comit_sync()", Ending{By: trace.EndedByCrash,
		Text: "s.star:3:6: a consumer has no comit_sync; did you mean commit_sync?", RestartAfter: -1}},
	{"a time without unit", "    c.poll(500)", Ending{By: trace.EndedByCrash,
		Text: "s.star:3:11: poll: 500 has no unit; did you mean \"500s\"?", RestartAfter: -1}},
	{"a bad pattern", "    c.subscribe(pattern = \"order(\")", Ending{By: trace.EndedByCrash,
		Text: "s.star:3:16: subscribe: pattern = \"order(\": character 6: this bracket is never closed; " +
			"write \\( for the character itself", RestartAfter: -1}},
	{"an empty pattern", "    c.subscribe(pattern = \"\")", Ending{By: trace.EndedByCrash,
		Text: "s.star:3:16: subscribe: pattern = \"\": it matches no topic", RestartAfter: -1}},
	{"a pattern and topics", "    c.subscribe([\"t\"], pattern = \"t\")", Ending{By: trace.EndedByCrash,
		Text: "s.star:3:16: subscribe: give topics or a pattern, not both", RestartAfter: -1}},
	{"two patterns", "    c.subscribe(pattern = \"t\", subscription_pattern = \"t\")", Ending{By: trace.EndedByCrash,
		Text: "s.star:3:16: subscribe: give topics or a pattern, not both", RestartAfter: -1}},
	{"a pattern for the broker in the classic protocol", "    c.subscribe(subscription_pattern = \"t\")",
		Ending{By: trace.EndedByCrash, Text: "s.star:3:16: UnsupportedOperationException: a pattern that the " +
			"broker matches goes only with group.protocol = consumer", RestartAfter: -1}},
	{"no topics", "    c.subscribe()", Ending{By: trace.EndedByCrash, Text: "s.star:3:16: subscribe: which " +
		"topics? give a list such as [\"orders\"], or pattern = \"order.*\"", RestartAfter: -1}},
	{"two ways to subscribe", "    c.subscribe([\"t\"])\n    c.assign([\"t-0\"])",
		Ending{By: trace.EndedByCrash, Text: "s.star:4:13: IllegalStateException: subscription to topics, " +
			"partitions and pattern are mutually exclusive; call unsubscribe() first", RestartAfter: -1}},
	{"a statement of the file", "    run_for(\"1s\")", Ending{By: trace.EndedByCrash,
		Text:         "s.star:3:12: run_for() belongs to the top level of the file, not into a program",
		RestartAfter: -1}},
	{"it is too large", "    x = [0] * 2000000", Ending{By: trace.EndedByCrash, Text: "s.star:3:13: repeating " +
		"1 elements 2000000 times gives more than the limit of 1000000 elements", RestartAfter: -1}},
	{"work that is called instead of handed over", "    workers(1).submit(log(\"x\"))",
		Ending{By: trace.EndedByCrash, Text: "s.star:3:22: submit: None is no function; give the function " +
			"and its arguments apart, as pool.submit(handle, record)", RestartAfter: -1}},
	{"no record", "    process(3, \"5ms\")", Ending{By: trace.EndedByCrash, Text: "s.star:3:12: process: 3 is " +
		"no record; take one of those that c.poll returns", RestartAfter: -1}},
}

func TestAProgramThatEndsSaysHowAndWhere(t *testing.T) {
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			b := newBench(t, "seen = {}; "+program(e.body)).run(time.Second)
			require.Equal(t, []Ending{e.want}, b.ended)
			last := b.lines[len(b.lines)-1]
			require.Equal(t, strings.TrimSpace("end "+e.want.Text), last[strings.Index(last, " ")+1:])
		})
	}
}

func TestARestartIsAskedForWhenTheScenarioWantsIt(t *testing.T) {
	text := "topic(\"t\")\ndef loop(c): fail(\"x\")\nconsumer(\"A\", run = loop, on_error = \"restart\", " +
		"restart_after = \"3s\")\n"
	b := newBench(t, text).run(time.Second)
	require.Equal(t, 3*time.Second, b.ended[0].RestartAfter)
}

func TestAttemptGivesTheErrorInHand(t *testing.T) {
	b := newBench(t, program(`    for r in c.poll("1s"):
        if r.offset == 1:
            v, e = attempt(fail, "bad", "payload")
            log("%s %s %s %s" % (v, e, e.name, e.retriable))
            v, e = attempt(lambda x: x + 1, 5)
            log("%s %s" % (v, e))
`)).run(time.Second)
	require.Equal(t, []string{
		"1ms failed t-0@1", "1ms log None bad payload Failed False", "1ms log 6 None",
	}, b.only("failed", "log"))
}

func TestAStoreSurvivesAKillAndCountsEffectsOnce(t *testing.T) {
	b := newBench(t, program(`    db = store("db")
    db.put("42", "paid")                 # idempotent: the same again is no effect
    db.add("n")
    log("%s %s" % (db.get("n"), db.get("x", "none")))
    log("%s %s" % (db.put_new("k", 1), db.put_new("k", 2)))
    db.update("k", lambda v: v + 10)
    sleep("1s")
`)).run(time.Millisecond)
	b.kill()
	b.start()
	b.run(time.Millisecond)
	require.Equal(t, []string{
		"0s store db 42=paid (1)", "0s store db n=1 (2)", "0s log 1 none", "0s store db k=1 (3)",
		"0s log True False", "0s store db k=11 (4)",
		"1ms store db n=2 (5)", "1ms log 2 none", "1ms log False False", "1ms store db k=21 (6)",
	}, b.only("store", "log"))
	require.Equal(t, int64(6), b.stores.Effects("db"))
}

func TestWorkersWorkBesideTheProgram(t *testing.T) {
	b := newBench(t, program(`    pool = workers(2)
    low, high = low_mark(), high_mark()
    def handle(record):
        process(record, "9ms" if record.offset == 0 else "2ms")
    def both(record):
        low.mark(record)
        high.mark(record)
    for record in c.poll("1s"): pool.submit(handle, record, then = both)
    sleep("3ms")
    log("%s %s %d" % (low.offsets(), high.offsets(), pool.pending()))
    pool.wait()
    log("%s %s %d" % (low.offsets(), high.offsets(), pool.pending()))
`)).run(time.Second)
	require.Equal(t, []string{
		"1ms work t-0@0", "1ms work t-0@1", "3ms done t-0@1", "3ms work t-0@2",
		"4ms log {\"t-0\": 0} {\"t-0\": 2} 4", "5ms done t-0@2", "5ms work t-0@3", "7ms done t-0@3",
		"7ms work t-0@4", "9ms done t-0@4", "10ms done t-0@0", "10.01ms log {\"t-0\": 5} {\"t-0\": 5} 0",
	}, b.only("work", "done", "log"))
}

func TestAMarkForgetsRevokedPartitions(t *testing.T) {
	m := newMark(true)
	tp := client.TopicPartition{Topic: "t", Partition: 1}
	m.handed([]client.Record{{Topic: "t", Partition: 1, Offset: 5}, {Topic: "t", Partition: 1, Offset: 6}})
	require.Equal(t, []int64{5, 6}, m.parts[tp].open)
	m.handed([]client.Record{{Topic: "t", Partition: 1, Offset: 6}}) // after a seek back
	require.Equal(t, []int64{5, 6}, m.parts[tp].open)
	m.forget([]client.TopicPartition{tp})
	_, err := m.mark(nil, nil, starlark.Tuple{&recordValue{Record: client.Record{Topic: "t", Partition: 1}}}, nil)
	require.NoError(t, err)
	require.Empty(t, m.parts)
}

func TestAnErrorOfAWorkerComesOutInTheProgram(t *testing.T) {
	b := newBench(t, program(`    pool = workers(1)
    def handle(record):
        if record.offset == 1: fail("bad payload")
    for record in c.poll("1s"): pool.submit(handle, record)
    pool.wait()
`)).run(time.Second)
	require.Equal(t, "s.star:5:36: bad payload", b.ended[0].Text)
	require.Equal(t, []string{"1ms failed t-0@1"}, b.only("failed"))
}

func TestEveryRunsInTheProgramsOwnThread(t *testing.T) {
	b := newBench(t, program(`    every("2ms", lambda: log("tick"))
    sleep("5ms")
    sleep("1ms")
    sleep("10ms")
`)).run(time.Second)
	require.Equal(t, []string{"5ms log tick", "6ms log tick", "16ms log tick"}, b.only("log"))
}

func TestEveryMayTakeLongerThanItsInterval(t *testing.T) {
	b := newBench(t, program(`    def slow():
        log("tick")
        sleep("5ms")
    every("2ms", slow)
    for i in range(3): sleep("1ms")
`)).run(time.Second)
	require.Equal(t, trace.EndedByExit, b.ended[0].By)
	require.Equal(t, []string{"2ms log tick", "8ms log tick"}, b.only("log"))
}

func TestAConsumerIsNotForWorkers(t *testing.T) {
	b := newBench(t, program(`    pool = workers(1)
    pool.submit(lambda: c.poll("1s"))
    pool.wait()
`)).run(time.Second)
	require.Contains(t, b.ended[0].Text, "a consumer is not for several threads")
}

func TestAPaceStretchesWork(t *testing.T) {
	b := newBench(t, program(`    for r in c.poll("1s"): process(r, "5ms")`))
	b.pace = Pace{Percent: 20}
	b.run(27 * time.Millisecond)
	b.pace = Pace{Factor: 3, Extra: time.Millisecond}
	b.run(100 * time.Millisecond)
	require.Equal(t, []string{
		"26ms done t-0@0", "51ms done t-0@1", "67ms done t-0@2", "83ms done t-0@3", "99ms done t-0@4",
	}, b.only("done"))
}

func TestAKilledProgramLeavesNoGoroutineAndNoTrace(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		b := newBench(t, program(`    pool = workers(3)
    def handle(record):
        v, e = attempt(process, record, "1h")
        log("never")
    while True:
        for record in c.poll("1s"): pool.submit(handle, record)
        attempt(sleep, "1h")
        log("never")
`)).run(time.Second)
		events := b.log.Len()
		b.kill()
		require.Equal(t, events+1, b.log.Len(), "ProcessEnded alone")
		b.run(2 * time.Hour)
		require.NotContains(t, strings.Join(b.lines, "\n"), "never")
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before+1, "one may be the runtime's, for finalizers")
}

func TestAnAppThatNeverStartedLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	sc := mustLoad(t, ground, LoadOptions{})
	for range 10 {
		app, err := NewApp(sc.Consumers[0], AppOptions{Scenario: sc})
		require.NoError(t, err)
		app.Kill()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before+1, "one may be the runtime's, for finalizers")
}

func TestAPanicInAProgramReachesTheLoopWithItsStack(t *testing.T) {
	b := newBench(t, program(`    sleep("1s")`))
	s := newStrand(b.app, "x", func(*strand) { panicHere() })
	defer func() {
		r := fmt.Sprint(recover())
		require.Contains(t, r, "broken invariant")
		require.Contains(t, r, "panicHere")
	}()
	s.resume()
	t.Fatal("no panic")
}

func panicHere() { panic("broken invariant") }

func TestEqualRunsDrawEqualTimes(t *testing.T) {
	text := program(`    for r in c.poll("1s"): process(r, normal("20ms", "5ms"))`)
	a, b := newBench(t, text).run(time.Second), newBench(t, text).run(time.Second)
	require.Len(t, a.only("done"), 5)
	require.Equal(t, a.log.Hash(), b.log.Hash())
	require.NotEqual(t, a.only("done")[0], "21ms done t-0@0")
}

func BenchmarkPollAndProcessOneRecord(b *testing.B) {
	b.ReportAllocs()
	w := newBench(b, program("    while True:\n        for r in c.poll(\"1s\"): process(r, \"5ms\")"))
	w.quiet = true
	for b.Loop() {
		w.run(26 * time.Millisecond) // five records
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(5*b.N), "ns/record")
}

func TestALibraryHasItsOwnCallsOnly(t *testing.T) {
	for _, c := range []struct{ profile, body, want string }{
		{"kafka-go", `c.poll("1s")`, "c.poll: kafka-go's Reader has no such call; it has fetch_message, read_message"},
		{"java", `c.read_message()`, `c.read_message: only profile = "kafka-go" has it; use c.poll`},
		{"java", `c.allow_rebalance()`, `c.allow_rebalance: only profile = "franz-go" has it`},
		{"kafka-go", `c.subscribe(["t"], on_revoked = log)`, "kafka-go has no rebalance callbacks"},
		{"kafka-go", `c.commit_messages(3)`, "commit_messages: 3 is no record; take one of those that c.fetch_message"},
	} {
		text := "topic(\"t\")\ndef loop(c):\n    " + c.body + "\nconsumer(\"A\", group = \"g\", run = loop, profile = \"" +
			c.profile + "\")\n"
		b := newBench(t, text).run(time.Second)
		require.Len(t, b.ended, 1)
		require.Contains(t, b.ended[0].Text, c.want)
	}
}

func TestThreadsOfAContainerHaveNamesOfTheirOwn(t *testing.T) { // S48
	sc := mustLoad(t, `topic("t")
def listen(r): process(r)
consumer("svc", group = "g", run = listen, profile = "spring", topics = ["t"], concurrency = 2, group_instance_id = "pod")
consumer("one", group = "g", run = listen, profile = "spring", topics = ["t"], client_id = "app")
at("1s", kill("svc-*"))
`, LoadOptions{})
	want := map[string][2]string{"svc-0": {"svc-0", "pod-0"}, "svc-1": {"svc-1", "pod-1"}, "one": {"app-0", ""}}
	require.Len(t, sc.Consumers, 3)
	for _, c := range sc.Consumers {
		cfg, err := c.Config()
		require.NoError(t, err)
		require.Equal(t, want[c.Name], [2]string{cfg.ClientID, cfg.GroupInstanceID})
		require.False(t, cfg.EnableAutoCommit)
	}
}
