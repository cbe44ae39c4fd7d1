// Package testenv tells tests where the test command has put what they run against: the built
// engine, the built site, and the tools that are no Go modules.
//
// It owns the names of the environment variables. It never builds or installs anything, and it
// never skips: a test whose variable is missing fails with a sentence that names the command.
package testenv
