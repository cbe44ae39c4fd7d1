package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ground is a small scenario that the tests below break in one place each; it has 9 lines.
const ground = `cluster(brokers = 3)
topic("orders", partitions = 6)
def loop(c):
    c.subscribe(["orders"])
    while True:
        for record in c.poll("500ms"):
            process(record, "5ms")
consumer("A", group = "g", run = loop)
consumer("B", group = "g", run = loop)
`

// mistakes are lines that people write after the ground, on line 10, and what they are told.
var mistakes = []struct{ name, line, at, want string }{
	{"a time without unit", `at("20", kill("A"))`, "10:3", `"20" has no unit; did you mean "20s"?`},
	{"a time as number", `at(20, kill("A"))`, "10:3", `20 has no unit; did you mean "20s"?`},
	{"a negative time", `at("-20s", kill("A"))`, "10:3", `"-20s" is negative`},
	{"an absurd time", `at("99999h", kill("A"))`, "10:3", `longer than 10000 hours`},
	{"no such process", `at("20s", kill("D"))`, "10:15", `no such process "D"; did you mean B? There are A, B`},
	{"a process in small letters", `at("20s", kill("a"))`, "10:15", `did you mean A?`},
	{"a pattern without match", `at("20s", kill("pod-*"))`, "10:15", `no process matches "pod-*"; there are A, B`},
	{"no such setting", `consumer("C", group = "g", run = loop, max_poll_record = 5)`, "10:9",
		`no such setting max_poll_record; did you mean max_poll_records?`},
	{"a setting with its unit", `consumer("C", group = "g", run = loop, session_timeout_ms = 5)`, "10:9",
		`no such setting session_timeout_ms; did you mean session_timeout?`},
	{"a setting of the wrong type", `consumer("C", group = "g", run = loop, enable_auto_commit = "false")`,
		"10:9", `enable_auto_commit = "false": must be True or False`},
	{"a duration setting without unit", `consumer("C", group = "g", run = loop, session_timeout = 6000)`,
		"10:9", `session_timeout = 6000: 6000 has no unit; did you mean "6000s"?`},
	{"a wrong word", `consumer("C", group = "g", run = loop, auto_offset_reset = "earlyest")`, "10:9",
		`no such value "earlyest"; did you mean earliest?`},
	{"no such assignor", `consumer("C", group = "g", run = loop, partition_assignment_strategy = ["rang"])`,
		"10:9", `no such assignor "rang"; did you mean range?`},
	{"an assignor that is neither", `assignor("own", loop, cooperative = "yes")`, "10:9",
		`cooperative = "yes": must be True or False`},
	{"an assignor with Kafka's name", `assignor("sticky", loop)`, "10:9", `"sticky" is Kafka's own`},
	{"a heartbeat slower than the session", `consumer("C", group = "g", run = loop, heartbeat_interval = "50s")`,
		"10:9", `heartbeat_interval = 50s: must be below session_timeout = 45s`},
	{"a setting of the classic protocol", `consumer("C", group = "g", run = loop, group_protocol = "consumer", session_timeout = "9s")`,
		"10:9", `session_timeout cannot be set with group_protocol = "consumer"`},
	{"a setting of the new protocol", `consumer("C", group = "g", run = loop, group_remote_assignor = "uniform")`,
		"10:9", `group_remote_assignor goes only with group_protocol = "consumer"`},
	{"idempotence with acks = 1", `producer("p", topic = "orders", acks = 1, enable_idempotence = True)`,
		"10:9", `acks = 1: enable_idempotence needs acks=all`},
	{"a part of a millisecond", `consumer("C", group = "g", run = loop, fetch_max_wait = "10us")`,
		"10:9", `Kafka knows whole milliseconds only`},
	{"no such library", `consumer("C", group = "g", run = loop, profile = "sprnig")`, "10:9",
		`profile = "sprnig"; did you mean spring?`},
	{"an argument of another library", `consumer("C", group = "g", run = loop, ack_mode = "RECORD")`, "10:9",
		`ack_mode goes only with profile = "spring"`},
	{"an argument of the wrong library", `consumer("C", group = "g", run = loop, profile = "spring", topics = "orders", rebalance_timeout = "9s")`,
		"10:9", `rebalance_timeout goes only with profile = "kafka-go"`},
	{"a listener without topics", `consumer("C", group = "g", run = loop, profile = "spring")`, "10:9",
		`topics is missing: what the listener reads`},
	{"no such ack mode", `consumer("C", group = "g", run = loop, profile = "spring", topics = ["orders"], ack_mode = "BATHC")`,
		"10:9", `ack_mode = "BATHC"; did you mean BATCH?`},
	{"a flag that is none", `consumer("C", group = "g", run = loop, profile = "franz-go", block_rebalance_on_poll = "yes")`,
		"10:9", `block_rebalance_on_poll = "yes": must be True or False`},
	{"no program", `consumer("C", group = "g")`, "10:9", `run is missing`},
	{"a program that is no function", `consumer("C", group = "g", run = "loop")`, "10:9",
		`run = "loop": must be a function`},
	{"a program without parameter", `consumer("C", group = "g", run = lambda: 1)`, "10:9",
		`the program needs one parameter`},
	{"the same name twice", `consumer("A", group = "g", run = loop)`, "10:9", `there is a process "A" already`},
	{"a broker's name", `consumer("broker-1", group = "g", run = loop)`, "10:9", `is the name of a broker`},
	{"on_error", `consumer("C", group = "g", run = loop, on_error = "crahs")`, "10:9", `did you mean crash?`},
	{"no such topic", `expect(lost("order-0"), equals = [])`, "10:7", `no such topic "order"; did you mean orders?`},
	{"no such partition", `expect(lost("orders-6"), equals = [])`, "10:7",
		`no such partition "orders-6"; orders has the partitions 0 to 5`},
	{"no such group", `expect(generations("gg"), equals = 1)`, "10:7", `no such group "gg"; did you mean g?`},
	{"no such variant", `expect(lost("orders-0"), equals = [], variant = "after")`, "10:7", `no such variant "after"`},
	{"no such query", `expect(losst("orders-0"), equals = [])`, "10:8", `no such name losst; did you mean lost?`},
	{"no matcher", `expect(lost("orders-0"))`, "10:7", `what should lost be? give equals, below`},
	{"no such matcher", `expect(lost("orders-0"), equal = [])`, "10:7", `no such argument equal; did you mean equals?`},
	{"a comparison", `expect(lost("orders-0") == [])`, "10:7", `False is no query`},
	{"a time compared with a number", `expect(stalled("orders"), below = 70)`, "10:7",
		`70 has no unit; did you mean "70s"?`},
	{"offsets compared with a text", `expect(lost("orders-0"), equals = "none")`, "10:7",
		`equals cannot compare offsets with text`},
	{"a backward span", `expect(lost("orders-0"), equals = span(9, 3))`, "10:39", `comes before the first one`},
	{"no such moment", `expect(first_record("A", after = "restrat"), above = "1s")`, "10:20",
		`no such moment; did you mean restart?`},
	{"a query where a time is needed", `expect(stalled("orders", since = lost("orders-0")), below = "1s")`,
		"10:7", `lost answers with a offsets, not with a time`},
	{"a query plus nonsense", `expect(removed("A") + 5, above = "1s")`, "10:21",
		`removed answers with a time; 5 cannot be added to that`},
	{"no such request", `on(sent("A", "JoinGrup"), hold("4s"))`, "10:8", `no such request "JoinGrup"; did you mean JoinGroup?`},
	{"no such error", `on(sent("A", "JoinGroup"), respond(error = "NOT_CORDINATOR"))`, "10:35",
		`Kafka has no error "NOT_CORDINATOR"; did you mean NOT_COORDINATOR?`},
	{"no such state", `on(state("g", "stable"), kill("A"))`, "10:9", `a group has no state "stable"; did you mean Stable?`},
	{"a time in on", `on("20s", kill("A"))`, "10:3", `use at("20s", ...) for a time`},
	{"a query in on", `on(lost("orders-0"), kill("A"))`, "10:3", `lost cannot be waited for`},
	{"an action that is none", `at("20s", "kill A")`, "10:3", `"kill A" is no action such as kill("A")`},
	{"nothing to do", `at("20s")`, "10:3", `what shall happen?`},
	{"a message where none is", `at("20s", hold("4s"))`, "10:3", `which message? use on(sent("A", "JoinGroup"), hold("4s"))`},
	{"no such broker", `at("20s", kill_broker(4))`, "10:22", `no such broker 4; there are 1 to 3`},
	{"a broker that cannot be throttled", `at("20s", throttle("broker-1", percent = 5))`, "10:19",
		`"broker-1" is a broker; only clients`},
	{"a percentage", `at("20s", throttle("A", percent = 200))`, "10:19", `percent = 200: must be at most 100`},
	{"too many leaders", `topic("t", partitions = 1, leaders = [1, 2])`, "10:6", `2 leaders are given for 1 partitions`},
	{"a leader that is not there", `topic("t", leaders = [9])`, "10:6", `no such broker 9`},
	{"too few brokers", `topic("t", replication_factor = 4)`, "10:6", `needs as many brokers; there are 3`},
	{"a topic twice", `topic("orders")`, "10:6", `there is a topic "orders" already`},
	{"a topic's name", `topic("my topic")`, "10:6", `is no name for a topic`},
	{"a cluster twice", `cluster(brokers = 2)`, "10:8", `cluster() is given twice`},
	{"a broker setting", `topic("t", retention_hours = 3)`, "10:6", `no such setting retention_hours`},
	{"a preload of nothing", `preload("orders-0")`, "10:8", `records is missing`},
	{"a preload of a topic", `preload("orders", 5)`, "10:8", `"orders" is a topic; write the partition's number too`},
	{"committed of an unknown group", `committed("h", "orders-0", 5)`, "10:10", `no such group "h"; did you mean g?`},
	{"a producer without topic", `producer("p")`, "10:9", `topic is missing`},
	{"a producer to nowhere", `producer("p", topic = "order")`, "10:9", `no such topic "order"; did you mean orders?`},
	{"a producer's setting", `producer("p", topic = "orders", ack = "all")`, "10:9", `no such setting ack; did you mean acks?`},
	{"acks", `producer("p", topic = "orders", acks = 2)`, "10:9", `no such value "2"`},
	{"variants without a dict", `x = variants([loop])`, "10:13", `variants() needs a dict`},
	{"variants of different names", "x = variants({\"a\": 1})\ny = variants({\"b\": 1})", "11:13",
		`the names [b] differ from the earlier ones [a]`},
	{"editable that is no function", `editable("loop")`, "10:9", `"loop" is no function`},
	{"editable of an inner function", `editable(lambda c: 1)`, "10:9", `is no function of the file's top level`},
	{"editable settings", `editable(loop, settings = ["max_poll"])`, "10:9", `no such setting max_poll`},
	{"one option only", `predict("q", options = {"a": check(lost("orders-0"), equals = [])})`, "10:8",
		`options must be a dict with two or more entries`},
	{"an option that is no check", `predict("q", options = {"a": 1, "b": 2})`, "10:8", `option "a": 1 is no check`},
	{"an argument too many", `run_for("1s", "2s")`, "10:8", `too many arguments: "2s"`},
	{"a missing argument", `run_for()`, "10:8", `length is missing`},
	{"program words at the top", `process(1, "5ms")`, "10:8", `process() works only in a program`},
	{"a syntax error", `at("20s" kill("A"))`, "10:14", `got identifier, want ','`},
	{"an unknown name", `at("20s", kil("A"))`, "10:11", `no such name kil; did you mean kill?`},
	{"recursion", "def f(n): return f(n)\nf(1)", "10:18", `function f called recursively`},
	{"a class", `class A: pass`, "10:1", `class`},
	{"load", `load("x.star", "y")`, "10:1", `a scenario is one file`},
	{"an endless loop", `[0 for x in range(10) for y in range(1000000)]`, "10:23", `1000000 steps to load`},
	{"a reassigned name", `loop = 3`, "10:1", `cannot reassign`},
	{"an unknown argument", `at("1s", freeze("A", lenght = "3s"))`, "10:16", `no such argument lenght`},
	{"a link to nobody", `link("A", "broker-7", "5ms")`, "", `no such process "broker-7"`},
	{"a spread larger than the latency", `latency("1ms", spread = "2ms")`, "10:8", `is larger than "1ms" itself`},
	{"stop before start", `consumer("C", group = "g", run = loop, start = "5s", stop = "4s")`, "10:9",
		`stop = "4s" comes before start = "5s"`},
}

func TestEveryMistakeIsAnsweredWithPlaceAndCure(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			_, err := Load(Source{File: "s.star", Text: ground + m.line + "\n"}, LoadOptions{})
			require.Error(t, err)
			require.IsType(t, (*Error)(nil), err)
			require.ErrorContains(t, err, m.want)
			place := "s.star:"
			if m.at != "" {
				place += m.at + ": "
			}
			require.True(t, strings.HasPrefix(err.Error(), place), err.Error())
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestAVariantThatIsNotThereIsAnError(t *testing.T) {
	_, err := Load(Source{File: "s.star", Text: ground}, LoadOptions{Variant: "after"})
	require.ErrorContains(t, err, `s.star: there is no variant "after": the file has none`)
	text := ground + `x = variants({"commit before": 1, "commit after": 2})`
	_, err = Load(Source{File: "s.star", Text: text}, LoadOptions{Variant: "commit aftr"})
	require.ErrorContains(t, err, `no such variant "commit aftr"; did you mean commit after?`)
}

func TestACommandIsOneActInTheWordsOfTheScenario(t *testing.T) {
	sc, err := Load(Source{File: "s.star", Text: ground}, LoadOptions{})
	require.NoError(t, err)
	for text, want := range map[string]Act{
		`kill("A")`: Kill{"A"}, `kill('B')`: Kill{"B"}, `freeze("B", "12s")`: Freeze{"B", 12e9},
		`hold(17)`: Hold{Message: 17}, `hold(17, "4s")`: Hold{17, 4e9}, `drop(17)`: Drop{17},
		`release(17)`: Release{17}, `start("A")`: Start{"A"}, `stop("A")`: Stop{"A"},
		`kill_broker(2)`: KillBroker{2}, `start_broker(2)`: StartBroker{2}, `kill("broker-2")`: KillBroker{2},
		`partition(["A"], ["broker-2"], heal_after = "12s")`: Partition{[]string{"A"}, []string{"broker-2"}, 12e9},
		`heal()`: Heal{}, `throttle("A", percent = 20)`: Throttle{Node: "A", Percent: 20},
		`respond(17, error = "NOT_COORDINATOR")`: Respond{17, "NOT_COORDINATOR"},
		`slow_handler("A", factor = 3)`:          SlowHandler{Node: "A", Factor: 3},
		`move_coordinator("g", to = 3)`:          MoveCoordinator{"g", 3},
		`add_partitions("orders", 8)`:            AddPartitions{"orders", 8},
		`move_leader("orders-1", to = 2)`:        MoveLeader{"orders", 1, 2},
		`elect("orders-0", unclean = True)`:      Elect{"orders", 0, true},
		`delete_topic("orders")`:                 DeleteTopic{"orders"},
		`delete_records("orders-0", 15)`:         DeleteRecords{"orders", 0, 15},
		`restart("A", down_for = "2s")`:          Restart{"A", 2e9}, ` thaw("A") `: Thaw{"A"},
	} {
		a, err := ParseCommand(sc, text)
		require.NoError(t, err, text)
		require.Equal(t, TriggerNow, a.Trigger.Kind)
		require.Equal(t, want, a.Steps[0].Do, text)
	}
	for text, want := range map[string]string{
		`kill("D")`: `no such process "D"; did you mean B?`, `kil("A")`: `no such action kil; did you mean kill?`,
		`kill("A"`: `is no action such as kill("A")`, `"kill"`: `is no action such as kill("A")`,
		`hold()`: `which message?`, ``: `is no action`, `freeze("A", 12)`: `12 has no unit; did you mean "12s"?`,
		`expect(lost("orders-0"), equals = [])`: `no such action expect`,
		`kill("A"); kill("B")`:                  `is no action`, `[0 for x in range(100000)]`: `steps`,
		strings.Repeat("x", 5000): `the command is too long`,
	} {
		_, err := ParseCommand(sc, text)
		require.ErrorContains(t, err, want, text)
		require.IsType(t, (*Error)(nil), err)
	}
}

func TestAConsumerAddedByACommandCanBeKilledByTheNext(t *testing.T) {
	sc, err := Load(Source{File: "s.star", Text: ground}, LoadOptions{})
	require.NoError(t, err)
	a, err := ParseCommand(sc, `add_consumer("E", group = "g", run = loop)`)
	require.NoError(t, err)
	require.Equal(t, "E", a.Steps[0].Do.(AddConsumer).Spec.Name)
	_, err = ParseCommand(sc, `kill("E")`)
	require.NoError(t, err)
}

func FuzzCommand(f *testing.F) {
	for _, s := range []string{`kill("A")`, `hold(17, "4s")`, `partition(["A"], ["broker-2"])`, `{}[1]`, `(`} {
		f.Add(s)
	}
	sc, err := Load(Source{File: "s.star", Text: ground}, LoadOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if a, err := ParseCommand(sc, s); err == nil {
			require.NotEmpty(t, a.Steps)
		} else {
			require.IsType(t, (*Error)(nil), err)
		}
	})
}

func FuzzLoad(f *testing.F) {
	f.Add(ground)
	for _, m := range mistakes {
		f.Add(ground + m.line)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := Load(Source{File: "s.star", Text: s}, LoadOptions{}); err != nil {
			require.IsType(t, (*Error)(nil), err)
		}
	})
}
