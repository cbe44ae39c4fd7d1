// Package neighbour holds small models of three systems that Kafka is contrasted with: Redis Pub/Sub,
// which pushes and keeps nothing; a Redis stream with a consumer group, which keeps a list of every
// entry that is not acknowledged; and a queue of RabbitMQ, which hands out single messages.
//
// They are models, not implementations. What a learner compares is real, by the systems' own
// documentation and sources: who is pushed what and when, what the server remembers of it, what an
// acknowledgement says, what becomes of all that when a connection is gone. Around it much is left
// out:
//
//   - RESP and AMQP as bytes: messages travel as structs. Only the size of a pushed message is counted
//     as RESP has it.
//   - Answers to PUBLISH, XADD and basic.publish: the publishers of the lab wait for none.
//   - Redis: persistence, replication, pattern subscriptions, XDEL and trimming, NOACK, JUSTID, the
//     cursor of XAUTOCLAIM, which always begins at the first pending entry here.
//   - RabbitMQ: exchanges and bindings, quorum queues and streams, priorities, limits on a queue's
//     length, dead letters, the heartbeats by which a silent connection is found dead, the limit of 30
//     minutes for an acknowledgement.
//
// The servers ([Redis], [Rabbit]) are nodes of the same simulation as the brokers, and so are those
// who talk to them ([Client]). The package never knows Kafka's rules, groups or logs, and never what
// a lesson is.
package neighbour
