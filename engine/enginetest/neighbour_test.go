package enginetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine"
	"rebalancelab/engine/tell"
	"rebalancelab/engine/view"
	"rebalancelab/lessons"
)

// holds runs a scenario and requires that every expectation holds.
func holds(t *testing.T, name, source string) *engine.Lab {
	t.Helper()
	lab, err := Run(engine.Options{File: name + ".star", Source: source, Seed: 1})
	require.NoError(t, err, name)
	v := lab.Verdict()
	require.NotZero(t, count(v, "expect"), name)
	require.Empty(t, failing(v, "expect"), name)
	return lab
}

func TestQuestionsAboutNeighboursAreAnswered(t *testing.T) {
	for name, source := range map[string]string{
		"a process that dies with a message of a channel loses it": `
redis_pubsub("ticks")
producer("p", to = "ticks", rate = 1, count = 3, start = "1s")
def loop(c):
    c.subscribe()
    while True: process(c.get_message("10s"), "500ms")
consumer("A", of = "ticks", run = loop)
at("2200ms", kill("A"))
run_for("10s")
expect(produced("ticks"), equals = 3)
expect(processed("A", "ticks"), equals = [0])
expect(lost("ticks"), equals = [1, 2])
expect(in_work("ticks"), equals = [])
expect(buffer_max("ticks"), equals = 0)
expect(cut_off("A"), equals = None)
expect(pending("ticks"), equals = [])
`,
		"what is published before the first subscription was never A's": `
redis_pubsub("ticks")
producer("p", to = "ticks", rate = 1, count = 3)
def loop(c):
    sleep("1500ms")
    c.subscribe()
    while True:
        m = c.get_message("1s")
        if m: process(m, "1ms")
for name in ["A", "B"]: consumer(name, of = "ticks", run = loop)
run_for("10s")
expect(processed("A", "ticks"), equals = [2])
expect(lost("ticks", group = "A"), equals = [])
expect(completions("B", "ticks"), equals = 1)
`,
		"what is acknowledged before it is done is lost with its consumer": `
redis_stream("entries", records = 3)
def loop(c):
    c.xgroup_create(id = "0")
    for e in c.xreadgroup(count = 2):
        c.xack(e)
        process(e, "1s")
consumer("A", of = "entries", group = "g", run = loop)
on(processed("A", "entries", 0), kill("A"))
run_for("10s")
expect(lost("entries"), equals = [1])
expect(pending("entries", at = "500ms"), equals = [1])
expect(pending("entries"), equals = [])
expect(processed("g", "entries"), equals = [0])
expect(in_work("entries"), equals = [])
`,
		"and one that hangs is not": `
redis_stream("entries", records = 3)
def loop(c):
    c.xgroup_create(id = "0")
    entries = c.xreadgroup(count = 2)
    c.xack(entries)
    process(entries[0], "1s")
    process(entries[1], "1m")
consumer("A", of = "entries", group = "g", run = loop)
run_for("10s")
expect(in_work("entries"), equals = [1])
expect(lost("entries"), equals = [])
`,
		"a message done twice is a duplicate": `
queue("jobs", records = 2)
def loop(c):
    c.basic_qos(1)
    c.basic_consume()
    while True:
        m = c.get_message("1m")
        process(m, "100ms")
        sleep("100ms")
        c.basic_ack(m)
consumer("A", of = "jobs", run = loop)
on(processed("A", "jobs", 0), then_after("50ms", kill("A"), start("A")))
run_for("5s")
expect(duplicates("jobs"), equals = [0])
expect(redelivered("jobs"), equals = [0])
expect(completions("A", "jobs"), equals = 3)
expect(completions("A", "jobs", since = "200ms"), equals = 2)
expect(lost("jobs"), equals = [])
expect(requests("A", "basic.ack"), equals = 2)
`,
		"auto_ack loses what is at hand": `
queue("jobs", records = 5)
def loop(c):
    c.basic_consume(auto_ack = True)
    while True: process(c.get_message("1m"), "1s")
consumer("A", of = "jobs", run = loop)
at("2500ms", kill("A"))
run_for("5s")
expect(processed("jobs", "jobs"), equals = [0, 1])
expect(lost("jobs"), equals = [2, 3, 4])
`,
		"a stop closes the connection, and what was at hand goes back": `
queue("jobs", records = 5)
def loop(c):
    c.basic_qos(2)
    c.basic_consume()
    while True:
        m = c.get_message("1m")
        process(m, "1s")
        c.basic_ack(m)
consumer("A", of = "jobs", run = loop, stop = "1500ms")
run_for("5s")
expect(ended_by("A"), equals = "stop")
expect(processed("A", "jobs"), equals = [0, 1])
expect(pending("jobs"), equals = [])
expect(lost("jobs"), equals = [])
`,
		"a program that does not catch the end of its connection fails": `
redis_pubsub("ticks", hard_limit = 5000, socket_buffer = 2000)
producer("p", to = "ticks", rate = 100, size = 980)
def loop(c):
    c.subscribe()
    while True: process(c.get_message("1s"), "100ms")
consumer("A", of = "ticks", run = loop)
run_for("5s")
expect(ended_by("A"), equals = "crash")
expect(call_errors("A"), equals = ["ConnectionError"])
expect(buffer_max("ticks", node = "A"), between = [5000, 6000])
`,
		"a connection that is lost gives back what was at hand": `
queue("jobs", records = 3)
def loop(c):
    c.basic_qos(3)
    c.basic_consume()
    while True:
        m, error = attempt(c.get_message, "1m")
        if error: c.basic_consume()
        elif m:
            process(m, "1s")
            attempt(c.basic_ack, m)
consumer("A", of = "jobs", run = loop)
on(sent("A", "basic.ack", nth = 2), drop())
run_for("20s")
expect(redelivered("jobs"), equals = [1, 2])
expect(duplicates("jobs"), equals = [1])
expect(pending("jobs"), equals = [])
`,
		"order is a matter of keys": `
queue("jobs", records = 4, keys = ["a", "b"])
def loop(c):
    c.basic_consume()
    got = [c.get_message("1m") for _ in range(4)]
    for i in [1, 0, 3, 2]: process(got[i], "1ms")
consumer("A", of = "jobs", run = loop)
run_for("5s")
expect(out_of_order("jobs"), equals = [])
`,
		"a message rejected for good and not done is lost": `
queue("jobs", records = 2)
def loop(c):
    c.basic_consume()
    c.basic_nack(c.get_message("1s"), discard = True)
    m = c.get_message("1s")
    process(m, "1ms")
    c.basic_ack(m)
    c.close()
consumer("A", of = "jobs", run = loop)
run_for("5s")
expect(lost("jobs"), equals = [0])
expect(ended_by("A"), equals = "exit")
`,
	} {
		holds(t, name, "cluster(brokers = 1)\n"+source).Close()
	}
}

// rowsOf are the event rows of classes of a run, at most n.
func rowsOf(lab *engine.Lab, classes, n int) string {
	var b strings.Builder
	for _, row := range lab.Events(view.Events{After: n, Filter: view.Filter{Classes: classes}}).Rows {
		if row.Who == "broker-1" {
			continue
		}
		b.WriteString(tell.Clock(row.At) + " " + row.Who + ": " + row.Text + "\n")
	}
	return b.String()
}

func TestTheStoriesOfNeighboursAreToldAsTheyWere(t *testing.T) {
	files, err := lessons.Files()
	require.NoError(t, err)
	for name, classes := range map[string]int{
		"push_fills_a_buffer":    view.ClassState | view.ClassError | view.ClassFault,
		"a_list_of_what_is_open": view.ClassState | view.ClassCommit | view.ClassFault,
		"back_into_the_queue":    view.ClassState | view.ClassCommit | view.ClassFault | view.ClassWork,
		"competing_consumers":    view.ClassFetch | view.ClassCommit | view.ClassWork,
	} {
		source := files["library/"+name+".star"]
		require.NotEmpty(t, source, name)
		lab, err := Run(engine.Options{File: name + ".star", Source: source, Seed: 1})
		require.NoError(t, err)
		got := rowsOf(lab, classes, 150)
		lab.Close()
		file := filepath.Join("testdata", name+".txt")
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), got, name)
	}
}
