package script

import (
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"rebalancelab/engine/verdict"
)

// statements are the built-ins of the top level that declare something.
var statements = map[string]statement{
	"rows": rowsStatement, "cluster": clusterStatement, "latency": latencyStatement,
	"link": linkStatement, "topic": topicStatement, "preload": preloadStatement,
	"consumer": consumerStatement, "producer": producerStatement, "assignor": assignorStatement,
	"at": atStatement, "on": onStatement, "then_after": thenAfter, "run_for": runForStatement,
	"variants": variantsStatement, "expect": expectStatement, "goal": goalStatement,
	"par": parStatement, "check": checkStatement, "predict": predictStatement,
	"editable": editableStatement, "span": spanStatement, "normal": normalStatement,
	"uniform": uniformStatement, "store": storeStatement,
	"redis_pubsub": channelStatement, "redis_stream": streamStatement, "queue": queueStatement,
}

const (
	maxBrokers    = 100
	maxPartitions = 10_000
	maxRecords    = 1_000_000
)

func rowsStatement(l *loader, a *arguments, _ Place) (starlark.Value, error) {
	for _, v := range a.others() {
		row := a.asText("row", v)
		if a.err == nil && !contains(l.sc.Rows, row) {
			l.sc.Rows = append(l.sc.Rows, row)
		}
	}
	return starlark.None, nil
}

func clusterStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	if l.clustered {
		return nil, fmt.Errorf("cluster() is given twice")
	}
	l.clustered = true
	if v, ok := a.next("brokers"); ok {
		l.sc.Brokers = int(a.asNumber("brokers", v, 1, maxBrokers))
	}
	if v, ok := a.named("racks"); ok {
		if l.sc.Racks = a.asTexts("racks", v); a.err == nil && len(l.sc.Racks) != l.sc.Brokers {
			a.fail("%d racks are given for %d brokers", len(l.sc.Racks), l.sc.Brokers)
		}
	}
	var err error
	l.sc.BrokerConfig, err = parseSettings("cluster", BrokerSettings, a, at)
	return starlark.None, err
}

func latencyStatement(l *loader, a *arguments, _ Place) (starlark.Value, error) {
	l.sc.Latency.OneWay = a.mustDuration("one_way", `the time that a message takes, as "250us"`)
	l.sc.Latency.Spread = a.duration("spread", 0)
	return starlark.None, checkLatency(a, l.sc.Latency)
}

func checkLatency(a *arguments, l Latency) error {
	if a.err == nil && l.Spread > l.OneWay {
		return fmt.Errorf("%s(): spread %q is larger than %q itself", a.fn,
			formatDuration(l.Spread), formatDuration(l.OneWay))
	}
	return nil
}

func linkStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	k := Link{A: a.mustText("a", "a process"), B: a.mustText("b", `the other process, as "broker-1"`)}
	k.OneWay = a.mustDuration("one_way", `the time that a message takes, as "5ms"`)
	k.Spread = a.duration("spread", 0)
	l.sc.Links = append(l.sc.Links, k)
	return starlark.None, checkLatency(a, k.Latency)
}

func topicStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	t, err := topicOf(a, at)
	if err != nil || a.err != nil {
		return nil, err
	}
	if _, ok := l.sc.Topic(t.Name); ok || l.sc.Neighbour(t.Name) != nil {
		return nil, fmt.Errorf("topic(): there is a topic %q already", t.Name)
	}
	l.sc.Topics = append(l.sc.Topics, *t)
	return starlark.String(t.Name), nil
}

// topicOf reads the arguments of topic() and create_topic().
func topicOf(a *arguments, at Place) (*Topic, error) {
	t := &Topic{Name: a.mustText("name", "the topic's name"), Partitions: 1, Place: at}
	if v, ok := a.next("partitions"); ok {
		t.Partitions = int(a.asNumber("partitions", v, 1, maxPartitions))
	}
	t.ReplicationFactor = int(a.number("replication_factor", 0, 1, maxBrokers))
	if v, ok := a.named("replicas"); ok {
		t.Replicas = a.asNumberLists("replicas", v)
	}
	if v, ok := a.named("leaders"); ok {
		t.Leaders = a.asNumbers("leaders", v)
	}
	if a.err == nil && len(t.Leaders) > t.Partitions {
		a.fail("%d leaders are given for %d partitions", len(t.Leaders), t.Partitions)
	}
	if a.err == nil && !legalTopic(t.Name) {
		a.fail("%q is no name for a topic; use letters, digits, dots, _ and -", t.Name)
	}
	var err error
	t.Configs, err = parseSettings(a.fn, TopicSettings, a, at)
	return t, err
}

func legalTopic(name string) bool {
	for i := range len(name) {
		if c := name[i]; !letter(c) && c != '.' && c != '-' || c >= 0x80 {
			return false
		}
	}
	return name != "" && name != "." && name != ".." && len(name) <= 249
}

// asNumberLists reads a list of lists of brokers, all of one length.
func (a *arguments) asNumberLists(name string, v starlark.Value) [][]int {
	list, ok := v.(starlark.Iterable)
	if !ok {
		a.fail("%s = %s: must be a list of lists of brokers, as [[1, 2], [2, 3]]", name, brief(v))
		return nil
	}
	var all [][]int
	for e := range starlark.Elements(list) {
		all = append(all, a.asNumbers(name, e))
		if a.err == nil && len(all[len(all)-1]) != len(all[0]) {
			a.fail("%s = %s: every partition needs as many replicas as the first one", name, brief(v))
		}
	}
	return all
}

func (a *arguments) asNumbers(name string, v starlark.Value) []int {
	list, ok := v.(starlark.Iterable)
	if !ok {
		a.fail("%s = %s: must be a list of numbers", name, brief(v))
		return nil
	}
	var n []int
	for e := range starlark.Elements(list) {
		n = append(n, int(a.asNumber(name, e, 1, maxBrokers)))
	}
	return n
}

// pendingPreload is a preload whose partition is checked once the file has run.
type pendingPreload struct {
	partition    string
	keys, values []string
	batch        int
	place        Place
}

func preloadStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	p := pendingPreload{partition: a.mustText("partition", `as "orders-0"`), place: at}
	count, ok := a.next("records")
	values, given := a.named("values")
	if given {
		p.values = a.asTexts("values", values)
	}
	keys, keyed := a.named("keys")
	if keyed {
		p.keys = a.asTexts("keys", keys)
	}
	n := len(p.values)
	switch {
	case ok:
		n = int(a.asNumber("records", count, 0, maxRecords))
	case !given:
		a.fail("records is missing: how many records the partition holds")
	}
	p.batch = int(a.number("batch", int64(max(n, 1)), 1, maxRecords))
	p.values, p.keys = cycle(p.values, n, "record %d"), cycle(p.keys, n, "")
	l.preloads = append(l.preloads, p)
	return starlark.None, nil
}

// cycle repeats texts until there are n; without any, each is made of format, if that is given.
func cycle(texts []string, n int, format string) []string {
	if len(texts) == 0 && format == "" {
		return nil
	}
	all := make([]string, n)
	for i := range all {
		if len(texts) > 0 {
			all[i] = texts[i%len(texts)]
		} else {
			all[i] = fmt.Sprintf(format, i)
		}
	}
	return all
}

func assignorStatement(l *loader, a *arguments, at Place) (starlark.Value, error) {
	as := Assignor{Name: a.mustText("name", "the assignor's name"), Place: at}
	as.Fn = a.function("function", a.must("function", "def f(members, partitions)"))
	if v, ok := a.named("cooperative"); ok {
		b, ok := v.(starlark.Bool)
		if !ok {
			a.fail("cooperative = %s: must be True or False", brief(v))
		}
		as.Cooperative = bool(b)
	}
	if a.err == nil && contains(assignorNames, as.Name) {
		a.fail("%q is Kafka's own; choose another name", as.Name)
	}
	l.sc.Assignors = append(l.sc.Assignors, as)
	return starlark.String(as.Name), nil
}

func runForStatement(l *loader, a *arguments, _ Place) (starlark.Value, error) {
	l.runFor = a.mustDuration("length", `how long the run lasts, as "75s"`)
	if a.err == nil && l.runFor == 0 {
		a.fail("a run of \"0s\" shows nothing")
	}
	return starlark.None, nil
}

func variantsStatement(l *loader, a *arguments, _ Place) (starlark.Value, error) {
	d, ok := a.must("choices", "{name: value}").(*starlark.Dict)
	if !ok || d.Len() == 0 {
		return nil, fmt.Errorf("variants() needs a dict: variants({\"before\": f, \"after\": g})")
	}
	var names []string
	for k := range d.Entries() {
		names = append(names, a.asText("variant", k))
	}
	if a.err != nil {
		return nil, nil
	}
	if l.sc.Variants != nil && strings.Join(names, "\n") != strings.Join(l.sc.Variants, "\n") {
		return nil, fmt.Errorf("variants(): the names [%s] differ from the earlier ones [%s]",
			strings.Join(names, ", "), strings.Join(l.sc.Variants, ", "))
	}
	l.sc.Variants = names
	if l.sc.Variant = l.opt.Variant; l.sc.Variant == "" {
		l.sc.Variant = names[0]
	}
	v, ok, _ := d.Get(starlark.String(l.sc.Variant))
	if !ok {
		return nil, fmt.Errorf("no such variant %q%s", l.sc.Variant, suggest(l.sc.Variant, names))
	}
	return v, nil
}

func spanStatement(_ *loader, a *arguments, _ Place) (starlark.Value, error) {
	first := a.mustNumber("first", "the first offset", 0, 1<<62)
	last := first
	if v, ok := a.next("last"); ok {
		last = a.asNumber("last", v, 0, 1<<62)
	}
	if a.err == nil && last < first {
		a.fail("the last offset %d comes before the first one %d", last, first)
	}
	return spanValue{span: verdict.Span{First: first, Last: last}}, nil
}

const maxSpread = 24 * time.Hour

func normalStatement(_ *loader, a *arguments, _ Place) (starlark.Value, error) {
	s := spread{kind: spreadNormal}
	s.a = a.mustDuration("mean", `as "20ms"`)
	s.b = a.mustDuration("deviation", `as "5ms"`)
	if a.err == nil && s.b > maxSpread {
		a.fail("a deviation of more than %s is no use", formatDuration(maxSpread))
	}
	return &spreadValue{spread: s}, nil
}

func uniformStatement(_ *loader, a *arguments, _ Place) (starlark.Value, error) {
	s := spread{kind: spreadUniform}
	s.a = a.mustDuration("least", `as "10ms"`)
	s.b = a.mustDuration("most", `as "30ms"`)
	if a.err == nil && s.b < s.a {
		a.fail("the most %q is less than the least %q", formatDuration(s.b), formatDuration(s.a))
	}
	return &spreadValue{spread: s}, nil
}
