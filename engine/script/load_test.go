package script

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/verdict"
)

func mustLoad(t testing.TB, text string, opt LoadOptions) *Scenario {
	t.Helper()
	sc, err := Load(Source{File: "s.star", Text: text}, opt)
	require.NoError(t, err)
	return sc
}

const commitStory = `rows("S08", "S09")
cluster(brokers = 3)
topic("order_events", partitions = 6)
preload("order_events-0", 23)                      # offsets 0..22
committed("seller_read_db", "order_events-0", 15)  # the story starts here

def before(c):
    c.subscribe(["order_events"])
    while True:
        batch = c.poll("500ms")
        c.commit_sync()
        for record in batch: process(record, "10ms")

def after(c):
    c.subscribe(["order_events"])
    while True:
        for record in c.poll("500ms"): process(record, "10ms")
        c.commit_sync()
    # the last line of it

loop = variants({"commit before": before, "commit after": after})
consumer("A", group = "seller_read_db", run = loop, enable_auto_commit = False, session_timeout = "6s")
on(processed("A", "order_events-0", 19), kill("A"), then_after("2s", start("A")))
expect(lost("order_events-0"), equals = span(20, 22), variant = "commit before")
expect(duplicates("order_events-0"), equals = [], variant = "commit before")
expect(lost("order_events-0"), equals = [], variant = "commit after")
expect(duplicates("order_events-0"), equals = span(15, 19), variant = "commit after")
expect(first_record("A", after = "restart"), at_least = last_heartbeat("A", before = "kill") + "6s")
`

func TestAVariantGetsItsProgramAndItsExpectations(t *testing.T) {
	sc := mustLoad(t, commitStory, LoadOptions{})
	require.Equal(t, []string{"S08", "S09"}, sc.Rows)
	require.Equal(t, []string{"commit before", "commit after"}, sc.Variants)
	require.Equal(t, "commit before", sc.Variant, "the first one, when none is named")
	require.Equal(t, "before", sc.Consumers[0].Run.Name())
	require.Len(t, sc.Expectations, 3)

	sc = mustLoad(t, commitStory, LoadOptions{Variant: "commit after"})
	require.Equal(t, "after", sc.Consumers[0].Run.Name())
	var texts []string
	for _, e := range sc.Expectations {
		texts = append(texts, e.Text)
	}
	require.Equal(t, []string{
		`lost("order_events-0") = []`, `duplicates("order_events-0") = 15..19`,
		`first_record("A", after = "restart") at least last_heartbeat("A", before = "kill") + 6.000s`,
	}, texts)
	require.Equal(t, 26, sc.Expectations[0].Line)
}

func TestThenAfterCountsFromWhatStandsBeforeIt(t *testing.T) {
	sc := mustLoad(t, ground+`
on(processed("A", "orders-0", 19), kill("A"), then_after("2s", start("A"), then_after("1s", kill("B"))),
   then_after("3s", start("B")), kill("A"))
at("10s", rolling_deploy("*", down_for = "4s", every = "20s"), kill("B"))
`, LoadOptions{})
	require.Equal(t, Trigger{
		Kind: TriggerProcessed, Node: "A", Topic: "orders", Partition: 0, Offset: 19, Nth: 1,
	}, sc.Actions[0].Trigger)
	require.Equal(t, []Step{
		{0, Kill{"A"}, `kill("A")`}, {2e9, Start{"A"}, `start("A")`}, {3e9, Kill{"B"}, `kill("B")`},
		{6e9, Start{"B"}, `start("B")`}, {6e9, Kill{"A"}, `kill("A")`},
	}, sc.Actions[0].Steps)
	require.Equal(t, []Step{
		{0, Stop{"A"}, `stop("A")`}, {4e9, Start{"A"}, `start("A")`},
		{20e9, Stop{"B"}, `stop("B")`}, {24e9, Start{"B"}, `start("B")`}, {0, Kill{"B"}, `kill("B")`},
	}, sc.Actions[1].Steps)
	require.Equal(t, 94*time.Second, sc.Horizon, "60 s after the last timed action")
	require.Contains(t, sc.HorizonText, "no run_for() is given, so the run lasts 94s")
}

func TestCommittedIsAStartingPointATriggerOrAQueryByItsUse(t *testing.T) {
	sc := mustLoad(t, ground+`
committed("g", "orders-0", 15)
on(committed("g", "orders-1", 3), kill("A"))
expect(committed("g", "orders-0"), equals = 15)
expect(committed("g", "orders-0", at = "3s") + 1, between = [15, 20])
`, LoadOptions{})
	require.Equal(t, []Committed{{"g", "orders", 0, 15}}, sc.Committed)
	require.Equal(t, TriggerCommitted, sc.Actions[0].Trigger.Kind)
	require.Equal(t, `committed("g", "orders-0") = 15`, sc.Expectations[0].Text)
	require.Equal(t, `committed("g", "orders-0", at = "3.000s") + 1 between 15 and 20`, sc.Expectations[1].Text)
}

func TestFaultsOfTheExamplesBecomeData(t *testing.T) {
	sc := mustLoad(t, ground+`
on(sent("A", "OffsetCommit", nth = 3), respond(error = "COORDINATOR_LOAD_IN_PROGRESS"))
on(sent("A", "JoinGroup"), hold("4s"))
at("10s", partition(["A"], ["broker-*"], heal_after = "12s"))
at("20s", freeze("B", "12s"), throttle("B", percent = 20))
at("30s", reconfigure("A", partition_assignment_strategy = ["cooperative-sticky", "range"]), restart("A"))
on(removed("A"), start("A"))
on(started("A", nth = 2), set_config(topic = "orders", retention = "1h"))
at("35s", set_config(group = "g", consumer_session_timeout = "50s"))
at("40s", create_topic("late", partitions = 2), add_partitions("orders", 8), move_coordinator("g"))
expect(lost("orders-7"), equals = [])
expect(lost("late"), equals = {})
`, LoadOptions{})
	require.Equal(t, Respond{Error: "COORDINATOR_LOAD_IN_PROGRESS"}, sc.Actions[0].Steps[0].Do)
	require.Equal(t, Trigger{Kind: TriggerSent, Node: "A", API: 8, Nth: 3}, sc.Actions[0].Trigger)
	require.Equal(t, Hold{For: 4e9}, sc.Actions[1].Steps[0].Do)
	require.Equal(t, Partition{[]string{"A"}, []string{"broker-1", "broker-2", "broker-3"}, 12e9},
		sc.Actions[2].Steps[0].Do)
	require.Equal(t, Freeze{"B", 12e9}, sc.Actions[3].Steps[0].Do)
	require.Equal(t, Throttle{"B", 20, 0}, sc.Actions[3].Steps[1].Do)
	re := sc.Actions[4].Steps[0].Do.(Reconfigure)
	require.Equal(t, []string{"cooperative-sticky", "range"}, re.Settings[0].List)
	require.Equal(t, "partition.assignment.strategy", re.Settings[0].Key)
	require.Equal(t, Trigger{Kind: TriggerRemoved, Node: "A", Nth: 1}, sc.Actions[5].Trigger)
	require.Equal(t, Trigger{Kind: TriggerStarted, Node: "A", Nth: 2}, sc.Actions[6].Trigger)
	require.Equal(t, "3600000", sc.Actions[6].Steps[0].Do.(SetConfig).Setting.Kafka())
	require.Equal(t, "g", sc.Actions[7].Steps[0].Do.(SetConfig).Group)
	require.Equal(t, "consumer.session.timeout.ms", sc.Actions[7].Steps[0].Do.(SetConfig).Setting.Key)
	require.Equal(t, 2, sc.Actions[8].Steps[0].Do.(CreateTopic).Topic.Partitions)
}

func TestSettingsCarryKafkasNamesAndUnits(t *testing.T) {
	sc := mustLoad(t, ground+`
how = dict(partition_assignment_strategy = ["range"], group_instance_id = "{name}", client_rack = None)
consumer("C", group = "g", run = loop, session_timeout = "30s", max_poll_records = 7,
         enable_auto_commit = False, **how)
topic("t", partitions = 3, leaders = [1, 1, 2], cleanup_policy = ["compact"], retention = "2h")
`, LoadOptions{})
	c, ok := sc.Consumer("C")
	require.True(t, ok)
	kafka := map[string]string{}
	for _, s := range c.Settings {
		kafka[s.Key] = s.Kafka()
	}
	require.Equal(t, map[string]string{
		"session.timeout.ms": "30000", "max.poll.records": "7", "enable.auto.commit": "false",
		"partition.assignment.strategy": "range", "group.instance.id": "C",
	}, kafka)
	topic, ok := sc.Topic("t")
	require.True(t, ok)
	require.Equal(t, []int{1, 1, 2}, topic.Leaders)
	require.Equal(t, "7200000", topic.Configs[1].Kafka())
}

func TestEveryDefaultInTheTablesIsAValueOfItsSetting(t *testing.T) {
	tables := [][]SettingDef{ConsumerSettings, ProducerSettings, BrokerSettings, TopicSettings, GroupSettings}
	for _, table := range tables {
		for _, d := range table {
			if d.Default == "" {
				continue
			}
			o := Override{Name: d.Name, Setting: true, Text: d.Default}
			s, err := o.setting(table)
			require.NoError(t, err, d.Name)
			require.Equal(t, d.Default, s.String(), d.Name)
		}
	}
}

func TestWantedValuesAreReadByTheKindOfTheAnswer(t *testing.T) {
	sc := mustLoad(t, ground+`
expect(lost("orders-0"), equals = [1, 2, span(5, 9)])
expect(lost("orders"), equals = {"orders-0": span(1, 3), "orders-1": 7})
expect(lost("orders"), equals = 0)
expect(assignment("A"), equals = ["orders-0", "orders-1"])
expect(assignment("g"), equals = {"A": ["orders-0"], "B": []})
expect(members("g"), contains = "A")
expect(members("g"), equals = ["A", "B"])
expect(stalled("orders"), below = "70s", since = "20s")
expect(removed("A"), equals = None)
expect(running("A"))
expect(group_state("g", at = "10s"), equals = "Stable")
expect(resumed("orders-0", after = removed("A")), between = ["1s", "2m"])
expect(commits("A", accepted = True), at_most = 5, at_least = 2)
expect(elapsed(last_heard("A"), removed("A")), equals = "45s")
`, LoadOptions{})
	var texts []string
	for _, e := range sc.Expectations {
		texts = append(texts, e.Text)
	}
	require.Equal(t, []string{
		`lost("orders-0") = 1..2, 5..9`,
		`lost("orders") = {orders-0: 1..3; orders-1: 7}`,
		`lost("orders") = 0`,
		`assignment("A") = [orders-0, orders-1]`,
		`assignment("g") = {A: [orders-0]; B: []}`,
		`members("g") contains A`,
		`members("g") = [A, B]`,
		`stalled("orders", since = "20.000s") below 70.000s`,
		`removed("A") = none`,
		`running("A") true`,
		`group_state("g", at = "10.000s") = Stable`,
		`resumed("orders-0", after = removed("A")) between 00:01.000 and 02:00.000`,
		`commits("A", accepted = True) at most 5`,
		`commits("A", accepted = True) at least 2`,
		`elapsed(last_heard("A"), removed("A")) = 45.000s`,
	}, texts)
}

func TestEveryQueryOfTheTableCanBeAsked(t *testing.T) {
	values := map[verdict.ParamType]string{
		verdict.ParamNode: `"A"`, verdict.ParamGroup: `"g"`, verdict.ParamWho: `"A"`,
		verdict.ParamPartition: `"orders-0"`, verdict.ParamTopic: `"orders-0"`, verdict.ParamTime: `"3s"`,
		verdict.ParamNumber: `2`, verdict.ParamBool: `True`, verdict.ParamText: `"x"`,
		verdict.ParamAPI: `"Fetch"`, verdict.ParamAPIs: `["Fetch"]`, verdict.ParamState: `"Stable"`,
		verdict.ParamThing: `"entries"`,
	}
	for _, sig := range verdict.Table {
		call := sig.Name + "("
		for _, p := range sig.Params {
			if !p.Positional {
				call += p.Name + " = "
			}
			call += values[p.Type] + ", "
		}
		matcher := "equals = None"
		if sig.Result == verdict.KindBool {
			matcher = "equals = True"
		}
		sc := mustLoad(t, ground+"redis_stream(\"entries\")\nexpect("+call+"), "+matcher+")", LoadOptions{})
		require.Equal(t, sig.Name, sc.Expectations[0].Query.Name)
	}
}

func TestPredictionsHaveChecksOrWantedValues(t *testing.T) {
	sc := mustLoad(t, ground+`
predict("who", options = {"a": check(lost("orders-0"), equals = []),
                          "b": [check(lost("orders-0"), above = 1), check(lost("orders-1"), above = 1)]})
predict("from", about = position_after("restart", partition = "orders-0", node = "A"),
        options = {"p15": 15, "p23": 23})
goal(lost("orders-0"), equals = [])
par(changed_lines = 1)
par(generations("g"), below = 3)
`, LoadOptions{})
	require.Len(t, sc.Predictions, 2)
	require.Len(t, sc.Predictions[0].Options[1].Checks, 2)
	require.Equal(t, `position_after("restart", "orders-0", node = "A") = 23`,
		sc.Predictions[1].Options[1].Checks[0].Text)
	require.Len(t, sc.Goals, 1)
	require.Equal(t, 1, sc.Pars[0].ChangedLines)
	require.Equal(t, `generations("g") below 3`, sc.Pars[1].Check.Text)
}

func TestALearnerReplacesOnlyWhatIsEditable(t *testing.T) {
	text := commitStory + `editable(loop, settings = ["enable_auto_commit", "max_poll_records"])` + "\n"
	sc := mustLoad(t, text, LoadOptions{})
	require.Equal(t, "before", sc.Editables[0].Name)
	require.Equal(t, 7, sc.Editables[0].FirstLine)
	require.Contains(t, sc.Editables[0].Text, "def before(c):\n")
	require.NotContains(t, sc.Editables[0].Text, "def after")
	require.Equal(t, Editable{Name: "enable_auto_commit", Setting: true, Text: "False", Default: "True"},
		sc.Editables[1])
	require.Equal(t, Editable{Name: "max_poll_records", Setting: true, Text: "500", Default: "500"},
		sc.Editables[2])

	edit := "def before(c):\n    c.subscribe([\"order_events\"])\n    c.poll(\"1s\")\n"
	sc = mustLoad(t, text, LoadOptions{Overrides: []Override{
		{Name: "before", Text: edit}, {Name: "max_poll_records", Setting: true, Text: " 8 "},
	}})
	require.Equal(t, edit, sc.Editables[0].Text)
	require.Equal(t, 1, sc.Editables[0].FirstLine)
	require.Equal(t, "8", sc.Editables[2].Text)
	c := sc.Consumers[0]
	require.Equal(t, int64(8), c.Settings[len(c.Settings)-1].N)
	require.Equal(t, Program{"before", "before", edit, 1, 3}, sc.Program(c))
}

func TestTheShippedProgramIsShownWithTheLinesOfItsFile(t *testing.T) {
	p := mustLoad(t, commitStory, LoadOptions{Variant: "commit after"})
	got := p.Program(p.Consumers[0])
	require.Equal(t, "after", got.Function)
	require.Equal(t, 14, got.FirstLine)
	require.Equal(t, 19, got.LastLine, "with the indented comment at its end")
	require.Contains(t, got.Text, "    # the last line of it\n")
}

func TestAnOverrideOfAnotherVariantsFunctionIsLeftOut(t *testing.T) {
	text := commitStory + "editable(loop)\n"
	edit := Override{Name: "after", Text: "def after(c):\n    pass\n"}
	sc := mustLoad(t, text, LoadOptions{Variant: "commit after", Overrides: []Override{edit}})
	require.Equal(t, edit.Text, sc.Editables[0].Text)
	sc = mustLoad(t, text, LoadOptions{Variant: "commit before", Overrides: []Override{edit}})
	require.Equal(t, "before", sc.Editables[0].Name)
}

// edits are overrides that are refused, with what is said.
var edits = []struct {
	o    Override
	want string
}{
	{Override{Name: "loop", Text: "def loop(c):\n    c.pol(\n"}, `loop:3:1: got outdent, want primary expression; is a bracket`},
	{Override{Name: "loop", Text: "def loop(c):\n    x = y\n"}, `loop:2:9: no such name y`},
	{Override{Name: "loop", Text: "def lop(c):\n    pass\n"}, `loop:1:1: only def loop(...) can stand here`},
	{Override{Name: "loop", Text: "def loop(c): pass\nrun_for('1s')\n"}, `loop:2:1: only def loop(...) can stand here`},
	{Override{Name: "loop", Text: "# nothing\n"}, `loop:1: def loop(...) is missing`},
	{Override{Name: "lop", Text: "def lop(c): pass"}, `lop:1: the scenario has no function lop`},
	{Override{Name: "other", Text: "def other(c): pass"}, `other:1: other cannot be changed here; only these can: loop`},
	{Override{Name: "max_poll_records", Setting: true, Text: "many"}, `max_poll_records:1: max_poll_records = many`},
	{Override{Name: "max_poll_records", Setting: true, Text: "-1"}, `must be at least 1`},
	{Override{Name: "max_poll_records", Setting: true, Text: "("}, `write a value such as 500`},
	{Override{Name: "session_timeout", Setting: true, Text: `"6s"`}, `session_timeout cannot be changed here`},
	{Override{Name: "loop", Text: "def loop(c):\n    x = y\n", File: "solution.star", FirstLine: 8},
		`solution.star:9:9: no such name y`},
}

func TestErrorsPointIntoTheLearnersText(t *testing.T) {
	text := ground + "def other(c): pass\neditable(loop, settings = [\"max_poll_records\"])\n"
	for _, e := range edits {
		_, err := Load(Source{File: "s.star", Text: text}, LoadOptions{Overrides: []Override{e.o}})
		require.ErrorContains(t, err, e.want, e.o.Text)
		require.IsType(t, (*Error)(nil), err)
	}
}

func TestASolutionFileIsCutIntoOverrides(t *testing.T) {
	all, err := ParseOverrides(Source{File: "solution.star", Text: `# the cure
enable_auto_commit = False

def loop(c):
    pass
session_timeout = "6s"  # shorter
`})
	require.NoError(t, err)
	require.Equal(t, []Override{
		{"enable_auto_commit", true, "False", "solution.star", 2},
		{"loop", false, "def loop(c):\n    pass\n", "solution.star", 4},
		{"session_timeout", true, `"6s"`, "solution.star", 6},
	}, all)
	_, err = ParseOverrides(Source{File: "solution.star", Text: "run_for(\"1s\")"})
	require.EqualError(t, err, "solution.star:1:1: only functions and settings (NAME = VALUE) can stand here")
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(Source{File: "s.star", Text: commitStory}, LoadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
