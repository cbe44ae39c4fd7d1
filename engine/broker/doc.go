// Package broker is a Kafka broker as a state machine ([Broker]) and what the controller knows of
// the cluster ([Cluster]). One file a request, with its api key in the name; fetching takes two
// more, for its sessions and its wait.
//
// A broker takes one request of a connection at a time: while it is being answered the connection
// is muted, as in Kafka. A parked Fetch or JoinGroup therefore holds up what follows it there, and
// clients talk to their coordinator over a connection of its own.
//
// The package never holds rules of groups (package group) or of logs (package storage).
//
// How this cluster differs from a real one, on purpose: brokers read one shared image of the
// metadata, so they learn of a change at once; the controller learns of a dead broker at once, too.
// Every partition has one replica: when its broker is down it has no leader.
package broker
