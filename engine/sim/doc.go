// Package sim owns the world that nodes live in: virtual time, the queue of events, seeded chance,
// the network (ordered connections, latency, cut, hold, drop) and processes (start, kill, freeze).
//
// A node is a struct that is fed through [Node] and answers through [Env]: it opens connections,
// sends messages, starts timers, draws numbers and writes the trace, and knows nothing else of the
// world. The same node runs here and on real sockets.
//
// What the world makes for each message and timer comes from a [Pool], which nodes may use for their
// own.
//
// The package knows nothing of Kafka: a message is any value. There is one event loop; nothing
// runs beside it, and the order of the queue (time, then sequence) is the order of the world.
package sim
