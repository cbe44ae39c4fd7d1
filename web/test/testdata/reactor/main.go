//go:build wasip1

// Command reactor is the smallest guest with the engine's exports: the tests of the WASI shim
// instantiate it. The first byte of a question says what to do.
package main

import (
	"fmt"
	"os"
	"time"
	"unsafe"
)

var question, answer []byte

func main() {}

//go:wasmexport abi
func abi() int32 { return 1 }

//go:wasmexport alloc
func alloc(n int32) unsafe.Pointer {
	question = make([]byte, max(n, 1))
	return unsafe.Pointer(unsafe.SliceData(question))
}

//go:wasmexport call
func call(_ unsafe.Pointer, n int32) int64 {
	answer = reply(question[:n])
	p := uintptr(unsafe.Pointer(unsafe.SliceData(answer)))
	return int64(p)<<32 | int64(len(answer))
}

func reply(b []byte) []byte {
	switch b[0] {
	case 'e': // echo
		return b[1:]
	case 'c': // the clock
		return fmt.Append(nil, time.Now().UTC().Format(time.DateOnly), time.Now().UnixNano() > 0)
	case 'm': // map order, which the runtime seeds from random bytes
		m := map[int]int{}
		for i := range 64 {
			m[i] = i
		}
		var out []byte
		for k := range m {
			out = append(out, byte(k))
		}
		return out
	case 's': // an hour's sleep
		start := time.Now()
		time.Sleep(time.Hour)
		return fmt.Append(nil, time.Since(start) >= time.Hour)
	case 'w': // the world: no arguments, no environment, no files
		_, err := os.ReadFile("/etc/hostname")
		return fmt.Append(nil, len(os.Environ()), err != nil)
	case 'g': // memory that grows under the host's views
		big := make([]byte, 32<<20)
		big[len(big)-1] = 7
		return big[len(big)-1:]
	case 'x':
		os.Exit(3)
	}
	panic(fmt.Sprintf("broken invariant %q", b))
}
