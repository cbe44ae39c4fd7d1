// Package swarm draws scenarios at random, runs them, and makes a short scenario of each that fails.
//
// A [Plan] is a cluster, its topics, producers and groups, and the faults that befall them, all drawn
// from one seed. [Plan.Source] writes it as a scenario file, which carries its own expectations: once
// the faults are over, every group has settled, has caught up and has lost nothing. So a failure is a
// file that anybody can run, and the invariants of the engine are checked on the way.
//
// The package judges nothing by itself: the engine's invariants and the expectations do.
package swarm
