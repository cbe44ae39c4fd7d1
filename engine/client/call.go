package client

import (
	"time"

	"rebalancelab/engine/sim"
)

// callKind is which blocking method is under way.
type callKind uint8

const (
	callPoll callKind = iota
	callCommit
	callCommitted
	callPosition
	callUnsubscribe
	callClose
)

// call is one blocking call of the application. Its step is taken anew at every event until it is
// finished; then its continuation is called.
type call struct {
	kind     callKind
	started  sim.Time
	deadline sim.Time
	finished bool
	err      error

	phase   pollPhase
	told    bool // this pass has told the background thread of itself
	missing bool // this pass found partitions without position
	records []Record
	retryAt sim.Time
	tries   int

	offsets []Offset
	commit  *commit
	lookup  *committedLookup
	parts   []TopicPartition
	tp      TopicPartition
	at      int64
	stage   closeStage

	onRecords  func([]Record, error)
	onDone     func(error)
	onOffsets  func([]Offset, error)
	onPosition func(int64, error)
}

// push puts a new call on top.
func (c *Consumer) push(kind callKind, timeout time.Duration) *call {
	k := c.spare
	c.spare = nil
	if k == nil {
		k = new(call)
	}
	now := c.now()
	*k = call{kind: kind, started: now, deadline: now.Add(max(timeout, 0)), at: -1}
	if now.Add(timeout) < now { // a timeout without end
		k.deadline = 1<<63 - 1
	}
	c.calls = append(c.calls, k)
	c.grp.findTries, c.grp.findAt = 0, now // each call of the application searches anew
	if c.closed && kind != callClose {
		c.finish(k, illegalState("this consumer has already been closed"))
	}
	return k
}

// finish ends a call; its continuation follows once the call has cost minCall.
func (c *Consumer) finish(k *call, err error) {
	k.finished, k.err = true, err
}

// wake does what is due: the heartbeat thread's part, metadata, the application thread's part.
// Then, as its last act, it may hand control to the application.
func (c *Consumer) wake() {
	if c.busy {
		c.again = true
		return
	}
	if c.gone {
		c.deliver()
		return
	}
	c.busy = true
	for {
		c.again = false
		if c.async != nil {
			c.async.background()
		} else {
			c.heartbeats()
		}
		if c.cfg.Library.Background {
			c.turn()
		}
		if !c.closed {
			c.meta.update()
		}
		c.step()
		if !c.again {
			break
		}
	}
	c.busy = false
	c.deliver()
}

// step lets the call on top go on, unless it waits for a callback.
func (c *Consumer) step() {
	n := len(c.calls)
	if n == 0 || c.calling && n <= c.callBase {
		return
	}
	k := c.calls[n-1]
	if k.finished {
		return
	}
	if c.woken && k.kind != callClose && k.kind != callUnsubscribe {
		c.woken = false
		c.finish(k, &WakeupError{})
		return
	}
	switch k.kind {
	case callPoll:
		if c.cfg.Library.Background {
			c.stepTake(k)
		} else {
			c.stepPoll(k)
		}
	case callCommit:
		c.stepCommit(k)
	case callCommitted:
		c.stepCommitted(k)
	case callPosition:
		c.stepPosition(k)
	case callUnsubscribe:
		c.stepUnsubscribe(k)
	case callClose:
		c.stepClose(k)
	}
}

// deliver calls the continuation of the call on top if it is finished and has cost its time.
func (c *Consumer) deliver() {
	n := len(c.calls)
	if n == 0 || !c.calls[n-1].finished || c.calling && n <= c.callBase {
		return
	}
	k := c.calls[n-1]
	if due := k.started.Add(minCall); c.now() < due {
		c.deliverAt(due)
		return
	}
	c.calls[n-1] = nil
	c.calls = c.calls[:n-1]
	records, err := k.records, k.err
	onRecords, onDone, onOffsets, onPosition := k.onRecords, k.onDone, k.onOffsets, k.onPosition
	offsets, at := k.offsets, k.at
	*k = call{}
	c.spare = k
	switch {
	case onRecords != nil:
		onRecords(records, err)
	case onOffsets != nil:
		onOffsets(offsets, err)
	case onPosition != nil:
		onPosition(at, err)
	default:
		onDone(err)
	}
}

// deliverAt: a closed consumer has no alarm any more, so the last call keeps its own.
func (c *Consumer) deliverAt(t sim.Time) {
	if c.gone {
		c.env.After(t.Sub(c.now()), c.deliver)
		return
	}
	c.wakeAt(t)
}
