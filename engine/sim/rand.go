package sim

import "math/bits"

// Rand is one stream of chance: PCG XSL RR 128/64 (M. O'Neill, 2014). All draws are integers.
type Rand struct{ hi, lo uint64 }

const (
	pcgMulHi, pcgMulLo = 2549297995355413924, 4865540595714422341
	pcgIncHi, pcgIncLo = 6364136223846793005, 1442695040888963407
)

// NewRand returns the stream that seed and purpose name.
func NewRand(seed uint64, purpose string) *Rand {
	h := uint64(14695981039346656037)
	for i := range len(purpose) {
		h = (h ^ uint64(purpose[i])) * 1099511628211
	}
	r := &Rand{hi: seed ^ bits.RotateLeft64(h, 32), lo: h ^ seed*0x9e3779b97f4a7c15}
	for range 4 {
		r.Uint64()
	}
	return r
}

// Uint64 draws 64 bits.
func (r *Rand) Uint64() uint64 {
	hi, lo := bits.Mul64(r.lo, pcgMulLo)
	hi += r.hi*pcgMulLo + r.lo*pcgMulHi
	lo, carry := bits.Add64(lo, pcgIncLo, 0)
	hi, _ = bits.Add64(hi, pcgIncHi, carry)
	r.hi, r.lo = hi, lo
	return bits.RotateLeft64(hi^lo, -int(hi>>58))
}

// Below draws from 0 to n-1, each equally likely. n must be positive.
func (r *Rand) Below(n int64) int64 {
	if n <= 0 {
		panic("sim: Below needs a positive bound")
	}
	hi, lo := bits.Mul64(r.Uint64(), uint64(n))
	for lo < -uint64(n)%uint64(n) {
		hi, lo = bits.Mul64(r.Uint64(), uint64(n))
	}
	return int64(hi)
}

// Around draws from mid-spread to mid+spread, both included.
func (r *Rand) Around(mid, spread int64) int64 {
	if spread <= 0 {
		return mid
	}
	return mid - spread + r.Below(2*spread+1)
}

const hexDigits = "0123456789abcdef"

// UUID draws a version 4 UUID in its usual text form.
func (r *Rand) UUID() string {
	var b [16]byte
	hi, lo := r.Uint64(), r.Uint64()
	for i := range 8 {
		b[i], b[8+i] = byte(hi>>(56-8*i)), byte(lo>>(56-8*i))
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	out := make([]byte, 0, 36)
	for i, c := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			out = append(out, '-')
		}
		out = append(out, hexDigits[c>>4], hexDigits[c&15])
	}
	return string(out)
}
