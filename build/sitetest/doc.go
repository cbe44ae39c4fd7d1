// Package sitetest tests the built site as a browser meets it: that it starts under any path, says
// what is wrong when a file is missing, works without a network, takes updates only when asked, and
// leads a learner through a lesson.
//
// It owns no code but tests, and it never builds anything: the site comes from LAB_SITE, which
// `go run ./build test` sets.
package sitetest
