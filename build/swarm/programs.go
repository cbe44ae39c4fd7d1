package swarm

import (
	"maps"
	"slices"
)

// program is what a member does. Every program is at-least-once: it commits only what it finished.
type program struct {
	// source defines a function of the same name: it takes the topics and gives the loop.
	source   string
	settings []string
}

// restart has a process started again after an error.
const restart = `on_error = "restart", restart_after = "2s"`

// resubscribes is what a program logs when it subscribes to other topics than before.
const resubscribes = "another subscription"

// programs are the members' programs by name.
var programs = map[string]program{
	"careful": {`
def careful(topics):
    def loop(c):
        c.subscribe(topics)
        while True:
            for record in c.poll("1s"):
                process(record, "5ms")
            attempt(c.commit_sync)
    return loop
`, []string{`enable_auto_commit = False`}},
	"easy": {`
def easy(topics):
    def loop(c):
        c.subscribe(topics)
        while True:
            for record in c.poll("800ms"):
                process(record, "3ms")
    return loop
`, []string{`auto_commit_interval = "1s"`}},
	"hasty": {`
def hasty(topics):
    def loop(c):
        c.subscribe(topics, on_revoked = lambda parts: attempt(c.commit_sync))
        while True:
            for record in c.poll("500ms"):
                process(record, "2ms")
            c.commit_async()
    return loop
`, []string{`enable_auto_commit = False`}},
	"stumbling": {`
def stumbling(topics):
    def loop(c):
        seen = store("seen")
        c.subscribe(topics)
        while True:
            for record in c.poll("1s"):
                bad = record.offset == 13 and record.partition < 2
                if bad and seen.put_new(str(record.topic_partition) + str(record.offset), 1):
                    fail("bad payload")
                process(record, "4ms")
            attempt(c.commit_sync)
    return loop
`, []string{`enable_auto_commit = False`, restart}},
	"dawdling": {`
def dawdling(topics):
    def loop(c):
        seen = store("slow")
        c.subscribe(topics)
        while True:
            for record in c.poll("1s"):
                slow = record.offset == 19 and seen.put_new("once", 1)
                process(record, "9s" if slow else "4ms")
            attempt(c.commit_sync)
    return loop
`, []string{`enable_auto_commit = False`, `max_poll_interval = "7s"`}},
	"changing": {`
def changing(topics):
    def loop(c):
        c.subscribe(topics[:1])
        turn = 0
        while True:
            turn += 1
            if turn == 12 and len(topics) > 1:
                log("` + resubscribes + `")
                c.subscribe(topics)
            for record in c.poll("1s"):
                process(record, "5ms")
            attempt(c.commit_sync)
    return loop
`, []string{`enable_auto_commit = False`}},
	"matching": {`
def matching(topics):
    def loop(c):
        c.subscribe(subscription_pattern = "|".join(topics + ["late.*"]))
        while True:
            for record in c.poll("1s"):
                process(record, "5ms")
            attempt(c.commit_sync)
    return loop
`, []string{`enable_auto_commit = False`}},
	"pausing": {`
def pausing(topics):
    def loop(c):
        c.subscribe(topics)
        turn = 0
        while True:
            turn += 1
            mine = c.assignment()
            if mine and turn % 9 == 3: c.pause([mine[0]])
            if turn % 9 == 7: c.resume(c.paused())
            for record in c.poll("1s"):
                process(record, "5ms")
            attempt(c.commit_sync)
    return loop
`, []string{`enable_auto_commit = False`}},
	"pooled": {`
def pooled(topics):
    def loop(c):
        pool = workers(3)
        done = low_mark()
        c.subscribe(topics)
        every("500ms", lambda: c.commit_async(done.offsets()))
        while True:
            for record in c.poll("500ms"):
                pool.submit(lambda r: process(r, "20ms"), record, then = done.mark)
    return loop
`, []string{`enable_auto_commit = False`}},
}

var programNames = slices.Sorted(maps.Keys(programs))

// plainest is the program with the least to it.
const plainest = "careful"

// byServer is the program whose subscription the coordinator matches: the consumer protocol alone has that.
const byServer = "matching"
