package sitetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/lessons"
)

// sharedLink plays a lesson to a moment, acts there, and gives the link of what is then shown.
func sharedLink(t *testing.T, s *server) string {
	t.Helper()
	p := newPage(t)
	p.open(s.URL + "#1/commit-before-after")
	p.started()
	p.ready()
	p.click("skip")
	p.click("pause")
	p.clickOn(`[data-act='do:kill("A")']`)
	p.ready()
	p.click("share")
	p.wait(`document.querySelector("#share-link")?.value.includes("#1/commit-before-after/")`)
	return eval[string](p, `document.querySelector("#share-link").value`)
}

func TestLinkThatCannotBeReadSaysSoAndOpensTheLesson(t *testing.T) {
	s := newServer(t)
	link := sharedLink(t, s)
	body := link[strings.LastIndex(link, "/")+1:]
	half := link[:len(link)-len(body)/2]
	damaged := []byte(link)
	damaged[len(link)-len(body)/2] ^= 1
	for _, c := range []struct{ name, link, says string }{
		{"cut in half", half, "This link is incomplete: part of it was probably cut off"},
		{"damaged", string(damaged), "This link is"},
		{"of another version", strings.Replace(link, "#1/", "#2/", 1),
			"This link was made by another version of Rebalance Lab (link version 2, this page reads 1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(t)
			p.open(c.link)
			p.started()
			p.ready()
			said := p.text(".notice")
			require.Contains(t, said, c.says)
			require.Contains(t, said, "starts fresh")
			require.Contains(t, p.text("h1"), "Commit before, commit after")
			require.Equal(t, "00:00.000", p.clock())
			p.click("skip") // and the lesson can be taken
			p.click("pause")
			p.requireQuietConsole()
		})
	}
}

func TestLinkOfALessonThatDoesNotExistLeadsHome(t *testing.T) {
	s, p := newServer(t), newPage(t)
	p.open(s.URL + "#1/no-such-lesson")
	p.started()
	require.Contains(t, p.text(".notice"), "a lesson that is not in this course: no-such-lesson")
	require.Contains(t, p.text("main.home"), "Commit before, commit after")
	p.clickOn(`a[href='#1/commit-before-after']`)
	p.ready()
	require.False(t, eval[bool](p, `Boolean(document.querySelector(".notice"))`), "the news is old now")
	p.requireQuietConsole()
}

// What is typed wrong is named with its place and, for a word, the nearest right one. The run that
// was there stays, and so does the text.
func TestWhatIsTypedWrongIsNamedAndTheRunBeforeStays(t *testing.T) {
	course, err := lessons.Load()
	require.NoError(t, err)
	story := course.Library[0]
	for _, s := range course.Library {
		if s.ID == "commit_before_after" {
			story = s
		}
	}
	server, p := newServer(t), newPage(t)
	p.open(server.URL + "#1/sandbox:" + story.ID)
	p.started()
	p.ready()
	lanes := p.text(".lanelist")
	p.click("edit")
	for _, c := range []struct {
		name, text string
		says       []string
	}{
		{"a syntax error", "cluster(brokers = 3)\ndef loop(c)\n    c.poll()\n",
			[]string{"scenario.star:3", "want ':'"}},
		{"an unknown setting", "cluster(brokers = 1)\ntopic(\"t\", partitions = 1)\ndef loop(c):\n    c.poll(\"1s\")\n" +
			"consumer(\"A\", group = \"g\", run = loop, max_poll_record = 5)\n",
			[]string{"scenario.star:5", "no such setting max_poll_record; did you mean max_poll_records?"}},
		{"an unknown word", "cluster(brokers = 1)\ntopik(\"t\", partitions = 1)\n",
			[]string{"scenario.star:2", "topik", "did you mean topic?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.write(c.text)
			p.rerun()
			p.wait(`document.querySelector(".problem:not([hidden])")?.innerText.includes(` + quote(c.says[0]) + `)`)
			for _, part := range c.says {
				require.Contains(t, strings.ToLower(p.text(".problem")), strings.ToLower(part))
			}
			require.Contains(t, p.text("#editor .cm-content"), strings.Split(c.text, "\n")[0])
			require.Equal(t, lanes, p.text(".lanelist"), "the run before stays")
			p.click("play")
			p.click("pause")
		})
	}
	p.requireQuietConsole()
}

func TestEndlessLoopIsAMessageWithItsLineAndTheShippedRunStays(t *testing.T) {
	s, p := newServer(t), newPage(t)
	p.open(s.URL + "#1/commit-before-after")
	p.started()
	p.ready()
	p.click("skip")
	p.click("pause")
	p.click("edit")
	p.write("def loop(c):\n    c.subscribe([\"order_events\"])\n    while True:\n        pass\n")
	p.rerun()
	p.wait(`document.querySelector(".problem:not([hidden])")`)
	said := p.text(".problem")
	require.Contains(t, said, "loop:4")
	require.Contains(t, said, "1000000 steps without a blocking call; a loop that never polls?")
	require.Contains(t, p.text("#panel-time"), "as shipped")
	p.clickOn(`[data-act='branch:1']`)
	p.wait(`document.querySelector(".problem[hidden]")`)
	p.requireQuietConsole()
}
