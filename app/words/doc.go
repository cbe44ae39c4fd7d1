// Package words owns the app's own words in every language it speaks. The key of a text is the
// English text itself, so English needs no catalog and a missing translation shows English.
//
// It never holds texts of lessons; those come with the course. Kafka's own terms (poll, commit,
// rebalance, generation) stay English in every language and are no keys.
package words
