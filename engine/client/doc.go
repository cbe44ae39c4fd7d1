// Package client owns the Kafka clients: the consumer, of the classic and of the consumer
// group protocol (KIP-848, files async_*.go), and the producer, as the Java client 4.x behaves, written as state machines without threads, clock or
// sockets.
//
// A blocking Java call is a method that takes a continuation: it is called exactly once, never
// inside the method, and at least 10 us of virtual time later. All methods belong to the
// application's thread, that is to the owner of the process. What Java does in that thread
// (joining, callbacks, returning records, sending the next fetch) happens only while a call is
// under way; what its heartbeat thread does happens on its own.
//
// Other libraries are profiles of the same consumer: their defaults, and the few things that they do
// differently, as fields of [Library]. kafka-go's fetches are Java's, in sessions and by broker, not
// one request a partition.
//
// The package never knows what a lesson is, never computes an assignment itself (engine/assign
// does) and never looks into a broker: it knows only what arrives on its connections.
package client
