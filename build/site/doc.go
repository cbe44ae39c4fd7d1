// Package site builds the static site of the lab and serves it.
//
// It owns everything between the sources and a folder of files that any static host can serve under
// any path: the two WebAssembly programs, the bundled scripts with their content-hashed names, the
// page, the icons, the service worker, the headers, the brotli and gzip files, and budget.json.
//
// It never needs the user interface natively (app.wasm alone draws the page), never writes outside
// the folder it is given, and never puts an absolute path or a scheme into a page.
package site
