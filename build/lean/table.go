package lean

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// The layout of the function table (runtime.pcHeader, functab, runtime._func) for a machine with
// pointers of 8 bytes and instructions of 1, as Go's wasm is.
var tableStart = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

const (
	funcCountAt = 8
	fileTabAt   = 48 // file names
	pcTabAt     = 56 // tables from pc to number, shared by functions that have the same
	funcTabAt   = 64 // (entry, place) of each function, then the functions

	funcEntry  = 8 // bytes of one entry of functab
	pcSPAt     = 16
	pcFileAt   = 20
	pcLineAt   = 24
	pcDataLen  = 28
	startLine  = 36
	funcSize   = 44
	noTable    = 0 // the place of a table that does not exist: runtime.pcvalue gives -1
	wordLength = 4
)

var errTable = errors.New("lean: the program's function table is not of a known form; " +
	"see runtime/symtab.go of the Go release that built it")

// Program returns module, a program that Go 1.20 or later built for GOARCH=wasm, without source
// positions and with its data in few segments. Its code is untouched. The runtime prints "?:0" where
// a file and line would stand. A file of another form is an error.
func Program(module []byte) ([]byte, error) {
	all, err := sections(module)
	if err != nil {
		return nil, err
	}
	found := false
	for i, s := range all {
		if s.id != sectionData {
			continue
		}
		parts, err := segments(s.body)
		if err != nil {
			return nil, err
		}
		image := memory(parts)
		if err := strip(image); err != nil {
			return nil, err
		}
		all[i].body, found = packed(image), true
	}
	if !found {
		return nil, errTable
	}
	return join(all), nil
}

// strip clears the positions in a program's memory.
func strip(image []byte) (err error) {
	defer func() {
		if r := recover(); r != nil { // a place outside the memory
			err = fmt.Errorf("%w (%v)", errTable, r)
		}
	}()
	at := bytes.Index(image, tableStart)
	if at < 0 || bytes.Contains(image[at+1:], tableStart) {
		return errTable
	}
	t := table{image[at:]}
	return t.clearUnused(t.forgetLines())
}

// table is the memory from the function table's header on.
type table struct{ b []byte }

func (t table) header(at int) int   { return int(binary.LittleEndian.Uint64(t.b[at:])) }
func (t table) word(at int) int     { return int(binary.LittleEndian.Uint32(t.b[at:])) }
func (t table) clear(from, to int)  { clear(t.b[from:to]) }
func (t table) setWord(at, val int) { binary.LittleEndian.PutUint32(t.b[at:], uint32(val)) }

// forgetLines points each function's tables of files and lines at nothing and returns where the
// tables begin that are still needed: stack depths, pointer maps, unsafe points, inlined calls.
func (t table) forgetLines() map[int]bool {
	used := map[int]bool{}
	funcs := t.header(funcTabAt)
	for i := range t.header(funcCountAt) {
		f := funcs + t.word(funcs+i*funcEntry+wordLength)
		t.setWord(f+pcFileAt, noTable)
		t.setWord(f+pcLineAt, noTable)
		t.setWord(f+startLine, 0)
		used[t.word(f+pcSPAt)] = true
		for d := range t.word(f + pcDataLen) {
			used[t.word(f+funcSize+d*wordLength)] = true
		}
	}
	return used
}

// clearUnused overwrites with zeroes the file names and every table that does not begin at a place
// in used. All of those must be found.
func (t table) clearUnused(used map[int]bool) error {
	t.clear(t.header(fileTabAt), t.header(pcTabAt))
	first, last := t.header(pcTabAt), t.header(funcTabAt)
	delete(used, noTable)
	for at := first + 1; at < last; {
		end := t.tableEnd(at, last)
		if !used[at-first] {
			t.clear(at, end)
		}
		delete(used, at-first)
		at = end
	}
	if len(used) != 0 {
		return fmt.Errorf("%w (%d tables do not begin where another ends)", errTable, len(used))
	}
	return nil
}

// tableEnd finds the end of the table at a place before last: pairs of numbers, value and pc, until a
// value is 0 that is not the first. What aligns the end of all tables counts as one that ends at last.
func (t table) tableEnd(at, last int) int {
	for first := true; at < last; first = false {
		if t.b[at] == 0 && !first {
			return at + 1
		}
		at = t.numberEnd(t.numberEnd(at))
	}
	return last
}

// numberEnd finds the end of the number at a place.
func (t table) numberEnd(at int) int {
	for t.b[at] >= 0x80 {
		at++
	}
	return at + 1
}
