package sitetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"rebalancelab/build/testenv"
	"rebalancelab/lessons"
)

// click presses the control that does act.
func (p *page) click(act string) {
	p.t.Helper()
	p.clickOn(`[data-act='` + act + `']:not([disabled])`)
}

func (p *page) clickOn(selector string) {
	p.t.Helper()
	p.wait(`document.querySelector(` + quote(selector) + `)`)
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Click(selector, chromedp.NodeVisible)), selector)
}

func quote(s string) string { return "`" + strings.ReplaceAll(s, "`", "\\`") + "`" }

// ready waits until the lesson has run and can be played.
func (p *page) ready() {
	p.t.Helper()
	p.wait(`document.querySelector(".busy[hidden]") && document.querySelector("canvas[data-part]") &&
		document.querySelector("[data-act=play]:not([disabled]), [data-act=pause], [data-act=lock]")`)
}

// listen keeps the bytes of the last view that the player brought.
func (p *page) listen() {
	p.t.Helper()
	eval[bool](p, `(() => {
		const player = rebalanceLab.player, listener = player.onframe;
		player.onframe = (bytes, ns, playing) => {
			window.lastView = Array.from(bytes).join();
			listener(bytes, ns, playing);
		};
		player.seek(player.ns);
		return true;
	})()`)
	p.wait(`window.lastView`)
}

func (p *page) clock() string {
	p.t.Helper()
	return eval[string](p, `document.querySelector(".clock b").textContent`)
}

func solution(t *testing.T, id string) string {
	t.Helper()
	course, err := lessons.Load()
	require.NoError(t, err)
	for _, l := range course.Lessons {
		if l.ID == id {
			return l.Solution
		}
	}
	require.Fail(t, "no lesson "+id)
	return ""
}

// write replaces everything in the editor, as a paste does.
func (p *page) write(text string) {
	p.t.Helper()
	p.wait(`document.querySelector("#editor .cm-content")`)
	eval[bool](p, `(document.querySelector("#editor .cm-content").focus(), true)`)
	require.NoError(p.t, chromedp.Do(p.ctx,
		chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: text})
			return err
		})))
}

// A learner takes lesson 2: predicts wrongly, runs, reads why, reaches the goal, kills A in the past,
// shares the link; a stranger opens it and sees the same.
func TestALearnerTakesALessonAndSharesIt(t *testing.T) {
	s, p := newServer(t), newPage(t)
	p.open(s.URL)
	p.started()
	p.clickOn(`a[href='#1/commit-before-after']`)
	p.ready()

	p.clickOn(`label.option:has(input[value=at_20])`)
	p.click("lock")
	p.click("reveal")
	p.wait(`document.querySelector(".answer.bad") && document.querySelector(".why")`)
	require.Contains(t, eval[string](p, `document.querySelector(".why").innerText`), "at-most-once")

	p.click("goto:2")
	p.wait(`document.querySelector(".goal:not(.reached)")`)
	p.click("edit")
	p.write(solution(t, "commit-before-after"))
	require.NoError(t, chromedp.Do(p.ctx, chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))))
	p.wait(`document.querySelector(".goal.reached")`)

	p.click("edit-close")
	p.listen()
	eval[bool](p, `(rebalanceLab.player.seek(1e15), true)`) // the whole future has been looked at
	p.wait(`document.querySelector(".clock b").textContent === "01:15.000"`)
	p.click("seek:0")
	p.wait(`document.querySelector(".clock b").textContent === "00:00.000"`)
	for eval[bool](p, `document.querySelector(".clock b").textContent === "00:00.000"`) {
		eval[bool](p, `(window.lastView = "", true)`)
		p.click("event")
		p.wait(`window.lastView`)
	}
	branches := eval[int](p, `document.querySelectorAll("[data-act^='branch:']").length`)
	p.clickOn(`[data-act='do:kill("A")']`)
	p.wait(fmt.Sprintf(`document.querySelectorAll("[data-act^='branch:']").length === %d`, branches+1))
	p.ready()

	p.click("share")
	p.wait(`document.querySelector("#share-link")?.value.includes("#1/commit-before-after/")`)
	link := eval[string](p, `document.querySelector("#share-link").value`)
	require.Less(t, len(link), 1200)
	eval[bool](p, `(window.lastView = "", rebalanceLab.player.seek(rebalanceLab.player.ns), true)`)
	p.wait(`window.lastView`)
	want, at := eval[string](p, `window.lastView`), p.clock()

	q := newStranger(t)
	q.open(link)
	q.started()
	q.ready()
	q.wait(`document.querySelector(".clock b").textContent === ` + quote(at))
	q.listen()
	require.Equal(t, want, eval[string](q, `window.lastView`), "view bytes and trace hash at "+at)

	foreign := eval[[]string](p, `performance.getEntriesByType("resource")
		.map((entry) => entry.name).filter((name) => !name.startsWith("`+s.URL+`") && !name.startsWith("blob:"))`)
	require.Empty(t, foreign, "requests outside the site")
	p.requireQuietConsole()
	q.requireQuietConsole()
}

func TestEachLessonOpensWithoutANetworkAfterOneVisit(t *testing.T) {
	course, err := lessons.Load()
	require.NoError(t, err)
	s, p := newServer(t), newPage(t)
	p.open(s.URL)
	p.started()
	p.offline("ready")
	s.down.Store(true)
	for _, l := range course.Lessons {
		p.open("about:blank")
		p.open(s.URL + "#1/" + l.ID)
		p.started()
		p.ready()
		require.Contains(t, eval[string](p, `document.body.innerText`), l.Title["en"])
	}
}

// pages are the states that accessibility is checked in.
func lessonStates(p *page, each func(state string)) {
	p.ready()
	each("start")
	if eval[bool](p, `Boolean(document.querySelector("[data-act=skip]"))`) {
		p.click("skip")
	}
	p.wait(`document.querySelector("[data-act=pause]")`)
	p.click("pause")
	p.click("look:messages")
	p.wait(`document.querySelector("#panel-look [data-act^='message:']")`)
	p.clickOn(`#panel-look [data-act^='message:']`)
	p.wait(`document.querySelector(".fields, .message")`)
	each("mid-run with a message open")
	eval[bool](p, `(rebalanceLab.player.seek(1e15), true)`)
	p.wait(`document.querySelector(".clock b").textContent === document.querySelector(".clock .dim").textContent.replace(" / ", "")`)
	each("end")
}

func TestNothingIsInaccessibleOnHomeAndInLessons(t *testing.T) {
	axe, err := os.ReadFile(testenv.Path(t, testenv.Axe))
	require.NoError(t, err)
	course, err := lessons.Load()
	require.NoError(t, err)
	s := newServer(t)
	for _, theme := range []string{"light", "dark"} {
		p := newPage(t)
		p.prefer(theme)
		check := func(state string) {
			t.Helper()
			eval[bool](p, string(axe)+"; true")
			found := eval[[]string](p, `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.map(
				(v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")))`)
			require.Empty(t, found, "%s, %s", theme, state)
			p.shoot(t, theme, state)
		}
		p.open(s.URL)
		p.started()
		p.wait(`document.querySelector("main.home")`)
		check("home")
		for _, l := range course.Lessons {
			p.open(s.URL + "#1/" + l.ID)
			p.started()
			lessonStates(p, func(state string) { check(l.ID + " " + state) })
		}
	}
}

// shoot keeps a picture of the page when LAB_PICTURES names a folder: README's are made so.
func (p *page) shoot(t *testing.T, theme, state string) {
	dir := os.Getenv("LAB_PICTURES")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	name := strings.ReplaceAll(state, " ", "-") + "-" + theme + ".png"
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), picture, 0o644))
}
