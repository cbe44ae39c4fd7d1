package sitetest

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"rebalancelab/build/site"
	"rebalancelab/build/testenv"
)

// root is the folder of the module.
const root = "../.."

// text is what a person reads in the element that selector finds, once there is one.
func (p *page) text(selector string) string {
	p.t.Helper()
	p.wait(`document.querySelector(` + quote(selector) + `)?.innerText.trim()`)
	return eval[string](p, `document.querySelector(`+quote(selector)+`).innerText`)
}

// rerun presses Ctrl+Enter, as one does who has typed.
func (p *page) rerun() {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))))
}

func TestPageNamesTheEngineThatDoesNotArriveAndStartsItLater(t *testing.T) {
	for _, c := range []struct {
		name, text string
		answer     http.HandlerFunc
	}{
		{"missing", "engine.wasm is missing from this site (404", http.NotFound},
		{"another page instead", "engine.wasm is not a WebAssembly file: the server answered with text/html",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Write([]byte("<!doctype html><p>home"))
			}},
		{"no answer", "Check the connection", func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := newServer(t), newStranger(t)
			s.breakFiles(`/engine\..*\.wasm$`, c.answer)
			p.open(s.URL + "#1/commit-before-after")
			p.started()
			said := p.text(".trap")
			require.Contains(t, said, "The engine could not start")
			require.Contains(t, said, c.text)
			require.NotContains(t, said, "fault of the lab", "it is the site or the network")

			s.fault.Store(nil) // the file is there now
			p.click("restart")
			p.ready()
			require.False(t, eval[bool](p, `Boolean(document.querySelector(".trap"))`))
		})
	}
}

func TestLessonRunsWhenTheHostSendsTheEngineUnderAnotherType(t *testing.T) {
	s, p := newServer(t), newPage(t)
	s.breakFiles(`/engine\..*\.wasm$`, func(w http.ResponseWriter, r *http.Request) {
		content, err := os.ReadFile(testenv.Path(t, testenv.EngineWasm))
		require.NoError(t, err)
		w.Header().Set("Content-Type", "text/plain")
		w.Write(content)
	})
	p.open(s.URL + "#1/commit-before-after")
	p.started()
	p.ready()
	p.requireQuietConsole()
}

// faultyEngine is the engine with one line of its source changed: the high watermark that a broker
// tells falls back by 5,000 again and again, which is an invariant broken.
func faultyEngine(t *testing.T) []byte {
	t.Helper()
	const line, fault = "Kind: trace.HighWatermark, X: hw}", "Kind: trace.HighWatermark, X: hw % 5000}"
	file, err := filepath.Abs(filepath.Join(root, "engine", "broker", "isr.go"))
	require.NoError(t, err)
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(source), line), "%s no longer has the line to change", file)
	changed := filepath.Join(t.TempDir(), "isr.go")
	require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(source), line, fault, 1)), 0o644))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	require.NoError(t, err)
	list := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(list, overlay, 0o644))
	engine := site.Engine
	engine.Flags = append(append([]string{}, engine.Flags...), "-overlay="+list)
	program, err := engine.Compile(t.Context(), root)
	require.NoError(t, err)
	return program
}

// breakingScenario has more records in one partition than the faulty engine can count.
const breakingScenario = `cluster(brokers = 1)
topic("payments", partitions = 1)
producer("cash desk", topic = "payments", rate = 2000)
def loop(c):
    c.subscribe(["payments"])
    while True:
        c.poll("500ms")
consumer("A", group = "book", run = loop)   # typed by hand
run_for("5s")
`

func TestPanicOfTheEngineIsReadableAndLosesNothing(t *testing.T) {
	s, p := newServer(t), newPage(t)
	program := faultyEngine(t)
	s.breakFiles(`/engine\..*\.wasm$`, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/wasm")
		w.Write(program)
	})
	p.open(s.URL + "#1/sandbox:commit_before_after")
	p.started()
	p.ready()
	p.listen()
	eval[bool](p, `(rebalanceLab.player.seek(21e9), true)`)
	p.wait(`document.querySelector(".clock b").textContent === "00:21.000"`)

	p.click("edit")
	p.write(breakingScenario)
	p.rerun()
	said := p.text(".trap")
	require.Contains(t, said, "The engine has ended")
	require.Contains(t, said, "What you typed is kept")
	require.Regexp(t, `broken invariant at 2\.[0-9]+s \(seed 1, event [0-9]+\)`, said)
	require.Contains(t, said, "the high watermark of payments-0 falls from 49")
	require.Contains(t, said, "replay: go run ./app run scenario.star --seed 1")

	p.allowClipboard()
	p.click("report")
	require.Contains(t, p.text(".notice"), "Copied.")
	report := eval[string](p, `navigator.clipboard.readText()`)
	for _, part := range []string{"seed 1", "2.", "replay: go run ./app run scenario.star --seed 1",
		"goroutine", s.URL + "#1/sandbox/"} {
		require.Contains(t, report, part)
	}

	p.click("restart")
	p.ready()
	p.wait(`!document.querySelector(".trap")`)
	p.wait(`document.querySelector(".clock b").textContent === "00:21.000"`) // the run before, where it stood
	require.Contains(t, p.text("#editor .cm-content"), "# typed by hand")

	// The report's link holds the run that failed: with a sound engine it runs.
	s.fault.Store(nil)
	link := eval[string](p, `navigator.clipboard.readText().then((text) => text.match(/http\S+/)[0])`)
	q := newStranger(t)
	q.open(link)
	q.started()
	q.ready()
	require.Contains(t, q.text("#listing"), "# typed by hand")
}

// allowClipboard lets pages read and write the clipboard.
func (p *page) allowClipboard() {
	p.t.Helper()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		set := cdpbrowser.SetPermissionParams{
			Permission: &cdpbrowser.PermissionDescriptor{Name: name},
			Setting:    cdpbrowser.PermissionSettingGranted,
		}
		require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, cdpbrowser.SetPermission, set)
			return err
		})))
	}
}
