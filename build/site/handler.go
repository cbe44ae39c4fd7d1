package site

import (
	"bytes"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Source finds a file of a site by its path relative to the site.
type Source func(name string) (content []byte, ok bool)

// Source serves the files from memory.
func (f Files) Source(name string) ([]byte, bool) {
	content, ok := f[name]
	return content, ok
}

// Dir serves a site that was written to a folder.
func Dir(dir string) Source {
	return func(name string) ([]byte, bool) {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		return content, err == nil
	}
}

// Handler serves a site under prefix, a path like "/" or "/courses/kafka/", the way the Caddyfile
// does in production: types and headers from the tables, precompressed forms where the browser
// takes them, 404 for everything that is not a file of the site.
func Handler(source Source, prefix string) http.Handler {
	root := "/" + strings.Trim(prefix, "/")
	if root != "/" {
		root += "/"
	}
	mux := http.NewServeMux() // redirects "/courses/kafka" to "/courses/kafka/" by itself
	mux.Handle(root, http.StripPrefix(strings.TrimSuffix(root, "/"), http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) { serve(source, w, r) })))
	return mux
}

func serve(source Source, w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	urlPath := path.Clean("/" + r.URL.Path)
	name := strings.TrimPrefix(urlPath, "/")
	if name == "" {
		name = pagePath
	}
	content, ok := source(name)
	if !ok || name == headersPath {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mediaType(name))
	for _, header := range HeadersFor(urlPath) {
		w.Header().Set(header.Name, header.Value)
	}
	w.Header().Set("Vary", "Accept-Encoding")
	for _, encoding := range encodings {
		encoded, ok := source(name + encoding.suffix)
		if ok && accepts(r, encoding.name) {
			w.Header().Set("Content-Encoding", encoding.name)
			content = encoded
			break
		}
	}
	w.Header().Set("ETag", `"`+Hash(content)[:16]+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// accepts reports whether the browser takes the encoding. Weights other than zero are not compared:
// the forms are tried best first.
func accepts(r *http.Request, encoding string) bool {
	for _, field := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(field), ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) {
			return strings.TrimSpace(weight) != "q=0"
		}
	}
	return false
}
