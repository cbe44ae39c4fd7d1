// Package script owns the scenario language: Starlark files that declare a cluster, consumers with
// their programs, faults, and what must come of it.
//
// [Load] runs a file once, for one variant, and gives a [Scenario]: plain data plus frozen Starlark
// functions. [App] is the process of one consumer; it runs its program as a coroutine that hands
// control back to the event loop at every blocking call, and [Feed] is that of a producer.
// [Watcher] tells when the trigger of an action has come. [ParseCommand] reads one action as a
// person types it.
//
// The package never executes an action, never decides an expectation (package verdict does) and
// knows no lesson. Programs run one at a time, on the loop's turn; the coroutine of a program is
// ended only by the loop, never from inside.
package script
