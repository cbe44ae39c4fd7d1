// Package link owns the URL fragment: all that is needed to see the same moment of the same run
// again. Nothing of it reaches a server.
//
// A fragment is VERSION/LESSON or VERSION/LESSON/BODY. LESSON is a lesson's id, or "sandbox". BODY
// is base64url of the deflated state, with the lesson's text as preset dictionary, so that an
// edited lesson takes some hundred characters. The package never runs anything and never trusts a
// link: every way in which one can be wrong gives one sentence for the reader.
package link
