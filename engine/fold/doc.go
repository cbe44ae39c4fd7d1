// Package fold owns the state that a trace tells: what the brokers, the group coordinator, the
// clients and the wire look like after the first n events.
//
// A [State] is plain data without pointers, so that a copy of it is a keyframe: the view at any
// moment is the nearest keyframe plus the events after it. The package reads nothing but the trace,
// therefore nothing is shown that did not happen, and it changes nothing.
package fold
