package lessons

import (
	"encoding/json"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// small is a course of one lesson; change replaces or adds files.
func small(change map[string]string) fstest.MapFS {
	files := map[string]string{
		"one/lesson.txt":    "chapter: poll\norder: 1\nminutes: 5\nseed: 3\nstart: 00:00.000\n",
		"one/en.md":         "# One\nThe summary.\n\n## A step\nText with a [time](t:12s).\n\n### Predict who\n- a: first\n- b: second\n\n### Why\nBecause.\n",
		"one/scenario.star": "rows(\"S01\", \"S02\")\n",
		"one/solution.star": "",
		"one/picture.svg":   "<svg></svg>",
	}
	for name, text := range change {
		files[name] = text
	}
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

func TestALessonIsReadWhole(t *testing.T) {
	c, err := load(small(map[string]string{"library/x.star": "# A story\n# Told in a sentence.\nrows(\"S03\")\n"}))
	require.NoError(t, err)
	require.Len(t, c.Lessons, 1)
	l := c.Lessons[0]
	require.Equal(t, []string{"S01", "S02"}, l.Rows)
	require.Equal(t, "The summary.", l.Summary["en"])
	require.Equal(t, []string{"a", "b"}, l.Steps[0].Order)
	require.Equal(t, "second", l.Steps[0].Options["b"]["en"])
	require.Equal(t, `<p>Text with a <a href="#" data-t="12s">time</a>.</p>`, l.Steps[0].HTML["en"])
	require.Equal(t, "<p>Because.</p>", l.Steps[0].Why["en"])
	require.Equal(t, Story{ID: "x", Title: "A story", Sentences: "Told in a sentence.", Rows: []string{"S03"},
		Source: "# A story\n# Told in a sentence.\nrows(\"S03\")\n"}, c.Library[0])
}

func TestAMistakeInALessonNamesFileAndLine(t *testing.T) {
	for want, change := range map[string]map[string]string{
		`one/lesson.txt:1: "poll" is not name: value`:     {"one/lesson.txt": "poll\n"},
		`one/lesson.txt:1: no such name "chapters"`:       {"one/lesson.txt": "chapters: poll\n"},
		`one/lesson.txt: no such chapter "nowhere"`:       {"one/lesson.txt": "chapter: nowhere\n"},
		`one/en.md:4: no such part "Wy"`:                  {"one/en.md": "# T\n## S\n\n### Wy\n"},
		`one/en.md:3: ### Predict needs the key`:          {"one/en.md": "# T\n## S\n### Predict\n- a: x\n"},
		`one/en.md:2: "Why" stands before the first step`: {"one/en.md": "# T\n### Why\n"},
		`one/ru.md:3: step "S2" is not in en.md`:          {"one/ru.md": "# T\n## S\n## S2\n"},
		`library/x.star:1: a story begins with # Title`:   {"library/x.star": "rows()\n"},
	} {
		_, err := load(small(change))
		require.ErrorContains(t, err, want)
	}
}

func TestRawHTMLInATextDoesNotReachThePage(t *testing.T) {
	c, err := load(small(map[string]string{"one/en.md": "# T\n## S\n<script>alert(1)</script>\n\n[x](javascript:alert)\n"}))
	require.NoError(t, err)
	require.NotContains(t, c.Lessons[0].Steps[0].HTML["en"], "script")
}

func TestEveryStoryHasATitleTwoSentencesAndARow(t *testing.T) {
	c, err := Load()
	require.NoError(t, err)
	titles := map[string]string{}
	for _, s := range c.Library {
		require.NotEmpty(t, s.Rows, s.ID)
		require.Empty(t, titles[s.Title], "%s and %s have one title", s.ID, titles[s.Title])
		titles[s.Title] = s.ID
		require.Len(t, sentence.FindAllString(s.Sentences, -1), 2, "%s: %s", s.ID, s.Sentences)
	}
}

// sentence finds the end of one.
var sentence = regexp.MustCompile(`[.?!](\s|$)`)

func TestTheShippedCourseLoads(t *testing.T) {
	b, err := Bundle()
	require.NoError(t, err)
	var c Course
	require.NoError(t, json.Unmarshal(b, &c))
	require.GreaterOrEqual(t, len(c.Lessons), 3)
	for _, l := range c.Lessons {
		require.NotEmpty(t, l.Steps, l.ID)
		require.NotEmpty(t, l.Solution, l.ID)
		require.NotEmpty(t, l.Rows, l.ID)
	}
}
