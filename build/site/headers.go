package site

import (
	"path"
	"strings"
)

// Policy is the content security policy of every answer, and of the page itself for hosts that send
// no headers. 'wasm-unsafe-eval' lets WebAssembly compile; inline styles are what go-app sets.
const Policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; " +
	"style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; worker-src 'self'; " +
	"connect-src 'self'; object-src 'none'; base-uri 'none'"

// Rule says which headers the answers under a path carry. Pattern is a path from the site's root; a
// star at its end stands for anything.
type Rule struct {
	Pattern string
	Headers []Header
}

// Header is one header line.
type Header struct{ Name, Value string }

const (
	cacheForever = "public, max-age=31536000, immutable"
	cacheNever   = "no-cache" // stored, but asked about before each use
)

// Rules is the one table of headers: the development server sends them, _headers tells them to
// Cloudflare Pages and Netlify, and the Caddyfile is tested against them. No two rules give the
// same header to one path: some hosts would join the values.
var Rules = []Rule{
	{"/*", []Header{
		{"Content-Security-Policy", Policy},
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
	}},
	{"/", []Header{{"Cache-Control", cacheNever}}},
	{"/" + pagePath, []Header{{"Cache-Control", cacheNever}}},
	{"/" + workerPath, []Header{{"Cache-Control", cacheNever}}},
	{"/" + manifestPath, []Header{
		{"Cache-Control", cacheNever},
		{"Content-Type", "application/manifest+json"},
	}},
	{"/" + budgetPath, []Header{{"Cache-Control", cacheNever}}},
	{"/web/*", []Header{{"Cache-Control", cacheForever}}},
}

// HeadersFor returns the headers of the answer for a path that begins with a slash.
func HeadersFor(urlPath string) []Header {
	var headers []Header
	for _, rule := range Rules {
		if rule.matches(urlPath) {
			headers = append(headers, rule.Headers...)
		}
	}
	return headers
}

func (r Rule) matches(urlPath string) bool {
	if start, ok := strings.CutSuffix(r.Pattern, "*"); ok {
		return strings.HasPrefix(urlPath, start)
	}
	return urlPath == r.Pattern
}

// headersFile is the table in the format of Cloudflare Pages and Netlify.
func headersFile() []byte {
	var out strings.Builder
	for _, rule := range Rules {
		out.WriteString(rule.Pattern + "\n")
		for _, header := range rule.Headers {
			out.WriteString("  " + header.Name + ": " + header.Value + "\n")
		}
	}
	return []byte(out.String())
}

// mediaTypes holds every type the site serves. The system's own table is not asked: a machine
// without an entry for .wasm would break streaming compilation.
var mediaTypes = map[string]string{
	".css":         "text/css; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".xml":         "application/xml",
	".zip":         "application/zip",
}

func mediaType(name string) string {
	if known, ok := mediaTypes[path.Ext(name)]; ok {
		return known
	}
	return "application/octet-stream"
}
