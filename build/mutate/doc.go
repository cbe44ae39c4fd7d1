// Package mutate breaks the engine on purpose, to see whether anybody notices.
//
// A mutant is a patch of a few lines that puts one fault in, with the reason on its first lines. The
// swarm and, for what it cannot see, the tests of the engine must find each; a mutant that lives shows
// a hole in them. The source tree is never touched: the patched files go to the compiler as an overlay.
package mutate
