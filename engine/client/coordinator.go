package client

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

const (
	noGeneration int32 = -1
	noNode       int32 = -1
)

// membership is what the consumer knows of its group: the Java client's AbstractCoordinator.
type membership struct {
	state      int64 // a trace.ConsumerState value
	generation int32
	memberID   string
	protocol   string
	leader     bool

	// rejoin is set when the next poll must join again; reason is sent along (KIP-800).
	rejoin bool
	reason string
	fatal  error // found by a heartbeat, raised by the next poll

	coordinator int32
	link        *link
	finding     bool
	findAt      sim.Time // not before
	findTries   int
	findErr     error // fatal, raised by the blocking call
	onFound     []func(error)

	join       joinPhase
	joinErr    *Error
	rediscover bool // that error cost the coordinator
	joinRound  int  // to tell a late answer from the present one
	retryAt    sim.Time
	leading    *kmsg.JoinGroupResponse
	leadFrom   int // how many metadata answers must have come before it assigns
	assignment []byte

	joinedTopics []string // what the last Join subscribed to
	snapshot     []topicCount
	memories     map[string]*assign.Memory // of each assignor that was ever chosen

	prepare      preparePhase
	prepared     bool // this rebalance has been prepared, or is being
	prepareUntil sim.Time
	prepareAt    sim.Time // next try of its commit
	prepCommit   *commit
}

func (c *Consumer) setState(state int64) {
	if c.grp.state == state && state != trace.ConsumerStable {
		return
	}
	c.grp.state = state
	c.traceState()
}

func (c *Consumer) traceState() {
	c.env.Trace(trace.Event{
		Kind: trace.ConsumerState, X: c.grp.state, Y: int64(c.grp.generation), Name: c.group,
	})
}

func (c *Consumer) setMemberID(id string) {
	if c.grp.memberID == id {
		return
	}
	c.grp.memberID = id
	c.env.Trace(trace.Event{Kind: trace.MemberID, Name: c.env.Ref(id), Peer: c.group})
}

// resetGeneration forgets the generation, and the member id too if all is true, and has the next
// poll join again. The partitions are lost from now on; that poll says so to the listener (C34).
// [AbstractCoordinator.resetStateAndRejoin]
func (c *Consumer) resetGeneration(all bool, reason string) {
	c.grp.generation, c.grp.prepared = noGeneration, false
	if all {
		c.setMemberID("")
	}
	c.setState(trace.ConsumerUnjoined)
	c.requestRejoin(reason)
}

// generationLost says whether what the member owns is no longer its own (C34).
func (c *Consumer) generationLost() bool {
	return c.grp.generation == noGeneration || c.grp.memberID == ""
}

// requestRejoin makes the next poll join again; the last reason given is sent along (A25).
func (c *Consumer) requestRejoin(reason string) {
	c.log(logInfo, "Request joining group due to: "+reason)
	c.grp.rejoin, c.grp.reason = true, reason
}

// requestRejoinOnce is requestRejoin unless that is asked for already.
func (c *Consumer) requestRejoinOnce(reason string) {
	if !c.grp.rejoin {
		c.requestRejoin(reason)
	}
}

func (c *Consumer) static() bool { return c.cfg.GroupInstanceID != "" }

func (c *Consumer) instanceID() *string {
	if c.cfg.GroupInstanceID == "" {
		return nil
	}
	return &c.cfg.GroupInstanceID
}

func (c *Consumer) coordinatorKnown() bool { return c.grp.coordinator != noNode }

// coordinatorReady says whether the coordinator is known, and asks for it if not. It is called at
// every event while somebody waits.
func (c *Consumer) coordinatorReady() bool {
	g := &c.grp
	if g.coordinator != noNode {
		if !g.link.resting() {
			return true
		}
		// Found, but it cannot be reached: look it up again after a while.
		c.coordinatorLost("coordinator unavailable")
		c.findLater()
	}
	if g.finding {
		return false
	}
	if c.now() < g.findAt {
		c.wakeAt(g.findAt)
		return false
	}
	c.findCoordinator()
	return false
}

func (c *Consumer) findCoordinator() {
	l := c.leastLoaded()
	if l == nil {
		return
	}
	c.grp.finding = true
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorKey, req.CoordinatorKeys = c.cfg.GroupID, []string{c.cfg.GroupID}
	l.send(req, c.opt.requestTimeout, c.foundCoordinator)
}

func (c *Consumer) foundCoordinator(resp kmsg.Response, err error) {
	g := &c.grp
	g.finding = false
	code, node := wire.CoordinatorNotAvailable, noNode
	if err == nil {
		r := resp.(*kmsg.FindCoordinatorResponse)
		code, node = wire.Code(r.ErrorCode), r.NodeID
		if r.Version >= 4 {
			code, node = wire.UnknownServerError, noNode
			if len(r.Coordinators) == 1 {
				code, node = wire.Code(r.Coordinators[0].ErrorCode), r.Coordinators[0].NodeID
			}
		}
	}
	switch {
	case code == wire.None:
		g.coordinator, g.link = node, c.link(node, roleCoordinator)
		c.log(logInfo, "Discovered group coordinator "+nodeName(node))
		g.link.connect()
		c.hb.sessionAt = c.now().Add(c.cfg.SessionTimeout)
		c.tellFound(nil)
	case code.Retriable():
		c.meta.want()
		c.findLater()
		c.tellFound(codeError(code))
	default:
		g.findErr = codeError(code)
		c.findLater()
		c.tellFound(g.findErr)
	}
}

// findLater puts the next FindCoordinator off by retry.backoff.ms, which doubles with each try up to
// retry.backoff.max.ms until a coordinator has been reached (KIP-580).
// [AbstractCoordinator.ensureCoordinatorReady]
func (c *Consumer) findLater() {
	c.grp.findAt = c.now().Add(c.retryBackoff(c.grp.findTries))
	c.grp.findTries++
}

// tellFound answers the asynchronous commits that wait for the coordinator.
func (c *Consumer) tellFound(err error) {
	waiting := c.grp.onFound
	c.grp.onFound = nil
	for _, fn := range waiting {
		fn(err)
	}
}

// takeFindError is the fatal answer to a FindCoordinator, once.
func (c *Consumer) takeFindError() error {
	err := c.grp.findErr
	c.grp.findErr = nil
	return err
}

// coordinatorLost forgets the coordinator and closes the connection to it; what is under way on it
// fails. [AbstractCoordinator.markCoordinatorUnknown]
func (c *Consumer) coordinatorLost(cause string) {
	g := &c.grp
	if g.coordinator == noNode {
		return
	}
	c.log(logInfo, "Group coordinator "+nodeName(g.coordinator)+
		" is unavailable or invalid due to cause: "+cause+". Rediscovery will be attempted")
	l := g.link
	g.coordinator, g.link = noNode, nil
	ready := l.state == linkReady
	l.hangUp()
	if ready {
		g.findTries = 0
		l.retryAt, l.failures = c.now(), 0
	}
}

// dropped hears of a connection that ended by itself.
func (c *Consumer) dropped(l *link) {
	c.meta.want()
	if l.role == roleCoordinator && c.grp.link == l {
		c.coordinatorLost("the connection was closed")
		if l.failures > 1 { // it was not reached at all since it was found
			c.findLater()
		} else {
			c.grp.findTries = 0
		}
	}
}

// ask sends a request to the coordinator, which must be known.
func (c *Consumer) ask(req kmsg.Request, done func(kmsg.Response, error)) {
	c.grp.link.send(req, c.opt.requestTimeout, done)
}
