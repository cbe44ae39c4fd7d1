// Command program does what the runtime needs its function table for: stacks that grow and move,
// collections while frames are live, deferred calls, recovered panics, names of functions; and ends
// with a panic.
package main

import (
	"fmt"
	"runtime"
	"strings"
)

type node struct{ left, right *node }

//go:noinline
func tree(depth int) *node {
	if depth == 0 {
		runtime.GC()
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

func (n *node) count() int {
	if n == nil {
		return 0
	}
	return 1 + n.left.count() + n.right.count()
}

//go:noinline
func deep(n int) (sum int) {
	defer func() { sum += n }()
	var frame [64]int
	if n == 0 {
		return frame[0]
	}
	return deep(n - 1)
}

//go:noinline
func caught() (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	var none []int
	return fmt.Sprint(none[len(text)])
}

func caller() string {
	pc, _, _, _ := runtime.Caller(1)
	return runtime.FuncForPC(pc).Name()
}

func main() {
	done := make(chan int)
	for i := range 4 {
		go func() { done <- tree(5+i).count() + deep(2000) }()
	}
	sum := 0
	for range 4 {
		sum += <-done
	}
	fmt.Println(sum, caught(), caller(), strings.Repeat("x", 3))
	panic("the end")
}
