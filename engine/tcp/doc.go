// Package tcp runs the brokers of package broker on real sockets and the wall clock, for clients
// that were written for Kafka.
//
// The nodes are the same as in the simulator; this package is another world for them. One goroutine
// owns all nodes: it reads the clock once a turn, fires what is due and hands over what has arrived.
// Sockets read, decode, encode and write in goroutines of their own. A node's time is nanoseconds
// since the Unix epoch and never runs backwards: the start of the server plus what the monotonic
// clock has counted since.
//
// A connection is read only a few requests ahead of its answers, so that a client that sends faster
// than it is served, or does not read what it asked for, is slowed down by its own socket.
//
// Such a run cannot be replayed: real clients, real clocks. Its trace is a ring of the newest
// events, off by default.
//
// The package owns no rule of Kafka's.
package tcp
