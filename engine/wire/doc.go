// Package wire owns the Kafka protocol as bytes and as structs: the framing of requests and
// responses, the table of request kinds with their versions, the table of error codes, record
// batches (format v2), the records of __consumer_offsets, the consumer protocol that travels inside
// JoinGroup and SyncGroup, and the hash functions that choose partitions.
//
// It builds on the generated structs of franz-go's kmsg package. It keeps no state, knows no
// broker and no client, and decides nothing: a rule about when to send or answer lives elsewhere.
//
// Functions that read bytes accept any input and return an error for a bad one; functions that
// write bytes panic when a caller breaks their contract.
package wire
