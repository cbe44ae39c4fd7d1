package client

import (
	"time"

	"rebalancelab/engine/sim"
)

// base is what a consumer and a producer share: connections, metadata and one alarm clock.
//
// Whatever waits for a moment says so with wakeAt each time wake is called; the alarm keeps only
// the earliest of these moments. What is due now has a timer of its own, so that the alarm, mostly
// minutes away, need not be set anew.
type base struct {
	proc     *Process
	env      sim.Env
	clientID string
	opt      netOptions
	links    []*link
	meta     metadata
	alarm    *sim.Timer
	alarmAt  sim.Time
	soon     bool   // ringSoon is under way
	ring     func() // wake, as one value
	ringSoon func()
	// wake does everything that is due. It is called after every event.
	wake func()
	// dropped hears that a connection has ended or could not be made.
	dropped func(l *link)
	gone    bool // closed: nothing happens any more
}

// netOptions are the settings of connections and retries.
type netOptions struct {
	bootstrap                     []string
	retryBackoff, retryBackoffMax time.Duration
	reconnect, reconnectMax       time.Duration
	requestTimeout                time.Duration
	metadataMaxAge                time.Duration
	allowAutoCreateTopics         bool
	versions                      map[int16]int16 // the highest spoken, where it is not the newest
	// rebootstrap: metadata.recovery.strategy.
	rebootstrap bool
}

func (b *base) init(p *Process, clientID string, opt netOptions) {
	b.proc, b.env, b.clientID, b.opt = p, p.env, clientID, opt
	if len(b.opt.bootstrap) == 0 {
		b.opt.bootstrap = DefaultBootstrap
	}
	b.meta.base = b
	b.ring = func() {
		if !b.gone {
			b.wake()
		}
	}
	b.ringSoon = func() {
		b.soon = false
		b.ring()
	}
}

func (b *base) now() sim.Time { return b.env.Now() }

// wakeAt makes sure that wake is called at t or before.
func (b *base) wakeAt(t sim.Time) {
	if b.soon || b.alarm.Pending() && b.alarmAt <= t {
		return
	}
	if t <= b.now() {
		b.soon = true
		b.env.After(0, b.ringSoon)
		return
	}
	b.alarm.Stop()
	b.alarmAt = t
	b.alarm = b.env.After(t.Sub(b.now()), b.ring)
}

// retryBackoff is how long to wait after failure number tries, from 0: exponential with base 2 and
// jitter 0.2 (C4, KIP-580).
func (b *base) retryBackoff(tries int) time.Duration {
	return b.backoff(b.opt.retryBackoff, b.opt.retryBackoffMax, tries)
}

func (b *base) backoff(first, most time.Duration, tries int) time.Duration {
	d := first << min(tries, 20)
	d = min(max(d, 0), max(most, first))
	return time.Duration(b.env.Rand("backoff").Around(int64(d), int64(d)/5))
}

// shut closes every connection for good.
func (b *base) shut() {
	b.gone = true
	b.alarm.Stop()
	for _, l := range b.links {
		l.hangUp()
		l.forget()
	}
	b.links = nil
}
