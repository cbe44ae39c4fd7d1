// Package course owns the structs of the lesson bundle as the page reads it, and finding things in
// it. It never makes a bundle (package lessons does, at build time) and never judges an answer:
// what is right comes from the engine.
package course
