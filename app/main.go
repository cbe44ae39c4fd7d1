//go:build !js

package main

import (
	"os"

	"rebalancelab/app/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
