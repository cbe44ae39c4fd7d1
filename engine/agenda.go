package engine

import (
	"sort"
	"time"

	"rebalancelab/engine/script"
	"rebalancelab/engine/sim"
	"rebalancelab/engine/trace"
)

// agenda holds what the scenario and a person want done: acts at a time, acts that wait for a
// trigger, and acts that are due now. It is worked off between the turns of the world, never inside
// one.
type agenda struct {
	world   *sim.World
	perform func(act due)
	timed   []due // in order of time, then of arrival
	waiting []*watch
	soon    []due
}

// due is one act with what it needs to know.
type due struct {
	at      sim.Time
	do      script.Act
	text    string
	learner bool
	message int64  // the message of the trigger, 0: none
	then    func() // in place of do: something of the engine's own

	// An act that only the controller may do is tried again: after backoff last, for waited in all.
	backoff, waited time.Duration
}

// watch is an action that waits for its trigger.
type watch struct {
	watcher *script.Watcher
	action  script.Action
	learner bool
	over    bool
}

// at puts d in its place: after everything with the same time.
func (a *agenda) at(d due) {
	i := sort.Search(len(a.timed), func(i int) bool { return a.timed[i].at > d.at })
	a.timed = append(a.timed, due{})
	copy(a.timed[i+1:], a.timed[i:])
	a.timed[i] = d
}

// add takes an action in; now is the present moment.
func (a *agenda) add(action script.Action, learner bool, log *trace.Log) {
	switch action.Trigger.Kind {
	case script.TriggerNow:
		a.begin(action, learner, a.world.Now(), 0)
	case script.TriggerAt:
		a.begin(action, learner, sim.Start.Add(action.Trigger.At), 0)
	default:
		w := script.NewWatcher(action.Trigger, log)
		a.waiting = append(a.waiting, &watch{watcher: w, action: action, learner: learner})
	}
}

// begin plans the steps of an action whose trigger came at t.
func (a *agenda) begin(action script.Action, learner bool, t sim.Time, message int64) {
	for _, s := range action.Steps {
		d := due{at: t.Add(s.Delay), do: s.Do, text: s.Text, learner: learner, message: message}
		if d.at <= a.world.Now() && action.Trigger.Kind != script.TriggerAt {
			a.soon = append(a.soon, d)
		} else {
			a.at(d)
		}
	}
}

// after plans fn for d from now.
func (a *agenda) after(d time.Duration, fn func()) {
	a.at(due{at: a.world.Now().Add(d), then: fn})
}

// next is the time of the first timed act.
func (a *agenda) next() (sim.Time, bool) {
	if len(a.timed) == 0 {
		return 0, false
	}
	return a.timed[0].at, true
}

// run does the first timed act.
func (a *agenda) run() {
	d := a.timed[0]
	a.timed = a.timed[1:]
	a.do(d)
}

func (a *agenda) do(d due) {
	if d.then != nil {
		d.then()
		return
	}
	a.perform(d)
}

// observe looks whether a trigger has come; what it starts is done after the present turn.
func (a *agenda) observe(e *trace.Event) {
	for _, w := range a.waiting {
		if w.over || !w.watcher.Observe(*e) {
			continue
		}
		w.over = true
		message := int64(0)
		if e.Kind == trace.MessageSent || e.Kind == trace.MessageArrived {
			message = e.X
		}
		a.begin(w.action, w.learner, a.world.Now(), message)
	}
}

// settle does what is due now and says whether there was anything.
func (a *agenda) settle() bool {
	if len(a.soon) == 0 {
		return false
	}
	d := a.soon[0]
	a.soon = a.soon[1:]
	a.do(d)
	return true
}
