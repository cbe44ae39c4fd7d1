//go:build js

package main

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"rebalancelab/app/page"
)

func main() {
	app.Route("/", page.New)
	app.RunWhenOnBrowser()
}
