// Package lean makes a Go program for WebAssembly shorter to fetch.
//
// Every Go program carries, for each of its functions, which file and line each instruction came
// from. The runtime needs it for one thing only: to print lines in the stack of a panic. It
// compresses badly: it is a thirteenth of what a browser has to fetch before the first lesson runs.
// Without it a stack still names its functions, and the command that a panic prints replays it
// natively, with lines. The data of the program is joined into few segments, for the same reason.
//
// It owns the two layouts that this takes: the data section of a WebAssembly module, and the
// runtime's function table (runtime/symtab.go and cmd/link/internal/ld/pcln.go of Go 1.20 and later).
// It never changes code, and refuses a file whose table it does not know rather than guess.
package lean
