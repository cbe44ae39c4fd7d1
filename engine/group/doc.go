// Package group is the group coordinator of one broker: the state machines of the classic protocol and
// of the consumer protocol (KIP-848, files consumer_*.go), their timers and the committed offsets, as
// Apache Kafka 4.3 has them. Rule ids such as A45, B7 and F12 are those of kafka-behaviour.
//
// A [Coordinator] owns the partitions of __consumer_offsets that its broker leads, and every group
// in them. It knows nothing of connections: requests come with a function that takes the answer,
// and what must survive goes out through Options.Append as real records.
//
// It never opens a member's metadata or an assignment to decide something (A53); it reads them only
// for the trace and to learn the topics that a group still subscribes (D3).
//
// In a group of the consumer protocol the records are the state: a request is worked out into a list of
// records, and what happens to the group is what they say when they are applied, the same way as when
// a new coordinator reads them. It learns topics from [Topics].
//
// Left out: authorization, groups of the share and streams protocols, the feature level that switches
// the consumer protocol on, and transactional commits.
package group
