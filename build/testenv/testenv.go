package testenv

import (
	"fmt"
	"os"
	"testing"
)

// The variables that `go run ./build test` sets for every test.
const (
	EngineWasm = "LAB_ENGINE_WASM" // path of engine.wasm, the very file of the site
	Site       = "LAB_SITE"        // folder of the built static site
	Axe        = "LAB_AXE"         // path of axe.min.js
	Chrome     = "LAB_CHROME"      // path of a Chromium or Chrome program
	Kcat       = "LAB_KCAT"        // path of kcat, the command line of librdkafka
)

// Lookup returns the value of one of the variables, for a TestMain that has no *testing.T.
func Lookup(name string) (string, error) {
	value := os.Getenv(name)
	if value == "" {
		return "", fmt.Errorf("%s is not set: run the tests with `go run ./build test`, "+
			"or set it with `eval \"$(go run ./build env)\"` first", name)
	}
	return value, nil
}

// Path returns the value of one of the variables, or fails the test.
func Path(t testing.TB, name string) string {
	t.Helper()
	value, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
