package ui

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var update = flag.Bool("update", false, "write the golden files anew")

// markup is the HTML of an element with attributes in order: go-app writes them in any.
func markup(t *testing.T, e app.UI) string {
	t.Helper()
	text := strings.ReplaceAll(app.HTMLString(e), `\"`, "&#34;") // go-app quotes as Go does
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(text), body)
	require.NoError(t, err)
	var b strings.Builder
	for _, n := range nodes {
		sortAttributes(n)
		require.NoError(t, html.Render(&b, n))
	}
	return b.String()
}

func sortAttributes(n *html.Node) {
	slices.SortFunc(n.Attr, func(a, b html.Attribute) int { return strings.Compare(a.Key, b.Key) })
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		sortAttributes(c)
	}
}

func TestComponentsLookAsTheyDid(t *testing.T) {
	v := SampleView()
	stage := StageOf(&v, "A")
	for name, e := range map[string]app.UI{
		"group": &Group{V: stage.Groups[0]}, "broker": &Broker{V: stage.Brokers[1]},
		"client": &Client{V: stage.Clients[2]}, "ghost": &Client{V: stage.Clients[1]},
		"question": &Steps{V: sampleQuestion(true)}, "goal": &Steps{V: sampleGoal()},
		"code": &CodePanel{V: sampleCode()}, "message": sampleInspector("messages"),
	} {
		file := filepath.Join("testdata", name+".html")
		got := markup(t, e) + "\n"
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), got, name)
	}
}

// everything is the gallery and the two screens, as text.
func everything(t *testing.T) string {
	t.Helper()
	gallery := Gallery()
	lab := PageView{Screen: ScreenLab, Lab: LabView{Panel: "stage", Busy: "Running"}}
	home := PageView{Screen: ScreenHome}
	home.Home.Chapters = []ChapterView{{Lessons: []LessonCard{{}}}}
	share := PageView{Screen: ScreenBoot, Dialog: DialogView{Kind: "share"}}
	share.Boot.Failed = true
	help := PageView{Screen: ScreenBoot, Dialog: DialogView{Kind: "help"}}
	var all strings.Builder
	for _, v := range []PageView{gallery, lab, home, share, help} {
		all.WriteString(markup(t, Page(&v)))
	}
	return all.String()
}

func TestEveryControlDoesSomethingThatThePageKnows(t *testing.T) {
	source, err := os.ReadFile("../page/perform.go")
	require.NoError(t, err)
	acts := regexp.MustCompile(`data-act="([a-z-]+)`).FindAllStringSubmatch(everything(t), -1)
	require.Greater(t, len(acts), 50)
	for _, a := range acts {
		require.Regexp(t, `case .*"`+a[1]+`"`, string(source), a[1])
	}
}

func TestEveryFieldIsReadByThePage(t *testing.T) {
	source, err := os.ReadFile("../page/input.go")
	require.NoError(t, err)
	fields := regexp.MustCompile(`data-input="([a-z]+)`)
	for _, f := range fields.FindAllStringSubmatch(everything(t), -1) {
		require.Contains(t, string(source), `case "`+f[1]+`"`)
	}
}

func TestEveryButtonHasAName(t *testing.T) {
	button := regexp.MustCompile(`(?s)<button[^>]*>(.*?)</button>`)
	words := regexp.MustCompile(`(?s)<svg.*?</svg>|<[^>]*>|\s`)
	for _, b := range button.FindAllStringSubmatch(everything(t), -1) {
		named := strings.Contains(b[0], "aria-label=") || strings.Contains(b[0], "title=")
		require.True(t, named || words.ReplaceAllString(b[1], "") != "", b[0])
	}
}

func TestIdsAreUniqueOnTheLabsPage(t *testing.T) {
	v := PageView{Screen: ScreenLab, Lab: LabView{Panel: "stage", Ready: true, Code: sampleCode()}}
	seen := map[string]bool{}
	ids := regexp.MustCompile(` id="([^"]+)"`)
	for _, id := range ids.FindAllStringSubmatch(markup(t, Page(&v)), -1) {
		require.False(t, seen[id[1]], id[1])
		seen[id[1]] = true
	}
}
