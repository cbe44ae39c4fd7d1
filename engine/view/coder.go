package view

import "encoding/binary"

// Coder writes or reads values in one order. The same calls on a writing and on a reading Coder
// give the reverse of each other. After a short or broken input Err is true and reads give zeros.
type Coder struct {
	buf     []byte
	pos     int
	reading bool
	bad     bool
}

// Coded is a struct that a Coder can carry.
type Coded interface{ Code(c *Coder) }

// Encode gives the bytes of v, appended to dst.
func Encode(dst []byte, v Coded) []byte {
	c := Coder{buf: dst}
	v.Code(&c)
	return c.buf
}

// Decode reads v from b. It is false when b is not the bytes of such a struct.
func Decode(b []byte, v Coded) bool {
	c := Coder{buf: b, reading: true}
	v.Code(&c)
	return !c.bad && c.pos == len(b)
}

func (c *Coder) fail() { c.bad, c.pos = true, len(c.buf) }

// Int64 carries a signed number.
func (c *Coder) Int64(v *int64) {
	if !c.reading {
		c.buf = binary.AppendVarint(c.buf, *v)
		return
	}
	n, w := binary.Varint(c.buf[c.pos:])
	if w <= 0 {
		c.fail()
		n, w = 0, 0
	}
	c.pos += w
	*v = n
}

// Uint64 carries eight bytes as they are: hashes and seeds.
func (c *Coder) Uint64(v *uint64) {
	if !c.reading {
		c.buf = binary.LittleEndian.AppendUint64(c.buf, *v)
		return
	}
	if len(c.buf)-c.pos < 8 {
		c.fail()
		*v = 0
		return
	}
	*v = binary.LittleEndian.Uint64(c.buf[c.pos:])
	c.pos += 8
}

// Int carries an int.
func (c *Coder) Int(v *int) {
	n := int64(*v)
	c.Int64(&n)
	*v = int(n)
}

// Int32 carries an int32.
func (c *Coder) Int32(v *int32) {
	n := int64(*v)
	c.Int64(&n)
	*v = int32(n)
}

// Bool carries a truth value.
func (c *Coder) Bool(v *bool) {
	var n int64
	if *v {
		n = 1
	}
	c.Int64(&n)
	*v = n == 1
}

// String carries a text.
func (c *Coder) String(v *string) {
	b := []byte(*v)
	c.Bytes(&b)
	*v = string(b)
}

// Bytes carries raw bytes; what is read is a copy.
func (c *Coder) Bytes(v *[]byte) {
	n := len(*v)
	c.Int(&n)
	if !c.reading {
		c.buf = append(c.buf, *v...)
		return
	}
	if n < 0 || n > len(c.buf)-c.pos {
		c.fail()
		*v = nil
		return
	}
	*v = append([]byte(nil), c.buf[c.pos:c.pos+n]...)
	c.pos += n
}

// Strings carries a list of texts.
func (c *Coder) Strings(v *[]string) { list(c, v, (*Coder).String) }

// Int64s carries a list of numbers.
func (c *Coder) Int64s(v *[]int64) { list(c, v, (*Coder).Int64) }

// list carries a slice; each says how one element goes.
func list[T any](c *Coder, v *[]T, each func(*Coder, *T)) {
	n := len(*v)
	c.Int(&n)
	if c.reading {
		if n < 0 || n > len(c.buf)-c.pos { // every element takes a byte at least
			c.fail()
			n = 0
		}
		*v = make([]T, n)
	}
	for i := range *v {
		each(c, &(*v)[i])
	}
}

// structs carries a slice of structs.
func structs[T any, P interface {
	*T
	Coded
}](c *Coder, v *[]T) {
	list(c, v, func(c *Coder, e *T) { P(e).Code(c) })
}

// List carries a slice of structs of this package inside a struct of another.
func List[T any, P interface {
	*T
	Coded
}](c *Coder, v *[]T) {
	structs[T, P](c, v)
}
