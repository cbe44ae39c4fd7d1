//go:build js

package page

import (
	"errors"
	"syscall/js"
)

// trapError says that the engine ended: a broken invariant, or a call that took too long.
type trapError struct{ message, details string }

// Error implements error.
func (e *trapError) Error() string { return e.message }

// bridge is window.rebalanceLab.
type bridge struct{ js.Value }

func newBridge() bridge { return bridge{js.Global().Get("rebalanceLab")} }

// await waits for a promise. It must not be called on the UI goroutine, which has to go on.
func await(promise js.Value) (js.Value, error) {
	type outcome struct {
		value js.Value
		err   error
	}
	done := make(chan outcome, 1)
	resolved := js.FuncOf(func(_ js.Value, args []js.Value) any {
		var v js.Value
		if len(args) > 0 {
			v = args[0]
		}
		done <- outcome{value: v}
		return nil
	})
	rejected := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{err: errorOf(args)}
		return nil
	})
	defer resolved.Release()
	defer rejected.Release()
	promise.Call("then", resolved, rejected)
	o := <-done
	return o.value, o.err
}

func errorOf(args []js.Value) error {
	if len(args) == 0 || args[0].Type() != js.TypeObject {
		return errors.New("something failed and gave no reason")
	}
	message := text(args[0].Get("message"))
	if args[0].Get("trap").Truthy() {
		return &trapError{message: message, details: text(args[0].Get("details"))}
	}
	return errors.New(message)
}

// text is a string, or nothing for what is none.
func text(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}

// Call implements session.Engine.
func (b bridge) Call(question []byte) ([]byte, error) {
	answer, err := await(b.Value.Call("call", toJS(question)))
	if err != nil {
		return nil, err
	}
	return toGo(answer), nil
}

func toJS(b []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(a, b)
	return a
}

func toGo(a js.Value) []byte {
	b := make([]byte, a.Length())
	js.CopyBytesToGo(b, a)
	return b
}

func (b bridge) player() js.Value   { return b.Get("player") }
func (b bridge) timeline() js.Value { return b.Get("timeline") }

// pref is what the reader chose or did before; empty when there is nothing.
func (b bridge) pref(key string) string { return text(b.Get("prefs").Call("get", key)) }

func (b bridge) setPref(key, value string) { b.Get("prefs").Call("set", key, value) }

// element finds an element of the page; null when it is not there.
func element(id string) js.Value {
	return js.Global().Get("document").Call("getElementById", id)
}

// clearField empties a field: go-app cannot take a value away that the reader typed.
func clearField(input string) {
	field := js.Global().Get("document").Call("querySelector", "[data-input="+input+"]")
	if !field.IsNull() {
		field.Set("value", "")
	}
}

// fetchText gets a file of the site.
func fetchText(url string) ([]byte, error) {
	response, err := await(js.Global().Call("fetch", url))
	if err != nil {
		return nil, err
	}
	if !response.Get("ok").Bool() {
		return nil, errors.New("the server answered " + response.Get("status").String())
	}
	buffer, err := await(response.Call("arrayBuffer"))
	if err != nil {
		return nil, err
	}
	return toGo(js.Global().Get("Uint8Array").New(buffer)), nil
}
