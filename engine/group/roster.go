package group

import (
	"slices"

	"rebalancelab/engine/wire"
)

// roster is a Java HashMap of members: the broker walks its members in that order, so the successor
// of a leader and the member list given to a leader follow it (A39). The order is by hash bucket,
// inside a bucket by insertion; the table doubles at three quarters full and never shrinks.
type roster struct {
	byID   map[string]*member
	joined []*member // in order of insertion
	walk   []*member // in the map's order; nil when out of date
	table  int
}

func newRoster() roster { return roster{byID: map[string]*member{}, table: 16} }

func (r *roster) len() int { return len(r.joined) }

func (r *roster) get(id string) *member { return r.byID[id] }

func (r *roster) put(m *member) {
	r.byID[m.id] = m
	r.joined = append(r.joined, m)
	if len(r.joined) > r.table*3/4 {
		r.table *= 2
	}
	r.walk = nil
}

func (r *roster) remove(m *member) {
	delete(r.byID, m.id)
	i := slices.Index(r.joined, m)
	r.joined = slices.Delete(r.joined, i, i+1)
	r.walk = nil
}

// all lists the members in the map's order. The list stays as it is when the roster changes.
func (r *roster) all() []*member {
	if r.walk == nil && len(r.joined) > 0 {
		r.walk = javaOrder(r.joined, r.table, func(m *member) string { return m.id })
	}
	return r.walk
}

// javaOrder sorts items, given in order of insertion, as a Java HashMap with a table of that size
// walks over their keys.
func javaOrder[T any](items []T, table int, key func(T) string) []T {
	return wire.JavaOrder(items, table, func(t T) int32 { return wire.JavaHash(key(t)) })
}
