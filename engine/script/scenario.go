package script

import (
	"time"

	"go.starlark.net/starlark"

	"rebalancelab/engine/neighbour"
	"rebalancelab/engine/verdict"
)

// Scenario is what a file says for one variant.
type Scenario struct {
	File string
	// Rows are the rows of the scenario table that the file shows, as S08.
	Rows []string
	// Variants are the names given to variants(), in order; empty when the file has none. Variant is
	// the one that this scenario is for.
	Variants []string
	Variant  string

	// Brokers have the ids 1 to Brokers and are the processes broker-1, broker-2 and so on.
	Brokers int
	// Racks are the racks in which they stand, one each; empty: none.
	Racks        []string
	BrokerConfig []Setting
	Latency      Latency
	Links        []Link
	Topics       []Topic
	Preloads     []Preload
	Committed    []Committed
	Consumers    []*ConsumerSpec
	Producers    []*ProducerSpec
	Assignors    []Assignor
	Neighbours   []*neighbour.Thing

	// Actions are in the order of the file.
	Actions []Action

	Expectations []Check
	Goals        []Check
	Pars         []Par
	Predictions  []Prediction

	// Editables are what a learner may replace, with its present text.
	Editables []Editable

	// Horizon is the time at which the run ends, since its start; HorizonText says why it is so.
	Horizon     time.Duration
	HorizonText string

	code *code
}

// Place is where something stands in a source file.
type Place struct {
	File string
	Line int
	Col  int
}

// Latency is the one-way time on a link: OneWay, Spread more or less.
type Latency struct {
	OneWay time.Duration
	Spread time.Duration
}

// Link is the latency between two processes, where it differs.
type Link struct {
	A, B string
	Latency
}

// Topic is a topic that exists from the start, or that an action creates.
type Topic struct {
	Name       string
	Partitions int
	// Leaders are the broker ids that lead partitions 0, 1 and so on; empty: broker 1 + p mod
	// brokers.
	Leaders []int
	// ReplicationFactor 0 stands for default.replication.factor.
	ReplicationFactor int
	// Replicas are the brokers that have partitions 0, 1 and so on, the preferred leader first; empty:
	// the cluster places them.
	Replicas [][]int
	Configs  []Setting
	Place
}

// Preload is one batch that a partition holds from the start. Values has the text of each record;
// Keys is empty or has as many.
type Preload struct {
	Topic     string
	Partition int32
	Keys      []string
	Values    []string
}

// Committed is an offset that a group has committed before the start.
type Committed struct {
	Group     string
	Topic     string
	Partition int32
	Offset    int64
}

// Assignor is an assignor written in the scenario.
type Assignor struct {
	Name string
	// Fn takes {name: member}, the list of all partitions and perhaps {topic: partitions}, and gives
	// {name: [partition]}.
	Fn starlark.Callable
	// Cooperative assignors leave out what a member must give up first (D15).
	Cooperative bool
	Place
}

// ConsumerSpec is one consumer process.
type ConsumerSpec struct {
	Name  string
	Group string
	// Of is the neighbour that it reads from; empty: it is a consumer of Kafka.
	Of string
	// Run is the program: a function of one argument, the consumer.
	Run starlark.Callable
	// Settings are those given, with {name} replaced by Name. [ConsumerSpec.Config] applies them.
	Settings []Setting
	// Profile is the client library that the program stands on.
	Profile Profile
	// OnError says what the host does when the program fails.
	OnError OnError
	// Start is the time since the start of the run at which the process starts; Stop, if positive,
	// that of a clean stop. A negative Start means only when an action starts it.
	Start, Stop time.Duration
	Place
}

// OnError is what becomes of a process whose program fails.
type OnError struct {
	Kind OnErrorKind
	// After is the time until a restart, for [OnErrorRestart].
	After time.Duration
}

// OnErrorKind is a way to fail.
type OnErrorKind uint8

const (
	// OnErrorCrash ends the process at once; nothing is said to the coordinator.
	OnErrorCrash OnErrorKind = iota
	// OnErrorClose closes the consumer first, as a finally block does.
	OnErrorClose
	// OnErrorRestart ends the process and starts it again.
	OnErrorRestart
)

// ProducerSpec is one producer process: it sends Rate records every Per, the i-th exactly
// i*Per/Rate after Start.
type ProducerSpec struct {
	Name  string
	Topic string
	// To is the neighbour that it writes to, in the place of Topic.
	To string
	// Rate records go every Per.
	Rate int64
	Per  time.Duration
	// Partition is the only partition to write to, or -1: round robin, or by key when Keys is set.
	Partition int32
	// Keys and Values are repeated in turn; both may be empty.
	Keys, Values []string
	// Size, if positive, is the size of each value in bytes.
	Size int
	// Count, if positive, is the number of records after which it stops.
	Count       int64
	Settings    []Setting
	Start, Stop time.Duration
	Place
}

// Check is an expectation or a goal: one query and what its answer must be.
type Check struct {
	Text  string
	Query verdict.Query
	Match verdict.Matcher
	Place
}

// Par is how good a solution may be: at most ChangedLines of the learner's text differ from the
// shipped one (-1: not asked), or a check that a good solution passes.
type Par struct {
	Text         string
	ChangedLines int
	Check        *Check
	Place
}

// Prediction is a question to the learner: exactly one option holds on the run.
type Prediction struct {
	Key     string
	Options []Option
	Place
}

// Option is one possible answer: it holds when all its checks do.
type Option struct {
	Key    string
	Checks []Check
}

// ProcessNames are the names of all consumers and producers, in the order of the file.
func (s *Scenario) ProcessNames() []string {
	var names []string
	for _, c := range s.Consumers {
		names = append(names, c.Name)
	}
	for _, p := range s.Producers {
		names = append(names, p.Name)
	}
	return names
}

// Consumer finds a consumer by its name.
func (s *Scenario) Consumer(name string) (*ConsumerSpec, bool) {
	for _, c := range s.Consumers {
		if c.Name == name {
			return c, true
		}
	}
	return nil, false
}

// Producer finds a producer by its name.
func (s *Scenario) Producer(name string) (*ProducerSpec, bool) {
	for _, p := range s.Producers {
		if p.Name == name {
			return p, true
		}
	}
	return nil, false
}

// Topic finds a topic by its name, among those that exist from the start.
func (s *Scenario) Topic(name string) (*Topic, bool) {
	for i := range s.Topics {
		if s.Topics[i].Name == name {
			return &s.Topics[i], true
		}
	}
	return nil, false
}

// Groups are the group ids of the consumers, each once, in the order of the file; those of
// consumers that actions add come last.
func (s *Scenario) Groups() []string {
	var groups []string
	all := append([]*ConsumerSpec(nil), s.Consumers...)
	for _, c := range append(all, s.code.finder.consumers...) {
		if c.Group != "" && !contains(groups, c.Group) {
			groups = append(groups, c.Group)
		}
	}
	return groups
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
