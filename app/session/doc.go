// Package session owns the conversation with an engine and the branches of a lab: loading a plan,
// running it ahead in slices, acting at a moment, and asking about the branch that is shown.
//
// It knows nothing of the browser: an Engine is anything that answers a question, a Worker in the
// page and engine.Desk in tests. Calls block until they are answered, so the page makes them on a
// goroutine of its own.
package session
