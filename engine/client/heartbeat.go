package client

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// heartbeat is the Java client's heartbeat thread and its three timers, without the thread's
// ticks: a beat leaves exactly heartbeat.interval.ms after the last one, the first so long after
// the Join's answer.
type heartbeat struct {
	enabled   bool
	nextAt    sim.Time // of the next beat
	sessionAt sim.Time // when the client gives the coordinator up
	pollAt    sim.Time // when max.poll.interval.ms is over; 0: not running
	failures  int      // beats in a row that have failed
	// pollTraced is the pollAt that the trace knows.
	pollTraced sim.Time
}

// enable starts the beats and all timers, when a Join has succeeded (C27).
func (h *heartbeat) enable(c *Consumer) {
	now := c.now()
	h.enabled = true
	h.sessionAt = now.Add(c.cfg.SessionTimeout)
	if !c.cfg.Library.Background {
		h.pollAt = now.Add(c.cfg.MaxPollInterval)
		c.tracePollTimer()
	}
	h.next(c, now.Add(c.cfg.HeartbeatInterval))
}

// disable stops them: while the member is not joined nobody expects a beat (C26).
func (h *heartbeat) disable(c *Consumer) {
	if h.enabled {
		h.enabled = false
		c.env.Trace(trace.Event{Kind: trace.HeartbeatTimer})
	}
}

func (h *heartbeat) next(c *Consumer, t sim.Time) {
	h.nextAt = t
	c.env.Trace(trace.Event{Kind: trace.HeartbeatTimer, X: t.Since()})
}

func (c *Consumer) tracePollTimer() {
	c.hb.pollTraced = c.hb.pollAt
	e := trace.Event{Kind: trace.PollTimer}
	if c.hb.pollAt != 0 {
		e.X = c.hb.pollAt.Since()
	}
	c.env.Trace(e)
}

// pollHeartbeat is the part of a poll: it proves that the application is alive. The trace is told
// when the poll returns, or now if that is long away.
func (c *Consumer) pollHeartbeat() {
	c.hb.pollAt = c.now().Add(c.cfg.MaxPollInterval)
	if c.hb.pollAt.Sub(c.hb.pollTraced) > c.cfg.HeartbeatInterval {
		c.tracePollTimer()
	}
}

// heartbeats is one look of the heartbeat thread (C26).
func (c *Consumer) heartbeats() {
	h := &c.hb
	c.lead()
	if !h.enabled {
		return
	}
	if c.grp.state == trace.ConsumerUnjoined || c.grp.state == trace.ConsumerPreparing {
		h.disable(c)
		return
	}
	now := c.now()
	if c.coordinatorKnown() && now >= h.sessionAt {
		c.coordinatorLost("session timed out without receiving a heartbeat response")
	}
	if h.pollAt != 0 {
		if now >= h.pollAt {
			c.pollExpired()
			return
		}
		c.wakeAt(h.pollAt)
	}
	if !c.coordinatorReady() {
		return
	}
	c.wakeAt(max(h.sessionAt, now+1))
	if now >= h.nextAt {
		c.beat()
	}
	c.wakeAt(h.nextAt)
}

// pollExpired: the application has not polled for max.poll.interval.ms. A dynamic member leaves, a
// static one falls silent (C28).
func (c *Consumer) pollExpired() {
	c.env.Trace(trace.Event{Kind: trace.PollExpired})
	c.log(logWarn, "consumer poll timeout has expired: the time between two polls was longer than "+
		"max.poll.interval.ms")
	c.leaveGroup("consumer poll timeout has expired.", "default")
}

func (c *Consumer) beat() {
	c.metrics.Heartbeats++
	now := c.now()
	c.hb.next(c, now.Add(c.cfg.HeartbeatInterval))
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.Generation, req.MemberID = c.cfg.GroupID, c.grp.generation, c.grp.memberID
	req.InstanceID = c.instanceID()
	generation, member := c.grp.generation, c.grp.memberID
	c.ask(req, func(resp kmsg.Response, err error) {
		same := generation == c.grp.generation && member == c.grp.memberID
		c.beaten(resp, err, same)
	})
}

// beaten is the Heartbeat column of the error table (C.7). same says whether the member still is in
// the generation that it was beating in.
func (c *Consumer) beaten(resp kmsg.Response, err error, same bool) {
	if c.cfg.Library.Generations {
		switch {
		case err == nil && resp.(*kmsg.HeartbeatResponse).ErrorCode == 0:
			c.heard()
		case same && c.grp.state == trace.ConsumerStable:
			c.generationOver("a heartbeat has failed")
		}
		return
	}
	if err != nil {
		c.coordinatorLost("heartbeat: " + err.Error())
		c.failHeartbeat()
		return
	}
	switch code := wire.Code(resp.(*kmsg.HeartbeatResponse).ErrorCode); code {
	case wire.None:
		c.heard()
	case wire.RebalanceInProgress:
		c.heard()
		if c.grp.state == trace.ConsumerStable {
			c.requestRejoin("group is already rebalancing")
		}
	case wire.CoordinatorNotAvailable, wire.NotCoordinator:
		c.coordinatorLost("error response " + code.Name())
		c.failHeartbeat()
	case wire.IllegalGeneration, wire.UnknownMemberID, wire.FencedInstanceID:
		if !same {
			c.heard()
			return
		}
		c.log(logInfo, "Attempt to heartbeat failed due to "+code.Name()+", resetting generation")
		c.resetGeneration(code != wire.IllegalGeneration, "encountered "+code.Name()+
			" from HEARTBEAT response")
		if code == wire.FencedInstanceID {
			c.grp.fatal = codeError(code)
		}
	default: // Java tries these again and tells nobody, authorization among them
		c.failHeartbeat()
	}
}

// heard: the coordinator counts this member as alive.
func (c *Consumer) heard() {
	c.hb.sessionAt, c.hb.failures = c.now().Add(c.cfg.SessionTimeout), 0
}

// failHeartbeat tries again after a back-off that grows with each failure in a row.
// [Heartbeat.failHeartbeat]
func (c *Consumer) failHeartbeat() {
	if c.hb.enabled {
		c.hb.next(c, c.now().Add(c.retryBackoff(c.hb.failures)))
		c.hb.failures++
	}
}
