// Package view owns what the page may know: the structs of a moment of a run, of its events, its
// messages, its timeline and its verdict, the questions that a host asks for them, and the binary
// codec of all that.
//
// It is compiled into the engine's guest and into the page's app, and it imports nothing of the
// engine. One method a struct describes both directions of the codec, so that they cannot differ.
// Times are nanoseconds since the start of the run unless a name says otherwise.
package view
