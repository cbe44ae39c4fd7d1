package script

import (
	"fmt"
	"strconv"
	"strings"

	"rebalancelab/engine/verdict"
)

// finder knows the names of a scenario once the whole file has run.
type finder struct {
	sc *Scenario
	declared
}

// declared is what actions bring into being later; its names are known from the start.
type declared struct {
	consumers []*ConsumerSpec
	topics    []*Topic
	totals    []AddPartitions
}

func brokerName(id int) string { return "broker-" + strconv.Itoa(id) }

// brokerID is the id of a broker's process name.
func brokerID(name string) (int, bool) {
	n, ok := strings.CutPrefix(name, "broker-")
	id, err := strconv.Atoi(n)
	return id, ok && err == nil
}

func (f *finder) brokers() []string {
	var names []string
	for id := 1; id <= f.sc.Brokers; id++ {
		names = append(names, brokerName(id))
	}
	return names
}

// clients are all processes but the brokers, those that actions add included.
func (f *finder) clients() []string {
	names := f.sc.ProcessNames()
	for _, c := range f.consumers {
		names = append(names, c.Name)
	}
	return names
}

// process checks the name of a consumer or a producer.
func (f *finder) process(name string) error {
	names := f.clients()
	if contains(names, name) {
		return nil
	}
	return fmt.Errorf("no such process %q%s", name, suggest(name, names))
}

// anyProcess checks the name of a client or a broker.
func (f *finder) anyProcess(name string) error {
	if contains(f.brokers(), name) || contains(f.sc.Servers(), name) {
		return nil
	}
	if _, ok := brokerID(name); ok {
		return fmt.Errorf("no such process %q%s", name, suggest(name, f.brokers()))
	}
	return f.process(name)
}

// matching are the clients that a name or a pattern such as pod-* stands for.
func (f *finder) matching(pattern string) ([]string, error) {
	if !strings.Contains(pattern, "*") {
		return []string{pattern}, f.anyProcess(pattern)
	}
	var found []string
	for _, n := range f.clients() {
		if matches(pattern, n) {
			found = append(found, n)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no process matches %q; there are %s", pattern,
			strings.Join(f.clients(), ", "))
	}
	return found, nil
}

// matches says whether name fits a pattern, in which * stands for any text.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(name, p)
		if i < 0 {
			return false
		}
		name = name[i+len(p):]
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}

func (f *finder) broker(id int) error {
	if id < 1 || id > f.sc.Brokers {
		return fmt.Errorf("no such broker %d; there are 1 to %d", id, f.sc.Brokers)
	}
	return nil
}

func (f *finder) group(name string) error {
	groups := f.sc.Groups()
	for _, c := range f.consumers {
		if c.Group != "" && !contains(groups, c.Group) {
			groups = append(groups, c.Group)
		}
	}
	if contains(groups, name) {
		return nil
	}
	return fmt.Errorf("no such group %q%s", name, suggest(name, groups))
}

func (f *finder) topicNames() []string {
	var names []string
	for _, t := range f.sc.Topics {
		names = append(names, t.Name)
	}
	for _, t := range f.declared.topics {
		names = append(names, t.Name)
	}
	return names
}

func (f *finder) topic(name string) error {
	if contains(f.topicNames(), name) {
		return nil
	}
	return fmt.Errorf("no such topic %q%s", name, suggest(name, f.topicNames()))
}

// partition reads a text such as order_events-0. A topic's own name may end like that too.
func (f *finder) partition(s string) (topic string, part int32, err error) {
	if contains(f.topicNames(), s) || contains(f.things(), s) {
		return s, -1, nil
	}
	topic, part, ok := verdict.SplitPartition(s)
	if !ok {
		return s, -1, f.topic(s)
	}
	if err := f.topic(topic); err != nil {
		return "", 0, fmt.Errorf("no such partition %q: %w", s, err)
	}
	if n := f.partitions(topic); int(part) >= n {
		return "", 0, fmt.Errorf("no such partition %q; %s has the partitions 0 to %d", s, topic, n-1)
	}
	return topic, part, nil
}

// partitions is the largest number of partitions that a topic ever has.
func (f *finder) partitions(topic string) int {
	n := 0
	for i := range f.sc.Topics {
		if t := &f.sc.Topics[i]; t.Name == topic {
			n = t.Partitions
		}
	}
	for _, t := range f.declared.topics {
		if t.Name == topic {
			n = t.Partitions
		}
	}
	for _, add := range f.totals {
		if add.Topic == topic {
			n = max(n, add.Total)
		}
	}
	return n
}

// onePartition is partition, and an error for a whole topic.
func (f *finder) onePartition(s string) (topic string, part int32, err error) {
	topic, part, err = f.partition(s)
	if err == nil && part < 0 {
		err = fmt.Errorf("%q is a topic; write the partition's number too, as %q", s, s+"-0")
	}
	return topic, part, err
}
