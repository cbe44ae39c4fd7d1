// Package tell owns the words: one event as one sentence, the classes that filters know, and which
// events a person would call notable.
//
// Page, command line and text twin use the same sentences. The package reads an event and the names
// of its trace, and nothing else.
package tell
