package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimesAreWrittenAsThePageWritesThem(t *testing.T) {
	require.Equal(t, "00:54.341", Clock(54_341_999_999))
	require.Equal(t, "02:00.000", Clock(120e9))
	require.Equal(t, "00:00.000", Clock(-1))
	require.Equal(t, "44.9 s", Left(44_999e6))
	require.Equal(t, "0.0 s", Left(-5))
	require.Equal(t, "850 ms", Millis(850))
	require.Equal(t, "45.0 s", Millis(45_000))
	require.Equal(t, "0.25\u00d7", Speed(0.25))
	require.Equal(t, "100\u00d7", Speed(100))
}

func TestErrorsBecomeSentences(t *testing.T) {
	require.Equal(t, "No such setting.", Sentence("no such setting"))
	require.Equal(t, "Did you mean x?", Sentence(" did you mean x?"))
	require.Equal(t, "", Sentence(""))
	require.Equal(t, "engine.wasm is missing.", Sentence("engine.wasm is missing"), "names of files stay")
}

func TestOffsetThatIsNotKnownIsADash(t *testing.T) {
	require.Equal(t, "\u2013", Offset(-1))
	require.Equal(t, "0", Offset(0))
}

func TestBytesAreDumpedInLinesOfSixteen(t *testing.T) {
	lines := strings.Split(Hex([]byte("JoinGroup v9 for A\x00")), "\n")
	require.Equal(t, []string{
		"0000  4a 6f 69 6e 47 72 6f 75 70 20 76 39 20 66 6f 72  JoinGroup v9 for",
		"0010  20 41 00                                          A.",
	}, lines)
	require.Empty(t, Hex(nil))
}

func TestProgramIsHighlightedLineByLine(t *testing.T) {
	got := Highlight("def loop(c):\n    x = c.poll(\"5 < 6\")  # wait\n", false)
	require.Equal(t, []string{
		`<b class="k">def</b> <b class="f">loop</b>(c):`,
		`    x = c.<b class="f">poll</b>(<b class="s">&#34;5 &lt; 6&#34;</b>)  <b class="c"># wait</b>`,
	}, got)
}

func TestHighlighterLosesNoCharacter(t *testing.T) {
	strip := strings.NewReplacer(`<b class="k">`, "", `<b class="s">`, "", `<b class="n">`, "",
		`<b class="f">`, "", `<b class="c">`, "", "</b>", "", "&#34;", `"`, "&lt;", "<", "&gt;", ">",
		"&amp;", "&")
	for _, line := range []string{
		`for r in c.poll("500ms"): process(r, 12.5) # x`, `a // b / c`, "`raw` 'it\\'s' \"open",
		"\u00e9t\u00e9 = 3 & 4", "x<y>z", "#", `"`, "0x1F",
	} {
		for _, slashes := range []bool{false, true} {
			require.Equal(t, line, strip.Replace(Highlight(line, slashes)[0]), line)
		}
	}
}

func TestCommentsOfOtherLanguagesBeginWithSlashes(t *testing.T) {
	require.Equal(t, `x <b class="c">// y</b>`, Highlight("x // y", true)[0])
	require.NotContains(t, Highlight("x // y", false)[0], `class="c"`)
}

func TestTypedSettingsBecomeValuesOfTheLanguage(t *testing.T) {
	for typed, want := range map[string]string{
		"True": "True", "true": "True", "false": "False", " 500 ": "500", "45s": `"45s"`,
		`"45s"`: `"45s"`, `["range"]`: `["range"]`, "cooperative-sticky": `"cooperative-sticky"`, "": "",
	} {
		require.Equal(t, want, SettingText(typed), typed)
	}
}
