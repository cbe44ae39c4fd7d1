// Package verdict answers questions about a trace: what was lost, what was done twice, how long a
// partition stood still, who worked on a partition that was no longer his.
//
// Three things live here. [Facts] folds the events of a run, one at a time and cheaply, into what
// most questions need; the rarer questions read the packed log again from the time they ask about.
// [Query], [Value] and [Matcher] are the words of an expectation, and [Table] is the one list of
// queries that the scenario language and its documentation share. [Invariants] checks, event by
// event, the rules that no run may break.
//
// The package reads the trace and nothing else. It never looks into a broker, a client or a
// program, never writes an event and never reads a clock.
package verdict
