// Package assign owns the partition assignors: pure functions from a group's members and topics to
// who gets which partition. Those of the classic protocol ([Assignor]) are computed by the group's
// leader, which is a client; those of the consumer protocol ([ServerAssignor], KIP-848) by the
// group coordinator.
//
// It keeps no state and knows no client, no coordinator and no message. Where Java's answer follows
// the order of a HashMap, so does this package (D11, D12); else assignors sort for themselves (D5).
package assign
