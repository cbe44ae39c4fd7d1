package sitetest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"rebalancelab/build/testenv"
)

// patience bounds one wait for the page. It is no measure of the page: a loaded machine is slow.
var patience = flag.Duration("patience", 2*time.Minute, "longest wait for something to show")

// browser is the one Chromium of all tests here.
var browser context.Context

func TestMain(m *testing.M) {
	code, err := runInChrome(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func runInChrome(m *testing.M) (int, error) {
	chrome, err := testenv.Lookup(testenv.Chrome)
	if err != nil {
		return 0, err
	}
	profile, err := os.MkdirTemp("", "lab-chrome-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(profile)
	ctx, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(chrome), chromedp.UserDataDir(profile),
		chromedp.Headless, chromedp.NoSandbox, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-background-networking", true),
		chromedp.WSURLReadTimeout(time.Minute))
	defer stop()
	tab, closeTab := chromedp.NewContext(ctx)
	defer closeTab()
	if err := chromedp.Do(tab); err != nil {
		return 0, fmt.Errorf("starting %s: %w", chrome, err)
	}
	browser = tab
	return m.Run(), nil
}

// page is one tab.
type page struct {
	t   testing.TB
	ctx context.Context
	// close closes the tab before the test ends.
	close func()

	mu      sync.Mutex
	console []string // what a reader must never find in the console: warnings, errors, exceptions
}

func newPage(t testing.TB) *page { return newTab(t) }

// newStranger is a tab with a fresh profile: no cache, no storage, no service worker of another's.
func newStranger(t testing.TB) *page { return newTab(t, chromedp.WithNewBrowserContext()) }

func newTab(t testing.TB, options ...chromedp.ContextOption) *page {
	tab, closeTab := chromedp.NewContext(browser, options...)
	t.Cleanup(closeTab)
	p := &page{t: t, close: closeTab}
	messages := chromedp.Console(tab)
	go func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			p.hear(message)
		}
	}()
	require.NoError(t, chromedp.Do(tab, chromedp.EmulateViewport(1440, 900)))
	var cancel context.CancelFunc
	p.ctx, cancel = context.WithTimeout(tab, 8*time.Minute)
	t.Cleanup(cancel)
	return p
}

func (p *page) hear(message chromedp.ConsoleMessage) {
	if message.IsException() || message.Type == "error" || message.Type == "warning" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.console = append(p.console, message.String())
	}
}

// prefer makes the tab's person prefer a light or a dark page.
func (p *page) prefer(theme string) {
	p.t.Helper()
	set := emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
	}
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, set)
		return err
	})))
}

func (p *page) requireQuietConsole() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Empty(p.t, strings.Join(p.console, "\n"))
}

func (p *page) open(url string) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Navigate(url)))
}

// eval gives the value of a JavaScript expression, waiting for it if it is a promise.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, expression)
	return value
}

// wait returns once the expression is true. It looks again and again from here, because a wait
// inside the page would not survive the page being loaded again.
func (p *page) wait(expression string) {
	p.t.Helper()
	until := time.Now().Add(*patience)
	for {
		held, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](
			`new Promise((done) => setTimeout(() => done(Boolean(`+expression+`)), 20))`,
			chromedp.EvalAwaitPromise))
		if p.ctx.Err() != nil || time.Now().After(until) {
			state, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body.innerText`))
			require.Fail(p.t, "never became true: "+expression, "%s\n%v", state, p.console)
		}
		if err == nil && held {
			return
		}
	}
}

// started waits until app.wasm has replaced the loading screen.
func (p *page) started() {
	p.t.Helper()
	p.wait(`document.readyState === "complete" && !document.getElementById("boot")`)
}

// offline waits until the service worker has got to a state; see web/offline.js.
func (p *page) offline(state string) {
	p.t.Helper()
	p.wait(`window.labOffline?.state === "` + state + `"`)
}
