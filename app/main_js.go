//go:build js

package main

import "github.com/maxence-charriere/go-app/v10/pkg/app"

type hello struct{ app.Compo }

// Render shows that the page and the program found each other.
func (h *hello) Render() app.UI {
	return app.Main().Body(
		app.H1().Text("Rebalance Lab"),
		app.P().Text("build "+app.Getenv("BUILD_ID")),
	)
}

func main() {
	app.Route("/", func() app.Composer { return &hello{} })
	app.RunWhenOnBrowser()
}
