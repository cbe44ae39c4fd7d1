package lean

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// Of the WebAssembly core specification, binary format.
const (
	headerSize  = 8
	sectionData = 11
	active      = 0x00
	i32Const    = 0x41
	end         = 0x0b
)

var errModule = errors.New("lean: this is not a WebAssembly module of Go's linker")

// section is one section of a module, its body without id and length.
type section struct {
	id   byte
	body []byte
}

// sections takes a module apart.
func sections(module []byte) ([]section, error) {
	if len(module) < headerSize || !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errModule
	}
	var all []section
	for r := (reader{rest: module[headerSize:]}); ; {
		if len(r.rest) == 0 {
			return all, nil
		}
		id := r.byte()
		body := r.bytes(r.unsigned())
		if r.short {
			return nil, errModule
		}
		all = append(all, section{id, body})
	}
}

// join is the inverse of sections.
func join(all []section) []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range all {
		out = append(out, s.id)
		out = binary.AppendUvarint(out, uint64(len(s.body)))
		out = append(out, s.body...)
	}
	return out
}

// segment is a stretch of the memory's first content.
type segment struct {
	at   int
	data []byte
}

// segments reads a data section. Go's linker writes active segments in order of their places.
func segments(body []byte) ([]segment, error) {
	r := reader{rest: body}
	var all []segment
	for range r.unsigned() {
		ok := r.byte() == active && r.byte() == i32Const
		s := segment{at: r.signed()}
		ok = ok && r.byte() == end
		s.data = r.bytes(r.unsigned())
		if r.short || !ok || s.at < 0 {
			return nil, errModule
		}
		all = append(all, s)
	}
	if len(r.rest) != 0 {
		return nil, errModule
	}
	return all, nil
}

// memory lays segments out from address 0.
func memory(all []segment) []byte {
	size := 0
	for _, s := range all {
		size = max(size, s.at+len(s.data))
	}
	image := make([]byte, size)
	for _, s := range all {
		copy(image[s.at:], s.data)
	}
	return image
}

// gap is how many zeroes it takes to begin another segment. Go's linker takes 8, which makes a hundred
// thousand segments whose heads compress far worse than the zeroes they stand for: the engine is 7 %
// shorter without them, and a browser starts it sooner.
const gap = 1024

// packed writes a data section that fills memory with image. What it leaves out is zero anyway.
func packed(image []byte) []byte {
	var all []byte
	count := 0
	for at := 0; at < len(image); {
		if image[at] == 0 {
			at++
			continue
		}
		end := dataEnd(image, at)
		all = appendSegment(all, at, image[at:end])
		count++
		at = end
	}
	return append(binary.AppendUvarint(nil, uint64(count)), all...)
}

// dataEnd finds where the data that begins at start is followed by zeroes enough to stop.
func dataEnd(image []byte, start int) int {
	end := start
	for at := start; at < len(image) && at-end < gap; at++ {
		if image[at] != 0 {
			end = at + 1
		}
	}
	return end
}

func appendSegment(out []byte, at int, data []byte) []byte {
	out = append(out, active, i32Const)
	out = appendSigned(out, at)
	out = append(out, end)
	out = binary.AppendUvarint(out, uint64(len(data)))
	return append(out, data...)
}

// appendSigned writes v, which is not negative, as signed LEB128.
func appendSigned(out []byte, v int) []byte {
	for v >= 0x40 {
		out = append(out, byte(v)|0x80)
		v >>= 7
	}
	return append(out, byte(v))
}

// reader reads a module's numbers. After a read past the end short is true and all reads give 0.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.rest, r.short = nil, true
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) unsigned() int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > 1<<32 {
		r.rest, r.short = nil, true
		return 0
	}
	r.rest = r.rest[n:]
	return int(v)
}

// signed reads a signed LEB128 of 32 bits.
func (r *reader) signed() int {
	last := slices.IndexFunc(r.rest, func(b byte) bool { return b < 0x80 })
	if last < 0 || last > 4 {
		r.rest, r.short = nil, true
		return 0
	}
	v := int64(0)
	for i, b := range r.bytes(last + 1) {
		v |= int64(b&0x7f) << (7 * i)
	}
	unused := 64 - 7*(last+1)
	return int(v << unused >> unused)
}
