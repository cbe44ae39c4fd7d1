package course

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rebalancelab/lessons"
)

func TestMomentReadsClocksAndDurations(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
		ok   bool
	}{
		{"00:12.000", 12 * time.Second, true},
		{"01:46.250", 106*time.Second + 250*time.Millisecond, true},
		{"61s", 61 * time.Second, true},
		{"500ms", 500 * time.Millisecond, true},
		{"0s", 0, true},
		{"", 0, false},
		{"soon", 0, false},
		{"01:75", 0, false},
		{"-5s", 0, false},
		{"x:10", 0, false},
	} {
		got, ok := Moment(c.text)
		require.Equal(t, c.ok, ok, c.text)
		if ok {
			require.Equal(t, int64(c.want), got, c.text)
		}
	}
}

func TestBundleOfTheCourseIsRead(t *testing.T) {
	bundle, err := lessons.Bundle()
	require.NoError(t, err)
	c, err := Parse(bundle)
	require.NoError(t, err)
	require.NotEmpty(t, c.Lessons)
	for i, l := range c.Lessons {
		found, at := c.Lesson(l.ID)
		require.Equal(t, i, at)
		require.NotEmpty(t, found.Source, l.ID)
		require.NotEmpty(t, found.Hash, l.ID)
		require.NotEmpty(t, found.Title.In("en"), l.ID)
		for _, s := range l.Steps {
			require.Len(t, s.Options, len(s.Order), "%s %s", l.ID, s.ID)
		}
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	c := &Course{Chapters: []Chapter{{ID: "commit", Title: Text{"en": "Commit"}}}}
	l, at := c.Lesson("nope")
	require.Nil(t, l)
	require.Equal(t, -1, at)
	require.Nil(t, c.Story("nope"))
	require.Equal(t, "Commit", c.ChapterTitle("commit", "zh"))
	_, err := Parse([]byte("{"))
	require.ErrorContains(t, err, "could not be read")
}

func TestLessonsAreThereBeforeTheLibraryIsRead(t *testing.T) {
	c, err := Parse([]byte(`{"chapters":[],"lessons":[{"id":"a","source":"x,\"library\":[y"}],"library":[{"id":"s","title":"S"}]}` + "\n"))
	require.NoError(t, err)
	require.Equal(t, `x,"library":[y`, c.Lessons[0].Source)
	require.Empty(t, c.Library, "nobody has asked")
	require.Nil(t, c.Story(""))
	require.Empty(t, c.Library, "a sandbox that began with none has not asked")
	require.Equal(t, "S", c.Story("s").Title)
	require.Len(t, c.Stories(), 1)
	require.Len(t, c.Stories(), 1, "read once")
}
