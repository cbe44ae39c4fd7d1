// Package assign owns the partition assignors of the classic protocol: pure functions from a
// group's members and topics to who gets which partition, computed by the group's leader.
//
// It keeps no state, knows no client and no wire format, and gives the same answer for the same
// members in any order: assignors sort for themselves as Java does (D5).
package assign
