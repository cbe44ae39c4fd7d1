// Package cli owns the lab command line, the native build of app: run a scenario, test a folder of
// scenarios, run brokers for real clients.
//
// It is a thin host: it loads, advances, prints and exits. Exit status: 0 all expectations hold, 1
// one does not (or --row finds none), 2 bad input.
package cli
