package link

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/engine/view"
)

const scenario = `def loop(c):
    c.subscribe(["order_events"])
    while True:
        batch = c.poll("500ms")
        c.commit_sync()
        for record in batch:
            process(record, "10ms")
`

func edited() State {
	return State{
		Engine: "1", Hash: "0123456789abcdef", Seed: 7, Step: 2, At: 54_341_000_000, Index: 9123,
		Trace: 0xfeedfacecafebeef,
		Overrides: []view.Override{
			{Name: "loop", Text: strings.Replace(scenario, "10ms", "20ms", 1)},
			{Name: "enable_auto_commit", Setting: true, Text: "True"},
		},
		Commands: []view.Command{{At: 12e9, Text: `kill("A")`}, {At: 14e9, Text: `start("A")`}},
	}
}

func open(t *testing.T, fragment, text string) (State, error) {
	t.Helper()
	h, err := Parse(fragment)
	require.NoError(t, err)
	return h.Open(text)
}

func TestStateComesBackFromItsLink(t *testing.T) {
	want := edited()
	fragment := Encode("commit-before-after", want, scenario)
	h, err := Parse(fragment)
	require.NoError(t, err)
	require.Equal(t, "commit-before-after", h.Lesson)
	require.False(t, h.Fresh())
	got, err := h.Open(scenario)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestLinkOfAnEditedLessonIsShort(t *testing.T) {
	require.Less(t, len(Encode("commit-before-after", edited(), scenario)), 400)
}

func TestLinkHoldsOnlyCharactersThatSurviveMail(t *testing.T) {
	for _, r := range Encode("a-lesson", edited(), scenario) {
		require.Contains(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/",
			string(r))
	}
}

func TestLinkCutAnywhereSaysSo(t *testing.T) {
	fragment := Encode("a", edited(), scenario)
	for n := len("1/a/") + 1; n < len(fragment); n++ {
		_, err := open(t, fragment[:n], scenario)
		require.Error(t, err, "cut to %d characters", n)
		require.Contains(t, err.Error(), "starts fresh")
	}
}

func TestLinkCutInHalfIsCalledIncomplete(t *testing.T) {
	fragment := Encode("a", edited(), scenario)
	_, err := open(t, fragment[:len(fragment)/2/4*4], scenario)
	require.ErrorIs(t, err, errCut)
}

func TestLinkWithAChangedLetterIsDamaged(t *testing.T) {
	fragment := []byte(Encode("a", edited(), scenario))
	for i := len("1/a/"); i < len(fragment); i++ {
		wrong := append([]byte(nil), fragment...)
		wrong[i] = 'A'
		if wrong[i] == fragment[i] {
			wrong[i] = 'B'
		}
		got, err := open(t, string(wrong), scenario)
		if err == nil { // a bit that base64 or deflate does not use
			require.Equal(t, edited(), got)
		}
	}
}

func TestLinkOfAnotherTextOfTheLessonIsNotMisread(t *testing.T) {
	got, err := open(t, Encode("a", edited(), scenario), "def loop(c):\n    pass\n")
	if err == nil {
		require.Equal(t, edited(), got)
	}
}

func TestLinksThatAreWrongSayWhyInOneSentence(t *testing.T) {
	for _, c := range []struct{ fragment, want string }{
		{"elsewhere", "not a link of Rebalance Lab"},
		{"1/", "not a link of Rebalance Lab"},
		{"9/commit-before-after/abc", "another version"},
	} {
		h, err := Parse(c.fragment)
		require.ErrorContains(t, err, c.want, c.fragment)
		require.True(t, h.Fresh())
	}
	_, err := open(t, "1/a/!!!!", scenario)
	require.Error(t, err)
	_, err = open(t, "1/a/"+base64.RawURLEncoding.EncodeToString([]byte("no deflate")), scenario)
	require.Error(t, err)
}

func TestLinkThatInflatesTooFarIsRefused(t *testing.T) {
	s := State{Source: strings.Repeat("x", MaxInflated+1)}
	_, err := open(t, Encode(Sandbox, s, ""), "")
	require.ErrorIs(t, err, errLong)
}

func TestNumberOfItemsIsBounded(t *testing.T) {
	s := State{Commands: make([]view.Command, maxItems+1)}
	_, err := open(t, Encode(Sandbox, s, ""), "")
	require.ErrorIs(t, err, errBroken)
}

func TestPlainLinkOpensTheLessonFresh(t *testing.T) {
	h, err := Parse(Plain("a-consumer-dies"))
	require.NoError(t, err)
	require.Equal(t, "a-consumer-dies", h.Lesson)
	require.True(t, h.Fresh())
	h, err = Parse("")
	require.NoError(t, err)
	require.Empty(t, h.Lesson)
}
