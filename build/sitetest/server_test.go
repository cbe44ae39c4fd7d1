package sitetest

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"rebalancelab/build/site"
	"rebalancelab/build/testenv"
)

// subPath is where the tests serve the site: it must work under any path.
const subPath = "/courses/kafka/"

// server serves the built site, with faults that a test can switch on at any time.
type server struct {
	URL string // of the page, ends with subPath

	down   atomic.Bool                  // breaks every connection, like a missing network
	update atomic.Bool                  // serves the next build, see edit
	fault  atomic.Pointer[http.Handler] // answers instead of the site where matches is true
	match  *regexp.Regexp
	dir    site.Source
	files  http.Handler // the site without faults
}

// Every test has a server of its own, so an origin of its own: no caches or workers are shared.
func newServer(t testing.TB) *server {
	s := &server{dir: site.Dir(testenv.Path(t, testenv.Site))}
	s.files = site.Handler(s.source, subPath)
	http := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.down.Load() {
			panic(http.ErrAbortHandler)
		}
		if fault := s.fault.Load(); fault != nil && s.match.MatchString(r.URL.Path) {
			(*fault).ServeHTTP(w, r)
			return
		}
		s.files.ServeHTTP(w, r)
	}))
	t.Cleanup(http.Close)
	s.URL = http.URL + subPath
	return s
}

// breakFiles answers requests whose path matches with handler.
func (s *server) breakFiles(pattern string, handler http.HandlerFunc) {
	s.match = regexp.MustCompile(pattern)
	var fault http.Handler = handler
	s.fault.Store(&fault)
}

func (s *server) source(name string) ([]byte, bool) {
	content, ok := s.dir(name)
	if !ok || !s.update.Load() {
		return content, ok
	}
	return edit(name, content)
}

// edit makes the next build out of the tested one: another page and another service worker. Their
// compressed forms are left out, because they hold the old content.
func edit(name string, content []byte) ([]byte, bool) {
	switch {
	case name == "index.html":
		return []byte(strings.Replace(string(content), "<body>", "<body data-update>", 1)), true
	case name == "service-worker.js":
		version := versionText.FindStringSubmatch(string(content))[1]
		return []byte(strings.ReplaceAll(string(content), version, "next")), true
	case strings.HasPrefix(name, "index.html."), strings.HasPrefix(name, "service-worker.js."):
		return nil, false
	}
	return content, true
}

// versionText finds the version in the minified service worker by the message that carries it.
var versionText = regexp.MustCompile(`version:"([0-9a-f]{16})"`)
