package trace

import "encoding/binary"

// digest hashes b, carried on from h, eight bytes at a time; without bytes it is h. A chunk is hashed
// when somebody asks, not event by event: few moments of a run are ever asked about.
//
// Each step is a bijection of the state, so two texts of one length that differ in one word never
// meet; the multiplier is that of SplitMix64 (Steele, Lea and Flood, 2014). It guards against
// accidents, not against an adversary.
func digest(h uint64, b []byte) uint64 {
	if len(b) == 0 {
		return h
	}
	h = stir(h ^ uint64(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h = stir(h ^ binary.LittleEndian.Uint64(b))
	}
	var rest uint64
	for i, c := range b {
		rest |= uint64(c) << (8 * i)
	}
	return stir(h ^ rest)
}

func stir(h uint64) uint64 {
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>32
}
