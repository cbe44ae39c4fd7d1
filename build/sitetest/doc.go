// Package sitetest tests the built site as a browser meets it: that it starts under any path, says
// what is wrong when a file is missing, works without a network, takes updates only when asked, and
// leads a learner through a lesson.
//
// It owns no code but tests. The site comes from LAB_SITE, which `go run ./build test` sets, and is
// tested as it is; the one thing built here is an engine with a fault, for the page to meet.
package sitetest
