package sitetest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdpio "github.com/chromedp/cdproto/io"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"rebalancelab/app/link"
	"rebalancelab/engine/enginetest"
	"rebalancelab/engine/view"
)

// call sends one command of the browser's protocol to the tab.
func call[P, R any](p *page, command cdp.Command[P, R], params P) (result R) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		answer, err := chromedp.Call(ctx, command, params)
		result = answer
		return err
	})))
	return result
}

// slow makes the tab's main thread so many times slower.
func (p *page) slow(factor float64) {
	p.t.Helper()
	call(p, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: factor})
}

// untilInteractive notes, from the navigation on, when a reader can use the lesson: it has run, its
// stage is painted, and its first control takes a click.
const untilInteractive = `(() => {
	const look = () => {
		const control = document.querySelector("[data-act=lock], [data-act=play]:not([disabled])");
		const painted = document.querySelector("canvas[data-part]")?.width > 0;
		if (control && painted && document.querySelector(".busy[hidden]")) {
			window.interactiveAt = performance.now();
		} else {
			requestAnimationFrame(look);
		}
	};
	look();
})()`

// A cold start: a fresh profile, so nothing is cached, neither files nor compiled code.
func BenchmarkLessonInteractive(b *testing.B) {
	for _, c := range []struct {
		name   string
		factor float64
	}{{"1x", 1}, {"4x slower", 4}} {
		b.Run(c.name, func(b *testing.B) {
			s := newServer(b)
			var times []float64
			for b.Loop() {
				p := newStranger(b)
				p.slow(c.factor)
				call(p, cdppage.AddScriptToEvaluateOnNewDocument,
					cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: untilInteractive})
				p.open(s.URL + "#1/a-consumer-dies")
				p.wait(`window.interactiveAt`)
				times = append(times, eval[float64](p, `window.interactiveAt`))
				p.close()
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2]/1e3, "s/start")
			b.ReportMetric(times[len(times)-1]/1e3, "s/slowest")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkFrames plays the lesson that is most like the canonical run, and a wide one, and asks the
// browser's own trace what its main thread did: everything is in it, also the app and the layout.
func BenchmarkFrames(b *testing.B) {
	wide := link.Encode(link.Sandbox, link.State{Source: enginetest.Wide(1).Source, Seed: 1}, "")
	for _, c := range []struct{ name, fragment, start string }{
		{"a lesson", link.Plain("a-consumer-dies"), "skip"},
		{"50 members, 200 partitions", wide, "play"},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkFrames(b, c.fragment, c.start) })
	}
}

func benchmarkFrames(b *testing.B, fragment, start string) {
	s, p := newServer(b), newPage(b)
	p.open(s.URL + "#" + fragment)
	p.started()
	p.ready()
	p.click(start)
	p.wait(`document.querySelector("[data-act=pause]")`)
	var frames frames
	for b.Loop() {
		frames = p.trace(8000)
	}
	require.Greater(b, len(frames.intervals), 60, "it plays")
	b.ReportMetric(percentile(frames.intervals, 50), "ms-interval-p50")
	b.ReportMetric(percentile(frames.intervals, 95), "ms-interval-p95")
	b.ReportMetric(percentile(frames.works, 50), "ms-work-p50")
	b.ReportMetric(percentile(frames.works, 95), "ms-work-p95")
	b.ReportMetric(0, "ns/op")
}

// frames are milliseconds: between two frames, and of processor time that the main thread took from
// one to the next. Processor time, because other programs of the machine are not the page's work.
type frames struct{ intervals, works []float64 }

func percentile(list []float64, p int) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

// happening is one event of the browser's trace; times are microseconds.
type happening struct {
	Name string  `json:"name"`
	Pid  int     `json:"pid"`
	Tid  int     `json:"tid"`
	At   float64 `json:"ts"`
	Took float64 `json:"dur"`
	CPU  float64 `json:"tdur"`
}

// trace records the main thread for some milliseconds.
func (p *page) trace(ms int) frames {
	p.t.Helper()
	ctx, stop := context.WithCancel(p.ctx)
	defer stop()
	ended := chromedp.Events(ctx, tracing.TracingComplete)
	done := make(chan ending, 1)
	go func() {
		for event, err := range ended {
			done <- ending{event.Stream, err}
			return
		}
	}()
	call(p, tracing.Start, tracing.StartParams{
		TraceConfig: &tracing.TraceConfig{
			IncludedCategories: []string{"disabled-by-default-devtools.timeline", "devtools.timeline"},
		},
		TransferMode: tracing.StartTransferModeReturnAsStream,
	})
	eval[bool](p, fmt.Sprintf(`new Promise((done) => setTimeout(() => done(true), %d))`, ms))
	call(p, tracing.End, cdp.Empty{})
	end := <-done
	require.NoError(p.t, end.err)
	var record struct {
		Events []happening `json:"traceEvents"`
	}
	require.NoError(p.t, json.Unmarshal(p.stream(end.stream), &record))
	return framesOf(record.Events)
}

// ending is how a recording ended: its stream holds the whole of it. Parts sent as events would
// arrive beside the end of the recording, some of them after it.
type ending struct {
	stream cdpio.StreamHandle
	err    error
}

// stream reads a stream of the browser to its end.
func (p *page) stream(handle cdpio.StreamHandle) []byte {
	p.t.Helper()
	var all []byte
	for {
		part := call(p, cdpio.Read, cdpio.ReadParams{Handle: handle})
		all = append(all, part.Data...)
		if part.EOF {
			call(p, cdpio.Close, cdpio.CloseParams{Handle: handle})
			return all
		}
	}
}

// BenchmarkSeek asks for pictures and views anywhere in half an hour of the canonical run, as the
// page does for a seek. The memory that this takes is told by wasmtest's BenchmarkSeek.
func BenchmarkSeek(b *testing.B) {
	s, p := newServer(b), newPage(b)
	p.open(s.URL)
	p.started()
	progress, lab := p.run(enginetest.Long(1))
	chance := rand.New(rand.NewPCG(1, 1))
	seek := func() float64 {
		at := view.At{Lab: lab, Time: chance.Int64N(progress.At), Index: -1}
		return eval[float64](p, fmt.Sprintf(`(async () => {
			const from = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
			const questions = [from(%q), from(%q)];
			const start = performance.now();
			for (const question of questions) await rebalanceLab.call(question);
			return performance.now() - start;
		})()`, question(view.OpPaint, &at), question(view.OpView, &at)))
	}
	first := seek()
	var times []float64
	for b.Loop() {
		for range 100 {
			times = append(times, seek())
		}
	}
	b.ReportMetric(first, "ms-first-seek")
	b.ReportMetric(percentile(times, 50), "ms-seek-p50")
	b.ReportMetric(percentile(times, 95), "ms-seek-p95")
	b.ReportMetric(0, "ns/op")
}

// question is a question to the engine as base64.
func question(op view.Op, q view.Coded) string {
	return base64.StdEncoding.EncodeToString(view.Encode([]byte{byte(op)}, q))
}

// framesOf finds the thread that draws the animation and sums up what it did from frame to frame.
func framesOf(all []happening) frames {
	type thread struct{ pid, tid int }
	starts := map[thread][]float64{}
	for _, h := range all {
		if h.Name == "FireAnimationFrame" {
			at := thread{h.Pid, h.Tid}
			starts[at] = append(starts[at], h.At)
		}
	}
	var main thread
	for t, list := range starts {
		if len(list) > len(starts[main]) {
			main = t
		}
	}
	begins := merged(starts[main])
	var f frames
	works := make([]float64, len(begins))
	for _, h := range all {
		if h.Name == "RunTask" && (thread{h.Pid, h.Tid}) == main {
			if i, exact := slices.BinarySearch(begins, h.At+h.Took); i > 0 || exact {
				works[max(i-1, 0)] += h.CPU / 1e3
			}
		}
	}
	for i := 1; i < len(begins); i++ {
		f.intervals = append(f.intervals, (begins[i]-begins[i-1])/1e3)
		f.works = append(f.works, works[i-1])
	}
	return f
}

// merged leaves one of the callbacks that belong to the same frame.
func merged(times []float64) []float64 {
	slices.Sort(times)
	var out []float64
	for _, at := range times {
		if len(out) == 0 || at-out[len(out)-1] > 4000 {
			out = append(out, at)
		}
	}
	return out
}
