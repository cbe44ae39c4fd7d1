package client

import (
	"slices"
	"time"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// asyncMembership is the membership of a consumer with group.protocol = consumer (KIP-848): the Java
// client's ConsumerMembershipManager and its heartbeat manager. What Java does in its background
// thread happens at every event; what it leaves to the application's thread, callbacks and the
// change of the assignment, waits in errands for the next poll.
//
// State, member id and member epoch stand in the consumer's membership, as those of the classic
// protocol do: generation is the member epoch, 0 while the member wants to join.
type asyncMembership struct {
	c *Consumer
	// target is what the coordinator has assigned last, current what was acknowledged last.
	target, current localAssignment
	names           map[assign.TopicID]string // of the topics that are assigned
	reconciling     *reconciling

	subscribed  bool // the subscription has changed: the next poll joins, if need be
	pollExpired bool // the member leaves because the application does not poll
	releasing   bool // a stale member is still giving its partitions up
	leaving     bool // the answer to the leave is awaited
	operation   string

	interval  time.Duration // between heartbeats; the coordinator tells it
	inFlight  bool
	backoffTo sim.Time
	failures  int
	sent      sentFields

	errands []func()
	errors  []error // for the next poll to throw
}

// localAssignment is an assignment with a number that grows with every change: the same partitions
// given, taken and given again are not the same assignment.
type localAssignment struct {
	epoch int64 // -1 for none
	parts []assign.TopicIDPartition
}

var noAssignment = localAssignment{epoch: -1}

func (a localAssignment) equal(b localAssignment) bool {
	return a.epoch == b.epoch && slices.Equal(a.parts, b.parts)
}

func newAsyncMembership(c *Consumer) *asyncMembership {
	r := c.env.Rand("member-id")
	m := &asyncMembership{
		c: c, target: noAssignment, current: noAssignment, names: map[assign.TopicID]string{},
		operation: "default",
	}
	m.sent.reset()
	c.grp.state, c.grp.generation = trace.ConsumerUnsubscribed, epochJoin
	c.grp.memberID = wire.UUIDText(r.Uint64(), r.Uint64())
	c.hb.pollAt = c.now().Add(c.cfg.MaxPollInterval)
	return m
}

// Member epochs that are not epochs.
const (
	epochJoin        int32 = 0
	epochLeave       int32 = -1
	epochLeaveStatic int32 = -2
)

// comesFrom are the states that a state may follow. [MemberState]
var comesFrom = map[int64][]int64{
	trace.ConsumerStable: {
		trace.ConsumerJoining, trace.ConsumerAcknowledging, trace.ConsumerReconciling,
	},
	trace.ConsumerReconciling: {
		trace.ConsumerStable, trace.ConsumerJoining, trace.ConsumerAcknowledging,
		trace.ConsumerReconciling,
	},
	trace.ConsumerAcknowledging: {trace.ConsumerReconciling},
	trace.ConsumerFatal: {
		trace.ConsumerJoining, trace.ConsumerStable, trace.ConsumerReconciling,
		trace.ConsumerAcknowledging, trace.ConsumerPrepareLeaving, trace.ConsumerLeaving,
		trace.ConsumerUnsubscribed,
	},
	trace.ConsumerFenced: {
		trace.ConsumerJoining, trace.ConsumerStable, trace.ConsumerReconciling,
		trace.ConsumerAcknowledging, trace.ConsumerPrepareLeaving, trace.ConsumerLeaving,
	},
	trace.ConsumerJoining: {
		trace.ConsumerFenced, trace.ConsumerUnsubscribed, trace.ConsumerStale,
	},
	trace.ConsumerPrepareLeaving: {
		trace.ConsumerJoining, trace.ConsumerStable, trace.ConsumerReconciling,
		trace.ConsumerAcknowledging, trace.ConsumerUnsubscribed,
	},
	trace.ConsumerLeaving: {trace.ConsumerPrepareLeaving},
	trace.ConsumerUnsubscribed: {
		trace.ConsumerPrepareLeaving, trace.ConsumerLeaving, trace.ConsumerFenced,
	},
	trace.ConsumerStale: {trace.ConsumerLeaving},
}

func (m *asyncMembership) state() int64 { return m.c.grp.state }

func (m *asyncMembership) in(states ...int64) bool { return slices.Contains(states, m.state()) }

// enter changes the state; a step that Java's table of states does not have is a fault.
func (m *asyncMembership) enter(state int64) {
	from := m.state()
	if from != state && !slices.Contains(comesFrom[state], from) {
		panic("client: a member goes from " + trace.ConsumerStateNames[from] + " to " +
			trace.ConsumerStateNames[state])
	}
	m.c.setState(state)
}

// outside says whether the member is in no group.
func (m *asyncMembership) outside() bool {
	return m.in(trace.ConsumerUnsubscribed, trace.ConsumerFenced, trace.ConsumerFatal,
		trace.ConsumerStale)
}

// epoch is the member epoch that commits and look-ups of offsets carry; -1 while there is none.
func (m *asyncMembership) epoch() int32 {
	if g := m.c.grp.generation; g > 0 && m.state() != trace.ConsumerFatal {
		return g
	}
	return noGeneration
}

// background is one look of Java's network thread: reconcile what can be, and keep the coordinator
// informed.
func (m *asyncMembership) background() {
	m.maybeReconcile(false)
	m.commitToReconcile()
	m.heartbeats()
}

// changed: the subscription is another one. A member sends it with its next heartbeat, anybody else
// joins in the next poll.
func (m *asyncMembership) changed() { m.subscribed = true }

// onPoll is a poll's message to the background thread. It is the moment at which an assignment may
// be taken up that takes partitions away, or that offsets must be committed before: nothing that
// was returned is being worked on now (F24). [ApplicationEventProcessor]
func (m *asyncMembership) onPoll() {
	m.maybeReconcile(true)
	m.commitToReconcile()
	m.c.maybeAutoCommit()
	if m.subscribed && m.state() == trace.ConsumerUnsubscribed {
		m.join()
	}
	m.subscribed = false
	m.resetPollTimer()
}

// resetPollTimer: the application is alive. A member that had left because it was not joins again,
// once its partitions are given up.
func (m *asyncMembership) resetPollTimer() {
	if m.state() == trace.ConsumerStale && !m.releasing {
		m.pollExpired = false
		m.join()
	}
}

// join makes the member one that wants to join; the next heartbeat does.
func (m *asyncMembership) join() {
	if m.state() == trace.ConsumerFatal {
		return
	}
	if m.reconciling != nil {
		m.reconciling.rejoined = true
	}
	m.c.grp.generation = epochJoin
	m.target, m.names = noAssignment, map[assign.TopicID]string{}
	m.c.env.Trace(trace.Event{
		Kind: trace.MemberID, Name: m.c.env.Ref(m.c.grp.memberID), Peer: m.c.group,
	})
	m.enter(trace.ConsumerJoining)
}

// later leaves an errand to the application's thread.
func (m *asyncMembership) later(errand func()) { m.errands = append(m.errands, errand) }

// runErrands does what was left to the application's thread and says whether a callback is at work.
func (m *asyncMembership) runErrands() (calling bool) {
	for len(m.errands) > 0 && !m.c.calling {
		errand := m.errands[0]
		m.errands = m.errands[1:]
		errand()
	}
	return m.c.calling
}

// callback calls the listener on the application's thread and then next with its error. Without a
// listener, or without partitions, next follows at once.
func (m *asyncMembership) callback(n notification, parts []TopicPartition, next func(error)) {
	c := m.c
	if c.sub.listener == nil || len(parts) == 0 {
		next(nil)
		return
	}
	m.later(func() { m.call(n, parts, next) })
}

// call is callback on the application's thread itself.
func (m *asyncMembership) call(n notification, parts []TopicPartition, next func(error)) {
	before := m.c.callErr
	m.c.notify(n, parts, func() {
		if before == nil {
			next(m.c.callErr)
			return
		}
		next(nil)
	})
}

// takeError is what the background thread has for the next poll to throw.
func (m *asyncMembership) takeError() error {
	if len(m.errors) == 0 {
		return nil
	}
	err := m.errors[0]
	m.errors = m.errors[1:]
	return err
}

// passAsync is the membership's part of a pass: errors and errands of the background thread, then
// the poll's own message to it. [AsyncKafkaConsumer.poll]
func (c *Consumer) passAsync(k *call) bool {
	m := c.async
	for range 2 { // what the message brings up is dealt with in the same pass
		if err := m.takeError(); err != nil {
			c.finishPoll(k, err)
			return false
		}
		if m.runErrands() {
			return false
		}
		if err := wrapCallbackError(c.takeCallbackError()); err != nil {
			c.finishPoll(k, err)
			return false
		}
		if !k.told {
			k.told = true
			m.onPoll()
		}
	}
	m.heartbeats()
	k.phase = pollPositions
	return true
}
