// Command build builds, serves, tests and packs Rebalance Lab. Go alone is enough to run it:
//
//	go run ./build                  build everything, serve it at http://localhost:8000
//	go run ./build site --out DIR   write the static site
//	go run ./build test             run every check and test
//	go run ./build env              build what tests need, print the variables that name it
//
// It owns the order of steps and what each prints. What a site is made of is package site's. It
// never hides a step: a tool that is missing is installed or named, and the command fails.
package main
