package client

import (
	"slices"

	"rebalancelab/engine/assign"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
	"rebalancelab/engine/wire"
)

// reconciling is an assignment on its way to being taken up: commit, give up, take, acknowledge. One
// at a time (F24).
type reconciling struct {
	to              localAssignment
	assigned        []TopicPartition
	revoked, added  []TopicPartition
	rejoined        bool // the member has joined anew meanwhile: what it was given counts no more
	committed       bool
	commit          *commit
	commitTo, again sim.Time // until when, and when next
	tries           int
}

// receive takes a new target from a heartbeat's answer. [processAssignmentReceived]
func (m *asyncMembership) receive(parts []assign.TopicIDPartition) {
	if m.target.epoch < 0 || !slices.Equal(parts, m.target.parts) {
		m.target = localAssignment{m.target.epoch + 1, parts}
	}
	if !m.target.equal(m.current) {
		m.enter(trace.ConsumerReconciling)
		return
	}
	if m.in(trace.ConsumerReconciling, trace.ConsumerJoining) {
		m.enter(trace.ConsumerStable)
	}
}

// maybeReconcile begins to take up the target. Outside of a poll that may be done only if nothing
// goes and nothing is to be committed: the application could be at work on records (F24).
func (m *asyncMembership) maybeReconcile(inPoll bool) {
	c := m.c
	if m.state() != trace.ConsumerReconciling || m.target.equal(m.current) || m.reconciling != nil {
		return
	}
	to := localAssignment{epoch: m.target.epoch}
	var assigned []TopicPartition
	for _, p := range m.target.parts {
		if name, ok := m.topicName(p.Topic); ok {
			to.parts = append(to.parts, p)
			assigned = append(assigned, TopicPartition{Topic: name, Partition: p.Partition})
		}
	}
	if m.current.epoch >= 0 && slices.Equal(to.parts, m.current.parts) {
		m.current = to
		m.enter(trace.ConsumerAcknowledging)
		return
	}
	assigned, owned := sorted(assigned), c.sub.assignment()
	r := &reconciling{
		to: to, assigned: assigned, added: minus(assigned, owned), revoked: minus(owned, assigned),
	}
	if !inPoll && (c.cfg.EnableAutoCommit || len(r.revoked) > 0) {
		return
	}
	m.reconciling = r
	c.log(logInfo, "Reconciling assignment: added "+partsText(r.added)+", revoked "+
		partsText(r.revoked))
	m.stopFetching(r.revoked)
	r.commitTo = c.now().Add(c.cfg.MaxPollInterval)
	r.committed = !c.cfg.EnableAutoCommit
	if r.committed {
		m.revokeAndAssign(r)
	}
}

// topicName finds the name of an assigned topic. One that metadata does not know yet is asked for;
// until then its partitions wait.
func (m *asyncMembership) topicName(id assign.TopicID) (string, bool) {
	if t := m.c.meta.topicByID(id); t != nil {
		m.names[id] = t.name
		return t.name, true
	}
	name, ok := m.names[id]
	if !ok && m.c.meta.known {
		m.c.meta.want()
	}
	return name, ok
}

// stopFetching: nothing more of these partitions is fetched or returned, so that what is committed
// stays true.
func (m *asyncMembership) stopFetching(parts []TopicPartition) {
	for _, tp := range parts {
		if p := m.c.sub.find(tp); p != nil {
			p.revoking = true
		}
	}
}

// commitToReconcile is the auto-commit before a new assignment, tried again for at most the
// rebalance timeout. An epoch that is out of date is no reason to give up: the next try has the
// present one. A failure does not stop the reconciliation (F24, R18).
// [CommitRequestManager.maybeAutoCommitSyncBeforeRebalance]
func (m *asyncMembership) commitToReconcile() {
	c, r := m.c, m.reconciling
	if r == nil || r.committed {
		return
	}
	if r.commit == nil {
		if c.now() < r.again {
			c.wakeAt(r.again)
			return
		}
		if !c.coordinatorReady() && c.now() < r.commitTo {
			return
		}
		r.commit = c.sendCommit(commitAuto, c.consumed(), nil)
	}
	if !r.commit.done {
		return
	}
	if err := r.commit.err; err != nil {
		if m.tryAgain(err) && c.now() < r.commitTo {
			r.commit, r.again = nil, c.now().Add(c.retryBackoff(r.tries))
			r.tries++
			c.wakeAt(r.again)
			return
		}
		c.log(logError, "Auto-commit request before reconciling new assignment failed. "+
			"Will proceed with the reconciliation anyway.")
	}
	r.committed = true
	if !m.abandoned(r) {
		m.revokeAndAssign(r)
	}
}

// tryAgain says whether a failed commit or look-up before which nobody waits may succeed later.
func (m *asyncMembership) tryAgain(err error) bool {
	e := asError(err)
	if e.Code == wire.StaleMemberEpoch {
		return m.epoch() > 0
	}
	return e.Retriable && e.Code != wire.UnknownTopicOrPartition
}

// abandoned ends a reconciliation that the member has left behind: it joined anew, or goes.
func (m *asyncMembership) abandoned(r *reconciling) bool {
	if m.reconciling != r || m.state() != trace.ConsumerReconciling || r.rejoined {
		if m.reconciling == r {
			m.reconciling = nil
		}
		return true
	}
	return false
}

// revokeAndAssign calls on_revoked, then changes the assignment and calls on_assigned, both in a
// poll, and has the result acknowledged. After a failed callback it begins again in the next poll;
// a member that never gets through is removed by the coordinator.
func (m *asyncMembership) revokeAndAssign(r *reconciling) {
	m.callback(notifyRevoked, r.revoked, func(err error) {
		switch {
		case m.abandoned(r):
		case err != nil:
			m.reconciling = nil
		default:
			m.later(func() { m.take(r) })
		}
	})
}

// take changes the assignment; it is done on the application's thread.
func (m *asyncMembership) take(r *reconciling) {
	c := m.c
	if m.abandoned(r) {
		return
	}
	c.metrics.Rebalances++
	c.replaceAssignment(r.assigned, trace.UnownedByRevoke)
	for _, tp := range r.added {
		c.sub.find(tp).untold = true
	}
	m.forgetNames(r.to)
	m.call(notifyAssigned, r.added, func(err error) {
		if err != nil {
			m.reconciling = nil
			return
		}
		for _, p := range c.sub.parts {
			p.untold = false
		}
		if m.abandoned(r) {
			return
		}
		m.current, m.reconciling = r.to, nil
		c.commits.nextAuto = c.now().Add(c.cfg.AutoCommitInterval)
		m.enter(trace.ConsumerAcknowledging)
	})
}

// forgetNames keeps only the names of topics that are assigned.
func (m *asyncMembership) forgetNames(a localAssignment) {
	kept := map[assign.TopicID]string{}
	for _, p := range a.parts {
		kept[p.Topic] = m.names[p.Topic]
	}
	m.names = kept
}

// assignedIDs are the ids of the target's topics, which metadata must tell even if no subscription
// names them (F24).
func (m *asyncMembership) assignedIDs() []assign.TopicID {
	var ids []assign.TopicID
	for _, p := range m.target.parts {
		if len(ids) == 0 || ids[len(ids)-1] != p.Topic {
			ids = append(ids, p.Topic)
		}
	}
	return ids
}
