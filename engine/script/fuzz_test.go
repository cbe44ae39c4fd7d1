package script

import (
	"testing"
	"time"

	"rebalancelab/engine/sim"
)

// FuzzProgram runs any text as the body of a program: whatever it does, nothing panics and it can
// be ended.
func FuzzProgram(f *testing.F) {
	for _, s := range []string{
		`    c.subscribe(["t"], on_revoked = lambda p: c.commit_sync())
    while True:
        for r in c.poll("5ms"): process(r, normal("1ms", "1ms"))`,
		`    pool = workers(2); m = low_mark()
    for r in c.poll("1s"): pool.submit(lambda r: process(r), r, then = m.mark)
    pool.wait(); log(m.offsets())`,
		`    every("1ms", lambda: c.commit_async({"t-0": 1}, callback = lambda o, e: log(e)))
    v, e = attempt(c.committed, ["t-0"]); print(v, e, e and e.name); sleep("9ms"); c.close()`,
		`    db = store("x"); db.add("k", 3); db.update("k", lambda v: v * 2); fail(db.get("k"), db.has(1))`,
		`    c.assign("t-0"); c.seek("t-0", 3); c.pause("t-0"); c.resume(["t-0"]); c.position("t-0")`,
		`    pool = workers(1)
    for r in c.poll("0s"): pool.submit(process(r))`,
		`    produce("t", "v", key = 3); c.unsubscribe(); c.enforce_rebalance(); c.wakeup(); c.poll("0s")`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		sc, err := Load(Source{File: "s.star", Text: program(body)}, LoadOptions{})
		if err != nil || len(sc.Consumers) == 0 {
			return
		}
		b := newBench(t, program(body))
		defer b.kill()
		b.quiet = true
		b.world.At(sim.Start.Add(20*time.Millisecond), b.app.Stop)
		for range 3000 {
			at, ok := b.world.Next()
			if !ok || at > sim.Start.Add(time.Minute) || len(b.ended) > 0 {
				return
			}
			if err := b.world.Turn(); err != nil {
				return
			}
		}
	})
}
