package swarm

import (
	"context"
	"sync"
	"sync/atomic"
)

// Options say which seeds to run.
type Options struct {
	// First is the first seed, Seeds how many follow from it on.
	First uint64
	Seeds int
	// Workers run at the same time.
	Workers int
	// Most failures after which the swarm stops.
	Most int
	// Progress, if not nil, is called after each run, from one goroutine at a time.
	Progress func(done int, failures int)
}

// Swarm runs the seeds and returns what they had and those that failed, in no order.
func Swarm(ctx context.Context, o Options) (Census, []Outcome) {
	var (
		census Census
		failed []Outcome
		next   atomic.Uint64
		mu     sync.Mutex
		wg     sync.WaitGroup
	)
	take := func(out Outcome) (enough bool) {
		mu.Lock()
		defer mu.Unlock()
		census.Add(out)
		if out.Failure != "" {
			failed = append(failed, out)
		}
		if o.Progress != nil {
			o.Progress(census.Runs, len(failed))
		}
		return len(failed) >= o.Most || ctx.Err() != nil
	}
	for range o.Workers {
		wg.Go(func() {
			for {
				n := next.Add(1) - 1
				if n >= uint64(o.Seeds) || take(Run(Draw(o.First+n))) {
					next.Store(uint64(o.Seeds))
					return
				}
			}
		})
	}
	wg.Wait()
	return census, failed
}
