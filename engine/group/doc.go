// Package group is the group coordinator of one broker: the classic protocol's state machine, its
// timers and the committed offsets, as Apache Kafka 4.3 has them. Rule ids such as A45 and B7 are
// those of kafka-behaviour.
//
// A [Coordinator] owns the partitions of __consumer_offsets that its broker leads, and every group
// in them. It knows nothing of connections: requests come with a function that takes the answer,
// and what must survive goes out through Options.Append as real records.
//
// It never opens a member's metadata or an assignment to decide something (A53); it reads them only
// for the trace and to learn the topics that a group still subscribes (D3).
//
// Left out: authorization, groups of the consumer, share and streams protocols (so every group is a
// classic one), transactional commits, and the ids of topics in stored offsets (B18).
package group
