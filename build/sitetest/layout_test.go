package sitetest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"rebalancelab/lessons"
)

// whole lists the stage's brokers that are cut off at its lower edge. Members may be: their cards grow and
// shrink with what they have to tell.
const whole = `(() => {
	const stage = document.getElementById("stage");
	const bottom = stage.getBoundingClientRect().top + stage.clientHeight;
	const cards = [...stage.querySelectorAll(".broker")];
	return cards.filter((card) => card.getBoundingClientRect().bottom > bottom + 1)
		.map((card) => card.dataset.node + " ends " + card.getBoundingClientRect().bottom + ", the stage " + bottom);
})()`

func TestEveryBrokerOfALessonIsInSightOnALaptop(t *testing.T) {
	course, err := lessons.Load()
	require.NoError(t, err)
	s := newServer(t)
	for _, size := range [][2]int64{{1440, 900}, {1024, 768}} {
		p := newPage(t)
		require.NoError(t, chromedp.Do(p.ctx, chromedp.EmulateViewport(size[0], size[1])))
		for _, l := range course.Lessons {
			p.open(s.URL + "#1/" + l.ID)
			p.started()
			p.ready()
			require.Empty(t, eval[[]string](p, whole), "%s at its start, %v", l.ID, size)
			p.click("skip")
			p.wait(`document.querySelector("[data-act=pause]")`)
			eval[bool](p, `(rebalanceLab.player.seek(1e15), true)`)
			p.wait(`document.querySelector("[data-act=play]:not([disabled])")`)
			require.Empty(t, eval[[]string](p, whole), "%s at its end, %v", l.ID, size)
		}
	}
}

func TestNothingIsWiderThanAPhone(t *testing.T) {
	s, p := newServer(t), newPage(t)
	require.NoError(t, chromedp.Do(p.ctx, chromedp.EmulateViewport(390, 844)))
	for _, place := range []string{"", "#1/library", "#1/a-consumer-dies"} {
		p.open(s.URL + place)
		p.started()
		p.wait(`document.querySelector("main.home, main.library, .broker")`)
		require.Equal(t, 390, eval[int](p, `document.documentElement.scrollWidth`), "%q", place)
	}
}
