package script

import "time"

// Action is something that the scenario does to the run: steps that begin when a trigger comes.
type Action struct {
	Trigger Trigger
	Steps   []Step
	// Text is the action as it may be written in the scenario.
	Text string
	Place
}

// Step is one act, Delay after the trigger of its action.
type Step struct {
	Delay time.Duration
	Do    Act
	Text  string
}

// TriggerKind says what an action waits for.
type TriggerKind uint8

const (
	// TriggerNow: at once. Commands of a person have it.
	TriggerNow TriggerKind = iota
	// TriggerAt: at time At.
	TriggerAt
	// TriggerProcessed: a process finishes the record Offset of Topic-Partition.
	TriggerProcessed
	// TriggerSent: Node sends its Nth request of kind API.
	TriggerSent
	// TriggerArrived: the Nth request of kind API from Node arrives.
	TriggerArrived
	// TriggerAnswered: the Nth answer to such a request is sent to Node.
	TriggerAnswered
	// TriggerCommitted: the committed offset of Group for Topic-Partition becomes Offset or more.
	TriggerCommitted
	// TriggerAssigned: Node comes to own Topic-Partition (Topic empty: any partition).
	TriggerAssigned
	// TriggerState: Group enters the state Text.
	TriggerState
	// TriggerLog: Node logs a line that contains Text.
	TriggerLog
	// TriggerStarted: Node starts for the Nth time.
	TriggerStarted
	// TriggerEnded: Node ends for the Nth time.
	TriggerEnded
	// TriggerJoined: the coordinator takes a member of Node in for the Nth time.
	TriggerJoined
	// TriggerRemoved: the coordinator removes a member of Node for the Nth time.
	TriggerRemoved
)

// Trigger is what an action waits for; the fields read depend on Kind. A trigger comes once.
type Trigger struct {
	Kind      TriggerKind
	At        time.Duration
	Node      string
	Group     string
	Topic     string
	Partition int32
	Offset    int64
	// API is a request's key in the protocol.
	API  int32
	Text string
	Nth  int
}

// Act is one thing to be done; the concrete type says what.
type Act interface {
	act()
}

// Acts on processes. Node is a consumer, a producer or a broker (broker-1).
type (
	// Kill is kill -9: nothing is said to anybody.
	Kill struct{ Node string }
	// Stop is SIGTERM: the program's next blocking call is woken up, then close() runs.
	Stop struct{ Node string }
	// Start starts a process that does not run, as a new incarnation.
	Start struct{ Node string }
	// Restart is Stop, then Start once it has ended and Down has passed.
	Restart struct {
		Node string
		Down time.Duration
	}
	// Freeze stops a process's world for For, as a long garbage collection does; 0: until Thaw.
	Freeze struct {
		Node string
		For  time.Duration
	}
	// Thaw ends a Freeze.
	Thaw struct{ Node string }
	// Throttle leaves a process Percent of its speed: work takes 100/Percent times as long. For 0:
	// for good. 100 ends it.
	Throttle struct {
		Node    string
		Percent int64
		For     time.Duration
	}
	// SlowHandler makes every process() of a consumer last Factor times as long and Extra longer.
	SlowHandler struct {
		Node   string
		Factor int64
		Extra  time.Duration
		For    time.Duration
	}
	// Reconfigure changes settings of a process from its next start on.
	Reconfigure struct {
		Node     string
		Settings []Setting
	}
	// AddConsumer starts a consumer that was not there before.
	AddConsumer struct{ Spec *ConsumerSpec }
)

// Acts on the network. Message is the number of a message, or 0: the one of the trigger.
type (
	// Partition lets nothing pass between any process of A and any of B, for Heal (0: until Heal).
	Partition struct {
		A, B []string
		Heal time.Duration
	}
	// Heal ends a partition between A and B, or every partition when both are empty.
	Heal struct{ A, B []string }
	// Hold keeps a message on the wire for For (0: until Release).
	Hold struct {
		Message int64
		For     time.Duration
	}
	// Release lets a held message go on.
	Release struct{ Message int64 }
	// Drop loses a message together with its connection.
	Drop struct{ Message int64 }
	// Respond answers a request with the Kafka error named Error in place of the broker.
	Respond struct {
		Message int64
		Error   string
	}
)

// Acts on the cluster.
type (
	// KillBroker is kill -9 of a broker. Its disk survives.
	KillBroker struct{ ID int }
	// StopBroker is a clean stop.
	StopBroker struct{ ID int }
	// StartBroker starts it again on its disk.
	StartBroker struct{ ID int }
	// MoveCoordinator moves the partition of __consumer_offsets that Group lives in to broker To (0:
	// the next one).
	MoveCoordinator struct {
		Group string
		To    int
	}
	// MoveLeader makes broker To (0: the next one) the leader of a partition; it must be in sync.
	MoveLeader struct {
		Topic     string
		Partition int32
		To        int
	}
	// Elect has the first replica of a partition's list lead again or, Unclean, any that is alive when
	// there is no leader, even if it lacks acknowledged records.
	Elect struct {
		Topic     string
		Partition int32
		Unclean   bool
	}
	// DeleteTopic deletes a topic, and with it the offsets that groups committed in it.
	DeleteTopic struct{ Topic string }
	// DeleteRecords moves a partition's log start up to Offset.
	DeleteRecords struct {
		Topic     string
		Partition int32
		Offset    int64
	}
	// AddPartitions raises the number of partitions of a topic to Total.
	AddPartitions struct {
		Topic string
		Total int
	}
	// CreateTopic creates a topic.
	CreateTopic struct{ Topic Topic }
	// SetConfig changes a setting of a topic or of a group, or of all brokers when neither is named.
	SetConfig struct {
		Topic   string
		Group   string
		Setting Setting
	}
)

func (Kill) act()            {}
func (Stop) act()            {}
func (Start) act()           {}
func (Restart) act()         {}
func (Freeze) act()          {}
func (Thaw) act()            {}
func (Throttle) act()        {}
func (SlowHandler) act()     {}
func (Reconfigure) act()     {}
func (AddConsumer) act()     {}
func (Partition) act()       {}
func (Heal) act()            {}
func (Hold) act()            {}
func (Release) act()         {}
func (Drop) act()            {}
func (Respond) act()         {}
func (KillBroker) act()      {}
func (StopBroker) act()      {}
func (StartBroker) act()     {}
func (MoveCoordinator) act() {}
func (MoveLeader) act()      {}
func (Elect) act()           {}
func (DeleteTopic) act()     {}
func (DeleteRecords) act()   {}
func (AddPartitions) act()   {}
func (CreateTopic) act()     {}
func (SetConfig) act()       {}
