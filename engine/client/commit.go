package client

import (
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// Kinds of commits: Z of trace.CommitSent.
const (
	commitSync int64 = iota
	commitAsync
	commitAuto
)

// commit is one attempt to commit offsets.
type commit struct {
	number     int64
	kind       int64
	offsets    []Offset
	generation int32
	member     string
	done       bool
	err        error
	cb         func([]Offset, error)
	queued     bool // its end is told by a later call on the application's thread
}

// committer is the consumer's commits.
type committer struct {
	last      int64
	pending   int       // asynchronous ones without an answer
	completed []*commit // whose callbacks wait for the application's thread
	fenced    *Error    // an asynchronous one was answered FENCED_INSTANCE_ID
	nextAuto  sim.Time  // when the next poll commits by itself (C24)
}

func retriable(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Retriable
}

// sendCommit sends offsets, or fails at once when this member cannot commit now (C38). cb is called
// at the end, on whatever thread.
func (c *Consumer) sendCommit(kind int64, offsets []Offset, cb func([]Offset, error)) *commit {
	k := &commit{kind: kind, offsets: offsets, cb: cb, generation: noGeneration}
	if len(offsets) == 0 {
		k.done = true
		return k
	}
	switch {
	case c.sub.kind != subscribedTopics:
	case c.async != nil: // whatever the state: the coordinator decides
		k.generation, k.member = c.async.epoch(), c.grp.memberID
	case c.grp.state != trace.ConsumerStable:
		return c.refuse(k)
	default:
		k.generation, k.member = c.grp.generation, c.grp.memberID
	}
	if !c.coordinatorKnown() {
		k.done, k.err = true, codeError(wire.CoordinatorNotAvailable)
		return k
	}
	c.metrics.Commits++
	c.commits.last++
	k.number = c.commits.last
	for _, o := range offsets {
		c.env.Trace(trace.Event{
			Kind: trace.CommitSent, Name: c.env.Ref(o.TP.Topic), Part: o.TP.Partition, X: o.Offset,
			Y: k.number, Z: kind,
		})
	}
	c.ask(c.commitRequest(k), func(resp kmsg.Response, err error) { c.committed(k, resp, err) })
	return k
}

// refuse fails a commit without sending it.
func (c *Consumer) refuse(k *commit) *commit {
	err := commitFailed()
	if c.grp.state != trace.ConsumerUnjoined {
		err = rebalanceInProgress()
	}
	c.log(logInfo, "the commit fails and is not sent: this consumer is in no group at the moment")
	c.env.Trace(trace.Event{Kind: trace.CommitRefused, Name: c.env.Ref(err.Name)})
	k.done, k.err = true, err
	return k
}

// commitByName is the last version of OffsetCommit and OffsetFetch that names topics; the classic
// consumer goes no further. [OffsetCommitRequest.Builder.forTopicNames]
const commitByName = 9

func (c *Consumer) commitRequest(k *commit) *kmsg.OffsetCommitRequest {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation, req.MemberID = c.cfg.GroupID, k.generation, k.member
	if c.sub.kind == subscribedTopics {
		req.InstanceID = c.instanceID()
	}
	req.SetVersion(commitByName)
	for i := range k.offsets {
		o := &k.offsets[i]
		t := slices.IndexFunc(req.Topics, func(t kmsg.OffsetCommitRequestTopic) bool {
			return t.Topic == o.TP.Topic
		})
		if t < 0 {
			t = len(req.Topics)
			topic := kmsg.NewOffsetCommitRequestTopic()
			topic.Topic = o.TP.Topic
			req.Topics = append(req.Topics, topic)
		}
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.Metadata = o.TP.Partition, o.Offset, &o.Metadata
		p.LeaderEpoch = o.epochPlusOne - 1
		req.Topics[t].Partitions = append(req.Topics[t].Partitions, p)
	}
	if c.async != nil {
		c.async.nameCommitByID(req)
	}
	return req
}

// committed takes the answer.
func (c *Consumer) committed(k *commit, resp kmsg.Response, err error) {
	code, name := wire.None, ""
	if err != nil {
		c.coordinatorLost("commit: " + err.Error())
		k.err, name = err, asError(err).Name
	} else {
		code = firstCommitError(resp.(*kmsg.OffsetCommitResponse))
		if c.async != nil {
			k.err = c.async.commitError(code)
		} else {
			k.err = c.commitError(k, code)
		}
		if code != wire.None {
			name = code.Name()
		}
	}
	c.env.Trace(trace.Event{
		Kind: trace.CommitDone, Name: c.env.Ref(name), Y: k.number, Z: k.kind,
	})
	k.done = true
	if k.queued {
		c.commits.pending--
		c.commits.completed = append(c.commits.completed, k)
		if code == wire.FencedInstanceID && errors.As(k.err, &c.commits.fenced) &&
			c.commits.fenced.Code != code {
			c.commits.fenced = nil // overtaken: the member has another generation already
		}
	}
}

func firstCommitError(r *kmsg.OffsetCommitResponse) wire.Code {
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			if code := r.Topics[i].Partitions[j].ErrorCode; code != 0 {
				return wire.Code(code)
			}
		}
	}
	return wire.None
}

// commitError is the OffsetCommit column of the error table (C.7).
func (c *Consumer) commitError(k *commit, code wire.Code) error {
	if c.cfg.Library.Generations && code != wire.None {
		e := codeError(code)
		e.Retriable = true // up to CommitTries, whatever it is
		return e
	}
	same := k.generation == c.grp.generation && k.member == c.grp.memberID
	switch code {
	case wire.None:
		return nil
	case wire.CoordinatorNotAvailable, wire.NotCoordinator, wire.RequestTimedOut:
		c.coordinatorLost("error response " + code.Name())
		e := codeError(code)
		e.Retriable = true
		return e
	case wire.RebalanceInProgress:
		c.requestRejoin("offset commit failed since group is already rebalancing")
		return rebalanceInProgress()
	case wire.FencedInstanceID:
		if same {
			return codeError(code)
		}
		return c.overtaken()
	case wire.UnknownMemberID, wire.IllegalGeneration:
		c.log(logInfo, "OffsetCommit failed: "+code.Name())
		if !same && c.grp.state == trace.ConsumerPreparing {
			return rebalanceInProgress()
		}
		if c.sub.kind == subscribedTopics && same {
			c.resetGeneration(code == wire.UnknownMemberID, "encountered "+code.Name()+
				" from OFFSET_COMMIT response")
		}
		e := commitFailed()
		e.Code = code
		e.Text = code.Name() + ": " + e.Text
		return e
	}
	e := codeError(code)
	if e.Retriable && code != wire.CoordinatorLoadInProgress && code != wire.UnknownTopicOrPartition {
		e.Name, e.Text, e.Retriable = ErrKafka, "unexpected error in commit: "+code.Name(), false
	}
	return e
}

// overtaken is a commit's error when the member has moved on to another generation meanwhile.
func (c *Consumer) overtaken() error {
	if c.grp.state == trace.ConsumerPreparing {
		return rebalanceInProgress()
	}
	return commitFailed()
}

// commitAsync sends without waiting; while the coordinator is unknown the commit waits for it once.
// It is not tried again (C40).
func (c *Consumer) commitAsync(kind int64, offsets []Offset, cb func([]Offset, error)) {
	if len(offsets) == 0 || c.cfg.GroupID == "" || c.coordinatorReady() {
		c.queueCommit(c.sendCommit(kind, offsets, cb), cb)
		return
	}
	c.commits.pending++
	c.grp.onFound = append(c.grp.onFound, func(err error) {
		c.commits.pending--
		if err == nil {
			c.queueCommit(c.sendCommit(kind, offsets, cb), cb)
			return
		}
		c.commits.completed = append(c.commits.completed,
			&commit{kind: kind, offsets: offsets, cb: cb, done: true, err: err})
	})
}

// queueCommit makes the end of k known to the application's thread.
func (c *Consumer) queueCommit(k *commit, cb func([]Offset, error)) {
	k.cb = cb
	if k.done {
		c.commits.completed = append(c.commits.completed, k)
		return
	}
	k.queued = true
	c.commits.pending++
}

// runCommitCallbacks calls those whose commits have ended, in the order of their ends (C40). After
// an asynchronous commit of a fenced member it only gives that error.
// [ConsumerCoordinator.invokeCompletedOffsetCommitCallbacks]
func (c *Consumer) runCommitCallbacks() error {
	if c.commits.fenced != nil {
		return c.commits.fenced
	}
	for len(c.commits.completed) > 0 {
		k := c.commits.completed[0]
		c.commits.completed = c.commits.completed[1:]
		err := k.err
		if k.kind == commitAsync && err != nil && retriable(err) {
			err = &Error{Name: ErrRetriableCommit, Text: err.Error(), Retriable: true}
		}
		switch {
		case k.cb != nil:
			k.cb(k.offsets, err)
		case err != nil:
			c.log(logError, "Offset commit failed: "+err.Error())
		}
	}
	return nil
}

// maybeAutoCommit is the last step of a poll's coordinator part: C22 (1), C24.
func (c *Consumer) maybeAutoCommit() {
	if !c.cfg.EnableAutoCommit || c.now() < c.commits.nextAuto {
		return
	}
	c.commits.nextAuto = c.now().Add(c.cfg.AutoCommitInterval)
	c.autoCommit()
}

func (c *Consumer) autoCommit() {
	c.commitAsync(commitAuto, c.consumed(), func(_ []Offset, err error) {
		switch {
		case err == nil:
		case retriable(err):
			c.commits.nextAuto = c.now().Add(c.cfg.RetryBackoff)
		default:
			c.log(logWarn, "Asynchronous auto-commit of offsets failed: "+err.Error())
		}
	})
}

// stepCommit is commitSync (C39).
func (c *Consumer) stepCommit(k *call) {
	if c.cfg.GroupID == "" {
		c.finish(k, noGroup("to commit, a consumer needs a group.id"))
		return
	}
	if err := c.runCommitCallbacks(); err != nil {
		c.finish(k, err)
		return
	}
	if len(k.offsets) == 0 {
		if c.commits.pending == 0 {
			c.finish(k, nil)
		} else {
			c.waitCommit(k)
			c.coordinatorReady()
		}
		return
	}
	done, err := c.tryCommit(k, commitSync)
	switch {
	case done:
		c.finish(k, err)
	default:
		c.waitCommit(k)
	}
}

func (c *Consumer) waitCommit(k *call) {
	if c.now() >= k.deadline {
		d := k.deadline.Sub(k.started)
		c.finish(k, timeoutError("%v expired before the offsets were committed", d))
		return
	}
	c.wakeAt(k.deadline)
}

// tryCommit commits k's offsets, again after each retriable failure.
func (c *Consumer) tryCommit(k *call, kind int64) (done bool, err error) {
	for {
		if k.commit == nil {
			if c.now() < k.retryAt {
				c.wakeAt(k.retryAt)
				return false, nil
			}
			if !c.coordinatorReady() {
				err := c.takeFindError()
				return err != nil, err
			}
			if c.cfg.Library.Generations && c.grp.state != trace.ConsumerStable {
				return false, nil // the next generation's commit loop will take it
			}
			k.commit = c.sendCommit(kind, k.offsets, nil)
		}
		if !k.commit.done {
			return false, nil
		}
		if err := c.runCommitCallbacks(); err != nil {
			return true, err
		}
		err := k.commit.err
		if err == nil || !retriable(err) {
			return true, err
		}
		k.commit = nil
		k.retryAt = c.now().Add(c.retryBackoff(k.tries))
		if k.tries++; k.tries == c.cfg.Library.CommitTries {
			return true, err
		}
	}
}
