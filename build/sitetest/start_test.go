package sitetest

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"rebalancelab/build/testenv"
)

func TestPageStartsUnderASubPathWithAQuietConsole(t *testing.T) {
	s, p := newServer(t), newPage(t)
	for _, address := range []string{"", "index.html", "?embed=1", "#a-fragment"} {
		p.open("about:blank")
		p.open(s.URL + address)
		p.started()
	}
	p.offline("ready")
	foreign := eval[[]string](p, `performance.getEntriesByType("resource")
		.map((entry) => entry.name).filter((name) => !name.startsWith("`+s.URL+`"))`)
	require.Empty(t, foreign, "requests outside the site's own path")
	p.requireQuietConsole()
}

func TestPageStartsWhenTheHostSendsWasmUnderAnotherType(t *testing.T) {
	s, p := newServer(t), newPage(t)
	s.breakFiles(`\.wasm$`, func(w http.ResponseWriter, r *http.Request) {
		name := filepath.Base(r.URL.Path)
		content, err := os.ReadFile(filepath.Join(testenv.Path(t, testenv.Site), "web", name))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(content)
	})
	p.open(s.URL)
	p.started()
	p.requireQuietConsole()
}

func TestPageNamesTheProgramThatDoesNotArrive(t *testing.T) {
	for _, c := range []struct {
		name, text string
		answer     http.HandlerFunc
	}{
		{"missing", "app.wasm is missing from this site (404", http.NotFound},
		{"another page instead", "app.wasm is not a WebAssembly file: the server answered with text/html",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Write([]byte("<!doctype html><p>home"))
			}},
		{"server error", "the server answered 503", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}},
		{"no answer", "Check the connection", func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := newServer(t), newPage(t)
			s.breakFiles(`/app\..*\.wasm$`, c.answer)
			p.open(s.URL)
			p.wait(`document.getElementById("boot-failure")`)
			text := eval[string](p, `document.getElementById("boot-failure").innerText`)
			require.Contains(t, text, "could not start")
			require.Contains(t, text, c.text)
			require.Contains(t, text, "Reload")
		})
	}
}
