// Package sitetest tests the built site as a browser meets it: that it starts under any path, says
// what is wrong when a file is missing, works without a network, and takes updates only when asked.
//
// It owns no code but tests. It never looks at what a lesson shows; wasmtest/browser does that. The
// site comes from LAB_SITE, which `go run ./build test` sets.
package sitetest
