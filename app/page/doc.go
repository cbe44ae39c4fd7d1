// Package page owns the page in the browser: the root component, what the reader's clicks and keys
// do, the bridge to window.rebalanceLab, and the state that none of the other packages needs.
//
// State belongs to go-app's UI goroutine. Questions to the engine are put by one other goroutine,
// in order, and what they bring is handed over with show. It never renders anything itself
// (package ui does) and never decides what is right (the engine does).
package page
