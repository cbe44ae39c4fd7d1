package sitetest

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"rebalancelab/lessons"
)

func TestLibraryIsFilteredByRowAndWordsAndOpensAStoryInTheLab(t *testing.T) {
	course, err := lessons.Load()
	require.NoError(t, err)
	s, p := newServer(t), newPage(t)
	p.open(s.URL)
	p.started()
	p.clickOn(`a[href='#1/library']`)
	all := strconv.Itoa(len(course.Library))
	require.Contains(t, p.text("main.library"), all+" of "+all)

	eval[bool](p, `(() => {
		const rows = document.querySelector("[data-input=row]");
		rows.value = "S57";
		rows.dispatchEvent(new Event("change", {bubbles: true}));
		return true;
	})()`)
	p.wait(`!document.querySelector("main.library").innerText.includes("` + all + ` of ` + all + `")`)
	for _, row := range eval[[]string](p, `[...document.querySelectorAll(".storyrow code")].map((c) => c.innerText)`) {
		require.Contains(t, row, "S57")
	}
	require.NoError(t, chromedp.Do(p.ctx, chromedp.SendKeys("[data-input=search]", "no such words anywhere")))
	p.wait(`document.querySelector("main.library").innerText.includes("Nothing matches")`)

	p.open("about:blank")
	p.open(s.URL + "#1/library")
	p.started()
	p.clickOn(`a[href='#1/sandbox:commit_before_after']`)
	p.ready()
	said := p.text("#panel-lesson")
	require.Contains(t, said, "Commit before, commit after")
	require.Contains(t, said, "One batch, one kill, two places for one line.")
	p.requireQuietConsole()
}
