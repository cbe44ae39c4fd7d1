// Package broker is a Kafka broker as a state machine ([Broker]) and the cluster that brokers make
// up ([Cluster]): its metadata, its controller, its disks. One file a request, with its api key in the
// name; around them
//
//	replica.go, isr.go, acks.go   a partition's copy on a broker; what its leader knows of followers
//	fetcher.go                    how a follower copies
//	image.go, commit.go           what is committed of the metadata, what a broker knows of it
//	leaders.go, topics.go         elections, creation
//	quorum.go, duty.go            who is the controller, and what it keeps
//	broker_life.go, channel.go    registration, heartbeats, shutdown; connections between brokers
//
// A broker takes one request of a connection at a time: while it is being answered the connection
// is muted, as in Kafka. A parked Fetch or JoinGroup therefore holds up what follows it there, and
// clients talk to their coordinator over a connection of its own.
//
// The package never holds rules of groups (package group) or of logs (package storage).
//
// The cluster is KRaft's, in combined mode: each broker has a controller in it. Brokers follow the
// metadata log by Fetch and act on what they know; the controller learns of a dead broker when its
// session runs out. A cluster in which no partition has a second replica has nothing to decide: there
// brokers share what is committed at once, the controller learns of a dead broker at once, and its
// partitions have no leader until it is back.
//
// Left out: the replication of the metadata log among the controllers (what is committed is kept by
// [Cluster]), settings as records of it, reassignment of replicas, log directories.
package broker
