package wire

// JavaUUIDHash is Uuid.hashCode of Kafka's topic ids: the four words of the id, combined.
func JavaUUIDHash(id [16]byte) int32 {
	var h uint32
	for i := 0; i < len(id); i += 4 {
		h ^= uint32(id[i])<<24 | uint32(id[i+1])<<16 | uint32(id[i+2])<<8 | uint32(id[i+3])
	}
	return int32(h)
}

// JavaTable is the table size of a java.util.HashMap that has grown to n entries from its default
// size: it doubles at three quarters full.
func JavaTable(n int) int {
	table := 16
	for n > table*3/4 {
		table *= 2
	}
	return table
}

// JavaCopyTable is the table size of a java.util.HashMap or HashSet made as a copy of a collection
// of n entries, which leaves more room than growing does.
func JavaCopyTable(n int) int {
	table := 16
	for table < n*4/3+1 {
		table *= 2
	}
	return table
}

// JavaOrder is the order in which a java.util.HashMap with a table of that size walks over items
// that were put into it in the order given: by bucket, and inside a bucket by insertion (D12).
func JavaOrder[T any](items []T, table int, hash func(T) int32) []T {
	buckets := make([]int, len(items))
	next := make([]int, table+1) // where the next item of each bucket goes
	for i, item := range items {
		h := uint32(hash(item))
		buckets[i] = int((h ^ h>>16) & uint32(table-1))
		next[buckets[i]+1]++
	}
	for b := range table {
		next[b+1] += next[b]
	}
	ordered := make([]T, len(items))
	for i, item := range items {
		ordered[next[buckets[i]]] = item
		next[buckets[i]]++
	}
	return ordered
}
