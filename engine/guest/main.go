//go:build wasip1

// Command guest is the engine as a WebAssembly reactor: the exported calls and nothing else.
//
// ABI 1. A host calls _initialize once, refuses any abi() but its own, then for every question:
// alloc(n) gives the place for n bytes, the host writes the question there, call(ptr, n) gives
// pointer<<32 | length of the answer, which the host copies before the next call. Questions and
// answers are those of package view. An error is an answer; a trap ends the instance.
//
// Build: GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -trimpath -buildvcs=false ./engine/guest
package main

import (
	"runtime/debug"
	"unsafe"

	"rebalancelab/engine"
	"rebalancelab/engine/view"
)

// question and answer keep the bytes of the present call alive while the host uses them.
var (
	desk             = engine.NewDesk()
	question, answer []byte
)

// A run makes much garbage and keeps little, but the memory of a page is not for free.
func init() { debug.SetGCPercent(200) }

func main() {}

//go:wasmexport abi
func abi() int32 { return view.ABI }

//go:wasmexport alloc
func alloc(n int32) unsafe.Pointer {
	if n < 0 || n > engine.MaxQuestion {
		return nil
	}
	question = make([]byte, max(n, 1))
	return unsafe.Pointer(unsafe.SliceData(question))
}

//go:wasmexport call
func call(_ unsafe.Pointer, n int32) int64 {
	if n < 0 || int(n) > len(question) {
		answer = engine.Refusal("the question is longer than the place asked for it")
	} else {
		answer = desk.Answer(question[:n])
	}
	p := uintptr(unsafe.Pointer(unsafe.SliceData(answer)))
	return int64(p)<<32 | int64(len(answer))
}
