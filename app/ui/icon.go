package ui

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// icons are the insides of pictures of 16 by 16, drawn with the colour of the text around them.
var icons = map[string]string{
	"play":      `<path d="M4 2.5v11l9-5.5z"/>`,
	"pause":     `<path d="M4 3h3v10H4zM9 3h3v10H9z"/>`,
	"start":     `<path d="M3 3h2v10H3zM13 3v10L6 8z"/>`,
	"back":      `<path d="M11 3v10L4 8z"/>`,
	"step":      `<path d="M5 3v10l7-5z"/>`,
	"event":     `<path d="M3 3v10l6-5zM10 3h2v10h-2z"/>`,
	"rebalance": `<path d="M8 2a6 6 0 0 1 5.7 4H11l3 4 2-4h-.7A7.5 7.5 0 0 0 2 4l1.2 1A6 6 0 0 1 8 2zM8 14a6 6 0 0 1-5.7-4H5L2 6 0 10h.7A7.5 7.5 0 0 0 14 12l-1.2-1A6 6 0 0 1 8 14z"/>`,
	"kill":      `<path d="M3.3 2 8 6.7 12.7 2 14 3.3 9.3 8l4.7 4.7-1.3 1.3L8 9.3 3.3 14 2 12.7 6.7 8 2 3.3z"/>`,
	"stop":      `<path d="M3.5 3.5h9v9h-9z"/>`,
	"theme":     `<path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 1.6v10.8A5.4 5.4 0 0 1 8 2.600z"/>`,
	"plus":      `<path d="M7 2h2v5h5v2H9v5H7V9H2V7h5z"/>`,
	"tick":      `<path d="m6.2 12.6-4-4 1.3-1.3 2.7 2.7 6.3-6.3 1.3 1.300z"/>`,
	"cross":     `<path d="M3.9 2.6 8 6.700l4.1-4.1 1.3 1.300L9.3 8l4.1 4.1-1.3 1.300L8 9.300l-4.1 4.1-1.3-1.300L6.7 8 2.6 3.900z"/>`,
	"more":      `<path d="M2 7h3v2.500H2zM6.5 7h3v2.500h-3zM11 7h3v2.500h-3z"/>`,
	"link":      `<path d="M6.5 11.5 5 13a2.8 2.8 0 0 1-4-4l3-3a2.8 2.8 0 0 1 4 0l-1 1a1.4 1.4 0 0 0-2 0l-3 3a1.4 1.4 0 0 0 2 2l1.5-1.500zM9.5 4.5 11 3a2.8 2.8 0 0 1 4 4l-3 3a2.8 2.8 0 0 1-4 0l1-1a1.4 1.4 0 0 0 2 0l3-3a1.4 1.4 0 0 0-2-2l-1.5 1.500z"/>`,
}

// Icon is a picture from the app's own set.
func Icon(name string) app.UI {
	return app.Raw(`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">` +
		icons[name] + `</svg>`)
}

// Logo is the product's mark: three lanes.
func Logo() app.UI {
	return app.Raw(`<svg class="logo" viewBox="0 0 20 20" aria-hidden="true" focusable="false">` +
		`<rect x="1" y="2" width="11" height="4" rx="1" fill="var(--c0)"/>` +
		`<rect x="1" y="8" width="18" height="4" rx="1" fill="var(--c1)"/>` +
		`<rect x="1" y="14" width="7" height="4" rx="1" fill="var(--c2)"/></svg>`)
}
