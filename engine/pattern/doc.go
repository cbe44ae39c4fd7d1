// Package pattern owns the regular expressions that topics are subscribed by, in the two dialects
// that Kafka has: Java's java.util.regex, which the classic consumer matches by itself, and RE2,
// which brokers match for the consumer protocol (KIP-848).
//
// A pattern must match the whole of a name. Matching never takes longer than pattern times name,
// whatever the pattern, so a scenario cannot stop the engine with one. The package stands in for
// Go's regexp, which has no lookahead and would be one of the largest parts of the engine's file.
//
// It finds no position, no groups and no longest match; it only says yes or no. Left out of Java's
// syntax: lookbehind, back references, possessive and atomic groups, \b, \p{...}, nested classes.
// Each is refused with its place.
package pattern
