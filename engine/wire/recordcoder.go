package wire

import (
	"encoding/binary"
	"errors"
)

// recordCoder writes or reads the fields of a coordinator record: one method a struct describes
// both directions. Values of the consumer protocol are flexible (KIP-482): lengths are varints one
// above the length, 0 stands for null, and every struct ends with tagged fields.
type recordCoder struct {
	b      []byte // written so far, or not read yet
	writes bool
	broken bool
}

var errBadRecord = errors.New("record value is broken")

// take cuts n bytes off what is not read yet; nil if there are fewer.
func (c *recordCoder) take(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.broken, c.b = true, nil
		return nil
	}
	head := c.b[:n]
	c.b = c.b[n:]
	return head
}

func (c *recordCoder) int8(v *int8) {
	if c.writes {
		c.b = append(c.b, byte(*v))
	} else if b := c.take(1); b != nil {
		*v = int8(b[0])
	}
}

func (c *recordCoder) int16(v *int16) {
	if c.writes {
		c.b = binary.BigEndian.AppendUint16(c.b, uint16(*v))
	} else if b := c.take(2); b != nil {
		*v = int16(binary.BigEndian.Uint16(b))
	}
}

func (c *recordCoder) int32(v *int32) {
	if c.writes {
		c.b = binary.BigEndian.AppendUint32(c.b, uint32(*v))
	} else if b := c.take(4); b != nil {
		*v = int32(binary.BigEndian.Uint32(b))
	}
}

func (c *recordCoder) int64(v *int64) {
	if c.writes {
		c.b = binary.BigEndian.AppendUint64(c.b, uint64(*v))
	} else if b := c.take(8); b != nil {
		*v = int64(binary.BigEndian.Uint64(b))
	}
}

func (c *recordCoder) uuid(v *[16]byte) {
	if c.writes {
		c.b = append(c.b, v[:]...)
	} else if b := c.take(16); b != nil {
		*v = [16]byte(b)
	}
}

// varint is an unsigned one; a number above what a length can be is broken.
func (c *recordCoder) varint(n int) int {
	if c.writes {
		c.b = binary.AppendUvarint(c.b, uint64(n))
		return n
	}
	v, size := binary.Uvarint(c.b)
	if size <= 0 || v > 1<<30 {
		c.broken, c.b = true, nil
		return 0
	}
	c.b = c.b[size:]
	return int(v)
}

// bytes is a compact byte field that is not null.
func (c *recordCoder) bytes(v *[]byte) {
	n := c.varint(len(*v)+1) - 1
	if c.writes {
		c.b = append(c.b, *v...)
	} else {
		*v = append([]byte{}, c.take(n)...)
	}
}

func (c *recordCoder) text(v *string) {
	b := []byte(*v)
	c.bytes(&b)
	*v = string(b)
}

// keyText is a string of a key: not flexible.
func (c *recordCoder) keyText(v *string) {
	n := int16(len(*v))
	c.int16(&n)
	if c.writes {
		c.b = append(c.b, *v...)
	} else {
		*v = string(c.take(int(n)))
	}
}

// nullText is nil for null.
func (c *recordCoder) nullText(v **string) {
	if c.writes && *v == nil {
		c.varint(0)
		return
	}
	if !c.writes {
		if len(c.b) > 0 && c.b[0] == 0 {
			c.b, *v = c.b[1:], nil
			return
		}
		*v = new(string)
	}
	c.text(*v)
}

// codeList is a compact array that is not null; item describes one element.
func codeList[T any](c *recordCoder, list *[]T, item func(*T)) {
	n := c.varint(len(*list)+1) - 1
	if !c.writes {
		*list = make([]T, 0, min(max(n, 0), len(c.b)))
		for i := 0; i < n && !c.broken; i++ {
			var zero T
			*list = append(*list, zero)
			item(&(*list)[i])
		}
		c.broken = c.broken || n < 0
		return
	}
	for i := range *list {
		item(&(*list)[i])
	}
}

// tag describes the tagged fields of a struct that has at most one, of number 0. present says
// whether it is to be written; field describes it.
func (c *recordCoder) tag(present bool, field func(c *recordCoder)) {
	if c.writes {
		if !present {
			c.varint(0)
			return
		}
		inner := recordCoder{writes: true}
		field(&inner)
		c.varint(1)
		c.varint(0)
		c.bytes0(inner.b)
		return
	}
	for range c.varint(0) {
		number, size := c.varint(0), c.varint(0)
		b := c.take(size)
		if number == 0 && field != nil && !c.broken {
			inner := recordCoder{b: b}
			field(&inner)
			c.broken = inner.broken
		}
		if c.broken {
			return
		}
	}
}

// bytes0 is the content of a tagged field: its length is the length.
func (c *recordCoder) bytes0(b []byte) {
	c.varint(len(b))
	c.b = append(c.b, b...)
}
