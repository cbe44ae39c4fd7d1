package wire

import "unicode/utf8"

// JavaHash is String.hashCode: h = 31*h + unit over the UTF-16 code units of s (A1).
func JavaHash(s string) int32 {
	var h int32
	for _, r := range s {
		if r >= 0x10000 {
			r -= 0x10000
			h = 31*h + (0xd800 + r>>10)
			h = 31*h + (0xdc00 + r&0x3ff)
			continue
		}
		h = 31*h + r
	}
	return h
}

// CoordinatorPartition is the partition of __consumer_offsets, out of partitions, that keeps a
// group; its leader is the group's coordinator (A1, A2).
func CoordinatorPartition(group string, partitions int32) int32 {
	h := JavaHash(group)
	if h < 0 {
		h = -h
	}
	if h < 0 { // the smallest int32 has no positive twin; Kafka takes 0
		h = 0
	}
	return h % partitions
}

// CompareUTF16 orders strings as Java's String.compareTo does, by UTF-16 code units: -1, 0 or 1.
// It differs from the order of bytes only where characters above U+FFFF meet U+E000..U+FFFF.
func CompareUTF16(a, b string) int {
	for a != "" && b != "" {
		if a[0] < utf8.RuneSelf && a[0] == b[0] {
			a, b = a[1:], b[1:]
			continue
		}
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if ra != rb {
			return compareRunes(ra, rb)
		}
		a, b = a[na:], b[nb:]
	}
	switch {
	case a != "":
		return 1
	case b != "":
		return -1
	}
	return 0
}

// compareRunes compares two different runes: one above U+FFFF begins with a unit of 0xd800..0xdbff,
// so it comes before U+E000..U+FFFF.
func compareRunes(a, b rune) int {
	if (a > 0xffff) != (b > 0xffff) {
		if a > 0xffff {
			a = 0xd800
		} else {
			b = 0xd800
		}
	}
	if a < b {
		return -1
	}
	return 1
}

// Murmur2 is the hash of the Java client's default partitioner: MurmurHash2, 32 bits, seed
// 0x9747b28c. [clients/.../common/utils/Utils.java]
func Murmur2(data []byte) int32 {
	const m = 0x5bd1e995
	h := uint32(0x9747b28c) ^ uint32(len(data))
	for len(data) >= 4 {
		k := uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
		k *= m
		k ^= k >> 24
		h = h*m ^ k*m
		data = data[4:]
	}
	switch len(data) {
	case 3:
		h ^= uint32(data[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(data[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(data[0])) * m
	}
	h ^= h >> 13
	h *= m
	return int32(h ^ h>>15)
}

// PartitionForKey is the partition, out of n, that the Java producer gives a record with this key.
// [BuiltInPartitioner]
func PartitionForKey(key []byte, n int32) int32 {
	return Murmur2(key) & 0x7fffffff % n
}
