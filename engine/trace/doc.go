// Package trace owns the history of a run: typed events, packed as they happen, and one hash over
// all of them.
//
// Everything that is shown, checked or asked later is read from the trace: the view at a time t is a
// fold of it (package fold), a verdict is a question asked of it (package verdict). An [Event] is a
// small flat struct; it exists only while it is written or decoded. The [Log] keeps events as
// delta-coded bytes in chunks without pointers, about a dozen bytes an event.
//
// The package never decides anything about Kafka and never reads a clock: the emitter says what
// happened, the simulator says when.
package trace
