package site

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// caddyHeader is one header directive of the Caddyfile. Pattern "/*" stands for none.
type caddyHeader struct{ pattern, name, value string }

// readCaddyfile finds the header directives: one line with a path, or a block without one. What is
// said about errors is no part of the table.
func readCaddyfile(t *testing.T) []caddyHeader {
	text, err := os.ReadFile("../../Caddyfile")
	require.NoError(t, err)
	var headers []caddyHeader
	inBlock := false
	site, _, _ := strings.Cut(string(text), "\n\thandle_errors")
	for _, line := range strings.Split(site, "\n") {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 4)
		switch {
		case inBlock && fields[0] == "}":
			inBlock = false
		case inBlock:
			value := strings.TrimPrefix(strings.TrimSpace(line), fields[0]+" ")
			headers = append(headers, caddyHeader{"/*", fields[0], strings.Trim(value, `"`)})
		case fields[0] == "header" && fields[1] == "{":
			inBlock = true
		case fields[0] == "header":
			headers = append(headers, caddyHeader{fields[1], fields[2], strings.Trim(fields[3], `"`)})
		}
	}
	return headers
}

func TestCaddyfileSendsTheHeadersOfTheTable(t *testing.T) {
	var want []caddyHeader
	for _, rule := range Rules {
		for _, header := range rule.Headers {
			want = append(want, caddyHeader{rule.Pattern, header.Name, header.Value})
		}
	}
	require.ElementsMatch(t, want, readCaddyfile(t))
}

func TestNoPathGetsOneHeaderTwice(t *testing.T) {
	paths := []string{
		"/", "/index.html", "/service-worker.js", "/manifest.webmanifest", "/budget.json",
		"/web/app.0123456789ab.wasm", "/nowhere",
	}
	for _, path := range paths {
		seen := map[string]bool{}
		for _, header := range HeadersFor(path) {
			require.False(t, seen[header.Name], "%s gets %s twice", path, header.Name)
			seen[header.Name] = true
		}
		require.True(t, seen["Content-Security-Policy"], path)
		require.Equal(t, path != "/nowhere", seen["Cache-Control"], path)
	}
}

func TestPolicyAllowsWebAssemblyAndNoInlineScript(t *testing.T) {
	require.Contains(t, Policy, "script-src 'self' 'wasm-unsafe-eval';")
	require.NotContains(t, Policy, "'unsafe-eval'")
	require.NotContains(t, Policy, "http")
}
