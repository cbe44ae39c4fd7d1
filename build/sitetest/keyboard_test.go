package sitetest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// tabTo presses Tab until the control that selector names has the focus.
func (p *page) tabTo(selector string) {
	p.t.Helper()
	for range 80 {
		require.NoError(p.t, chromedp.Do(p.ctx, chromedp.KeyEvent("\t")))
		if eval[bool](p, `document.activeElement.matches(`+quote(selector)+`)`) {
			require.NotEqual(p.t, "none", eval[string](p, `getComputedStyle(document.activeElement).outlineStyle`),
				"%s has the focus and does not show it", selector)
			return
		}
	}
	require.Fail(p.t, "80 times Tab do not reach "+selector)
}

// A reader without a mouse opens a lesson from home, predicts, runs, and gets help and back.
func TestALessonIsBegunWithKeysOnly(t *testing.T) {
	s, p := newServer(t), newStranger(t)
	press := func(key string) { require.NoError(t, chromedp.Do(p.ctx, chromedp.KeyEvent(key))) }
	p.open(s.URL)
	p.started()
	p.wait(`document.querySelector("main.home")`)
	p.tabTo(`a.lesson[href='#1/commit-before-after']`)
	press("\r")
	p.ready()

	p.tabTo(`input[name=predict]`)
	press(" ")
	p.wait(`document.querySelector("input[name=predict]:checked") && document.querySelector("[data-act=lock]:not([disabled])")`)
	p.tabTo(`[data-act=lock]`)
	press("\r")
	p.wait(`document.querySelector("[data-act=pause]")`)

	p.tabTo(`[data-act=help]`)
	press("\r")
	p.wait(`document.querySelector("dialog[open]")?.contains(document.activeElement)`)
	press("\x1b")
	p.wait(`!document.querySelector("dialog[open]") && document.activeElement.matches("[data-act=help]")`)
	p.requireQuietConsole()
}
