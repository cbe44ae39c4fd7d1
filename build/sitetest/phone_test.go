package sitetest

import (
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"rebalancelab/build/testenv"
)

// small lists the controls in sight that are lower than a finger needs: 44 px. Links inside a
// sentence are excepted, as WCAG 2.5.8 does, and a control inside a label is as large as its label.
const small = `[...document.querySelectorAll("button, summary, select, input, a.btn, a.brand, label.option")]
	.filter((e) => e.checkVisibility() && e.getBoundingClientRect().height > 1)
	.filter((e) => !e.classList.contains("link") && !e.closest("label.option, .prose, .sr") || e.matches("label.option"))
	.filter((e) => e.getBoundingClientRect().height < 43.5)
	.map((e) => e.outerHTML.slice(0, 120) + " is " + e.getBoundingClientRect().height + " px high")`

// violations lists what axe-core finds wrong on the page as it stands.
func (p *page) violations() []string {
	p.t.Helper()
	axe, err := os.ReadFile(testenv.Path(p.t, testenv.Axe))
	require.NoError(p.t, err)
	eval[bool](p, string(axe)+"; true")
	return eval[[]string](p, `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.map(
		(v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")))`)
}

// phoneStates brings the page through what a reader may meet.
func phoneStates(s *server, p *page, each func(state string)) {
	open := func(place, until string) {
		p.open("about:blank")
		p.open(s.URL + place)
		p.started()
		p.wait(`document.querySelector(` + quote(until) + `)`)
	}
	// First, because a service worker keeps the engine once it has come.
	s.breakFiles(`/engine\..*\.wasm$`, http.NotFound)
	open("#1/a-consumer-dies", ".trap")
	each("trap")
	s.fault.Store(nil)
	open("", "main.home")
	each("home")
	open("#1/library", ".storyrow")
	each("library")
	open("#1/no-such-lesson", ".notice")
	each("unknown lesson")
	open("#1/a-consumer-dies/AAAA", ".notice")
	each("bad link")
	open("#1/a-consumer-dies", ".broker")
	p.ready()
	for _, panel := range []string{"lesson", "stage", "look", "code"} {
		p.clickOn("#tab-panel-" + panel)
		p.wait(`document.querySelector(".show-` + panel + `")`)
		each("lesson " + panel)
	}
}

func TestOnAPhoneEveryStateIsAccessibleFitsAndHasControlsForFingers(t *testing.T) {
	for _, theme := range []string{"light", "dark"} {
		s, p := newServer(t), newStranger(t)
		p.prefer(theme)
		require.NoError(t, chromedp.Do(p.ctx, chromedp.EmulateViewport(390, 844)))
		phoneStates(s, p, func(state string) {
			t.Run(theme+" "+state, func(t *testing.T) {
				p.shoot(t, theme, "phone "+state)
				require.Empty(t, p.violations(), "axe-core")
				require.LessOrEqual(t, eval[int](p, `document.documentElement.scrollWidth`), 390, "width")
				require.Empty(t, eval[[]string](p, small), "touch")
			})
		})
	}
}
