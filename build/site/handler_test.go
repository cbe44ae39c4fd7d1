package site

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

var servedFiles = Files{
	pagePath:       []byte("<p>page"),
	workerPath:     []byte("worker"),
	manifestPath:   []byte("{}"),
	headersPath:    []byte("/*"),
	"web/a.1.wasm": []byte("\x00asm"),

	"web/a.1.wasm.br": []byte("br"), "web/a.1.wasm.gz": []byte("gz"),
}

func get(t *testing.T, prefix, path, encodings string) (*http.Response, string) {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, path, nil)
	request.Header.Set("Accept-Encoding", encodings)
	recorder := httptest.NewRecorder()
	Handler(servedFiles.Source, prefix).ServeHTTP(recorder, request)
	body, err := io.ReadAll(recorder.Result().Body)
	require.NoError(t, err)
	return recorder.Result(), string(body)
}

func TestHandlerSendsTypesAndCacheRules(t *testing.T) {
	for _, c := range []struct{ path, mediaType, cache string }{
		{"/", "text/html; charset=utf-8", cacheNever},
		{"/?lesson=2", "text/html; charset=utf-8", cacheNever},
		{"/index.html", "text/html; charset=utf-8", cacheNever},
		{"/service-worker.js", "text/javascript; charset=utf-8", cacheNever},
		{"/manifest.webmanifest", "application/manifest+json", cacheNever},
		{"/web/a.1.wasm", "application/wasm", cacheForever},
	} {
		for _, prefix := range []string{"/", "/courses/kafka/"} {
			response, _ := get(t, prefix, prefix+c.path[1:], "")
			require.Equal(t, http.StatusOK, response.StatusCode, c.path)
			require.Equal(t, c.mediaType, response.Header.Get("Content-Type"), c.path)
			require.Equal(t, c.cache, response.Header.Get("Cache-Control"), c.path)
			require.Equal(t, Policy, response.Header.Get("Content-Security-Policy"), c.path)
			require.Equal(t, "Accept-Encoding", response.Header.Get("Vary"), c.path)
		}
	}
}

func TestHandlerSendsTheBestFormThatTheBrowserTakes(t *testing.T) {
	for _, c := range []struct{ accepted, sent, body string }{
		{"gzip, deflate, br", "br", "br"},
		{"gzip;q=1.0", "gzip", "gz"},
		{"br;q=0, gzip", "gzip", "gz"},
		{"", "", "\x00asm"},
		{"zstd", "", "\x00asm"},
	} {
		response, body := get(t, "/", "/web/a.1.wasm", c.accepted)
		require.Equal(t, c.sent, response.Header.Get("Content-Encoding"), c.accepted)
		require.Equal(t, c.body, body, c.accepted)
		require.Equal(t, "application/wasm", response.Header.Get("Content-Type"), c.accepted)
	}
}

func TestHandlerAnswers404ForWhatIsNotOfTheSite(t *testing.T) {
	for _, path := range []string{"/nowhere", "/web/", "/_headers", "/web/../../go.mod"} {
		response, _ := get(t, "/", path, "")
		require.NotEqual(t, http.StatusOK, response.StatusCode, path)
	}
	response, _ := get(t, "/lab/", "/elsewhere", "")
	require.Equal(t, http.StatusNotFound, response.StatusCode)
}

func TestHandlerLeadsTheBarePrefixToTheFolder(t *testing.T) {
	response, _ := get(t, "/lab", "/lab", "")
	require.Equal(t, "/lab/", response.Header.Get("Location"))
}

func TestHandlerAnswers304ForAnUnchangedPage(t *testing.T) {
	first, _ := get(t, "/", "/", "")
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("If-None-Match", first.Header.Get("ETag"))
	recorder := httptest.NewRecorder()
	Handler(servedFiles.Source, "/").ServeHTTP(recorder, request)
	require.Equal(t, http.StatusNotModified, recorder.Code)
}
