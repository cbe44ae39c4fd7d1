package sitetest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLabOpensWithoutANetworkWhateverTheQuery(t *testing.T) {
	s, p := newServer(t), newPage(t)
	p.open(s.URL)
	p.offline("ready")
	s.down.Store(true)
	for _, address := range []string{"", "?lesson=2", "index.html?embed=1#x"} {
		p.open("about:blank")
		p.open(s.URL + address)
		p.started()
	}
	editor := eval[string](p, `caches.keys()
		.then((names) => caches.open(names[0])).then((cache) => cache.keys())
		.then((keys) => keys.find((key) => key.url.includes("/web/editor.")).url)`)
	require.Equal(t, 200, eval[int](p, `fetch("`+editor+`").then((answer) => answer.status)`),
		"the lazy editor must open too")
}

func TestFailedInstallIsReportedAndLeavesThePageAlone(t *testing.T) {
	s, p := newServer(t), newPage(t)
	s.breakFiles(`/editor\.`, http.NotFound)
	p.open(s.URL)
	p.started()
	p.offline("failed")
	reason := eval[string](p, `window.labOffline.reason`)
	require.Regexp(t, `^web/editor\.[0-9a-f]{12}\.js: the server answered 404$`, reason)
	require.Empty(t, eval[[]string](p, `caches.keys()`), "half a build must not stay")
	p.started()
}

func TestPageOfAnotherBuildIsNeverStoredWithTheseFiles(t *testing.T) {
	s, p := newServer(t), newPage(t)
	s.breakFiles(`/kafka/$`, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Fetch-Mode") == "navigate" {
			s.files.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<p>a page of a later build"))
	})
	p.open(s.URL)
	p.offline("failed")
	require.Contains(t, eval[string](p, `window.labOffline.reason`), "another build")
}

func TestUpdateWaitsForTheReaderAndKeepsWhatItReplaces(t *testing.T) {
	s, p := newServer(t), newPage(t)
	p.open(s.URL)
	p.offline("ready")
	eval[bool](p, `caches.open("another site on this origin").then(() => true)`)
	eval[bool](p, `(window.sameDocument = true)`)

	s.update.Store(true)
	eval[bool](p, `navigator.serviceWorker.getRegistration().then((r) => r.update()).then(() => true)`)
	p.offline("update")
	require.True(t, eval[bool](p, `window.sameDocument`), "an update must not reload the page")
	require.Len(t, ownCaches(p), 2, "both builds are stored while one waits")

	p.open(s.URL + "?lesson=2")
	p.started()
	require.False(t, updated(p), "until the reader agrees, the build that ran goes on")
	p.offline("update")

	eval[bool](p, `(window.labActivateUpdate(), true)`)
	p.wait(`document.body?.hasAttribute("data-update") && !document.getElementById("boot")`)
	p.offline("ready")
	require.Len(t, ownCaches(p), 2, "another tab may still ask for the lazy files of its build")
	require.Contains(t, eval[[]string](p, `caches.keys()`), "another site on this origin")

	s.down.Store(true)
	p.open(s.URL + "?lesson=3")
	p.started()
	require.True(t, updated(p))
}

func updated(p *page) bool { return eval[bool](p, `document.body.hasAttribute("data-update")`) }

func ownCaches(p *page) []string {
	var own []string
	for _, name := range eval[[]string](p, `caches.keys()`) {
		if strings.HasPrefix(name, "rebalance-lab ") {
			own = append(own, name)
		}
	}
	return own
}
