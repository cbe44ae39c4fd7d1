// Package storage owns the log of one partition on one broker: record batches in segments, the log
// start, high watermark and end, the cache of leader epochs, what is known of each idempotent
// producer, retention and compaction.
//
// A [Log] outlives the broker process that uses it, as files would. It never knows who asks, holds
// no timer and reads no clock: its owner hands in the time and calls [Log.Retain] and [Log.Compact]
// when a broker would. Bytes that were appended never change, so a read hands out slices of them.
//
// Offsets of a log are contiguous only before compaction. "End" is always the offset after the
// last one.
package storage
