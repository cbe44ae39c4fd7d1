// Package engine is the public face of Rebalance Lab: a [Lab] is one run of one scenario with one
// seed, and a [Desk] answers the calls of a host about several of them.
//
// A Lab is loaded, advanced, looked at and closed. It runs ahead to its horizon; looking at a moment
// never runs anything: views are folded from the trace. Acting in the past is a new Lab with one
// more command, whose trace is the same up to there.
//
// Inside, a Lab puts the parts together: the world (sim), the cluster (broker), the processes of the
// scenario (script, client), the facts and invariants (verdict), and carries out actions between the
// turns of the world. It has no rules of Kafka of its own, no wall clock and no I/O.
package engine
